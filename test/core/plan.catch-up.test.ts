/** The decision table, first part: what is due, what of it was missed, and what becomes of that. */
import { describe, expect, it } from "vitest";
import { at, check, run, type Row } from "./plan-table.ts";

const skip: Row["policy"] = { catchUp: { policy: "skip" } };
const latest: Row["policy"] = { catchUp: { policy: "latest" } };
const all = (limit = 10): Row["policy"] => ({ catchUp: { policy: "all", limit } });
const busy: Row["seats"] = [{ slot: "09:58" }];

const ON_TIME: Row[] = [
  { name: "nothing is due before the next slot", cursor: "10:00", now: "10:00:59.999", expect: {} },
  {
    name: "the slot runs at its instant",
    cursor: "10:00",
    now: "10:01",
    expect: { fire: ["scheduled 10:01"], cursor: "10:01" },
  },
  {
    name: "an alarm that is 40 s late still finds it current",
    cursor: "10:00",
    now: "10:01:40",
    expect: { fire: ["scheduled 10:01"], cursor: "10:01" },
  },
  {
    name: "a wake 6 ms early runs nothing and leaves the cursor",
    trigger: { cron: "17 12 * * *", timezone: "Europe/London" },
    cursor: "2026-03-01T12:17:00Z",
    now: "12:16:59.994",
    expect: {},
  },
  {
    name: "a second wake at the same instant has nothing left to do",
    cursor: "10:01",
    now: "10:01",
    expect: {},
  },
  {
    name: "paused: nothing is decided, the cursor waits",
    cursor: "10:00",
    now: "10:30",
    paused: true,
    expect: {},
  },
  {
    name: "maxOccurrences: the last one left runs",
    cursor: "10:00",
    now: "10:01",
    left: 1,
    expect: { fire: ["scheduled 10:01"], cursor: "10:01" },
  },
  {
    name: "maxOccurrences: none left, so there are no more slots to account for",
    cursor: "10:00",
    now: "10:01",
    left: 0,
    expect: {},
  },
];

const GRACE: Row[] = [
  {
    name: "exactly as late as grace is still current",
    trigger: { every: "1h" },
    cursor: "09:00",
    now: "10:05",
    expect: { fire: ["scheduled 10:00"], cursor: "10:00" },
  },
  {
    name: "a millisecond later it is missed: latest catches it up",
    trigger: { every: "1h" },
    cursor: "09:00",
    now: "10:05:00.001",
    expect: { fire: ["catch_up 10:00"], cursor: "10:00" },
  },
  {
    name: "a millisecond later it is missed: skip records it",
    trigger: { every: "1h" },
    policy: skip,
    cursor: "09:00",
    now: "10:05:00.001",
    expect: { skips: ["missed 10:00"], cursor: "10:00" },
  },
  {
    name: "grace 0: only the very instant is current",
    policy: { catchUp: { policy: "skip", graceMs: 0 } },
    cursor: "10:00",
    now: "10:02",
    expect: { fire: ["scheduled 10:02"], skips: ["missed 10:01"], cursor: "10:02" },
  },
];

const POLICIES: Row[] = [
  {
    name: "skip: all missed are recorded, the current one runs",
    policy: skip,
    cursor: "10:00",
    now: "10:10:30",
    expect: { fire: ["scheduled 10:10"], skips: ["missed 10:01..10:09 ×9"], cursor: "10:10" },
  },
  {
    name: "latest: the current one covers the missed",
    policy: latest,
    cursor: "10:00",
    now: "10:10:30",
    expect: { fire: ["scheduled 10:10"], skips: ["coalesced 10:01..10:09 ×9"], cursor: "10:10" },
  },
  {
    name: "latest without a current one: the last missed covers the others",
    trigger: { every: "1h" },
    policy: latest,
    cursor: "05:00",
    now: "10:30",
    expect: { fire: ["catch_up 10:00"], skips: ["coalesced 06:00..09:00 ×4"], cursor: "10:00" },
  },
  {
    name: "latest, busy: the current one that covers others waits, whatever the overlap policy",
    policy: latest,
    cursor: "10:00",
    now: "10:03",
    seats: busy,
    expect: { waiting: ["scheduled 10:03"], skips: ["coalesced 10:01..10:02 ×2"], cursor: "10:03" },
  },
  {
    name: "latest, busy: a catch-up waits too",
    trigger: { every: "1h" },
    policy: latest,
    cursor: "08:00",
    now: "10:30",
    seats: busy,
    expect: { waiting: ["catch_up 10:00"], skips: ["coalesced 09:00"], cursor: "10:00" },
  },
  {
    name: "skip, busy: the current one covers nothing, so overlap decides",
    policy: skip,
    cursor: "10:00",
    now: "10:03",
    seats: busy,
    expect: { skips: ["missed 10:01..10:02 ×2", "overlap 10:03"], cursor: "10:03" },
  },
  {
    name: "all: oldest first, one after another, then the current one",
    policy: all(),
    cursor: "10:00",
    now: "10:04",
    expect: {
      fire: ["catch_up 10:01"],
      waiting: ["catch_up 10:02..10:03 ×2", "scheduled 10:04"],
      cursor: "10:04",
    },
  },
  {
    name: "all beyond the limit: the latest ones run, the rest is recorded",
    policy: all(2),
    cursor: "10:00",
    now: "10:06",
    expect: {
      fire: ["catch_up 10:04"],
      waiting: ["catch_up 10:05", "scheduled 10:06"],
      skips: ["catch_up_limit 10:01..10:03 ×3"],
      cursor: "10:06",
    },
  },
  {
    name: "all, without a current one",
    trigger: { every: "1h" },
    policy: all(2),
    cursor: "05:00",
    now: "10:30",
    expect: {
      fire: ["catch_up 09:00"],
      waiting: ["catch_up 10:00"],
      skips: ["catch_up_limit 06:00..08:00 ×3"],
      cursor: "10:00",
    },
  },
  {
    name: "all with nothing missed: the current one meets the overlap policy like any other",
    policy: all(),
    cursor: "10:00",
    now: "10:01",
    seats: busy,
    expect: { skips: ["overlap 10:01"], cursor: "10:01" },
  },
  {
    name: "all, busy: everything waits, nothing is skipped for overlap, outside maxBuffered",
    policy: { ...all(), overlap: "buffer_all", maxBuffered: 1 },
    cursor: "10:00",
    now: "10:04",
    seats: busy,
    expect: { waiting: ["catch_up 10:01..10:03 ×3", "scheduled 10:04"], cursor: "10:04" },
  },
  {
    name: "all with maxConcurrent 3 fills the seats",
    policy: { ...all(), maxConcurrent: 3 },
    cursor: "10:00",
    now: "10:05",
    expect: {
      fire: ["catch_up 10:01", "catch_up 10:02", "catch_up 10:03"],
      waiting: ["catch_up 10:04", "scheduled 10:05"],
      cursor: "10:05",
    },
  },
  {
    name: "all under allow: they leave at `rate` a second, the first ones now",
    policy: { overlap: "allow", catchUp: { policy: "all", rate: 2 } },
    cursor: "10:00",
    now: "10:05",
    expect: {
      fire: ["catch_up 10:01", "catch_up 10:02"],
      waiting: ["catch_up 10:03..10:04 ×2", "scheduled 10:05"],
      cursor: "10:05",
      rateAt: "10:05:01",
    },
  },
  {
    name: "all under allow: within that second nothing more of it leaves, but a new slot does",
    policy: { overlap: "allow", catchUp: { policy: "all", rate: 2 } },
    trigger: { every: "1s" },
    cursor: "10:05",
    now: "10:05:01",
    rateAt: "10:05:01.500",
    waiting: [{ kind: "catch_up", at: "10:02", buffered: false }],
    expect: { fire: ["scheduled 10:05:01"], waiting: ["catch_up 10:02"], cursor: "10:05:01" },
  },
  {
    name: "maxOccurrences: catch-up takes no more than are left, and leaves one for the current",
    policy: all(),
    cursor: "10:00",
    now: "10:05",
    left: 3,
    seats: busy,
    expect: {
      waiting: ["catch_up 10:03..10:04 ×2", "scheduled 10:05"],
      skips: ["catch_up_limit 10:01..10:02 ×2"],
      cursor: "10:05",
    },
  },
  {
    name: "a resume names another policy than the definition's",
    policy: skip,
    resume: { policy: "latest" },
    trigger: { every: "1h" },
    cursor: "05:00",
    now: "10:30",
    expect: { fire: ["catch_up 10:00"], skips: ["coalesced 06:00..09:00 ×4"], cursor: "10:00" },
  },
];

const WINDOW: Row[] = [
  {
    name: "exactly as old as the window still runs",
    trigger: { every: "1h" },
    policy: { catchUp: { policy: "latest", windowMs: 30 * 60_000 } },
    cursor: "09:00",
    now: "10:30",
    expect: { fire: ["catch_up 10:00"], cursor: "10:00" },
  },
  {
    name: "a millisecond older is recorded",
    trigger: { every: "1h" },
    policy: { catchUp: { policy: "latest", windowMs: 30 * 60_000 } },
    cursor: "08:00",
    now: "10:30:00.001",
    expect: { skips: ["catch_up_window 09:00..10:00 ×2"], cursor: "10:00" },
  },
  {
    name: "all: what is too old for the window, too many for the limit, and the rest",
    policy: { catchUp: { policy: "all", limit: 2, windowMs: 4 * 60_000 } },
    cursor: "10:00",
    now: "10:10",
    seats: busy,
    expect: {
      waiting: ["catch_up 10:08..10:09 ×2", "scheduled 10:10"],
      skips: ["catch_up_window 10:01..10:05 ×5", "catch_up_limit 10:06..10:07 ×2"],
      cursor: "10:10",
    },
  },
  {
    name: "where nothing missed is worth running, the current one covers nothing",
    trigger: { every: "10m" },
    policy: { catchUp: { windowMs: 60_000 } },
    cursor: "09:30",
    now: "10:00",
    seats: busy,
    expect: { skips: ["catch_up_window 09:40..09:50 ×2", "overlap 10:00"], cursor: "10:00" },
  },
  {
    name: "a slot that waited longer than the window is not run any more",
    policy: { catchUp: { windowMs: 60_000 } },
    cursor: "10:03",
    now: "10:03:30",
    waiting: [{ kind: "catch_up", from: "10:01", at: "10:03", count: 3, buffered: false }],
    expect: { fire: ["catch_up 10:03"], skips: ["catch_up_window 10:01..10:02 ×2"] },
  },
];

describe.each([
  ["on time", ON_TIME],
  ["grace", GRACE],
  ["catch-up policies", POLICIES],
  ["the window", WINDOW],
])("plan: %s", (_, rows) => {
  it.each(rows)("$name", check);
});

describe("plan: bounded work", () => {
  const everySecond = { cron: "* * * * * *", timezone: "UTC" };

  it("takes a year of every second in one gap row and no time to speak of", () => {
    const started = performance.now();
    const planned = run({ trigger: everySecond, cursor: "2025-03-02T10:00:00Z", now: "10:00" });
    expect(planned.skips).toMatchObject([{ count: 365 * 86_400 - 1, reason: "coalesced" }]);
    expect(planned.fire).toMatchObject([{ slot: at("10:00"), kind: "scheduled" }]);
    expect(planned.again).toBe(false);
    expect(performance.now() - started).toBeLessThan(250);
  });

  it("counts a union in pieces, and each piece moves the cursor", () => {
    const union = [everySecond, { every: "7s", anchor: "2026-01-01T00:00:00.500Z" }];
    let cursor = "2026-03-01T10:00:00Z";
    let counted = 0;
    for (let wakes = 1; ; wakes++) {
      const planned = run({ trigger: union, cursor, now: "10:00" });
      expect(planned.cursor).toBeGreaterThan(at(cursor));
      counted += planned.skips.reduce((sum, skip) => sum + skip.count, 0);
      cursor = new Date(planned.cursor).toISOString();
      if (!planned.again) break;
      expect(planned.fire).toEqual([]);
      expect(wakes).toBeLessThan(5);
    }
    expect(cursor).toBe("2026-03-02T10:00:00.000Z");
    expect(counted).toBe(86_400 + 12_343 - 1);
  });

  it("claims at most 100 in one go, and asks for another wake", () => {
    const planned = run({
      policy: { overlap: "buffer_all", maxConcurrent: 100, catchUp: { policy: "all", limit: 1_000 } },
      cursor: "01:00",
      now: "10:00",
    });
    expect(planned.fire).toHaveLength(100);
    expect(planned.waiting.reduce((sum, range) => sum + range.count, 0)).toBe(440);
  });
});
