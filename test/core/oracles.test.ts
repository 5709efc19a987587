/**
 * Other engines as oracles, in UTC and where the dialects agree. croner speaks OCPS; cron-parser refuses
 * values listed twice, W, +, #L and years, and its step in day-of-week reaches Sunday as 7.
 */
import { CronExpressionParser } from "cron-parser";
import { Cron } from "croner";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { between, compile } from "../../src/core/trigger.ts";
import { patterns } from "./arbitrary.ts";

const RUNS = { numRuns: process.env["TIME_LONG"] === "1" ? 20_000 : 1_500, seed: 20261130 };
const FROM = Date.UTC(2026, 10, 30, 12, 34, 56);
const SLOTS = 5;

function ours(cron: string, from: number): number[] {
  const compiled = compile({ trigger: { cron, timezone: "UTC" }, exclude: [], startAt: null, endAt: null });
  return compiled.ok
    ? between(compiled.value, { after: from, upTo: Date.UTC(2090, 0, 1), limit: SLOTS })
    : [];
}

describe("oracles in UTC", () => {
  it("agrees with croner", () => {
    // Its own dialect: L-3 is unknown to it.
    const shared = patterns.filter((pattern) => !/L-\d/.test(pattern));
    let compared = 0;
    fc.assert(
      fc.property(shared, fc.integer({ min: 0, max: 40 }), (pattern, years) => {
        const from = FROM + years * 365 * 86_400_000;
        const mine = ours(pattern, from);
        // It gives up on patterns that fire rarely; an answer of none is none of its answers.
        if (mine.length < SLOTS) return;
        const theirs = runsOf(pattern, from);
        if (theirs === null) return;
        expect(
          theirs.map((at) => at.getTime()),
          pattern,
        ).toEqual(mine);
        compared++;
      }),
      RUNS,
    );
    expect(compared).toBeGreaterThan(RUNS.numRuns / 2);
  });

  it("agrees with cron-parser on all that it accepts", () => {
    const shared = patterns.filter((pattern) => !/\/\S*$/.test(pattern) && !/L-\d/.test(pattern));
    let compared = 0;
    fc.assert(
      fc.property(shared, (pattern) => {
        const mine = ours(pattern, FROM);
        if (mine.length < SLOTS) return;
        const theirs = accepted(pattern);
        if (theirs === null) return;
        const answers = Array.from({ length: SLOTS }, () => theirs.next().getTime());
        expect(answers, pattern).toEqual(mine);
        compared++;
      }),
      { ...RUNS, numRuns: RUNS.numRuns / 2 },
    );
    expect(compared).toBeGreaterThan(RUNS.numRuns / 20);
  });
});

/** It refuses steps larger than the field, which OCPS does not; those are ours alone. */
function runsOf(pattern: string, from: number): Date[] | null {
  try {
    return new Cron(pattern, { timezone: "UTC", paused: true }).nextRuns(SLOTS, new Date(from));
  } catch (error) {
    if (String(error).includes("steps cannot be greater")) return null;
    throw error;
  }
}

function accepted(pattern: string) {
  try {
    return CronExpressionParser.parse(pattern, { tz: "UTC", currentDate: new Date(FROM) });
  } catch {
    return null;
  }
}
