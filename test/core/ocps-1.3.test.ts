/** OCPS 1.3, L, # and W: increments/OCPS-increment-1.3.md; and LW and L-3, which people bring along. */
import { describe, expect, it } from "vitest";
import { cron, refusal, slots } from "./ask.ts";

const days = (pattern: string, from: string, count: number, more: object = {}) =>
  slots(cron(pattern, "UTC", more), from, count).map((slot) => slot.slice(0, 10));
const refused = (pattern: string) => refusal({ trigger: { cron: pattern, timezone: "UTC" } });

describe("§4 the modifiers are case-sensitive", () => {
  it.each([
    ["0 0 l * *", "0 0 L * *"],
    ["0 0 15w * *", "0 0 15W * *"],
    ["0 0 lw * *", "0 0 LW * *"],
    ["0 0 * * 5l", "0 0 * * 5L"],
    ["0 0 * * fri#l", "0 0 * * fri#L"],
  ])("%s is refused, %s suggested", (pattern, suggestion) => {
    expect(refused(pattern).data).toMatchObject({ suggestion });
  });
});

describe("§4.1 L", () => {
  it("is the last day of the month", () => {
    expect(days("0 0 L * *", "2028-01-01T00:00:00Z", 3)).toEqual(["2028-01-31", "2028-02-29", "2028-03-31"]);
  });
  it("may stand in a list", () => {
    expect(days("0 0 1,L,15 2 *", "2027-01-01T00:00:00Z", 3)).toEqual([
      "2027-02-01",
      "2027-02-15",
      "2027-02-28",
    ]);
  });
  it("after a weekday, with or without #, is its last one of the month", () => {
    const expected = ["2026-12-25", "2027-01-29", "2027-02-26"];
    for (const form of ["5L", "5#L", "FRI#L", "fri#L", "FRIL"]) {
      expect(days(`0 0 * * ${form}`, "2026-11-30T00:00:00Z", 3), form).toEqual(expected);
    }
    expect(days("0 0 * * 7L", "2026-11-30T00:00:00Z", 1)).toEqual(["2026-12-27"]);
    expect(days("0 0 * * 1L,5L", "2026-12-01T00:00:00Z", 3)).toEqual([
      "2026-12-25",
      "2026-12-28",
      "2027-01-25",
    ]);
  });
  it.each([
    "0 0 * * L",
    "L 0 * * *",
    "0 0 1-L * *",
    "0 0 L/2 * *",
    "0 0 * L *",
    "0 0 8L * *",
    "0 0 * * 8L",
    "0 0 * * MON-5L",
  ])("is refused elsewhere: %s", (pattern) => expect(refused(pattern).code).toBe("invalid_trigger"));
  it("L-3 is three days before the last", () => {
    expect(days("0 0 L-3 * *", "2027-01-01T00:00:00Z", 3)).toEqual([
      "2027-01-28",
      "2027-02-25",
      "2027-03-28",
    ]);
    expect(days("0 0 L-30 * *", "2027-01-02T00:00:00Z", 2)).toEqual(["2027-03-01", "2027-05-01"]);
    expect(refused("0 0 L-31 * *").code).toBe("invalid_trigger");
  });
});

describe("§4.2 #", () => {
  it("is the nth of a weekday in its month", () => {
    expect(days("0 0 * * 2#3", "2026-12-01T00:00:00Z", 2)).toEqual(["2026-12-15", "2027-01-19"]);
    expect(days("0 0 * * MON#1", "2026-12-01T00:00:00Z", 2)).toEqual(["2026-12-07", "2027-01-04"]);
    expect(days("0 0 * * 0#1,7#2", "2026-12-01T00:00:00Z", 2)).toEqual(["2026-12-06", "2026-12-13"]);
  });
  it("a fifth that a month lacks makes no slot", () => {
    expect(days("0 0 * * FRI#5", "2026-12-01T00:00:00Z", 2)).toEqual(["2027-01-29", "2027-04-30"]);
  });
  it.each(["1#0", "1#6", "#1", "1#", "8#1", "MON-FRI#1", "1#1-3", "1#1#2", "*#1", "1#1/2"])(
    "refuses %s",
    (day) => {
      expect(refused(`0 0 * * ${day}`).data).toMatchObject({ field: "day-of-week" });
    },
  );
  it("is refused outside day-of-week", () => expect(refused("0 0 1#1 * *").code).toBe("invalid_trigger"));
});

describe("§4.3 W", () => {
  it("a weekday stays, Saturday goes back, Sunday goes on", () => {
    expect(days("0 12 15W * *", "2027-05-01T00:00:00Z", 4)).toEqual([
      "2027-05-14",
      "2027-06-15",
      "2027-07-15",
      "2027-08-16",
    ]);
  });
  it("never leaves the month", () => {
    expect(days("0 12 1W 5 *", "2027-01-01T00:00:00Z", 1)).toEqual(["2027-05-03"]);
    expect(days("0 12 31W 1,10 *", "2026-12-01T00:00:00Z", 2)).toEqual(["2027-01-29", "2027-10-29"]);
    expect(days("0 12 28W 2 *", "2027-01-01T00:00:00Z", 1)).toEqual(["2027-02-26"]);
  });
  it("a day that the month lacks makes no slot, unless clamped", () => {
    expect(days("0 0 31W * *", "2027-02-01T00:00:00Z", 2)).toEqual(["2027-03-31", "2027-05-31"]);
    expect(days("0 0 31W * *", "2027-02-01T00:00:00Z", 2, { monthDay: "clamp" })).toEqual([
      "2027-02-26",
      "2027-03-31",
    ]);
  });
  it("LW is the last weekday of the month", () => {
    expect(days("0 0 LW * *", "2027-01-01T00:00:00Z", 3)).toEqual(["2027-01-29", "2027-02-26", "2027-03-31"]);
  });
  it.each(["1,15W", "15W,20", "1-15W", "15W-20W", "W", "0W", "32W", "15W/2", "L-3W", "LW,1", "*W"])(
    "refuses %s",
    (date) => {
      expect(refused(`0 0 ${date} * *`).data).toMatchObject({ field: "day-of-month" });
    },
  );
  it("is refused outside day-of-month", () => expect(refused("0 0 * * 1W").code).toBe("invalid_trigger"));
});
