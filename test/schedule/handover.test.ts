/** What is committed leaves, sooner or later, once or again under the same name: queue, ledger, clock and memory fail. */
import { describe, expect, it } from "vitest";
import { nextLinkDue } from "../../src/ledger/watched.ts";
import { at, Bell, CRASH_POINTS, granted, refusal } from "./harness.ts";

const SLOT = { slot: at("09:00:00"), variant: "" };
const daily = { trigger: { cron: "0 9 * * *", timezone: "UTC" } };

function created(input: Parameters<Bell["put"]>[0] = daily): Bell {
  const bell = new Bell("2026-03-02T08:59:00Z");
  granted(bell.put(input));
  return bell;
}

describe("the ledger", () => {
  it("is down for an hour: every slot goes out on time, and the ledger is complete soon after", () => {
    const bell = created({ trigger: { every: "1m" }, tracked: false });
    bell.faults.ledger = true;
    bell.to("10:00:30");
    expect(bell.sent.every(({ slot, at: sentAt }) => slot === sentAt)).toBe(true);
    expect(bell.sent).toHaveLength(61);
    expect(bell.ledger.story).toEqual([]);
    bell.faults.ledger = false;
    bell.to("10:00:46");
    expect(bell.ledger.story).toHaveLength(61);
    expect(bell.state.rows).toEqual([]);
  });

  it("does not answer: the same rows go again, and an older one never wins", () => {
    const bell = created();
    bell.faults.ledgerAck = true;
    bell.to("09:00:05");
    granted(bell.command("complete", { ...SLOT, token: granted(bell.start(SLOT)).token }));
    bell.faults.ledgerAck = false;
    bell.to("09:01:00");
    expect(bell.ledger.story).toEqual(["09:00:00 succeeded"]);
  });

  it("forgets what is past its retention, so that nothing pruned reappears", () => {
    const bell = created({ trigger: { every: "1h" }, tracked: false, retentionMs: 86_400_000 });
    bell.faults.ledger = true;
    for (let hours = 0; hours <= 72; hours++) bell.sleepTo(at("09:00:00") + hours * 3_600_000);
    bell.faults.ledger = false;
    bell.sleepTo("2026-03-05T09:30:00Z");
    const slots = [...bell.ledger.occurrences.values()].map(({ slot }) => slot);
    expect(Math.min(...slots)).toBe(at("2026-03-04T10:00:00Z"));
  });
});

describe("the queue", () => {
  it("is down: tried again with growing pauses, and the ledger says once why it is only claimed", () => {
    const bell = created();
    bell.faults.queue = true;
    bell.to("09:00:20");
    expect(bell.ledger.row(SLOT.slot)).toMatchObject({ state: "claimed", body: { error: "queue is down" } });
    bell.faults.queue = false;
    bell.to("09:00:40");
    expect(bell.sent).toHaveLength(1);
    expect(bell.ledger.row(SLOT.slot)?.state).toBe("dispatched");
  });

  it("stays down past maxElapsed: the occurrence expires", () => {
    const bell = created({ ...daily, retry: { maxElapsedMs: 60_000 } });
    bell.faults.queue = true;
    bell.to("09:01:00");
    expect(bell.ledger.story).toEqual(["09:00:00 expired/never_dispatched"]);
    expect(bell.ledger.row(SLOT.slot)?.body.error).toBe("queue is down");
  });

  it("is gone: for an hour that may be a redeploy's accident, then it failed", () => {
    const bell = created();
    bell.faults.binding = true;
    bell.to("09:59:59");
    expect(bell.open).toMatchObject([{ state: "claimed" }]);
    bell.to("10:00:00");
    expect(bell.ledger.story).toEqual(["09:00:00 failed/unknown_queue"]);
  });

  it("is gone when a retry is due hours after the claim: the hour begins with the first such error", () => {
    const bell = created({
      ...daily,
      retry: { jitter: 0, initialMs: 7_200_000, maxMs: 7_200_000, maxElapsedMs: 86_400_000 },
    });
    bell.to("09:00:00");
    granted(bell.command("fail", { ...SLOT, token: granted(bell.start(SLOT)).token, error: "no" }));
    bell.faults.binding = true;
    bell.to("11:30:00");
    expect(bell.open).toMatchObject([{ state: "retrying" }]);
    bell.faults.binding = false;
    bell.to("11:30:15");
    expect(bell.open).toMatchObject([{ state: "dispatched", attempt: 2 }]);
  });

  it("loses the acknowledgement: the message is there twice, and starts once", () => {
    const bell = created();
    bell.faults.queueAck = true;
    bell.to("09:00:01");
    bell.faults.queueAck = false;
    bell.to("09:00:30");
    expect(bell.sent.map(({ attempt }) => attempt)).toEqual([1, 1]);
    granted(bell.start(SLOT, "w1"));
    expect(refusal(bell.start(SLOT, "w2"))).toBe("busy");
  });
});

describe("the process", () => {
  it.each(CRASH_POINTS)("dies at %s of a wake: the slot is claimed once and goes out", (point) => {
    const bell = created();
    bell.now = at("09:00:00");
    bell.crashAt = point;
    expect(bell.dying(() => bell.ring())).toBe(true);
    bell.to("09:00:30");
    expect(new Set(bell.sent.map(({ message }) => message.key))).toEqual(
      new Set(["default/job@2026-03-02T09:00:00Z"]),
    );
    expect(bell.sent.length).toBe(point === "sent" ? 2 : 1);
    expect(bell.ledger.story).toEqual(["09:00:00 dispatched"]);
    expect(bell.state.claimed).toBe(1);
  });

  it.each(CRASH_POINTS)(
    "dies at %s of a report: repeated, it gets the same answer, and the ledger hears of it",
    (point) => {
      const bell = created().to("09:00:00");
      const { token } = granted(bell.start(SLOT));
      bell.crashAt = point;
      expect(bell.dying(() => bell.command("complete", { ...SLOT, token, result: 7 }))).toBe(true);
      expect(granted(bell.command("complete", { ...SLOT, token, result: 7 })).state).toBe("succeeded");
      bell.to("09:10:00");
      expect(bell.ledger.story).toEqual(["09:00:00 succeeded"]);
      expect(bell.state.health.counts).toEqual({ succeeded: 1 });
    },
  );
});

describe("the clock", () => {
  it("steps back: nothing fires twice, and what is asked for by hand still leaves at once", () => {
    const bell = created({ trigger: { every: "1m" }, tracked: false }).to("09:10:00");
    const before = bell.sent.length;
    bell.now = at("09:05:00");
    bell.ring();
    expect(bell.sent).toHaveLength(before);
    granted(bell.trigger());
    expect(bell.sent).toHaveLength(before + 1);
    bell.to("09:11:00");
    expect(new Set(bell.sent.map(({ message }) => message.id)).size).toBe(bell.sent.length);
    expect(bell.sent.at(-1)?.slot).toBe(at("09:11:00"));
  });

  it("drifts nowhere: a fixed rate over 1,000 slots, with wakes that are late each time", () => {
    const bell = created({ trigger: { every: "15m", anchor: "2026-01-01T00:03:00Z" }, tracked: false });
    let late = 0;
    for (let n = 0; n < 1_000; n++) {
      late = (late + 37) % 900;
      bell.sleepTo((bell.alarm ?? 0) + late);
    }
    const grid = bell.sent.map(({ slot }, n) => slot - (at("09:03:00") + n * 900_000));
    expect(bell.sent).toHaveLength(1_000);
    expect(grid.every((drift) => drift === 0)).toBe(true);
  });
});

describe("restore", () => {
  const restored = (bell: Bell) => {
    const other = new Bell(bell.now);
    const { schedule, occurrences, gaps } = bell.ledger;
    if (!schedule) throw new Error("the ledger knows no schedule");
    const rows = [...occurrences.values()];
    const slots = [
      ...rows.filter(({ variant }) => variant === "").map(({ slot }) => slot),
      ...[...gaps.values()].map((gap) => gap.to_at),
    ];
    const reply = other.command("restore", {
      row: schedule,
      highestSlot: Math.max(...slots),
      highestVersion: Math.max(...rows.map(({ version }) => version)),
      delayDueAt: nextLinkDue(
        { version: schedule.version, delayDueAt: schedule.state_body.delayDueAt ?? null },
        rows.filter(({ computed }) => computed === 0),
      ),
      open: rows.filter(({ state }) =>
        ["claimed", "dispatched", "running", "retrying", "deferred"].includes(state),
      ),
    });
    granted(reply);
    return other;
  };

  it("continues where the ledger ends: no old slot is due again, no old token valid, open ones are adopted", () => {
    const bell = created({ trigger: { every: "1m" }, maxConcurrent: 2, maxOccurrences: 9 }).to("09:01:00");
    const { token } = granted(bell.start(SLOT));
    const other = restored(bell);
    expect(other.sent).toEqual([]);
    expect(other.state).toMatchObject({ cursor: at("09:01:00"), revision: 1, claimed: 2 });
    expect(other.open.map(({ slot, state }) => [slot, state])).toEqual([
      [at("09:00:00"), "dispatched"],
      [at("09:01:00"), "dispatched"],
    ]);
    expect(refusal(other.command("complete", { ...SLOT, token }))).toBe("lease_lost");
    expect(granted(other.start(SLOT, "w2")).token).toBeGreaterThan(token);
    other.to("09:02:00");
    expect(other.ledger.story.at(-1)).toBe("09:02:00 skipped/overlap");
  });

  it("of a fixed delay waits for the open run, where there is one", () => {
    const bell = created({ trigger: { after: "10m" } }).to("09:09:00");
    expect(restored(bell).state.delayDueAt).toBeNull();
  });

  it("of a fixed delay keeps what the last settlement promised", () => {
    const bell = created({ trigger: { after: "10m" } }).to("09:09:00");
    const [first] = bell.open;
    granted(bell.command("complete", { ...first!, token: granted(bell.start(first!)).token }));
    expect(bell.state.delayDueAt).toBe(at("09:19:00"));
    expect(restored(bell.to("09:15:00")).state.delayDueAt).toBe(at("09:19:00"));
  });

  it("lets a run of a tracked revision end, though nobody reports on those of the one in force", () => {
    const bell = created({ trigger: { every: "1m" }, retry: { maxElapsedMs: 3_600_000 } }).to("09:00:00");
    granted(bell.patch({ tracked: false }));
    const other = restored(bell);
    expect(other.open).toMatchObject([{ slot: at("09:00:00"), state: "dispatched", tracked: true }]);
    other.to("10:30:00");
    expect(other.open).toEqual([]);
    expect(other.ledger.row(at("09:00:00"))).toMatchObject({ state: "expired" });
  });

  it("is nothing to an object that knows more", () => {
    const bell = created().to("09:00:00");
    const before = bell.state;
    const { schedule } = bell.ledger;
    if (schedule)
      granted(
        bell.command("restore", {
          row: schedule,
          highestSlot: 0,
          highestVersion: 0,
          delayDueAt: null,
          open: [],
        }),
      );
    expect(bell.state).toEqual(before);
  });
});
