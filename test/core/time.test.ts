/** Instants and durations as text, and the hash from which jitter is drawn. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatDuration, formatInstant, hashUnit, parseDuration, parseInstant } from "../../src/core/time.ts";
import { timetable } from "./ask.ts";
import { effectiveAt } from "../../src/core/trigger.ts";

const NIGHTMARES = [
  "",
  " ",
  "P",
  "PT",
  "T",
  "Z",
  "0",
  "-0",
  "1e3",
  "NaN",
  "null",
  "∞",
  "\u0000",
  "2026-13-45T99:99:99Z",
  "P1Y2M3DT4H5M6S",
  "9".repeat(400),
];

describe("instants", () => {
  it.each([
    ["2026-11-30T14:00:00Z", "2026-11-30T14:00:00Z"],
    ["2026-11-30T15:00:00+01:00", "2026-11-30T14:00:00Z"],
    ["2026-11-30T00:30:00-05:45", "2026-11-30T06:15:00Z"],
    ["2026-11-30t14:00:00z", "2026-11-30T14:00:00Z"],
    ["2026-11-30T14:00:00.5Z", "2026-11-30T14:00:00.500Z"],
    ["2026-11-30T14:00:00.123456789Z", "2026-11-30T14:00:00.123Z"],
    ["1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"],
    ["2199-12-31T23:59:59.999Z", "2199-12-31T23:59:59.999Z"],
    ["2000-02-29T00:00:00Z", "2000-02-29T00:00:00Z"],
  ])("%s is %s", (text, expected) => {
    const parsed = parseInstant(text);
    expect(parsed.ok && formatInstant(parsed.value)).toBe(expected);
  });
  it.each([
    "1969-12-31T23:59:59Z",
    "2200-01-01T00:00:00Z",
    "1970-01-01T00:00:00+01:00",
    "0000-01-01T00:00:00Z",
    "9999-01-01T00:00:00Z",
    "2026-02-29T00:00:00Z",
    "2026-11-31T00:00:00Z",
    "2100-02-29T00:00:00Z",
    "2026-00-10T00:00:00Z",
    "2026-11-30T24:00:00Z",
    "2026-11-30T12:60:00Z",
    "2026-11-30T23:59:60Z",
    "2026-11-30T12:00:00",
    "2026-11-30",
    "2026-11-30T12:00Z",
    "20261130T120000Z",
    "2026-11-30T12:00:00+24:00",
    "2026-11-30T12:00:00+0100",
    " 2026-11-30T12:00:00Z",
    "2026-11-30T12:00:00.Z",
    "tomorrow",
    ...NIGHTMARES,
  ])("refuses %j", (text) => {
    const parsed = parseInstant(text);
    expect(parsed).toMatchObject({ ok: false, error: { code: "invalid_instant" } });
  });
  it.each([
    ["1066-10-14T00:00:00Z", "it lies outside 1970-01-01T00:00:00Z to 2199-12-31T23:59:59Z"],
    ["+012026-11-30T00:00:00Z", "it lies outside"],
    ["12026-11-30", "it lies outside"],
    ["1970-01-01T00:00:00+01:00", "it is 1969-12-31T23:00:00Z, outside 1970-01-01T00:00:00Z to"],
    ["2026-02-30T00:00:00Z", "no such date"],
    ["2026-02-30T00:00:00", "no such date"],
  ])("says of %j that %s", (text, says) => {
    const parsed = parseInstant(text);
    expect(!parsed.ok && parsed.error.message).toContain(says);
  });
  it("says what is missing, and quotes no more than it should", () => {
    expect(parseInstant("2026-11-30T12:00:00")).toMatchObject({
      error: { hint: expect.stringContaining("2026-11-30T12:00:00Z") },
    });
    const long = parseInstant("x".repeat(10_000));
    expect(!long.ok && long.error.message.length).toBeLessThan(200);
  });
  it("agrees with Date over all years", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 7_258_118_399_999 }), (ms) => {
        const text = formatInstant(ms);
        expect(text).toBe(new Date(ms).toISOString().replace(".000Z", "Z"));
        expect(parseInstant(text)).toEqual({ ok: true, value: ms });
      }),
      { numRuns: 5_000, seed: 1 },
    );
  });
});

describe("durations", () => {
  it.each([
    ["PT15M", 900_000, "PT15M"],
    ["15m", 900_000, "PT15M"],
    ["1h30m", 5_400_000, "PT1H30M"],
    ["90m", 5_400_000, "PT1H30M"],
    ["P1D", 86_400_000, "P1D"],
    ["PT24H", 86_400_000, "P1D"],
    ["2d", 172_800_000, "P2D"],
    ["P1W", 604_800_000, "P7D"],
    ["1w2d3h4m5s6ms", 788_645_006, "P9DT3H4M5.006S"],
    ["P1DT12H", 129_600_000, "P1DT12H"],
    ["500ms", 500, "PT0.5S"],
    ["PT0.5S", 500, "PT0.5S"],
    ["PT0,001S", 1, "PT0.001S"],
    ["PT1.1S", 1_100, "PT1.1S"],
    ["0s", 0, "PT0S"],
    ["PT0S", 0, "PT0S"],
    ["PT5400S", 5_400_000, "PT1H30M"],
    ["PT2592000S", 2_592_000_000, "P30D"],
  ])("%s is %i ms and prints as %s", (text, ms, printed) => {
    expect(parseDuration(text)).toEqual({ ok: true, value: ms });
    expect(formatDuration(ms)).toBe(printed);
  });
  it.each([
    "P1M",
    "P1Y",
    "P1Y6M",
    "1mo",
    "1 month",
    "2 years",
    "1y",
    "-PT1H",
    "+15m",
    "15",
    "1.5h",
    "30m1h",
    "1h1h",
    "15 m",
    "15M",
    "pt15m",
    "P1DT",
    "PT1H30",
    "PTS",
    "P15M",
    "1d ",
    "PT1.5H",
    "PT0.0001S",
    "99999999999w",
    ...NIGHTMARES,
  ])("refuses %j", (text) => {
    expect(parseDuration(text)).toMatchObject({ ok: false, error: { code: "invalid_duration" } });
  });
  it("says why, and what to write", () => {
    const hint = (text: string) => {
      const parsed = parseDuration(text);
      return parsed.ok ? undefined : `${parsed.error.message} ${parsed.error.hint ?? ""}`;
    };
    expect(hint("P1M")).toContain("months and years have no fixed length");
    expect(hint("15M")).toContain("15m");
    expect(hint("15")).toContain("15s, 15m or 15h");
    expect(hint("pt15m")).toContain("PT15M");
  });
  it("go round", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 7_000_000_000_000 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toEqual({ ok: true, value: ms });
      }),
      { numRuns: 5_000, seed: 1 },
    );
  });
});

describe("hashUnit", () => {
  // What a schedule has promised for a slot: another value here moves the jitter of every stored schedule.
  it.each([
    ["", 0.6689221884589642],
    ["default/nightly-report@1796000400000", 0.9464119710028172],
    ["default/nightly-report@1796086800000", 0.062324160477146506],
    ["é☃", 0.9450469568837434],
  ])("%j is pinned", (seed, value) => expect(hashUnit(seed)).toBe(value));

  it("spreads neighbours evenly over [0, 1)", () => {
    const buckets = Array.from({ length: 10 }, () => 0);
    for (let slot = 0; slot < 100_000; slot++) {
      const unit = hashUnit(`default/nightly-report@${slot * 60_000}`);
      expect(unit >= 0 && unit < 1).toBe(true);
      buckets[Math.floor(unit * 10)]!++;
    }
    for (const count of buckets) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  });
});

describe("jitter", () => {
  const daily = timetable({ trigger: { cron: "0 2 * * *", timezone: "Europe/Berlin" } });
  const slot = daily.next(Date.UTC(2026, 11, 1))!;
  it("is the same for the same seed and slot, another for another", () => {
    const one = effectiveAt(daily, "default/a", 600_000, slot);
    expect(effectiveAt(daily, "default/a", 600_000, slot)).toBe(one);
    expect(effectiveAt(daily, "default/b", 600_000, slot)).not.toBe(one);
  });
  it("is nothing when none is asked for", () => expect(effectiveAt(daily, "x", 0, slot)).toBe(slot));
  it("stays before the next slot, however long it may be", () => {
    const every = timetable({ trigger: { every: "1s" } });
    for (let n = 0; n < 1000; n++)
      expect(effectiveAt(every, "x", 86_400_000, n * 1000)).toBeLessThan((n + 1) * 1000);
  });
  it("has its full length where no slot follows", () => {
    const once = timetable({ trigger: { at: "2027-01-01T00:00:00Z" } });
    const at = effectiveAt(once, "x", 86_400_000, Date.UTC(2027, 0, 1));
    expect(at - Date.UTC(2027, 0, 1)).toBe(Math.floor(hashUnit(`x@${Date.UTC(2027, 0, 1)}`) * 86_400_000));
  });
});
