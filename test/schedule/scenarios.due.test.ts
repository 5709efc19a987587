/**
 * Catch-up and overlap, by scenarios from bug reports of other systems (S01–S29 of our collection): what went wrong
 * there is told in the name, what is right is asserted.
 */
import { describe, expect, it } from "vitest";
import { at } from "./harness.ts";
import { cron, created, gaps, HOUR, slots, times, untracked, type Scenario } from "./scenario.ts";
import { work } from "./workshop.ts";

const SCENARIOS: Scenario[] = [
  {
    id: "S01",
    wrong: "a backlog of 111 slots was an error for ever",
    check() {
      const bell = created("2026-03-02T08:30:00Z", { trigger: cron("* * * * *"), ...untracked }).sleepTo(
        "10:21:00",
      );
      bell.to("10:22:00");
      expect(times(bell)).toEqual(["10:21:00", "10:22:00"]);
      expect(gaps(bell)).toEqual(["coalesced ×110"]);
    },
  },
  {
    id: "S02",
    wrong: "a year of seconds was listed to find the last",
    check() {
      const bell = created("2025-03-02T10:00:00Z", { trigger: cron("* * * * * *"), ...untracked }).sleepTo(
        "10:00:00",
      );
      expect(times(bell)).toEqual(["10:00:00"]);
      expect(gaps(bell)).toEqual([`coalesced ×${365 * 86_400 - 1}`]);
    },
  },
  {
    id: "S04",
    wrong: "catch-up was off at start only: a slow tick replayed each slot",
    check() {
      const trigger = cron("*/10 * * * * *");
      const bell = created("2026-03-02T10:00:00Z", { trigger, ...untracked, catchUp: { policy: "skip" } });
      bell.to("10:00:10").sleepTo("11:18:05");
      expect(times(bell)).toEqual(["10:00:10", "11:18:00"]);
      bell.reload();
      bell.sleepTo("12:18:05");
      expect(times(bell).at(-1)).toBe("12:18:00");
    },
  },
  {
    id: "S05",
    wrong: "without a word, 60 missed slots ran one after another",
    check() {
      const bell = created("2026-03-02T05:00:00Z", { trigger: cron("*/5 * * * *"), ...untracked }).sleepTo(
        "10:02:00",
      );
      expect(times(bell)).toEqual(["10:00:00"]);
    },
  },
  {
    id: "S07",
    wrong: "with a start in the past it fired at once",
    check() {
      const startAt = at("2026-03-01T00:00:00Z");
      const bell = created("2026-03-02T10:00:30Z", { trigger: cron("* * * * *"), ...untracked, startAt });
      expect(bell.sent).toEqual([]);
      expect(times(bell.to("10:01:00"))).toEqual(["10:01:00"]);
    },
  },
  {
    id: "S08",
    wrong: "a hiccup of 90 s dropped a daily run",
    check() {
      const bell = created("2026-03-02T08:00:00Z", { trigger: cron("0 9 * * *"), ...untracked }).sleepTo(
        "09:01:30",
      );
      expect(times(bell)).toEqual(["09:00:00"]);
    },
  },
  {
    id: "S10",
    wrong: "a missed first slot was not seen",
    check() {
      const bell = created("2026-03-02T10:00:00Z", { trigger: cron("10 10 2 3 *"), ...untracked }).sleepTo(
        "10:20:00",
      );
      expect(bell.sent).toMatchObject([{ slot: at("10:10:00"), message: { kind: "catch_up" } }]);
    },
  },
  {
    id: "S11",
    wrong: "creation made up the past",
    check() {
      const bell = created("2026-03-02T09:50:00Z", { trigger: cron("0 * * * *"), ...untracked }).sleepTo(
        "09:53:00",
      );
      expect(bell.sent).toEqual([]);
      expect(times(bell.sleepTo("10:00:02"))).toEqual(["10:00:00"]);
    },
  },
  {
    id: "S13",
    wrong: "each tick looked back as far as a tick is long: slots in a longer pause were lost",
    check() {
      const bell = created("2026-03-02T10:00:00Z", {
        trigger: cron("*/5 * * * * *"),
        overlap: "allow",
        catchUp: { policy: "all", graceMs: 0, limit: 100, rate: 100 },
      });
      for (let wakes = 1; wakes <= 4; wakes++) {
        bell.now = at("10:00:00") + wakes * 75_000;
        bell.ring();
      }
      expect(new Set(slots(bell)).size).toBe(60);
    },
  },
  {
    id: "S14",
    wrong: "history lost in a deploy read as overdue: it ran on every deploy",
    check() {
      const bell = created("2026-03-02T10:00:00Z", { trigger: cron("0 0 1 * *"), ...untracked });
      for (let deploys = 0; deploys < 5; deploys++) {
        bell.reload();
        bell.now += HOUR;
        bell.ring();
      }
      expect(bell.sent).toEqual([]);
    },
  },
  {
    id: "S16",
    wrong: "seven hours down, three daily slots gone without a trace",
    check() {
      const trigger = [cron("0 3 * * *"), cron("0 5 * * *"), cron("0 7 * * *")].flat();
      const bell = created("2026-03-02T02:00:00Z", { trigger, ...untracked }).sleepTo("09:00:00");
      expect(bell.ledger.story).toEqual(["03:00:00..05:00:00 ×2 coalesced", "07:00:00 dispatched"]);
    },
  },
  {
    id: "S17",
    wrong: "1.2 s late was too late",
    check() {
      const bell = created("2026-03-02T11:00:00Z", { trigger: cron("35 11 * * *"), ...untracked }).sleepTo(
        "11:35:01.200",
      );
      expect(bell.sent).toMatchObject([{ slot: at("11:35:00"), message: { kind: "scheduled" } }]);
    },
  },
  {
    id: "S19",
    wrong: "under load the weekly run was logged as missed and dropped",
    check() {
      const bell = created("2026-03-01T00:00:00Z", { trigger: cron("0 4 * * MON"), ...untracked }).sleepTo(
        "06:00:00",
      );
      expect(times(bell)).toEqual(["04:00:00"]);
    },
  },
  {
    id: "S20",
    wrong: "a late run moved all that followed",
    check() {
      const bell = created("2026-03-01T20:00:00Z", { trigger: cron("55 23 * * *"), ...untracked });
      bell.sleepTo("2026-03-02T00:05:00Z").to("2026-03-03T00:00:00Z");
      expect(slots(bell)).toEqual(["2026-03-01T23:55:00", "2026-03-02T23:55:00"]);
    },
  },
  {
    id: "S22",
    wrong: "after a long run the grid moved",
    check() {
      const bell = created("2026-03-02T10:00:00Z", { trigger: { every: "2s" } });
      const { starts } = work(bell, { takesMs: 3_000, until: "10:00:18" });
      expect(starts.map((ms) => (ms - at("10:00:00")) / 1_000)).toEqual([2, 6, 10, 14, 18]);
    },
  },
  {
    id: "S23",
    wrong: "every second slot vanished without notice",
    check() {
      const bell = created("2026-03-02T10:00:00Z", {
        trigger: { every: "15m" },
        timeouts: { leaseMs: HOUR, runMs: HOUR },
      });
      work(bell, { takesMs: 30 * 60_000, until: "11:00:00" });
      expect(bell.ledger.story).toContain("10:30:00 skipped/overlap");
      expect(bell.state.health.counts).toMatchObject({ overlap: 2 });
    },
  },
  {
    id: "S25",
    wrong: "due-ness hung on the end of the run: a second copy began",
    check() {
      const bell = created("2026-03-02T10:00:00Z", {
        trigger: { every: "15m" },
        timeouts: { leaseMs: HOUR, runMs: HOUR },
      });
      expect(work(bell, { takesMs: 20 * 60_000, until: "12:00:00" }).peak).toBe(1);
    },
  },
  {
    id: "S26",
    wrong: "an hour of busy workers left 60 copies in the queue",
    check() {
      const input = {
        trigger: { every: "1m" },
        overlap: "buffer_one",
        timeouts: { leaseMs: 2 * HOUR, runMs: 2 * HOUR },
      } as const;
      const bell = created("2026-03-02T10:00:00Z", input);
      work(bell, { takesMs: 90 * 60_000, until: "11:00:00" });
      expect(bell.state.waiting).toMatchObject([{ count: 1 }]);
      expect(bell.state.health.counts).toEqual({ buffer_full: 58 });
    },
  },
  {
    id: "S28",
    wrong: "a run that ended at t blocked the slot at t",
    check() {
      const bell = created("2026-03-02T10:00:00Z", {
        trigger: { every: "1h" },
        timeouts: { leaseMs: 2 * HOUR, runMs: 2 * HOUR },
      });
      expect(work(bell, { takesMs: HOUR, until: "14:00:00" }).starts).toHaveLength(4);
    },
  },
  {
    id: "S29",
    wrong: "the 02:00 job ran again when clocks went back, into the restore",
    check() {
      const bell = created("2026-10-24T12:00:00Z", {
        trigger: cron("0 2 * * *", "Europe/Berlin"),
        ...untracked,
      });
      bell.to("2026-10-25T12:00:00Z");
      expect(slots(bell)).toEqual(["2026-10-25T00:00:00"]);
    },
  },
];

describe("scenarios from bug reports", () => {
  it.each(SCENARIOS)("$id: not as where $wrong", ({ check }) => check());
  it("are all here", () => {
    expect(new Set(SCENARIOS.map(({ id }) => id)).size).toBe(20);
  });
});
