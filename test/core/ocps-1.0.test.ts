/** OCPS 1.0, the baseline: https://github.com/open-source-cron/ocps, specifications/OCPS-1.0.md, revision 2. */
import { describe, expect, it } from "vitest";
import { cron, refusal, slots } from "./ask.ts";

const FROM = "2026-11-30T00:00:00Z";
const refused = (pattern: string) => refusal({ trigger: { cron: pattern, timezone: "UTC" } });
const first = (pattern: string, count = 3) => slots(cron(pattern), FROM, count);

/** Two ways to write the same schedule. */
function same(a: string, b: string): void {
  expect(first(a, 40), `${a} ≡ ${b}`).toEqual(first(b, 40));
}

describe("§4.1 structure", () => {
  it("takes five fields: minute, hour, day-of-month, month, day-of-week", () => {
    expect(first("5 4 3 2 *", 2)).toEqual(["2027-02-03T04:05:00Z", "2028-02-03T04:05:00Z"]);
  });
  it.each(["", "   ", "*", "* * *", "* * * *"])("refuses too few fields: %j", (pattern) => {
    expect(refused(pattern).code).toBe("invalid_trigger");
  });
  it("ignores whitespace around, and takes spaces and tabs in a row as one", () => {
    same(" \t0   9\t\t1 *   *  ", "0 9 1 * *");
  });
  it.each([
    "0 9 1 * *\n",
    "0\n9 1 * *",
    "0 9 1 * *\u00a0",
    "0 9 1 * *;",
    "0 9 1 * é",
    "0 9 1 * $",
    "0 9 1 * !1",
  ])("refuses characters outside the set: %j", (pattern) => {
    expect(refused(pattern).code).toBe("invalid_trigger");
  });
});

describe("§4.2 field values", () => {
  it.each(["0 0 1 1 *", "59 23 31 12 *", "0 0 * * 0", "0 0 * * 7"])(
    "takes the ends of every field: %s",
    (pattern) => {
      expect(first(pattern, 1)).toHaveLength(1);
    },
  );
  it("takes month and day names in any case", () => {
    const names = ["JAN", "feb", "Mar", "aPR", "may", "JUN", "jul", "Aug", "SEP", "oct", "Nov", "DEC"];
    names.forEach((name, i) => same(`0 0 1 ${name} *`, `0 0 1 ${i + 1} *`));
    ["sun", "MON", "Tue", "wED", "thu", "FRI", "Sat"].forEach((name, i) =>
      same(`0 0 * * ${name}`, `0 0 * * ${i}`),
    );
  });
  it("takes 0, 7 and SUN as Sunday, alone, in lists and in ranges", () => {
    same("0 0 * * 7", "0 0 * * 0");
    same("0 0 * * SUN", "0 0 * * 0");
    same("0 0 * * 0,7", "0 0 * * 0");
    same("0 0 * * 5-7", "0 0 * * 0,5,6");
    same("0 0 * * 0-7", "0 0 * * *");
    same("0 0 * * SAT-SUN", "0 0 * * 0,6");
    same("0 0 * * WED-SUN", "0 0 * * 0,3-6");
    same("0 0 * * SUN-WED", "0 0 * * 0-3");
    same("0 0 * * 6-SUN", "0 0 * * 0,6");
    same("0 0 * * SUN-SUN", "0 0 * * 0");
  });
  it("takes leading zeros", () => same("05 09 01 * *", "5 9 1 * *"));
});

describe("§5 special characters", () => {
  it("wildcard", () =>
    expect(first("* * * * *", 2)).toEqual(["2026-11-30T00:01:00Z", "2026-11-30T00:02:00Z"]));
  it("list", () => same("0,15,30,45 * * * *", "*/15 * * * *"));
  it("range, both ends in", () => same("0 9-11 * * *", "0 9,10,11 * * *"));
  it("a range of one value", () => same("0 9-9 * * *", "0 9 * * *"));
  it("step on a wildcard starts at the lowest value", () => {
    same("0 0 */10 * *", "0 0 1,11,21,31 * *");
    same("0 0 1 */5 *", "0 0 1 1,6,11 *");
    same("0 0 * * */3", "0 0 * * 0,3,6");
  });
  it("step on a range starts at its first value", () => same("5-59/15 * * * *", "5,20,35,50 * * * *"));
});

describe("§5.1 combining", () => {
  it("a list of single values, ranges and steps is their union, each value once", () => {
    same("5,5,1-6,4-10/2 * * * *", "1,2,3,4,5,6,8,10 * * * *");
    same("*/15,7 * * * *", "0,7,15,30,45 * * * *");
  });
  it("a step longer than its range leaves the first value", () => same("10-20/30 * * * *", "10 * * * *"));
});

describe("§6.1 day-of-month and day-of-week", () => {
  it("match when either does, if both are restricted", () => {
    expect(first("0 12 1 * MON", 4)).toEqual([
      "2026-11-30T12:00:00Z",
      "2026-12-01T12:00:00Z",
      "2026-12-07T12:00:00Z",
      "2026-12-14T12:00:00Z",
    ]);
  });
  it("a written-out full range and a step are restrictions, only a bare * is none", () => {
    same("0 0 1-31 * MON", "0 0 * * *");
    same("0 0 13 * 0-6", "0 0 * * *");
    same("0 0 13 * */1", "0 0 * * *");
    expect(first("0 0 */2 * SUN", 5).map((slot) => slot.slice(8, 10))).toEqual([
      "01",
      "03",
      "05",
      "06",
      "07",
    ]);
  });
});

describe("§6.2 errors and edge cases", () => {
  it.each([
    "60 * * * *",
    "* 24 * * *",
    "* * 0 * *",
    "* * 32 * *",
    "* * * 0 *",
    "* * * 13 *",
    "* * * * 8",
    "0-60 * * * *",
    "-1 * * * *",
  ])("refuses values out of range: %s", (pattern) => expect(refused(pattern).code).toBe("invalid_trigger"));
  it.each([
    "30-10 * * * *",
    "0 22-2 * * *",
    "0 0 * * FRI-MON",
    "0 0 * * 6-0",
    "0 0 1 NOV-FEB *",
    "0 0 20-10 * *",
  ])("refuses a range whose end is before its start: %s", (pattern) =>
    expect(refused(pattern).code).toBe("invalid_trigger"),
  );
  it.each([
    "*/0 * * * *",
    "0-59/0 * * * *",
    "/30 * * * *",
    "0/15 * * * *",
    "10/10 * * * *",
    "*/ * * * *",
    "*/-5 * * * *",
    "*/1.5 * * * *",
    "*/5/5 * * * *",
    "1,2/5 * * * *",
  ])("refuses a step that is 0, or on anything but * or a full range: %s", (pattern) =>
    expect(refused(pattern).code).toBe("invalid_trigger"),
  );
  it("parses an impossible date, and says that it never fires", () => {
    expect(refused("0 0 31 2 *").code).toBe("never_fires");
    expect(refused("0 0 31 4,6,9,11 *").code).toBe("never_fires");
  });
});

describe("§6.4 time zones", () => {
  it("a pattern has none of its own: the trigger names it, always", () => {
    expect(refusal({ trigger: { cron: "0 9 * * *" } })).toMatchObject({
      code: "invalid_trigger",
      pointer: "/trigger/timezone",
    });
    expect(slots(cron("0 9 * * *", "Asia/Tokyo"), FROM, 1)).toEqual(["2026-12-01T00:00:00Z"]);
  });
});
