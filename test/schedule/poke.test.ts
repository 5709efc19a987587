/** What the sweep gets from an object: a look at the clock, and the rows that the ledger lost. */
import { describe, expect, it } from "vitest";
import type { DefinitionInput } from "../../src/core/schedule.ts";
import { at, Bell, granted } from "./harness.ts";

const START = "2026-03-02T09:00:00Z";
const SLOT = at("09:01:00");

function bellWith(input: Partial<DefinitionInput> = {}): Bell {
  const bell = new Bell(START);
  granted(bell.put(input));
  return bell;
}

const poke = (bell: Bell, lacks: { slot: number; state?: "dispatched" | "running" }[]) =>
  granted(
    bell.command("poke", {
      lacks: lacks.map(({ slot, state = null }) => ({ slot, variant: "", state })),
    }),
  );

function runFirst(bell: Bell): void {
  bell.to(SLOT);
  const { token } = granted(bell.start({ slot: SLOT, variant: "" }));
  granted(bell.command("complete", { slot: SLOT, variant: "", token }));
}

describe("a poke", () => {
  it("makes an object whose alarm is gone look at the clock", () => {
    const bell = bellWith();
    bell.alarm = null;
    bell.now = SLOT + 20_000;
    poke(bell, [{ slot: SLOT }]);
    expect(bell.sent.map(({ slot }) => slot)).toEqual([SLOT]);
    expect(bell.alarm).not.toBeNull();
  });

  it("changes nothing where all is well", () => {
    const bell = bellWith();
    runFirst(bell);
    const before = structuredClone(bell.state);
    expect(poke(bell, [])).toEqual({ waiting: [], redispatched: 0, expired: 0 });
    expect(bell.state).toEqual(before);
  });

  it("says of a slot that waits that it does, and writes nothing for it", () => {
    const bell = bellWith({ overlap: "buffer_all" }).to("09:02:00");
    const rows = bell.ledger.written;
    expect(poke(bell, [{ slot: at("09:02:00") }]).waiting).toEqual([at("09:02:00")]);
    expect(bell.ledger.written).toBe(rows);
  });

  it("sends again what was never started, and says so", () => {
    const bell = bellWith({ timeouts: { startMs: 60_000 }, overlap: "skip" });
    runFirst(bell);
    bell.to("09:02:00");
    bell.alarm = null;
    bell.now = at("09:03:05");
    expect(poke(bell, []).redispatched).toBe(1);
    expect(bell.sent.filter(({ slot }) => slot === at("09:02:00"))).toHaveLength(2);
  });
});

describe("a ledger that lost its rows", () => {
  it("gets the ended, the open and the schedule's own again, and no slot runs twice", () => {
    const bell = bellWith();
    runFirst(bell);
    bell.to("09:02:30");
    const sent = bell.sent.length;
    bell.ledger.lose();
    poke(bell, [{ slot: SLOT }]);
    expect(bell.ledger.row(SLOT)).toMatchObject({ state: "succeeded", schedule: "default/job" });
    expect(bell.ledger.row(at("09:02:00"))).toMatchObject({ state: "dispatched" });
    expect(bell.ledger.schedule).not.toBeNull();
    expect(bell.sent).toHaveLength(sent);
  });

  it("keeps the fuller row that it still has", () => {
    const bell = bellWith();
    bell.to(SLOT);
    const { token } = granted(bell.start({ slot: SLOT, variant: "" }));
    granted(bell.command("complete", { slot: SLOT, variant: "", token, result: { rows: 7 } }));
    bell.to("09:02:00");
    bell.ledger.occurrences.delete(`${at("09:02:00")}`);
    poke(bell, [{ slot: at("09:02:00") }]);
    expect(bell.ledger.row(SLOT)).toMatchObject({ body: { result: { rows: 7 } } });
    expect(bell.ledger.row(at("09:02:00"))).toBeDefined();
  });

  it("learns the end of what it has as open", () => {
    const bell = bellWith();
    bell.to(SLOT);
    const early = structuredClone(bell.ledger.row(SLOT));
    const { token } = granted(bell.start({ slot: SLOT, variant: "" }));
    granted(bell.command("complete", { slot: SLOT, variant: "", token }));
    bell.ledger.occurrences.set(`${SLOT}`, early!);
    poke(bell, [{ slot: SLOT, state: "dispatched" }]);
    expect(bell.ledger.row(SLOT)).toMatchObject({ state: "succeeded" });
  });

  it("gets untracked slots and the last gap row again", () => {
    const bell = bellWith({ tracked: false });
    bell.to(SLOT);
    bell.sleepTo("09:30:00");
    bell.ledger.lose();
    poke(bell, [{ slot: at("09:30:00") }]);
    expect(bell.ledger.row(SLOT)).toMatchObject({ state: "dispatched" });
    expect(bell.ledger.row(at("09:30:00"))).toMatchObject({ state: "dispatched" });
    expect([...bell.ledger.gaps.values()]).toMatchObject([{ count: 28, reason: "coalesced" }]);
  });
});

describe("a fixed delay", () => {
  it("tells the ledger with each settled row when the next slot is due, and writes no row for it", () => {
    const bell = bellWith({ trigger: { after: "10m" } });
    expect(bell.ledger.schedule).toMatchObject({ state_body: { delayDueAt: at("09:10:00") } });
    bell.to("09:10:00");
    const { token } = granted(bell.start({ slot: at("09:10:00"), variant: "" }));
    bell.now = at("09:10:30");
    const rows = bell.ledger.written;
    granted(bell.command("complete", { slot: at("09:10:00"), variant: "", token }));
    expect(bell.ledger.row(at("09:10:00"))).toMatchObject({
      state: "succeeded",
      due_at: at("09:20:30"),
    });
    expect(bell.ledger.written).toBe(rows + 1);
  });
});
