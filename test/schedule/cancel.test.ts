/** Cancel, by the state it finds; and continuations, which pause, delete, cancel and failure end. */
import { describe, expect, it } from "vitest";
import type { DefinitionInput } from "../../src/core/schedule.ts";
import { at, Bell, granted, refusal } from "./harness.ts";

const SLOT = { slot: at("09:00:00"), variant: "" };
const daily = { trigger: { cron: "0 9 * * *", timezone: "UTC" }, retry: { jitter: 0 } };

function dispatched(input: Partial<DefinitionInput> = {}): Bell {
  const bell = new Bell("2026-03-02T08:59:00Z");
  granted(bell.put({ ...daily, ...input }));
  return bell.to("09:00:00");
}

function running(input: Partial<DefinitionInput> = {}) {
  const bell = dispatched(input);
  return { bell, token: granted(bell.start(SLOT)).token };
}

describe("cancel ends at once what is not running", () => {
  const STATES = [
    {
      state: "claimed",
      reach: () => {
        const bell = new Bell("2026-03-02T08:59:00Z");
        granted(bell.put(daily));
        bell.faults.queue = true;
        return bell.to("09:00:00");
      },
    },
    { state: "dispatched", reach: () => dispatched() },
    {
      state: "retrying",
      reach: () => {
        const { bell, token } = running();
        granted(bell.command("fail", { ...SLOT, token, error: "no" }));
        return bell;
      },
    },
    {
      state: "deferred",
      reach: () => {
        const { bell, token } = running();
        granted(bell.command("defer", { ...SLOT, token, forMs: 60_000 }));
        return bell;
      },
    },
  ];
  it.each(STATES)("$state", ({ state, reach }) => {
    const bell = reach();
    bell.faults.queue = false;
    expect(bell.open[0]?.state).toBe(state);
    expect(granted(bell.cancel(SLOT))).toMatchObject({ state: "cancelled", reason: "cancelled by ann" });
    expect(bell.open).toEqual([]);
    const sent = bell.sent.length;
    bell.to("10:00:00");
    expect(bell.sent).toHaveLength(sent);
    expect(bell.ledger.story).toEqual(["09:00:00 cancelled/cancelled by ann"]);
    expect(refusal(bell.start(SLOT, "w9"))).toBe("cancelled");
  });

  it("buffered, in the middle of a range: its neighbours stay in the queue", () => {
    const bell = new Bell("2026-03-02T09:00:00Z");
    granted(bell.put({ overlap: "buffer_all", timeouts: { leaseMs: 900_000 } }));
    bell.to("09:01:00");
    granted(bell.start({ slot: at("09:01:00"), variant: "" }));
    bell.to("09:04:30");
    granted(bell.cancel({ slot: at("09:03:00"), variant: "" }));
    expect(bell.state.waiting.map(({ upTo, count }) => [upTo, count])).toEqual([
      [at("09:02:00"), 1],
      [at("09:04:00"), 1],
    ]);
    expect(refusal(bell.cancel({ slot: at("09:03:00"), variant: "" }))).toBe("not_found");
    expect(bell.ledger.story).toContain("09:03:00 cancelled/cancelled by ann");
  });

  it("buffered under an older rule: found by the rule that made it", () => {
    const bell = new Bell("2026-03-02T09:00:00Z");
    granted(bell.put({ overlap: "buffer_all", timeouts: { leaseMs: 900_000 } }));
    bell.to("09:01:00");
    granted(bell.start({ slot: at("09:01:00"), variant: "" }));
    bell.to("09:04:30");
    granted(bell.patch({ trigger: { every: "7m" } }));
    granted(bell.cancel({ slot: at("09:03:00"), variant: "" }));
    expect(bell.state.waiting.reduce((sum, range) => sum + range.count, 0)).toBe(2);
  });
});

describe("cancel of a running one marks it", () => {
  it("the next heartbeat says so, and complete still makes it succeeded", () => {
    const { bell, token } = running();
    expect(granted(bell.cancel(SLOT)).state).toBe("running");
    expect(granted(bell.command("heartbeat", { ...SLOT, token })).cancel).toBe(true);
    granted(bell.command("complete", { ...SLOT, token }));
    expect(bell.ledger.story).toEqual(["09:00:00 succeeded"]);
  });

  const ENDS = [
    {
      name: "fail",
      end: (bell: Bell, token: number) => void granted(bell.command("fail", { ...SLOT, token, error: "no" })),
    },
    {
      name: "defer",
      end: (bell: Bell, token: number) => void granted(bell.command("defer", { ...SLOT, token, forMs: 1 })),
    },
    { name: "the lapse of its lease", end: (bell: Bell) => void bell.to("09:01:00") },
    {
      name: "timeouts.cancel, heartbeats or not",
      end: (bell: Bell, token: number) => {
        granted(bell.command("heartbeat", { ...SLOT, token }));
        bell.to("09:01:20");
        expect(refusal(bell.command("complete", { ...SLOT, token }))).toBe("lease_lost");
      },
    },
  ];
  it.each(ENDS)("$name makes it cancelled, never retried", ({ end }) => {
    const { bell, token } = running();
    bell.to("09:00:20");
    granted(bell.cancel(SLOT));
    end(bell, token);
    expect(bell.ledger.story).toEqual(["09:00:00 cancelled/cancelled by ann"]);
    bell.to("12:00:00");
    expect(bell.sent).toHaveLength(1);
  });

  it("asking twice changes neither the reason nor the patience", () => {
    const { bell } = running();
    granted(bell.cancel(SLOT));
    bell.to("09:00:30");
    granted(bell.cancel(SLOT));
    expect(bell.open[0]?.cancelAt).toBe(at("09:01:00"));
  });

  it("of a settled one is refused", () => {
    const { bell, token } = running();
    granted(bell.command("complete", { ...SLOT, token }));
    expect(refusal(bell.cancel(SLOT))).toBe("settled");
    expect(refusal(bell.cancel({ slot: 1, variant: "" }))).toBe("not_found");
  });
});

describe("workRemaining", () => {
  const done = (bell: Bell, variant: string, workRemaining: boolean) => {
    const { token } = granted(bell.start({ slot: SLOT.slot, variant }, `w${variant}`));
    return granted(bell.command("complete", { slot: SLOT.slot, variant, token, workRemaining }));
  };

  it("goes on at once under the same slot, revision and seat", () => {
    const bell = dispatched();
    granted(bell.patch({ payload: "later" }));
    done(bell, "", true);
    expect(bell.open).toMatchObject([{ variant: "~c1", kind: "continuation", revision: 1, slot: SLOT.slot }]);
    expect(bell.sent.at(-1)?.message.id).toBe("job@2026-03-02T09:00:00Z~c1");
    done(bell, "~c1", true);
    done(bell, "~c2", false);
    expect(bell.ledger.story).toEqual([
      "09:00:00 succeeded",
      "09:00:00~c1 succeeded",
      "09:00:00~c2 succeeded",
    ]);
  });

  it("goes before what waits", () => {
    const bell = new Bell("2026-03-02T08:59:00Z");
    granted(bell.put({ overlap: "buffer_all", timeouts: { leaseMs: 900_000 } }));
    bell.to("09:00:00");
    const { token } = granted(bell.start(SLOT));
    bell.to("09:02:30");
    granted(bell.command("complete", { ...SLOT, token, workRemaining: true }));
    expect(bell.open).toMatchObject([{ variant: "~c1" }]);
    expect(bell.state.waiting).toMatchObject([{ count: 2 }]);
  });

  it("ends at maxContinuations", () => {
    const bell = dispatched({ maxContinuations: 2 });
    for (const variant of ["", "~c1", "~c2"]) done(bell, variant, true);
    expect(bell.open).toEqual([]);
  });

  it("a repeated report does not go on twice", () => {
    const { bell, token } = running();
    granted(bell.command("complete", { ...SLOT, token, workRemaining: true }));
    granted(bell.command("complete", { ...SLOT, token, workRemaining: true }));
    expect(bell.open).toMatchObject([{ variant: "~c1" }]);
  });

  it("goes on for a one-off as well, whose schedule is completed by then", () => {
    const bell = new Bell("2026-03-02T08:59:00Z");
    granted(bell.put({ trigger: { at: "2026-03-02T09:00:00Z" } }));
    bell.to("09:00:00");
    expect(bell.state.status).toBe("completed");
    done(bell, "", true);
    expect(bell.open).toMatchObject([{ variant: "~c1" }]);
  });

  const ENDS = [
    { name: "pause", end: (bell: Bell) => void granted(bell.pause()) },
    { name: "delete", end: (bell: Bell) => void granted(bell.remove()) },
    { name: "cancel", end: (bell: Bell) => void granted(bell.cancel(SLOT)) },
  ];
  it.each(ENDS)("$name ends the chain", ({ end }) => {
    const { bell, token } = running();
    end(bell);
    granted(bell.command("complete", { ...SLOT, token, workRemaining: true }));
    expect(bell.open).toEqual([]);
    expect(bell.ledger.story).toEqual(["09:00:00 succeeded/work_remaining"]);
  });

  it("a failure ends the chain", () => {
    const bell = dispatched();
    done(bell, "", true);
    const { token } = granted(bell.start({ slot: SLOT.slot, variant: "~c1" }, "w2"));
    granted(bell.command("fail", { slot: SLOT.slot, variant: "~c1", token, error: "no", retryable: false }));
    expect(bell.open).toEqual([]);
  });
});
