/** The preview, exactly as the contract shows it, and what it says about local times that make no slot. */
import { describe, expect, it } from "vitest";
import { preview } from "../../src/core/preview.ts";
import { ms, shown, timetable } from "./ask.ts";

const berlin = (cron: string, more: object = {}) => ({ cron, timezone: "Europe/Berlin", ...more });

describe("the contract's example", () => {
  it("holds to the letter", () => {
    const trigger = berlin("30 2 * * *", { dst: { gap: "shift", fold: "both" } });
    expect(shown({ trigger }, "2027-03-27T00:00:00Z", 3)).toEqual({
      slots: [
        {
          scheduledFor: "2027-03-27T01:30:00Z",
          effectiveAt: "2027-03-27T01:30:00Z",
          localTime: "2027-03-27T02:30:00+01:00",
          timezones: ["Europe/Berlin"],
          notes: [],
        },
        {
          scheduledFor: "2027-03-28T01:30:00Z",
          effectiveAt: "2027-03-28T01:30:00Z",
          localTime: "2027-03-28T03:30:00+02:00",
          timezones: ["Europe/Berlin"],
          notes: ["dst_gap_shift"],
        },
        {
          scheduledFor: "2027-03-29T00:30:00Z",
          effectiveAt: "2027-03-29T00:30:00Z",
          localTime: "2027-03-29T02:30:00+02:00",
          timezones: ["Europe/Berlin"],
          notes: [],
        },
      ],
      suppressed: [],
      description: "At 02:30 every day (Europe/Berlin)",
      warnings: [],
      exhausted: false,
    });
  });
});

describe("notes", () => {
  const notes = (trigger: unknown, from: string, count: number, jitterMs = 0) =>
    shown({ trigger }, from, count, jitterMs).slots.map((slot) => slot.notes.join("+"));
  it("name what a gap did", () => {
    expect(notes(berlin("30 2 * * *"), "2027-03-27T12:00:00Z", 1)).toEqual(["dst_gap_next"]);
    expect(notes(berlin("0 2,3 * * *"), "2027-03-27T12:00:00Z", 1)).toEqual(["dst_gap_next"]);
    expect(
      notes({ at: "2027-03-28T02:30:00", timezone: "Europe/Berlin" }, "2027-01-01T00:00:00Z", 1),
    ).toEqual(["dst_gap_next"]);
    const shifted = {
      at: "2027-03-28T02:30:00",
      timezone: "Europe/Berlin",
      dst: { gap: "shift", fold: "first" },
    };
    expect(notes(shifted, "2027-01-01T00:00:00Z", 1)).toEqual(["dst_gap_shift"]);
  });
  it("name the pass of a repeated time", () => {
    expect(notes(berlin("30 2 * * *"), "2026-10-24T12:00:00Z", 2)).toEqual(["dst_fold_first", ""]);
    expect(
      notes(berlin("30 2 * * *", { dst: { gap: "skip", fold: "second" } }), "2026-10-24T12:00:00Z", 1),
    ).toEqual(["dst_fold_second"]);
    expect(notes(berlin("*/30 * * * *"), "2026-10-24T23:30:00Z", 6)).toEqual([
      "dst_fold_first",
      "dst_fold_first",
      "dst_fold_second",
      "dst_fold_second",
      "",
      "",
    ]);
    expect(
      notes({ at: "2026-10-25T02:30:00", timezone: "Europe/Berlin" }, "2026-01-01T00:00:00Z", 1),
    ).toEqual(["dst_fold_first"]);
  });
  it("name a clamped day, and only that", () => {
    expect(
      notes({ cron: "0 0 30,31 * *", timezone: "UTC", monthDay: "clamp" }, "2027-02-01T00:00:00Z", 4),
    ).toEqual(["month_day_clamped", "", "", ""]);
    expect(
      notes({ cron: "0 0 31 * *", timezone: "UTC", monthDay: "clamp" }, "2027-03-01T00:00:00Z", 3),
    ).toEqual(["", "month_day_clamped", ""]);
  });
  it("name jitter, which never moves the slot itself", () => {
    const [slot] = shown({ trigger: berlin("0 2 * * *") }, "2026-12-01T00:00:00Z", 1, 600_000).slots;
    expect(slot).toMatchObject({
      scheduledFor: "2026-12-01T01:00:00Z",
      localTime: "2026-12-01T02:00:00+01:00",
      notes: ["jittered"],
    });
    expect(ms(slot!.effectiveAt) - ms(slot!.scheduledFor)).toBeLessThan(600_000);
  });
});

describe("zones", () => {
  it("several at one instant are listed in their order, with all local times", () => {
    const asked = timetable({
      trigger: { cron: "0 9,18 * * *", timezone: ["Asia/Tokyo", "Europe/London", "UTC"] },
    });
    expect(asked.describe(ms("2026-12-01T09:00:00Z"))).toEqual({
      localTime: "2026-12-01T18:00:00+09:00",
      businessDate: "2026-12-01",
      timezones: ["Asia/Tokyo", "Europe/London", "UTC"],
      locals: [
        { timezone: "Asia/Tokyo", localTime: "2026-12-01T18:00:00+09:00", businessDate: "2026-12-01" },
        { timezone: "Europe/London", localTime: "2026-12-01T09:00:00+00:00", businessDate: "2026-12-01" },
        { timezone: "UTC", localTime: "2026-12-01T09:00:00+00:00", businessDate: "2026-12-01" },
      ],
      notes: [],
    });
    expect(asked.describe(ms("2026-12-01T00:00:00Z")).timezones).toEqual(["Asia/Tokyo"]);
  });
  it("businessDate is the local one", () => {
    const asked = timetable({ trigger: { cron: "0 0 * * *", timezone: "Asia/Tokyo" } });
    expect(asked.describe(ms("2026-12-01T15:00:00Z")).businessDate).toBe("2026-12-02");
  });
  it("`every` goes by UTC", () => {
    expect(shown({ trigger: { every: "90m" } }, "2026-12-01T00:00:00Z", 1).slots[0]).toMatchObject({
      localTime: "2026-12-01T01:30:00+00:00",
      timezones: ["UTC"],
    });
  });
});

describe("suppressed", () => {
  it("lists what a gap left out, without an offset, since it does not exist", () => {
    const { suppressed } = shown({ trigger: berlin("*/20 2 * * *") }, "2027-03-27T12:00:00Z", 1);
    expect(suppressed).toEqual(
      ["00", "20", "40"].map((minute) => ({
        localTime: `2027-03-28T02:${minute}:00`,
        timezone: "Europe/Berlin",
        reason: "dst_gap",
      })),
    );
  });
  it("lists a date that a zone left out", () => {
    const { suppressed } = shown(
      { trigger: { cron: "0 12 * * *", timezone: "Pacific/Apia" } },
      "2011-12-29T00:00:00Z",
      2,
    );
    expect(suppressed).toEqual([
      { localTime: "2011-12-30T12:00:00", timezone: "Pacific/Apia", reason: "dst_gap" },
    ]);
  });
  it("lists what was excluded, in order with the rest", () => {
    const exclude = [{ date: "2027-03-27" }, { date: "2027-03-29" }];
    const ask = { trigger: berlin("30 2 * * *", { dst: { gap: "skip", fold: "first" } }), exclude };
    expect(shown(ask, "2027-03-26T12:00:00Z", 1).suppressed).toEqual([
      { localTime: "2027-03-27T02:30:00+01:00", timezone: "Europe/Berlin", reason: "excluded" },
      { localTime: "2027-03-28T02:30:00", timezone: "Europe/Berlin", reason: "dst_gap" },
      { localTime: "2027-03-29T02:30:00+02:00", timezone: "Europe/Berlin", reason: "excluded" },
    ]);
  });
  it("leaves out what another trigger still names, and what lies beyond the last slot shown", () => {
    const union = [berlin("0 9 * * *"), { cron: "0 8 * * *", timezone: "UTC" }];
    expect(
      shown(
        { trigger: union, exclude: [{ date: "2026-12-25", timezone: "Asia/Tokyo" }] },
        "2026-12-24T12:00:00Z",
        1,
      ).suppressed,
    ).toHaveLength(2);
    expect(
      shown(
        { trigger: berlin("30 2 * * *", { dst: { gap: "skip", fold: "first" } }) },
        "2027-03-20T12:00:00Z",
        2,
      ).suppressed,
    ).toEqual([]);
  });
  it("is bounded", () => {
    const { suppressed } = shown(
      {
        trigger: { cron: "* * * * *", timezone: "UTC" },
        exclude: [{ from: "2027-01-02", to: "2027-01-30" }],
      },
      "2027-01-01T23:00:00Z",
      100,
    );
    expect(suppressed).toHaveLength(100);
  });
});

describe("the end", () => {
  const range = (trigger: unknown, from: string, until: string | null, count = 10) => {
    const rule = { trigger: trigger as never, exclude: [], startAt: null, endAt: null };
    const result = preview({
      rule,
      jitterMs: 0,
      seed: "x",
      from: ms(from),
      until: until === null ? null : ms(until),
      count,
    });
    if (!result.ok) throw new Error(result.error.message);
    return { slots: result.value.slots.map((slot) => slot.scheduledFor), exhausted: result.value.exhausted };
  };
  it("`from` is exclusive, `until` inclusive, and stopping there exhausts nothing", () => {
    expect(
      range({ cron: "0 0 * * *", timezone: "UTC" }, "2026-12-01T00:00:00Z", "2026-12-03T00:00:00Z"),
    ).toEqual({
      slots: ["2026-12-02T00:00:00Z", "2026-12-03T00:00:00Z"],
      exhausted: false,
    });
  });
  it("nothing after `from` is an answer", () => {
    expect(range({ at: "2026-01-01T00:00:00Z" }, "2026-12-01T00:00:00Z", null)).toEqual({
      slots: [],
      exhausted: true,
    });
    expect(range({ cron: "0 0 0 1 1 * 2026", timezone: "UTC" }, "2026-12-01T00:00:00Z", null)).toEqual({
      slots: [],
      exhausted: true,
    });
  });
  it("the last slot exhausts the trigger", () => {
    expect(
      range({ cron: "0 0 0 1 1 * 2027-2028", timezone: "UTC" }, "2026-12-01T00:00:00Z", null, 2).exhausted,
    ).toBe(true);
    expect(
      range({ cron: "0 0 0 1 1 * 2027-2028", timezone: "UTC" }, "2026-12-01T00:00:00Z", null, 1).exhausted,
    ).toBe(false);
  });
  it("a delay has no slots to show, and is not at its end", () => {
    expect(range({ after: "PT1H" }, "2026-12-01T00:00:00Z", null)).toEqual({ slots: [], exhausted: false });
  });
});
