/**
 * Faults measured in cron-parser 5.10.6 (fresh parse per question, as a stateless scheduler asks), each
 * as a question that ours must answer. Where it still errs, the test says how, so that an upgrade shows.
 */
import { CronExpressionParser } from "cron-parser";
import { describe, expect, it } from "vitest";
import { compile, between } from "../../src/core/trigger.ts";
import { cron, ms, refusal, slots } from "./ask.ts";

function cronParser(pattern: string, tz: string, from: string): string {
  try {
    return CronExpressionParser.parse(pattern, { tz, currentDate: new Date(from) })
      .next()
      .toDate()
      .toISOString();
  } catch (error) {
    return String(error);
  }
}

const next = (pattern: string, zone: string, from: string, count = 1) =>
  slots(cron(pattern, zone), from, count);

describe("near a clock change", () => {
  it("never goes back in time (it did, for ever, in Chatham's autumn)", () => {
    expect(cronParser("*/15 * * * *", "Pacific/Chatham", "2024-04-06T13:00:00Z")).toBe(
      "2024-04-06T12:15:00.000Z",
    );
    expect(next("*/15 * * * *", "Pacific/Chatham", "2024-04-06T13:00:00Z", 8)).toEqual([
      "2024-04-06T13:15:00Z",
      "2024-04-06T13:30:00Z",
      "2024-04-06T13:45:00Z",
      "2024-04-06T14:00:00Z",
      "2024-04-06T14:15:00Z",
      "2024-04-06T14:30:00Z",
      "2024-04-06T14:45:00Z",
      "2024-04-06T15:00:00Z",
    ]);
    expect(next("0 * * * *", "Australia/Lord_Howe", "2024-04-06T14:05:00Z")).toEqual([
      "2024-04-06T15:30:00Z",
    ]);
  });

  it("answers valid rules (it threw: loop limit exceeded)", () => {
    expect(cronParser("0 * * * *", "Australia/Lord_Howe", "2024-04-06T14:00:00Z")).toContain("loop limit");
    expect(next("0 * * * *", "Australia/Lord_Howe", "2024-04-06T14:00:00Z")).toEqual([
      "2024-04-06T15:30:00Z",
    ]);
    expect(next("10 2 * * *", "Australia/Lord_Howe", "2016-04-02T12:19:00Z")).toEqual([
      "2016-04-02T15:40:00Z",
    ]);
    expect(next("10 */6 * * *", "Australia/Lord_Howe", "2024-04-06T14:00:00Z")).toEqual([
      "2024-04-06T19:40:00Z",
    ]);
  });

  it("keeps the repeated half hour of Lord Howe (it was lost)", () => {
    expect(next("*/15 * * * *", "Australia/Lord_Howe", "2026-04-04T14:30:00Z", 4)).toEqual([
      "2026-04-04T14:45:00Z",
      "2026-04-04T15:00:00Z",
      "2026-04-04T15:15:00Z",
      "2026-04-04T15:30:00Z",
    ]);
  });

  it("is not late after gaps that are not of one hour on the hour", () => {
    // Chatham's clocks go from 02:45 to 03:45: real half hours stay half hours.
    expect(next("*/30 * * * *", "Pacific/Chatham", "2031-09-27T13:20:00Z", 3)).toEqual([
      "2031-09-27T13:45:00Z",
      "2031-09-27T14:15:00Z",
      "2031-09-27T14:45:00Z",
    ]);
    expect(next("50 3 * * *", "Pacific/Chatham", "2031-09-27T12:00:00Z")).toEqual(["2031-09-27T14:05:00Z"]);
    expect(next("30 1,2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00Z", 2)).toEqual([
      "2026-10-03T15:00:00Z",
      "2026-10-03T15:30:00Z",
    ]);
  });

  it("does not depend on when one asks: asked afresh after each run, nothing is lost or repeated", () => {
    const shift = { dst: { gap: "shift", fold: "first" } };
    const asked = cron("*/20 2 * * *", "Europe/Berlin", shift);
    const night = { after: ms("2025-03-29T12:00:00Z"), upTo: ms("2025-03-30T12:00:00Z"), limit: 10 };
    const chained = between(asked, night);
    expect(chained).toHaveLength(3);
    for (let at = night.after; at < night.upTo; at += 60_000) {
      expect(asked.next(at)).toBe(chained.find((slot) => slot > at) ?? asked.next(night.upTo));
    }
    // A restart in the second pass of 02:00–03:00 runs nothing again.
    expect(next("*/15 2 * * *", "Europe/Berlin", "2025-10-26T01:50:00Z")).toEqual(["2025-10-27T01:00:00Z"]);
    // A restart at 03:10 finds the moved 02:30 still ahead.
    expect(slots(cron("30 2 * * *", "America/New_York", shift), "2025-03-09T07:10:00Z", 1)).toEqual([
      "2025-03-09T07:30:00Z",
    ]);
  });

  it("takes the first pass of a repeated midnight (it took the second, and dropped stepped hours)", () => {
    expect(cronParser("0 0 * * *", "America/Havana", "2017-11-05T02:00:00Z")).toBe(
      "2017-11-05T05:00:00.000Z",
    );
    expect(next("0 0 * * *", "America/Havana", "2017-11-05T02:00:00Z")).toEqual(["2017-11-05T04:00:00Z"]);
    expect(next("30 */4 * * *", "America/Havana", "2017-11-05T02:00:00Z", 2)).toEqual([
      "2017-11-05T04:30:00Z",
      "2017-11-05T05:30:00Z",
    ]);
  });

  it("moves by the whole jump where that is two hours (it moved by one, and two runs fell together)", () => {
    const moved = cron("45 1,2 * * *", "Antarctica/Troll", { dst: { gap: "shift", fold: "first" } });
    expect(slots(moved, "2026-03-28T12:00:00Z", 2)).toEqual(["2026-03-29T01:45:00Z", "2026-03-29T02:45:00Z"]);
  });

  it("skips a date that a zone left out, as it skips 30 February", () => {
    expect(next("0 12 * * *", "Pacific/Apia", "2011-12-29T00:00:00Z", 2)).toEqual([
      "2011-12-29T22:00:00Z",
      "2011-12-30T22:00:00Z",
    ]);
    expect(next("0 0 1 1 *", "Pacific/Kiritimati", "1994-06-01T00:00:00Z")).toEqual(["1994-12-31T10:00:00Z"]);
  });
});

describe("the dialect", () => {
  it.each(["0 0 * * 0,7", "5,1-6 * * * *", "*/5,10 * * * *", "0 0 * * SAT-SUN"])(
    "accepts %s (it refused)",
    (pattern) => {
      expect(() => CronExpressionParser.parse(pattern)).toThrow();
      expect(next(pattern, "UTC", "2026-11-30T00:00:00Z")).toHaveLength(1);
    },
  );
  it.each(["", "* * * *", "15 * *"])("refuses %j (it fired every minute)", (pattern) => {
    expect(() => CronExpressionParser.parse(pattern)).not.toThrow();
    expect(refusal({ trigger: { cron: pattern, timezone: "UTC" } }).code).toBe("invalid_trigger");
  });
  it("takes an upper-case L only, as the specification says", () => {
    expect(refusal({ trigger: { cron: "0 0 l * *", timezone: "UTC" } }).data).toMatchObject({
      suggestion: "0 0 L * *",
    });
  });
});

describe("what other engines got wrong", () => {
  it.each(["1#6", "5/5/5", "1-1_0", "1e1", "+5", "5--7", "2-", "15/0", "1.2", "0x1"])(
    "parseInt would take %j as a number; it is refused",
    (value) => {
      expect(refusal({ trigger: { cron: `${value} * * * *`, timezone: "UTC" } }).code).toBe(
        "invalid_trigger",
      );
    },
  );
  it("oscillated for ever at a midnight fold (kelektiv cron, Asunción)", () => {
    const answers = next("*/30 * * * *", "America/Asuncion", "2011-04-10T02:00:00Z", 6);
    expect(answers).toEqual(answers.toSorted());
    expect(new Set(answers).size).toBe(6);
  });
  it("gave up on dates more than eight years ahead", () => {
    expect(next("* * * * *", "UTC", "2150-01-01T00:00:00Z")).toEqual(["2150-01-01T00:01:00Z"]);
    expect(next("0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z")).toEqual(["2104-02-29T00:00:00Z"]);
  });
  it("never returned for a day that its months lack", () => {
    const compiled = compile({
      trigger: { cron: "0 0 31 4,6 *", timezone: "UTC" },
      exclude: [],
      startAt: null,
      endAt: null,
    });
    expect(compiled).toMatchObject({ ok: false, error: { code: "never_fires" } });
  });
});
