/** What can never fire is refused with the reason, and nothing that may be asked takes long. */
import { describe, expect, it } from "vitest";
import { between, canFire } from "../../src/core/trigger.ts";
import { cron, ms, refusal, shown, slots, timetable } from "./ask.ts";

const utc = (pattern: string, more: object = {}) => ({
  trigger: { cron: pattern, timezone: "UTC", ...more },
});

describe("never fires", () => {
  it.each<[string, Parameters<typeof refusal>[0], string]>([
    ["30 February", utc("0 0 30 2 *"), "no date"],
    ["the 31st of short months", utc("0 0 31 2,4,6,9,11 *"), "no date"],
    ["W on a day that the month lacks", utc("0 0 31W 4 *"), "no date"],
    ["29 February in common years", utc("0 0 0 29 2 * 2026,2027,2100"), "no date"],
    ["a fifth Sunday in the Februaries of common years", utc("0 0 0 * 2 SUN#5 2026"), "no date"],
    ["both of two that never meet", utc("0 0 20 * +MON#1"), "no date"],
    ["L-30 in short months", utc("0 0 L-30 4 *"), "no date"],
    [
      "an end before the start",
      { ...utc("0 0 * * *"), startAt: "2027-01-02T00:00:00Z", endAt: "2027-01-01T00:00:00Z" },
      "before it starts",
    ],
    [
      "nothing between start and end",
      { ...utc("0 0 * * *"), startAt: "2027-01-01T00:00:01Z", endAt: "2027-01-01T23:59:59Z" },
      "nothing lies between",
    ],
    [
      "a year outside the bounds",
      { ...utc("0 0 0 1 1 * 2020"), startAt: "2027-01-01T00:00:00Z" },
      "nothing lies between",
    ],
    [
      "all dates excluded",
      { ...utc("0 0 * * *"), exclude: [{ from: "1970-01-01", to: "2199-12-31" }] },
      "excluded",
    ],
    ["all days excluded", { ...utc("0 0 * * *"), exclude: [{ cron: "* * * * *" }] }, "excluded"],
    ["itself excluded", { ...utc("*/5 * * * *"), exclude: [{ cron: "*/5 * * * *" }] }, "excluded"],
    [
      "weekdays and weekends excluded",
      { ...utc("0 12 * * *"), exclude: [{ cron: "* * * * MON-FRI" }, { cron: "* * * * SAT,SUN" }] },
      "excluded",
    ],
    [
      "a skipped local time",
      {
        trigger: {
          at: "2027-03-28T02:30:00",
          timezone: "Europe/Berlin",
          dst: { gap: "skip", fold: "first" },
        },
      },
      "does not exist",
    ],
    [
      "its one instant excluded",
      {
        trigger: { at: "2027-03-28T12:30:00", timezone: "Europe/Berlin" },
        exclude: [{ date: "2027-03-28" }],
      },
      "excluded",
    ],
    [
      "a rate between whose slots the bounds lie",
      { trigger: { every: "1d" }, startAt: "2027-01-01T01:00:00Z", endAt: "2027-01-01T02:00:00Z" },
      "nothing lies between",
    ],
  ])("%s", (_, ask, reason) => {
    const begin = performance.now();
    const failure = refusal(ask);
    expect(failure.code).toBe("never_fires");
    expect(failure.message).toContain(reason);
    expect(performance.now() - begin).toBeLessThan(2_000);
  });

  it("is not said of what the search could not follow to its end", () => {
    const exclude = [{ cron: "*/2 * * * * *" }, { cron: "1-59/2 * * * * *" }];
    expect(refusal({ ...utc("* * * * * *"), exclude })).toMatchObject({
      code: "too_sparse",
      message: expect.stringContaining("reached its bound"),
      pointer: "/exclude",
    });
  });

  it("a part of a union that can never fire is named", () => {
    const trigger = [
      { cron: "0 0 * * *", timezone: "UTC" },
      { cron: "0 0 30 2 *", timezone: "UTC" },
    ];
    expect(refusal({ trigger })).toMatchObject({ code: "never_fires", pointer: "/trigger/1" });
  });
  it("a gap every year: nothing lies ahead, but there was something once", () => {
    const asked = cron("30 2 * 3 7#2", "America/New_York", { dst: { gap: "skip", fold: "first" } });
    expect(canFire(asked, ms("2026-11-30T00:00:00Z"))).toBe(false);
    expect(asked.prev(ms("2026-11-30T00:00:00Z"))).toBe(ms("2006-03-12T07:30:00Z"));
  });
  it("a year in the past: nothing lies ahead", () => {
    const asked = cron("0 0 0 1 1 * 2020");
    expect(canFire(asked, ms("2026-11-30T00:00:00Z"))).toBe(false);
    expect(canFire(asked, ms("2019-11-30T00:00:00Z"))).toBe(true);
  });
  it("an impossible date is saved by a weekday, or by clamping", () => {
    expect(slots(cron("0 0 31 2 1-5"), "2027-01-01T00:00:00Z", 1)).toEqual(["2027-02-01T00:00:00Z"]);
    expect(slots(cron("0 0 31 2 *", "UTC", { monthDay: "clamp" }), "2027-01-01T00:00:00Z", 2)).toEqual([
      "2027-02-28T00:00:00Z",
      "2028-02-29T00:00:00Z",
    ]);
  });
});

describe("bounds", () => {
  it("startAt and endAt are inclusive", () => {
    const asked = timetable({
      ...utc("0 0 * * *"),
      startAt: "2027-01-02T00:00:00Z",
      endAt: "2027-01-04T00:00:00Z",
    });
    const all = ["2027-01-02T00:00:00Z", "2027-01-03T00:00:00Z", "2027-01-04T00:00:00Z"];
    expect(slots(asked, "1970-01-01T00:00:00Z", 9)).toEqual(all);
    expect(asked.prev(ms("2100-01-01T00:00:00Z"))).toBe(ms(all[2]!));
    expect(asked.prev(ms("2027-01-01T23:00:00Z"))).toBeNull();
    expect(asked.count(0, ms("2100-01-01T00:00:00Z"))).toEqual({
      count: 3,
      through: ms("2100-01-01T00:00:00Z"),
    });
  });
  it("monthDay clamp runs once on the last day, also where several days fall on it", () => {
    const asked = cron("0 0 29,30,31 2 *", "UTC", { monthDay: "clamp" });
    expect(slots(asked, "2027-01-01T00:00:00Z", 4)).toEqual([
      "2027-02-28T00:00:00Z",
      "2028-02-29T00:00:00Z",
      "2029-02-28T00:00:00Z",
      "2030-02-28T00:00:00Z",
    ]);
  });
  it("between stops at its limit and its end", () => {
    const asked = cron("* * * * *");
    const from = ms("2027-01-01T00:00:00Z");
    expect(between(asked, { after: from, upTo: from + 3 * 60_000, limit: 100 })).toHaveLength(3);
    expect(between(asked, { after: from, upTo: from + 1e9, limit: 5 })).toHaveLength(5);
  });
  it("a union counts up to a bound, says how far it came, and can be gone on with", () => {
    const asked = timetable({ trigger: [{ cron: "* * * * * *", timezone: "UTC" }, { every: "1s" }] });
    const from = ms("2027-01-01T00:00:00Z");
    const to = from + 86_400_000;
    let [total, at, calls] = [0, from, 0];
    for (; at < to; calls++) {
      const part = asked.count(at, to);
      expect(part.through).toBeGreaterThan(at);
      total += part.count;
      at = part.through;
    }
    expect({ total, calls }).toEqual({ total: 86_400, calls: 2 });
  });
  it("the largest rule that is accepted is previewed in a moment", () => {
    const zones = Intl.supportedValuesOf("timeZone");
    const trigger = Array.from({ length: 20 }, (_, i) => ({
      cron: `${i} * * * *`,
      timezone: zones.slice(i * 20, i * 20 + 5),
    }));
    const exclude = Array.from({ length: 200 }, (_, i) => ({ cron: `${i % 60} ${i % 24} * * *` }));
    const begin = performance.now();
    expect(shown({ trigger, exclude }, "2026-11-30T00:00:00Z", 1000).slots).toHaveLength(1000);
    expect(performance.now() - begin).toBeLessThan(5_000);
    expect(
      refusal({ trigger: trigger.map((one, i) => ({ ...one, timezone: zones.slice(i, i + 6) })) }).code,
    ).toBe("invalid_trigger");
  });
  it("a year of every second is counted in a few milliseconds, exclusions or not", () => {
    const [from, to] = [ms("2027-01-01T00:00:00Z"), ms("2028-01-01T00:00:00Z")];
    const every = cron("* * * * * *", "America/New_York");
    const weekdays = timetable({
      trigger: { cron: "* * * * * *", timezone: "America/New_York" },
      exclude: [{ cron: "* * * * SAT,SUN" }, { from: "2027-08-01", to: "2027-08-31" }],
    });
    every.count(from, from + 1);
    const begin = performance.now();
    expect(every.count(from, to)).toEqual({ count: 31_536_000, through: to });
    expect(performance.now() - begin).toBeLessThan(50);
    const { count, through } = weekdays.count(from, to);
    expect(through).toBe(to);
    expect(count).toBe(countSlowly(from, to));
  });
});

/** Hours that are neither on a weekend nor in August in New York, as the runtime itself tells them. */
function countSlowly(from: number, to: number): number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: "America/New_York",
    weekday: "short",
    month: "numeric",
  });
  let seconds = 0;
  for (let at = from; at < to; at += 3_600_000) {
    const text = format.format(at);
    // (from, to]: the first second of an hour belongs to the hour before it, except for its own.
    if (!/Sat|Sun/.test(text) && !/\b8\b/.test(text)) seconds += 3_600;
  }
  // The range starts and ends inside a Friday evening, so the shifted second cancels out.
  return seconds;
}
