/** Rules in plain English. */
import { describe, expect, it } from "vitest";
import { cron, timetable } from "./ask.ts";

describe("cron", () => {
  it.each([
    ["30 2 * * *", "At 02:30 every day"],
    ["15 30 2 * * *", "At 02:30:15 every day"],
    ["0 6,18 * * *", "At 06:00 and 18:00 every day"],
    ["*/20 2 * * *", "At 02:00, 02:20 and 02:40 every day"],
    ["* * * * *", "Every minute"],
    ["*/15 * * * *", "Every 15 minutes"],
    ["0-45/15 * * * *", "Every 15 minutes"],
    ["*/7 * * * *", "At minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56 of every hour"],
    ["*/90 * * * *", "Every hour"],
    ["0 * * * *", "Every hour"],
    ["30 * * * *", "At minute 30 of every hour"],
    ["0 */2 * * *", "Every 2 hours"],
    ["20 */2 * * *", "At minute 20 of every 2nd hour"],
    ["0 9-17 * * MON-FRI", "Every hour from 09:00 to 17:00 on Monday to Friday"],
    ["*/5 9-17 * * *", "Every 5 minutes from 09:00 to 17:59 every day"],
    ["0,1 9-17 * * *", "At minutes 0 and 1 of every hour from 09:00 to 17:59 every day"],
    ["0 0,3,6,9,12,14,15 * * *", "At 00:00, 03:00, 06:00, 09:00, 12:00, 14:00 and 15:00 every day"],
    ["* * * * * *", "Every second"],
    ["*/10 * * * * *", "Every 10 seconds"],
    ["* 1 * * * *", "Every second of minute 1 of every hour"],
    ["10,20 * * * * *", "At seconds 10 and 20 of every minute of every hour"],
    ["0 0 1 * *", "At 00:00 on day 1 of the month"],
    ["0 0 1-7,15 * *", "At 00:00 on days 1 to 7 and 15 of the month"],
    ["0 0 */10 * *", "At 00:00 on days 1, 11, 21 and 31 of the month"],
    ["0 0 L * *", "At 00:00 on the last day of the month"],
    ["0 0 L-1 * *", "At 00:00 on the day before the last day of the month"],
    ["0 0 L-3 * *", "At 00:00 on the day 3 days before the last day of the month"],
    ["0 0 1,L * *", "At 00:00 on day 1 and the last day of the month"],
    ["0 0 15W * *", "At 00:00 on the day from Monday to Friday nearest to day 15 of the month"],
    ["0 0 LW * *", "At 00:00 on the last day from Monday to Friday of the month"],
    ["0 0 * * SAT,SUN", "At 00:00 on Saturday and Sunday"],
    ["0 0 * * 0,7", "At 00:00 on Sunday"],
    ["0 0 * * FRI#L", "At 00:00 on the last Friday of the month"],
    ["0 0 * * MON,FRI#2", "At 00:00 on Monday and the second Friday of the month"],
    ["0 0 13 * FRI", "At 00:00 on day 13 of the month or on Friday"],
    ["0 0 13 * +FRI", "At 00:00 on day 13 of the month when it is Friday"],
    ["0 12 1 4-10 *", "At 12:00 on day 1 of the month in April to October"],
    ["0 12 * JAN,JUL *", "At 12:00 every day in January and July"],
    ["0 0 0 1 1 * 2027-2030", "At 00:00 on day 1 of the month in January in 2027 to 2030"],
    ["0 0 0 1 1 * */2", "At 00:00 on day 1 of the month in January in every 2nd year from 1970 to 2199"],
    ["@weekly", "At 00:00 on Sunday"],
  ])("%s: %s", (pattern, words) => expect(cron(pattern).description).toBe(`${words} (UTC)`));

  it("says when days are clamped", () => {
    expect(cron("0 0 31 * *", "UTC", { monthDay: "clamp" }).description).toBe(
      "At 00:00 on day 31 of the month (the last day where the month is shorter) (UTC)",
    );
    expect(cron("0 0 28 * *", "UTC", { monthDay: "clamp" }).description).toBe(
      "At 00:00 on day 28 of the month (UTC)",
    );
  });
  it("names all zones", () => {
    expect(cron("0 9 * * *", ["Asia/Tokyo", "Europe/London", "UTC"]).description).toBe(
      "At 09:00 every day (Asia/Tokyo, Europe/London and UTC)",
    );
  });
});

describe("the others", () => {
  it.each<[unknown, string]>([
    [{ every: "15m" }, "Every 15 minutes, counted from 1970-01-01T00:00:00Z"],
    [{ every: "1h" }, "Every hour, counted from 1970-01-01T00:00:00Z"],
    [
      { every: "90m", anchor: "2026-01-01T00:00:00Z" },
      "Every 1 hour and 30 minutes, counted from 2026-01-01T00:00:00Z",
    ],
    [{ after: "1h" }, "1 hour after the last run has ended"],
    [
      { at: "2026-12-24T18:00:00", timezone: "Europe/Berlin" },
      "Once, at 2026-12-24T18:00:00 (Europe/Berlin)",
    ],
    [{ at: "2026-12-24T18:00:00Z" }, "Once, at 2026-12-24T18:00:00Z"],
    [
      [{ cron: "0 9 * * *", timezone: "UTC" }, { every: "1d" }],
      "At 09:00 every day (UTC); and every day, counted from 1970-01-01T00:00:00Z",
    ],
  ])("%j: %s", (trigger, words) => expect(timetable({ trigger }).description).toBe(words));

  it("exclusions follow", () => {
    const exclude = [
      { date: "2026-12-25" },
      { from: "2026-08-01", to: "2026-08-15" },
      { cron: "* * * * SAT,SUN" },
      { cron: "* 0-5 * * *", timezone: "UTC" },
    ];
    expect(
      timetable({ trigger: { cron: "0 * * * *", timezone: "Europe/Berlin" }, exclude }).description,
    ).toBe(
      "Every hour (Europe/Berlin), except on 2026-12-25, from 2026-08-01 to 2026-08-15, on Saturday and Sunday and every minute from 00:00 to 05:59 (UTC)",
    );
  });
});
