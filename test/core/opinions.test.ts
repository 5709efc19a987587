/** Second opinions on zones and on words: luxon on what a wall clock shows, cronstrue on what a plain pattern says. */
import cronstrue from "cronstrue";
import * as fc from "fast-check";
import { DateTime } from "luxon";
import { describe, expect, it } from "vitest";
import { compile } from "../../src/core/trigger.ts";
import { localTimeIn } from "../../src/core/zone.ts";

const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "America/Sao_Paulo",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
];
const instant = fc.integer({ min: Date.parse("1975-01-01"), max: Date.parse("2100-01-01") });

function timetable(cron: string, timezone: string) {
  const compiled = compile({ trigger: { cron, timezone }, exclude: [], startAt: null, endAt: null });
  if (!compiled.ok) throw new Error(compiled.error.message);
  return compiled.value;
}

describe("luxon", () => {
  it("shows the same wall clock at any instant, in zones of every kind", () => {
    const same = fc.property(fc.constantFrom(...ZONES), instant, (zone, at) => {
      const theirs = DateTime.fromMillis(at, { zone }).toISO({
        suppressMilliseconds: true,
        includeOffset: true,
      });
      expect(localTimeIn(zone, at)).toBe(theirs?.replace("Z", "+00:00"));
    });
    fc.assert(same, { numRuns: 2_000 });
  });

  it("agrees that a slot stands at the local time that its pattern names, where that time exists", () => {
    const named = fc.property(
      fc.constantFrom(...ZONES),
      instant,
      fc.integer({ min: 4, max: 22 }),
      fc.integer({ min: 0, max: 59 }),
      (zone, from, hour, minute) => {
        const slot = timetable(`${minute} ${hour} * * *`, zone).next(from);
        const local = DateTime.fromMillis(slot ?? 0, { zone });
        expect([local.hour, local.minute, local.second]).toEqual([hour, minute, 0]);
        expect(local.diff(DateTime.fromMillis(from, { zone }), "hours").hours).toBeLessThanOrEqual(25);
      },
    );
    fc.assert(named, { numRuns: 1_000 });
  });
});

describe("cronstrue", () => {
  it.each(["30 2 * * *", "0 9 * * *", "59 23 * * *", "5 0 * * *"])(
    "names the same time of day for %s",
    (pattern) => {
      const theirs = cronstrue.toString(pattern, { use24HourTimeFormat: true });
      expect(timetable(pattern, "UTC").description).toContain(theirs);
    },
  );
});
