/** The door: what a trigger may say, and how it is told what it may not. */
import { describe, expect, it } from "vitest";
import { compile, parseExclude, parseTrigger, resolveTrigger } from "../../src/core/trigger.ts";
import { refusal, slots, timetable } from "./ask.ts";

const berlin = { cron: "0 2 * * *", timezone: "Europe/Berlin" };

function parsed(input: unknown) {
  const result = parseTrigger(input);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

describe("a trigger", () => {
  it.each([
    [berlin, berlin],
    [
      { ...berlin, timezone: ["Europe/Berlin", "Asia/Tokyo"] },
      { ...berlin, timezone: ["Europe/Berlin", "Asia/Tokyo"] },
    ],
    [{ every: "90m" }, { every: "PT1H30M" }],
    [
      { every: "1d", anchor: "2026-01-01T01:00:00+01:00" },
      { every: "P1D", anchor: "2026-01-01T00:00:00Z" },
    ],
    [{ after: "3600s" }, { after: "PT1H" }],
    [{ at: "2026-12-24T18:00:00+01:00" }, { at: "2026-12-24T17:00:00Z" }],
    [
      { at: "2026-12-24T18:00", timezone: "UTC" },
      { at: "2026-12-24T18:00:00", timezone: "UTC" },
    ],
    [
      { at: "2026-12-24T18:00:00.250", timezone: "UTC" },
      { at: "2026-12-24T18:00:00.250", timezone: "UTC" },
    ],
    [{ in: "10m" }, { in: "PT10M" }],
    [
      [berlin, { every: "1h" }],
      [berlin, { every: "PT1H" }],
    ],
  ])("%j is stored as %j", (input, stored) => expect(parsed(input)).toEqual(stored));

  it.each<[unknown, string, string]>([
    [null, "/trigger", "an object"],
    ["0 2 * * *", "/trigger", "an object"],
    [{}, "/trigger", "one of cron, every, after, at, in"],
    [[], "/trigger", "must not be empty"],
    [[[berlin]], "/trigger/0", "an object"],
    [{ corn: "0 2 * * *" }, "/trigger/corn", "unknown field"],
    [{ ...berlin, every: "1h" }, "/trigger", "only one of"],
    [{ ...berlin, timzone: "UTC" }, "/trigger/timzone", "unknown field"],
    [{ ...berlin, anchor: "2026-01-01T00:00:00Z" }, "/trigger/anchor", "unknown field"],
    [{ cron: 5, timezone: "UTC" }, "/trigger/cron", "a cron pattern"],
    [{ cron: "0 2 * * *" }, "/trigger/timezone", "required"],
    [{ ...berlin, timezone: "Europe/Berlim" }, "/trigger/timezone", "no IANA time zone"],
    [{ ...berlin, timezone: "+01:00" }, "/trigger/timezone", "no IANA time zone"],
    [{ ...berlin, timezone: [] }, "/trigger/timezone", "1 to 50"],
    [{ ...berlin, timezone: ["UTC", "UTC"] }, "/trigger/timezone/1", "twice"],
    [{ ...berlin, timezone: ["UTC", 5] }, "/trigger/timezone/1", "an IANA time zone"],
    [{ ...berlin, dst: "skip" }, "/trigger/dst", "auto"],
    [{ ...berlin, dst: { gap: "skip" } }, "/trigger/dst/fold", "first, second, both"],
    [{ ...berlin, dst: { gap: "later", fold: "first" } }, "/trigger/dst/gap", "skip, next, shift"],
    [{ ...berlin, dst: { gap: "skip", fold: "first", folds: 1 } }, "/trigger/dst/folds", "unknown field"],
    [{ ...berlin, monthDay: "last" }, "/trigger/monthDay", "skip or clamp"],
    [[berlin, { ...berlin, cron: "60 * * * *" }], "/trigger/1/cron", "0–59"],
    [{ every: "1M" }, "/trigger/every", "duration"],
    [{ every: "500ms" }, "/trigger/every", "smallest spacing is 1 s"],
    [{ every: 60 }, "/trigger/every", "a duration"],
    [{ every: "1h", anchor: "noon" }, "/trigger/anchor", "no instant"],
    [{ after: "0s" }, "/trigger/after", "smallest spacing"],
    [[{ after: "1h" }], "/trigger/0/after", "stands alone"],
    [{ at: "2026-12-24T18:00:00" }, "/trigger/timezone", "required"],
    [{ at: "2026-12-24", timezone: "UTC" }, "/trigger/at", "no instant"],
    [{ at: "2026-02-30T12:00:00", timezone: "UTC" }, "/trigger/at", "no such date"],
    [{ at: "2300-01-01T00:00:00", timezone: "UTC" }, "/trigger/at", "no instant"],
    [{ at: "2200-01-01T00:00:00", timezone: "UTC" }, "/trigger/at", "outside"],
    [{ at: "2026-12-24T18:00:00", timezone: ["UTC"] }, "/trigger/timezone", "one time zone"],
    [
      { at: "2026-12-24T18:00:00", timezone: "UTC", dst: { gap: "skip", fold: "both" } },
      "/trigger/dst/fold",
      "once",
    ],
    [{ in: "soon" }, "/trigger/in", "duration"],
    [Array.from({ length: 21 }, () => berlin), "/trigger", "at most 20"],
  ])("%j is refused at %s", (input, pointer, message) => {
    const result = parseTrigger(input);
    expect(result).toMatchObject({ ok: false, error: { code: "invalid_trigger", pointer } });
    expect(!result.ok && result.error.message).toContain(message);
  });

  it("is told what was probably meant", () => {
    const hint = (input: unknown) => {
      const result = parseTrigger(input);
      return result.ok ? null : result.error.hint;
    };
    expect(hint({ ...berlin, timzone: "UTC" })).toBe("Did you mean timezone ?");
    expect(hint({ corn: "0 2 * * *" })).toBe("Did you mean cron ?");
    expect(hint({ ...berlin, timezone: "Europe/Berlim" })).toBe("Did you mean Europe/Berlin ?");
    expect(hint({ cron: "0/15 * * * *", timezone: "UTC" })).toBe("Did you mean 0-59/15 * * * * ?");
  });
});

describe("in", () => {
  const at = Date.UTC(2026, 10, 30);
  const later = at + 3_600_000;
  it("is due from the revision that introduced it", () => {
    expect(resolveTrigger({ in: "PT10M" }, at)).toEqual({ in: "PT10M", dueAt: "2026-11-30T00:10:00Z" });
  });
  it("does not start again when put again, alone or in a union", () => {
    const first = resolveTrigger(parsed({ in: "10m" }), at);
    expect(resolveTrigger(parsed({ in: "600s" }), later, first)).toEqual(first);
    expect(resolveTrigger([berlin, { in: "PT10M" }], later, first)).toEqual([berlin, first]);
  });
  it("starts when its text is new", () => {
    const first = resolveTrigger({ in: "PT10M" }, at);
    expect(resolveTrigger({ in: "PT20M" }, later, first)).toEqual({
      in: "PT20M",
      dueAt: "2026-11-30T01:20:00Z",
    });
  });
  it("takes no `dueAt` from the caller", () => {
    expect(resolveTrigger(parsed({ in: "10m", dueAt: "2020-01-01T00:00:00Z" }), at)).toEqual({
      in: "PT10M",
      dueAt: "2026-11-30T00:10:00Z",
    });
  });
  it("fires once", () => {
    const trigger = resolveTrigger({ in: "PT10M" }, at);
    const compiled = compile({ trigger, exclude: [], startAt: null, endAt: null });
    expect(compiled.ok && compiled.value.next(at)).toBe(at + 600_000);
    expect(compiled.ok && compiled.value.next(at + 600_000)).toBeNull();
  });
});

describe("an exclusion", () => {
  it.each([
    [{ date: "2026-12-25" }],
    [{ from: "2026-08-01", to: "2026-08-15", timezone: "UTC" }],
    [{ cron: "* * * * SAT,SUN" }],
  ])("%j is kept as it is", (exclusion) =>
    expect(parseExclude([exclusion])).toEqual({ ok: true, value: [exclusion] }),
  );

  it.each<[unknown, string]>([
    [{}, "/exclude"],
    [[5], "/exclude/0"],
    [[{}], "/exclude/0"],
    [[{ date: "2026-02-30" }], "/exclude/0/date"],
    [[{ date: "25.12.2026" }], "/exclude/0/date"],
    [[{ dat: "2026-12-25" }], "/exclude/0/dat"],
    [[{ date: "2026-12-25", cron: "* * * * *" }], "/exclude/0"],
    [[{ from: "2026-08-15" }], "/exclude/0/to"],
    [[{ from: "2026-08-15", to: "2026-08-01" }], "/exclude/0/to"],
    [[{ date: "2026-12-25" }, { cron: "* * * * 8" }], "/exclude/1/cron"],
    [[{ date: "2026-12-25", timezone: "Mars" }], "/exclude/0/timezone"],
  ])("%j is refused at %s", (input, pointer) => {
    expect(parseExclude(input)).toMatchObject({ ok: false, error: { code: "invalid_field", pointer } });
  });

  const weekdays = (exclude: unknown[], from = "2026-12-24T00:00:00Z", count = 4) =>
    slots(timetable({ trigger: berlin, exclude }), from, count);

  it("takes out dates, ranges with both ends, and patterns", () => {
    expect(weekdays([{ date: "2026-12-25" }]).map((slot) => slot.slice(8, 10))).toEqual([
      "24",
      "26",
      "27",
      "28",
    ]);
    expect(weekdays([{ from: "2026-12-25", to: "2026-12-27" }]).map((slot) => slot.slice(8, 10))).toEqual([
      "24",
      "28",
      "29",
      "30",
    ]);
    expect(weekdays([{ cron: "* * * * SAT,SUN" }]).map((slot) => slot.slice(8, 10))).toEqual([
      "24",
      "25",
      "28",
      "29",
    ]);
  });
  it("goes by the local date of the trigger's zone, or its own", () => {
    // 02:00 in Tokyo on the 25th is still the 24th in UTC.
    const tokyo = { cron: "0 2 25 12 *", timezone: "Asia/Tokyo" };
    const first = (exclude: unknown[]) =>
      slots(timetable({ trigger: tokyo, exclude }), "2026-12-01T00:00:00Z", 1)[0];
    expect(first([{ date: "2026-12-25" }])).toBe("2027-12-24T17:00:00Z");
    expect(first([{ date: "2026-12-24" }])).toBe("2026-12-24T17:00:00Z");
    expect(first([{ date: "2026-12-24", timezone: "UTC" }])).toBe("2027-12-24T17:00:00Z");
    expect(first([{ date: "2026-12-25", timezone: "UTC" }])).toBe("2026-12-24T17:00:00Z");
  });
  it("goes by UTC for `every`", () => {
    const every = timetable({ trigger: { every: "6h" }, exclude: [{ date: "2026-12-25" }] });
    expect(slots(every, "2026-12-24T17:00:00Z", 2)).toEqual(["2026-12-24T18:00:00Z", "2026-12-26T00:00:00Z"]);
  });
  it("leaves a slot that another trigger or zone still names", () => {
    const union = [
      { cron: "0 9 * * *", timezone: "Europe/Berlin" },
      { cron: "0 8 25 12 *", timezone: "UTC" },
    ];
    expect(
      slots(
        timetable({ trigger: union, exclude: [{ date: "2026-12-25", timezone: "Europe/Berlin" }] }),
        "2026-12-24T12:00:00Z",
        1,
      ),
    ).toEqual(["2026-12-26T08:00:00Z"]);
    const zones = timetable({
      trigger: { cron: "0 0 * * *", timezone: ["UTC", "Europe/London"] },
      exclude: [{ cron: "0 0 25 12 *", timezone: "UTC" }],
    });
    expect(slots(zones, "2026-12-24T12:00:00Z", 1)).toEqual(["2026-12-26T00:00:00Z"]);
    // 00:00 in Berlin is 23:00 of the day before in UTC: only Berlin's date is out, and UTC keeps its slot.
    const two = [
      { cron: "0 0 * * *", timezone: "Europe/Berlin" },
      { cron: "0 23 * * *", timezone: "UTC" },
    ];
    const kept = timetable({ trigger: two, exclude: [{ date: "2026-12-25" }] });
    expect(slots(kept, "2026-12-24T12:00:00Z", 1)).toEqual(["2026-12-24T23:00:00Z"]);
    expect(kept.describe(Date.UTC(2026, 11, 24, 23)).timezones).toEqual(["UTC"]);
  });
  it("of five fields takes out whole minutes, of six the second", () => {
    const every = (exclude: unknown[]) =>
      slots(
        timetable({ trigger: { cron: "*/20 * * * * *", timezone: "UTC" }, exclude }),
        "2026-12-01T08:59:50Z",
        3,
      );
    expect(every([{ cron: "0 9 * * *" }])).toEqual([
      "2026-12-01T09:01:00Z",
      "2026-12-01T09:01:20Z",
      "2026-12-01T09:01:40Z",
    ]);
    expect(every([{ cron: "0 0 9 * * *" }])).toEqual([
      "2026-12-01T09:00:20Z",
      "2026-12-01T09:00:40Z",
      "2026-12-01T09:01:00Z",
    ]);
  });
  it("takes out what was moved out of a gap by the time that was meant", () => {
    // 02:30 on Sunday 28 March is moved to 03:00; Sundays' 02:30 is excluded, 03:00 is not.
    const from = "2027-03-27T12:00:00Z";
    const meant = timetable({
      trigger: { ...berlin, cron: "30 2 * * *" },
      exclude: [{ cron: "30 2 * * SUN" }],
    });
    expect(slots(meant, from, 1)).toEqual(["2027-03-29T00:30:00Z"]);
    const other = timetable({
      trigger: { ...berlin, cron: "30 2 * * *" },
      exclude: [{ cron: "30 2 * * MON" }],
    });
    expect(slots(other, from, 2)).toEqual(["2027-03-28T01:00:00Z", "2027-03-30T00:30:00Z"]);
  });
  it("works where the wall still shows 1969", () => {
    // Remainders of negative numbers put the exclusion a minute off in the first hours of 1970.
    const every = timetable({
      trigger: { every: "30s" },
      exclude: [{ cron: "* 19 * * *", timezone: "America/Havana" }],
    });
    expect(slots(every, "1970-01-01T00:00:00Z", 1)).toEqual(["1970-01-01T01:00:00Z"]);
    expect(every.prev(Date.UTC(1970, 0, 1, 0, 59))).toBeNull();
  });
  it("does not go with `after`", () => {
    expect(refusal({ trigger: { after: "1h" }, exclude: [{ date: "2026-12-25" }] })).toMatchObject({
      code: "invalid_trigger",
      pointer: "/exclude",
    });
  });
});

describe("at", () => {
  const first = (trigger: object) => slots(timetable({ trigger }), "2027-01-01T00:00:00Z", 2);
  const text = { at: "2027-03-28T02:30:00.500", timezone: "Europe/Berlin" };
  it("keeps its milliseconds, unless it is moved to the very end of a gap", () => {
    expect(first({ ...text, at: "2027-03-28T04:30:00.500" })).toEqual(["2027-03-28T02:30:00.500Z"]);
    expect(first({ ...text, dst: { gap: "shift", fold: "first" } })).toEqual(["2027-03-28T01:30:00.500Z"]);
    expect(first(text)).toEqual(["2027-03-28T01:00:00Z"]);
  });
  it("by an instant shows itself in its zone, if it has one", () => {
    const asked = timetable({ trigger: { at: "2027-03-28T02:30:00Z", timezone: "Europe/Berlin" } });
    expect(asked.describe(Date.UTC(2027, 2, 28, 2, 30)).localTime).toBe("2027-03-28T04:30:00+02:00");
  });
});

describe("after", () => {
  it("has no slots of its own: they come from settlement", () => {
    const delay = timetable({ trigger: { after: "1h" } });
    expect(delay).toMatchObject({
      kind: "delay",
      delayMs: 3_600_000,
      description: "1 hour after the last run has ended",
    });
    expect(delay.next(0)).toBeNull();
    expect(delay.prev(Date.UTC(2100, 0, 1))).toBeNull();
    expect(delay.count(0, 1e12)).toEqual({ count: 0, through: 1e12 });
    expect(delay.describe(Date.UTC(2026, 0, 1))).toMatchObject({
      localTime: "2026-01-01T00:00:00+00:00",
      timezones: ["UTC"],
    });
  });
});
