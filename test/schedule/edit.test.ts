/** Contract §2.4: an edit settles first and neither loses nor repeats a slot; delete drains; recreation goes on. */
import { describe, expect, it } from "vitest";
import { effectiveAt } from "../../src/core/trigger.ts";
import { ruleInForce } from "../../src/schedule/draft.ts";
import { readSchedule } from "../../src/schedule/machine.ts";
import { at, Bell, granted, refusal } from "./harness.ts";

const hourly = { trigger: { cron: "0 * * * *", timezone: "UTC" } };
const untracked = { tracked: false };

function created(input: Parameters<Bell["put"]>[0], start = "2026-03-02T08:50:00Z"): Bell {
  const bell = new Bell(start);
  granted(bell.put(input));
  return bell;
}

const slotsOf = (bell: Bell) => bell.sent.map(({ slot }) => new Date(slot).toISOString().slice(11, 19));

describe("put", () => {
  it("of the same definition changes nothing, checked before anything else", () => {
    const bell = created({ ...hourly, payload: { a: 1, b: 2 } });
    const before = bell.state;
    const again = granted(bell.put({ payload: { b: 2, a: 1 }, ...hourly, overlap: "skip" }));
    expect(again).toMatchObject({ outcome: "unchanged", schedule: { revision: 1 } });
    expect(bell.state).toEqual(before);
  });

  it("needs If-Match to replace, and the right one", () => {
    const bell = created(hourly);
    expect(refusal(bell.put({ payload: 1 }))).toBe("precondition_required");
    expect(refusal(bell.put({ payload: 1 }, { ifMatch: 7 }))).toBe("precondition_failed");
    expect(granted(bell.put({ payload: 1 }, { ifMatch: 1 })).outcome).toBe("replaced");
  });

  it("compares without `paused`, and refuses to change it", () => {
    const bell = created(hourly);
    expect(granted(bell.put(hourly, { paused: true })).outcome).toBe("unchanged");
    expect(refusal(bell.put({ ...hourly, payload: 1 }, { paused: true, ifMatch: 1 }))).toBe(
      "use_pause_or_resume",
    );
    expect(refusal(bell.command("patch", { who: "ann", patch: {}, paused: true }))).toBe(
      "use_pause_or_resume",
    );
  });
});

describe("an edit", () => {
  it("first settles, under the old revision, every slot up to now", () => {
    const bell = created({ ...hourly, ...untracked, catchUp: { policy: "all", graceMs: 0 } });
    bell.now = at("11:30:00");
    granted(bell.patch({ trigger: { cron: "15 * * * *", timezone: "UTC" } }));
    expect(bell.sent.map(({ message }) => message.revision)).toEqual([1, 1, 1]);
    bell.to("12:15:00");
    expect(slotsOf(bell)).toEqual(["09:00:00", "10:00:00", "11:00:00", "12:15:00"]);
  });

  it("settles them all, in as many pieces as the count takes, before the rule changes", () => {
    const union = [
      { cron: "* * * * * *", timezone: "UTC" },
      { every: "7s", anchor: "2026-01-01T00:00:00.500Z" },
    ];
    const bell = created({ trigger: union, ...untracked }, "2026-03-01T00:00:00Z");
    bell.now = at("2026-03-02T12:00:00Z");
    granted(bell.patch({ trigger: { every: "1h" } }));
    const counted = [...bell.ledger.gaps.values()].reduce((sum, gap) => sum + gap.count, 0);
    expect(counted + bell.sent.length).toBe(36 * 3_600 + Math.floor((36 * 3_600) / 7));
  });

  it("with the same trigger keeps the cursor: what is due stays due", () => {
    const bell = created({ ...hourly, ...untracked });
    bell.now = at("09:00:00");
    granted(bell.patch({ payload: 2 }));
    bell.to("10:00:00");
    expect(bell.sent.map(({ slot, message }) => [slot, message.payload])).toEqual([
      [at("09:00:00"), null],
      [at("10:00:00"), 2],
    ]);
  });

  it("leaves an open occurrence its revision: payload, target, retry, time-outs", () => {
    const bell = created({ ...hourly, payload: "old", timeouts: { leaseMs: 60_000 } });
    bell.to("09:00:00");
    granted(bell.patch({ payload: "new", timeouts: { leaseMs: 1_000 }, retry: { maxAttempts: 1 } }));
    const grant = granted(bell.start({ slot: at("09:00:00"), variant: "" }));
    expect(grant).toMatchObject({
      leaseUntil: "2026-03-02T09:01:00Z",
      message: { payload: "old", revision: 1 },
    });
    const report = { slot: at("09:00:00"), variant: "", token: grant.token, error: "no" };
    expect(granted(bell.command("fail", report))).toMatchObject({ state: "retrying" });
  });

  it("applies overlap and maxConcurrent at once", () => {
    const bell = created({ trigger: { every: "1m" } });
    bell.to("08:51:00");
    granted(bell.patch({ maxConcurrent: 2 }));
    bell.to("08:52:00");
    expect(bell.open).toHaveLength(2);
    granted(bell.patch({ maxConcurrent: 1 }));
    bell.to("08:53:00");
    expect(bell.ledger.story).toContain("08:53:00 skipped/overlap");
  });

  it("does not make a retrying run superseded by an instant that was no slot when it passed", () => {
    const bell = created(
      { trigger: { cron: "0 1 * * *", timezone: "UTC" }, retry: { untilNextSlot: true, initialMs: 900_000 } },
      "2026-03-02T00:00:00Z",
    );
    bell.to("01:00:00");
    const slot = { slot: at("01:00:00"), variant: "" };
    bell.to("01:14:00");
    const { token } = granted(bell.start(slot));
    granted(bell.command("fail", { ...slot, token, error: "no" }));
    granted(bell.patch({ trigger: { cron: "10 1 * * *", timezone: "UTC" } }));
    bell.to("01:20:00");
    expect(bell.open).toMatchObject([{ state: "retrying", attempt: 2 }]);
  });

  describe("while a slot is held by its jitter", () => {
    const jittered = { trigger: { every: "10m" }, jitterMs: 300_000, ...untracked };
    const bellHeld = () => {
      const bell = created(jittered);
      const slot = at("09:00:00");
      const { definition, timetable } = ruleInForce(bell.world);
      const due = effectiveAt(timetable, "default/job", definition.jitterMs, slot);
      bell.to(due - 1_000);
      return { bell, slot, due };
    };

    it("keeps its revision and its instant", () => {
      const { bell, slot, due } = bellHeld();
      expect(due).toBeGreaterThan(slot + 2_000);
      granted(
        bell.patch({ trigger: { cron: "0 12 * * *", timezone: "UTC" }, jitterMs: null, payload: "new" }),
      );
      bell.to("11:00:00");
      expect(bell.sent.at(-1)).toMatchObject({ slot, at: due, message: { revision: 1, payload: null } });
      expect(bell.sent.filter((sent) => sent.slot === slot)).toHaveLength(1);
    });

    it("a delete cancels it, and says so", () => {
      const { bell } = bellHeld();
      granted(bell.remove());
      expect(bell.ledger.story).toContain("09:00:00 cancelled/deleted");
      bell.to("12:00:00");
      expect(slotsOf(bell)).not.toContain("09:00:00");
    });
  });
});

describe("a one-off", () => {
  it("up to grace ago fires at once, an older one is refused", () => {
    const bell = new Bell("2026-03-02T09:00:00Z");
    expect(refusal(bell.put({ trigger: { at: "2026-03-02T08:54:59Z" } }))).toBe("never_fires");
    granted(bell.put({ trigger: { at: "2026-03-02T08:55:00Z" } }));
    expect(slotsOf(bell)).toEqual(["08:55:00"]);
    expect(bell.state.status).toBe("completed");
  });

  it("never fires a slot that this schedule has settled already", () => {
    const bell = created({ trigger: { every: "1m" }, ...untracked });
    bell.to("09:00:30");
    expect(refusal(bell.patch({ trigger: { at: "2026-03-02T09:00:00Z" } }))).toBe("never_fires");
    granted(bell.patch({ trigger: { at: "2026-03-02T09:00:20Z" } }));
    expect(slotsOf(bell).slice(-2)).toEqual(["09:00:00", "09:00:20"]);
  });

  it("`in` counts from the revision that introduced it, and the same text restarts nothing", () => {
    const bell = created({ trigger: { in: "10m" }, ...untracked });
    bell.to("08:55:00");
    expect(granted(bell.put({ trigger: { in: "10m" }, ...untracked })).outcome).toBe("unchanged");
    bell.to("12:00:00");
    granted(bell.put({ trigger: { in: "10m" }, ...untracked }));
    expect(slotsOf(bell)).toEqual(["09:00:00"]);
    granted(bell.patch({ trigger: { in: "20m" } }));
    bell.to("13:00:00");
    expect(slotsOf(bell)).toEqual(["09:00:00", "12:20:00"]);
  });
});

describe("a completed schedule", () => {
  it("is active again by an edit that puts a slot ahead; what passed meanwhile were no slots", () => {
    const bell = created({ ...hourly, ...untracked, maxOccurrences: 1 });
    bell.to("15:30:00");
    expect(slotsOf(bell)).toEqual(["09:00:00"]);
    expect(bell.state.status).toBe("completed");
    granted(bell.patch({ maxOccurrences: 2 }));
    expect(slotsOf(bell)).toEqual(["09:00:00"]);
    bell.to("18:00:00");
    expect(slotsOf(bell)).toEqual(["09:00:00", "16:00:00"]);
    expect([...bell.ledger.gaps.values()]).toEqual([]);
  });

  it("whose last run still goes on lets it retry, and is deleted after it, where it was told to be", () => {
    const bell = created({
      trigger: { at: "2026-03-02T09:00:00Z" },
      afterCompletion: "delete",
      retry: { jitter: 0 },
    });
    bell.to("09:00:00");
    const slot = { slot: at("09:00:00"), variant: "" };
    granted(bell.command("fail", { ...slot, token: granted(bell.start(slot)).token, error: "no" }));
    expect(bell.state.status).toBe("completed");
    bell.to("09:00:10");
    granted(
      bell.command("complete", { ...slot, token: granted(bell.start({ ...slot, attempt: 2 }, "w2")).token }),
    );
    expect(bell.state.status).toBe("deleted");
    expect(bell.ledger.story).toEqual(["09:00:00 succeeded"]);
    expect(bell.alarm).toBeNull();
  });

  it("that nobody tracks is deleted with its last dispatch", () => {
    const bell = created({
      trigger: { at: "2026-03-02T09:00:00Z" },
      afterCompletion: "delete",
      ...untracked,
    });
    bell.to("09:00:00");
    expect(bell.state.status).toBe("deleted");
    expect(bell.ledger.schedule?.state).toBe("deleted");
  });

  it("maxOccurrences counts over revisions, and not what was run by hand or skipped", () => {
    const bell = created({ trigger: { every: "1m" }, maxOccurrences: 2 });
    granted(bell.trigger({ overlap: "allow" }));
    bell.to("08:51:00");
    expect(bell.ledger.story).toContain("08:51:00 skipped/overlap");
    granted(bell.cancel({ slot: at("08:50:00"), variant: "~m1" }));
    granted(bell.patch({ overlap: "allow" }));
    bell.to("09:30:00");
    expect(slotsOf(bell)).toEqual(["08:50:00", "08:52:00", "08:53:00"]);
    expect(bell.state.status).toBe("completed");
  });

  it("with slots still waiting records them, and never spins", () => {
    const bell = created({ trigger: { every: "1m" }, maxOccurrences: 2, overlap: "buffer_all" });
    bell.to("08:54:00");
    const first = { slot: at("08:51:00"), variant: "" };
    granted(bell.command("complete", { ...first, token: granted(bell.start(first)).token }));
    expect(bell.state.status).toBe("completed");
    bell.to("09:30:00");
    expect(bell.ledger.story.slice(0, 3)).toEqual([
      "08:51:00 succeeded",
      "08:52:00 dispatched",
      "08:53:00..08:54:00 ×2 catch_up_limit",
    ]);
  });
});

describe("delete", () => {
  it("cancels what has not started, lets running work finish without a further attempt, keeps a tombstone", () => {
    const timeouts = { leaseMs: 900_000 };
    const bell = created({ trigger: { every: "1m" }, maxConcurrent: 2, overlap: "buffer_all", timeouts });
    bell.to("08:51:00");
    const first = { slot: at("08:51:00"), variant: "" };
    const { token } = granted(bell.start(first));
    bell.to("08:53:30");
    granted(bell.remove());
    expect(bell.ledger.story.slice(1)).toEqual(["08:52:00 cancelled/deleted", "08:53:00 cancelled/deleted"]);
    granted(bell.command("fail", { ...first, token, error: "no" }));
    expect(bell.ledger.story[0]).toBe("08:51:00 failed/deleted");
    expect(refusal(readSchedule(bell.world, bell.now))).toBe("not_found");
    expect(bell.state).toMatchObject({ status: "deleted", revision: 1, open: [], waiting: [] });
    expect(bell.alarm).toBeNull();
  });

  it("then create: numbers go on, no old slot is missed, no old token is valid, nothing of the old health is left", () => {
    const bell = created({ trigger: { every: "1m" }, maxOccurrences: 5 });
    bell.to("08:51:00");
    const first = { slot: at("08:51:00"), variant: "" };
    const { token } = granted(bell.start(first));
    granted(bell.remove());
    const { cursor } = bell.state;
    bell.to("09:30:30");
    expect(granted(bell.put({ trigger: { every: "1m" }, maxOccurrences: 5 })).schedule.revision).toBe(2);
    expect(bell.state.cursor).toBeGreaterThanOrEqual(cursor);
    expect(bell.state).toMatchObject({ claimed: 0, everStarted: false, lastSucceededSlot: null });
    expect(refusal(bell.command("complete", { ...first, token }))).toBe("lease_lost");
    bell.to("09:31:00");
    expect(slotsOf(bell)).toEqual(["08:51:00", "09:31:00"]);
    expect(granted(bell.start({ slot: at("09:31:00"), variant: "" }, "w2")).token).toBeGreaterThan(token);
  });
});
