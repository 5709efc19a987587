/** What is legal and was probably not meant. */
import { describe, expect, it } from "vitest";
import { cron, timetable } from "./ask.ts";

const codes = (pattern: string, timezone: string | string[] = "UTC", more: object = {}) =>
  cron(pattern, timezone, more).warnings.map(({ code }) => code);

describe("step_larger_than_field", () => {
  it.each([
    "*/90 * * * *",
    "*/60 * * * *",
    "0 */24 * * *",
    "0 0 */31 * *",
    "0 0 1 */12 *",
    "0 0 * * */7",
    "10-20/30 * * * *",
    "*/75 * * * * *",
    "5,*/90 * * * *",
  ])("%s", (pattern) => expect(codes(pattern)).toContain("step_larger_than_field"));
  it.each(["*/59 * * * *", "*/30 * * * *", "0 */23 * * *", "* * * * *", "5-5 * * * *", "0 0 */30 * *"])(
    "not %s",
    (pattern) => {
      expect(codes(pattern)).not.toContain("step_larger_than_field");
    },
  );
  it("names the step and what it leaves", () => {
    expect(cron("*/90 * * * *").warnings[0]!.message).toContain("a step of 90 leaves only 0 of minute");
  });
});

describe("day_fields_or", () => {
  it.each(["0 0 13 * FRI", "0 0 */2 * 1", "0 0 L * 1-5"])("%s", (pattern) =>
    expect(codes(pattern)).toContain("day_fields_or"),
  );
  it.each(["0 0 13 * +FRI", "0 0 13 * *", "0 0 ? * FRI", "0 0 13 * ?"])("not %s", (pattern) => {
    expect(codes(pattern)).not.toContain("day_fields_or");
  });
  it("shows the pattern with both", () => {
    expect(cron("0 0 13 * FRI").warnings[0]!.message).toContain("0 0 13 * +FRI");
    expect(cron("0 0 0 13 * FRI 2027").warnings[0]!.message).toContain("0 0 0 13 * +FRI 2027");
  });
});

describe("leap_years_only", () => {
  it.each(["0 0 29 2 *", "0 0 29W 2 *", "0 0 * 2 SUN#5", "0 0 29,30 2 *"])("%s", (pattern) => {
    expect(codes(pattern)).toContain("leap_years_only");
    expect(codes(pattern)).not.toContain("months_skipped");
  });
  it.each(["0 0 28,29 2 *", "0 0 L 2 *", "0 0 29 2,3 *", "0 0 29 2 MON"])("not %s", (pattern) => {
    expect(codes(pattern)).not.toContain("leap_years_only");
  });
  it("not when clamped", () => expect(codes("0 0 29 2 *", "UTC", { monthDay: "clamp" })).toEqual([]));
});

describe("months_skipped", () => {
  it.each([
    "0 0 31 * *",
    "0 0 30 * *",
    "0 0 29 * *",
    "0 0 1,31 * *",
    "0 0 29-31 * *",
    "0 0 31W * *",
    "0 0 31 3,4 *",
  ])("%s", (pattern) => {
    expect(codes(pattern)).toContain("months_skipped");
  });
  it.each([
    "0 0 28 * *",
    "0 0 L * *",
    "0 0 * * *",
    "0 0 28-31 * *",
    "0 0 */2 * *",
    "0 0 31 1,3,5 *",
    "0 0 30 4 *",
    "0 0 1-31 * *",
  ])("not %s", (pattern) => expect(codes(pattern)).not.toContain("months_skipped"));
  it.each(["skip", "clamp"])("not when monthDay says %s", (monthDay) => {
    expect(codes("0 0 31 * *", "UTC", { monthDay })).toEqual([]);
  });
});

describe("dst_affected", () => {
  it.each([
    ["30 2 * * *", "Europe/Berlin"],
    ["30 1 * * *", "America/New_York"],
    ["0 0 * * *", "America/Havana"],
    ["0 */2 * * *", "Europe/Berlin"],
    ["*/15 2 * * *", "Europe/Berlin"],
    ["0 0-23 * * *", "Europe/Berlin"],
    ["15 2 * * *", "Australia/Lord_Howe"],
    ["0 2 8 3 *", "America/New_York"],
  ])("%s in %s", (pattern, zone) => expect(codes(pattern, zone)).toContain("dst_affected"));
  it.each([
    ["30 2 * * *", "UTC"],
    ["30 2 * * *", "Asia/Tokyo"],
    ["0 0 * * *", "America/Sao_Paulo"],
    ["0 9 * * *", "Europe/Berlin"],
    ["*/15 * * * *", "Europe/Berlin"],
    ["0 * * * *", "Europe/Berlin"],
    ["30 2 * * MON", "Europe/Berlin"],
    ["30 2 1 6 *", "Europe/Berlin"],
  ])("not %s in %s", (pattern, zone) => expect(codes(pattern, zone)).not.toContain("dst_affected"));
  it("not when a policy was chosen", () => {
    expect(codes("30 2 * * *", "Europe/Berlin", { dst: { gap: "shift", fold: "both" } })).toEqual([]);
  });
  it("says what happens, and in which of several zones", () => {
    const { message } = cron("30 2 * * *", ["Asia/Tokyo", "Europe/Berlin"]).warnings[0]!;
    expect(message).toContain("Europe/Berlin");
    expect(message).toContain("first instant after the gap");
  });
  it("for an `at` that does not exist, or exists twice", () => {
    const at = (text: string, dst?: object) =>
      timetable({ trigger: { at: text, timezone: "Europe/Berlin", dst } }).warnings;
    expect(at("2027-03-28T02:30:00")).toHaveLength(1);
    expect(at("2026-10-25T02:30:00")).toHaveLength(1);
    expect(at("2026-10-25T03:30:00")).toEqual([]);
    expect(at("2027-03-28T02:30:00", { gap: "next", fold: "first" })).toEqual([]);
  });
});

it("every, after and in give none; a union gives those of its parts", () => {
  expect(timetable({ trigger: { every: "90m" } }).warnings).toEqual([]);
  expect(timetable({ trigger: { after: "90m" } }).warnings).toEqual([]);
  const union = timetable({
    trigger: [
      { cron: "*/90 * * * *", timezone: "UTC" },
      { cron: "0 0 13 * FRI", timezone: "UTC" },
    ],
  });
  expect(union.warnings.map(({ code }) => code)).toEqual(["step_larger_than_field", "day_fields_or"]);
});
