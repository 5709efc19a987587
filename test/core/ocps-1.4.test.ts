/** OCPS 1.4, logic and implementation semantics: increments/OCPS-increment-1.4.md. */
import { describe, expect, it } from "vitest";
import { cron, refusal, slots } from "./ask.ts";

const FROM = "2026-11-30T00:00:00Z";
const days = (pattern: string, count: number) =>
  slots(cron(pattern), FROM, count).map((slot) => slot.slice(0, 10));
const refused = (pattern: string) => refusal({ trigger: { cron: pattern, timezone: "UTC" } });

describe("§4.1.1 either day field, by default", () => {
  it("Friday or the 13th", () => {
    expect(days("0 0 13 * FRI", 4)).toEqual(["2026-12-04", "2026-12-11", "2026-12-13", "2026-12-18"]);
  });
});

describe("§4.1.2 both, with a leading + in day-of-week", () => {
  it("Friday the 13th", () =>
    expect(days("0 0 13 * +FRI", 3)).toEqual(["2027-08-13", "2028-10-13", "2029-04-13"]));
  it("takes lists, ranges and modifiers after it", () => {
    expect(days("0 0 1-7 * +MON,TUE", 3)).toEqual(["2026-12-01", "2026-12-07", "2027-01-04"]);
    expect(days("0 0 L * +1-5", 2)).toEqual(["2026-12-31", "2027-03-31"]);
    expect(days("0 0 8-14 * +FRI#2", 1)).toEqual(["2026-12-11"]);
  });
  it("changes nothing where a field is open", () => {
    expect(days("0 0 * * +MON", 5)).toEqual(days("0 0 * * MON", 5));
    expect(days("0 0 1 * +*", 5)).toEqual(days("0 0 1 * *", 5));
  });
  it.each([
    "+0 0 * * *",
    "0 +0 * * *",
    "0 0 +1 * *",
    "0 0 * +1 *",
    "0 0 * * MON,+FRI",
    "0 0 * * MON+",
    "0 0 * * ++MON",
    "0 0 * * +",
    "+ 0 0 1 1 *",
  ])("is an error in any other place: %s", (pattern) =>
    expect(refused(pattern).code).toBe("invalid_trigger"),
  );
  it("a pair that never meets is refused as never firing", () => {
    expect(refused("0 0 1 * +MON#2").code).toBe("never_fires");
  });
});

describe("§4.2 ?", () => {
  it("is * in the two day fields", () => {
    expect(days("0 0 15 * ?", 3)).toEqual(days("0 0 15 * *", 3));
    expect(days("0 0 ? * MON", 3)).toEqual(days("0 0 * * MON", 3));
    expect(days("0 0 ? * ?", 3)).toEqual(days("0 0 * * *", 3));
  });
  it.each([
    "? 0 * * *",
    "0 ? * * *",
    "0 0 * ? *",
    "? 0 0 * * *",
    "0 0 0 1 1 * ?",
    "0 0 ?/2 * *",
    "0 0 1,? * *",
    "0 0 * * ?,1",
  ])("is an error elsewhere, and means nothing else: %s", (pattern) =>
    expect(refused(pattern).code).toBe("invalid_trigger"),
  );
});

describe("§4.3.1 clock changes", () => {
  const inNewYork = (pattern: string, from: string, dst: object) =>
    slots(cron(pattern, "America/New_York", { dst }), from, 2);
  it("the recommended handling can be chosen: skipped in the gap", () => {
    expect(inNewYork("30 2 * * *", "2027-03-13T12:00:00Z", { gap: "skip", fold: "first" })).toEqual([
      "2027-03-15T06:30:00Z",
      "2027-03-16T06:30:00Z",
    ]);
  });
  it("and once in the overlap, at the first occurrence", () => {
    expect(inNewYork("30 1 * * *", "2026-11-01T00:00:00Z", { gap: "skip", fold: "first" })).toEqual([
      "2026-11-01T05:30:00Z",
      "2026-11-02T06:30:00Z",
    ]);
  });
});

describe("§4.3.2 calendar and range", () => {
  it("Gregorian leap years: 2100 has none", () => {
    expect(slots(cron("0 0 29 2 *"), "2095-01-01T00:00:00Z", 3).map((slot) => slot.slice(0, 4))).toEqual([
      "2096",
      "2104",
      "2108",
    ]);
  });
  it("years end in 2199: beyond, there is no next and it says so", () => {
    const daily = cron("0 0 * * *");
    expect(slots(daily, "2199-12-30T12:00:00Z", 5)).toEqual(["2199-12-31T00:00:00Z"]);
    expect(daily.next(Date.UTC(2199, 11, 31))).toBeNull();
    expect(daily.prev(-1)).toBeNull();
    expect(daily.next(-1)).toBe(0);
  });
});
