/**
 * Duplicates, edits, pauses, clocks, limits: more scenarios from bug reports of other systems (S31–S65). Those that
 * can't apply to one object with a made-up clock stand at the end.
 */
import { describe, expect, it } from "vitest";
import { readSchedule } from "../../src/schedule/machine.ts";
import { at, Bell, granted } from "./harness.ts";
import { cron, created, gaps, slots, times, untracked, type Scenario } from "./scenario.ts";
import { work } from "./workshop.ts";

const SCENARIOS: Scenario[] = [
  {
    id: "S31",
    wrong: "the clock's reading was stored for the slot: after a restart it was due again",
    check() {
      const bell = created("2026-03-02T11:59:00Z", { trigger: cron("0 12 * * *"), ...untracked });
      bell.now = at("11:59:59.900");
      bell.ring();
      bell.to("12:00:00").reload();
      bell.ring();
      expect(times(bell)).toEqual(["12:00:00"]);
    },
  },
  {
    id: "S32",
    wrong: "registered again after a run, it was a second job",
    check() {
      const input = { trigger: cron("* * * * *"), ...untracked };
      const bell = created("2026-03-02T10:00:00Z", input).to("10:01:00");
      expect(granted(bell.put(input)).outcome).toBe("unchanged");
      expect(times(bell.to("10:03:00"))).toEqual(["10:01:00", "10:02:00", "10:03:00"]);
    },
  },
  {
    id: "S35",
    wrong: "loaded a second time, each job was there twice",
    check() {
      const bell = created("2026-03-02T10:00:00Z", { trigger: cron("* * * * *"), ...untracked });
      for (let minute = 1; minute <= 3; minute++) {
        bell.reload();
        bell.to(at("10:00:00") + minute * 60_000);
      }
      expect(times(bell)).toEqual(["10:01:00", "10:02:00", "10:03:00"]);
    },
  },
  {
    id: "S37",
    wrong: "a crash loop left hundreds of overdue rows that ran all at once",
    check() {
      const input = { trigger: { every: "1m" }, ...untracked };
      const bell = new Bell("2026-03-02T10:00:00Z");
      for (let minute = 0; minute < 200; minute++) {
        bell.now += 60_000;
        bell.crashAt = minute % 2 === 0 ? "before_T1" : "T1";
        bell.dying(() => bell.put(input));
        bell.crashAt = "before_T1";
        bell.dying(() => bell.ring());
      }
      bell.ring();
      expect(bell.sent).toHaveLength(1);
    },
  },
  {
    id: "S38",
    wrong: "the row was there and the alarm was not: registering again armed nothing",
    check() {
      const input = { trigger: cron("0 12 * * *"), ...untracked };
      const bell = created("2026-03-02T10:00:00Z", input);
      bell.alarm = null;
      granted(bell.put(input));
      expect(bell.alarm).toBe(at("12:00:00"));
    },
  },
  {
    id: "S41",
    wrong: "moved to an hour that had passed today, it ran at once",
    check() {
      const bell = created("2026-03-02T00:30:00Z", { trigger: cron("0 1 * * *"), ...untracked }).to(
        "15:00:00",
      );
      granted(bell.patch({ trigger: cron("0 2 * * *") }));
      bell.to("2026-03-03T12:00:00Z");
      expect(slots(bell)).toEqual(["2026-03-02T01:00:00", "2026-03-03T02:00:00"]);
    },
  },
  {
    id: "S43",
    wrong: "a new interval waited for the old one",
    check() {
      const bell = created("2026-03-02T10:00:00Z", { trigger: { every: "31d" }, ...untracked });
      granted(bell.patch({ trigger: { every: "2s" } }));
      expect(bell.alarm).toBe(at("10:00:02"));
    },
  },
  {
    id: "S44",
    wrong: "an update ran at once and moved the grid",
    check() {
      const trigger = { every: "15m", anchor: "2026-01-01T00:03:00Z" };
      const bell = created("2026-03-02T10:04:00Z", { trigger, ...untracked }).to("10:05:00");
      granted(bell.patch({ payload: { new: true } }));
      expect(times(bell.to("10:40:00"))).toEqual(["10:18:00", "10:33:00"]);
    },
  },
  {
    id: "S46",
    wrong: "creating it ran it; running it by hand moved it",
    check() {
      const bell = created("2026-03-01T14:00:00Z", { trigger: cron("1 2 * * *"), ...untracked });
      expect(bell.sent).toEqual([]);
      granted(bell.trigger());
      bell.to("2026-03-02T12:00:00Z");
      expect(slots(bell)).toEqual(["2026-03-01T14:00:00", "2026-03-02T02:01:00"]);
    },
  },
  {
    id: "S47",
    wrong: "a weekend of pause counted as missed",
    check() {
      const bell = created("2026-02-27T18:00:00Z", { trigger: cron("* * * * *"), ...untracked });
      granted(bell.pause());
      bell.to("08:03:30");
      granted(bell.resume());
      expect(times(bell.to("08:04:00"))).toEqual(["08:04:00"]);
      expect(gaps(bell)).toEqual(["paused ×3723"]);
    },
  },
  {
    id: "S49",
    wrong: "saving one schedule changed the zone of another",
    check() {
      const madrid = created("2026-03-02T00:00:00Z", {
        trigger: cron("0 9 * * *", "Europe/Madrid"),
        ...untracked,
      });
      const chicago = created("2026-03-02T00:00:00Z", {
        trigger: cron("0 9 * * *", "America/Chicago"),
        ...untracked,
      });
      expect(times(madrid.to("23:00:00"))).toEqual(["08:00:00"]);
      expect(times(chicago.to("23:00:00"))).toEqual(["15:00:00"]);
    },
  },
  {
    id: "S50",
    wrong: "a zone was honoured by cron and not by a time of day",
    check() {
      const at1530 = { at: "2026-03-02T15:30:00", timezone: "Asia/Tokyo" };
      for (const trigger of [at1530, cron("30 15 * * *", "Asia/Tokyo")]) {
        expect(times(created("2026-03-02T00:00:00Z", { trigger, ...untracked }).to("12:00:00"))).toEqual([
          "06:30:00",
        ]);
      }
    },
  },
  {
    id: "S52",
    wrong: "a clock an hour ahead took a slot from everyone",
    check() {
      const bell = created("2026-03-02T10:00:00Z", { trigger: cron("0 * * * *"), ...untracked });
      bell.now = at("11:30:00");
      bell.ring();
      bell.now = at("10:30:00");
      bell.ring();
      expect(times(bell.to("13:00:00"))).toEqual(["11:00:00", "12:00:00", "13:00:00"]);
    },
  },
  {
    id: "S53",
    wrong: "the interval was measured from the end of the run",
    check() {
      const bell = created("2026-03-02T00:00:00Z", {
        trigger: { every: "15m" },
        timeouts: { leaseMs: 120_000 },
      });
      expect(work(bell, { takesMs: 64_000, until: "2026-03-03T00:00:00Z" }).starts).toHaveLength(96);
    },
  },
  {
    id: "S55",
    wrong: "each restart and each save began the hour anew",
    check() {
      const bell = created("2026-03-02T10:10:00Z", { trigger: { every: "1h" }, ...untracked });
      for (let n = 0; n < 4; n++) {
        bell.to(bell.now + 20 * 60_000).reload();
        granted(bell.patch({ payload: n }));
      }
      expect(times(bell)).toEqual(["11:00:00"]);
    },
  },
  {
    id: "S56",
    wrong: "a wait beyond 24.8 days overran a timer: it fired at once, for ever",
    check() {
      const bell = created("2026-03-02T00:00:00Z", { trigger: cron("0 0 1 6 *"), ...untracked });
      let wakes = 0;
      bell.to("2026-05-31T23:59:59Z", () => wakes++);
      expect({ sent: bell.sent.length, wakes }).toEqual({ sent: 0, wakes: 90 });
      expect(slots(bell.to("2026-06-01T00:00:00Z"))).toEqual(["2026-06-01T00:00:00"]);
    },
  },
  {
    id: "S58",
    wrong: "the autumn night ended the scheduler",
    check() {
      const trigger = cron("*/30 * * * *", "Europe/Berlin");
      const bell = created("2026-10-24T23:45:00Z", { trigger, ...untracked }).to("2026-10-25T03:00:00Z");
      expect(times(bell)).toEqual([
        "00:00:00",
        "00:30:00",
        "01:00:00",
        "01:30:00",
        "02:00:00",
        "02:30:00",
        "03:00:00",
      ]);
    },
  },
  {
    id: "S61",
    wrong: "the number of runs left was forgotten by an edit",
    check() {
      const bell = created("2026-03-02T10:00:00Z", {
        trigger: cron("* * * * *"),
        ...untracked,
        maxOccurrences: 3,
      });
      granted(bell.to("10:01:00").patch({ payload: 1 }));
      granted(bell.trigger());
      bell.to("10:30:00");
      expect(bell.sent.filter(({ variant }) => variant === "")).toHaveLength(3);
      expect(granted(readSchedule(bell.world, bell.now))).toMatchObject({
        state: "completed",
        nextSlot: null,
      });
    },
  },
  {
    id: "S62",
    wrong: "milliseconds of now decided whether the last slot was inside",
    check() {
      const input = { trigger: cron("* * * * * *"), ...untracked, endAt: at("10:00:10") };
      const bell = created("2026-03-02T10:00:09.151Z", input).to("10:01:00");
      expect(times(bell)).toEqual(["10:00:10"]);
      expect(bell.state.status).toBe("completed");
    },
  },
  {
    id: "S64",
    wrong: "a one-off missed in a downtime came back to life",
    check() {
      const bell = created("2026-03-02T11:00:00Z", {
        trigger: { at: "2026-03-02T12:00:00Z" },
        ...untracked,
      }).sleepTo("12:30:00");
      expect(bell.sent).toMatchObject([{ message: { kind: "catch_up" } }]);
      granted(bell.patch({ payload: "saved again" }));
      bell.to("2026-03-04T00:00:00Z");
      expect(bell.sent).toHaveLength(1);
    },
  },
  {
    id: "S65",
    wrong: "two rules under one id: both fired",
    check() {
      const bell = created("2026-03-02T10:00:00Z", { trigger: cron("*/10 * * * *"), ...untracked });
      granted(bell.put({ trigger: cron("5 * * * *"), ...untracked }, { ifMatch: 1 }));
      expect(times(bell.to("10:59:00"))).toEqual(["10:05:00"]);
      expect(granted(readSchedule(bell.world, bell.now)).revision).toBe(2);
    },
  },
];

/** What one object with a made-up clock can't show, and where it is shown. */
const ELSEWHERE: { id: string; why: string }[] = [
  {
    id: "S34",
    why: "two leaders: there is one object per schedule and no leader; I1 in the model test is the guard",
  },
  { id: "S40", why: "one schedule's failure stops others in the same alarm: each has an alarm of its own" },
  {
    id: "S59",
    why: "the host's zone: core/ never asks for it; the tests of the time engine run under several",
  },
];

describe("scenarios from bug reports", () => {
  it.each(SCENARIOS)("$id: not as where $wrong", ({ check }) => check());
  it("are all here, or said to be elsewhere", () => {
    const ids = [...SCENARIOS, ...ELSEWHERE].map(({ id }) => id);
    expect(new Set(ids).size).toBe(24);
  });
});
