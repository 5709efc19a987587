/** OCPS 1.2, seconds and years: increments/OCPS-increment-1.2.md. */
import { describe, expect, it } from "vitest";
import { cron, refusal, slots } from "./ask.ts";

const FROM = "2026-11-30T00:00:00Z";
const first = (pattern: string, count = 3) => slots(cron(pattern), FROM, count);
const refused = (pattern: string) => refusal({ trigger: { cron: pattern, timezone: "UTC" } });

describe("§4.1 seconds", () => {
  it("come first in six fields", () => {
    expect(first("30 0 12 1 1 *", 2)).toEqual(["2027-01-01T12:00:30Z", "2028-01-01T12:00:30Z"]);
    expect(first("* * * * * *", 2)).toEqual(["2026-11-30T00:00:01Z", "2026-11-30T00:00:02Z"]);
  });
  it("are 0 in five fields and in nicknames", () => {
    expect(first("* * * * *", 5)).toEqual(first("0 * * * * *", 5));
    expect(first("@hourly", 5)).toEqual(first("0 0 * * * *", 5));
  });
  it("take lists, ranges and steps of 0–59", () => {
    expect(first("*/20,59 0 0 * * *", 4).map((slot) => slot.slice(17, 19))).toEqual(["20", "40", "59", "00"]);
    expect(refused("60 * * * * *").data).toMatchObject({ field: "second", found: "60" });
    expect(refused("0/5 * * * * *").data).toMatchObject({ suggestion: "0-59/5 * * * * *" });
  });
});

describe("§4.2 years", () => {
  it("come last in seven fields only", () => {
    expect(first("0 15 10 * * * 2027", 1)).toEqual(["2027-01-01T10:15:00Z"]);
    // The sixth field of six is day-of-week.
    expect(refused("15 10 * * * 2027").data).toMatchObject({ field: "day-of-week", found: "2027" });
  });
  it("take values, ranges, lists and steps of 1970–2199", () => {
    const newYears = (year: string, count: number) =>
      first(`0 0 0 1 1 * ${year}`, count).map((slot) => slot.slice(0, 4));
    expect(newYears("2027-2030", 9)).toEqual(["2027", "2028", "2029", "2030"]);
    expect(newYears("2031,2027", 9)).toEqual(["2027", "2031"]);
    expect(newYears("*/2", 2)).toEqual(["2028", "2030"]);
    expect(newYears("1971-2199/2", 2)).toEqual(["2027", "2029"]);
    expect(newYears("2199", 9)).toEqual(["2199"]);
  });
  it("are every year when omitted, or *", () => {
    expect(first("* * * * * * *", 3)).toEqual(first("* * * * * *", 3));
  });
  it.each(["1969", "2200", "1970-2200", "27", "20277", "2030-2027", "*/0"])("refuse %s", (year) => {
    expect(refused(`0 0 0 1 1 * ${year}`).data).toMatchObject({ field: "year" });
  });
  it("refuse an eighth field", () => expect(refused("0 0 0 1 1 * 2027 *").code).toBe("invalid_trigger"));
});
