/**
 * Parse and next, operations a second: ours, the two libraries most used, and a bare walk as the limit.
 * Every engine is asked the same chain of questions (each answer is the next question) for the same time.
 */
import { CronExpressionParser } from "cron-parser";
import { Cron } from "croner";
import { parseCron } from "../src/core/cron.ts";
import { patternOf } from "../src/core/pattern.ts";
import { compile } from "../src/core/trigger.ts";
import type { Timetable } from "../src/core/trigger.ts";
import { zoneOf } from "../src/core/zone.ts";
import type { Offsets } from "./bare-walk.ts";
import { BARE, bareNext } from "./bare-walk.ts";
import { table } from "./tables.ts";

const PATTERNS = ["*/5 * * * *", "0 9 * * MON-FRI", "0 0 1 * *", "0 0 29 2 *", "0 0 15W * *"];
const ZONES = ["UTC", "America/New_York"];
const START = Date.UTC(2026, 10, 30);
/** Chains start again here; within 2,100 all engines have an answer for every row. */
const END = Date.UTC(2090, 0, 1);
const MEASURE_MS = 400;
const WARM_UP_MS = 100;

type Next = (after: number) => number;

function rate(next: Next): number {
  run(next, WARM_UP_MS);
  return run(next, MEASURE_MS);
}

function run(next: Next, forMs: number): number {
  const begin = performance.now();
  let calls = 0;
  let at = START;
  let elapsed = 0;
  while (elapsed < forMs) {
    // The clock is read rarely for the fast and often enough for the slow.
    for (let i = 0; i < 100; i++) {
      at = next(at);
      if (at > END) at = START;
    }
    calls += 100;
    elapsed = performance.now() - begin;
  }
  return (calls / elapsed) * 1000;
}

function parseRate(parse: () => unknown): number {
  let sink: unknown = null;
  return rate((at) => {
    sink = parse();
    return sink === undefined ? END : at;
  });
}

function timetable(cron: string, timezone: string): Timetable {
  const compiled = compile({ trigger: { cron, timezone }, exclude: [], startAt: null, endAt: null });
  if (!compiled.ok) throw new Error(compiled.error.message);
  return compiled.value;
}

function croner(pattern: string, timezone: string): Next {
  const cron = new Cron(pattern, { timezone, paused: true });
  return (after) => cron.nextRun(new Date(after))!.getTime();
}

function cronParser(pattern: string, tz: string): Next | null {
  try {
    // Its own iterator, which is the fastest way to ask it, restarted where our chain restarts.
    let iterator = CronExpressionParser.parse(pattern, { tz, currentDate: new Date(START) });
    return (after) => {
      if (after === START)
        iterator = CronExpressionParser.parse(pattern, { tz, currentDate: new Date(START) });
      return iterator.next().getTime();
    };
  } catch {
    return null;
  }
}

function bare(pattern: string, name: string): Next {
  const offsets: Offsets = { from: [], offset: [] };
  for (let at = START / 1000 - 86_400 * 400; at < END / 1000 + 86_400 * 4000;) {
    const span = zoneOf(name)!.spanAt(at);
    if (offsets.offset.at(-1) !== span.offset) {
      offsets.from.push(span.from);
      offsets.offset.push(span.offset);
    }
    at = span.until;
  }
  const walk = BARE[pattern]!;
  return (after) => bareNext(walk, offsets, after / 1000) * 1000;
}

/**
 * The longest single answer of a chain: each question is asked in five rounds and its quickest answer
 * counts, so that what remains is ours and not another process's turn on the core.
 */
function slowest(pattern: string, timezone: string): number {
  const asked = timetable(pattern, timezone);
  const quickest = new Float64Array(20_000).fill(Infinity);
  for (let round = 0; round < 5; round++) {
    let at = START;
    for (let i = 0; i < quickest.length && at < END; i++) {
      const begin = performance.now();
      at = asked.next(at)!;
      quickest[i] = Math.min(quickest[i]!, performance.now() - begin);
    }
  }
  return quickest.reduce((worst, ms) => (ms === Infinity ? worst : Math.max(worst, ms)), 0);
}

/** What the first answers in a zone cost, when a year's transitions are found: once per zone and year. */
function coldZones(): void {
  const zones = Intl.supportedValuesOf("timeZone")
    .filter((zone) => !ZONES.includes(zone))
    .slice(0, 200);
  const times = zones.map((zone) => {
    const begin = performance.now();
    timetable("0 9 * * *", zone).next(START);
    return performance.now() - begin;
  });
  const [median, p95] = [0.5, 0.95].map(
    (share) => times.toSorted((a, b) => a - b)[Math.floor(share * times.length)]!,
  );
  console.log(
    `compile and first answer in a zone not asked before: median ${median!.toFixed(3)} ms, 95 % within ${p95!.toFixed(3)} ms`,
  );
}

function show(perSecond: number): string {
  if (perSecond >= 1e6) return `${(perSecond / 1e6).toFixed(2)}M`;
  return perSecond >= 1e3 ? `${(perSecond / 1e3).toFixed(1)}k` : perSecond.toFixed(0);
}

function factor(ours: number, theirs: number | null): string {
  return theirs === null ? "–" : `${(ours / theirs).toFixed(ours / theirs < 10 ? 1 : 0)}×`;
}

function nextRow(pattern: string, timezone: string) {
  const worst = slowest(pattern, timezone);
  const asked = timetable(pattern, timezone);
  const ours = rate((after) => asked.next(after)!);
  const limit = rate(bare(pattern, timezone));
  const theirs = cronParser(pattern, timezone);
  const parser = theirs && rate(theirs);
  const other = rate(croner(pattern, timezone));
  return {
    pattern,
    zone: timezone,
    carillon: show(ours),
    croner: show(other),
    "cron-parser": parser === null ? "refuses" : show(parser),
    "bare walk": show(limit),
    "× croner": factor(ours, other),
    "× cron-parser": factor(ours, parser),
    "bare ÷ ours": (limit / ours).toFixed(2),
    "slowest ms": worst.toFixed(3),
  };
}

function parseRow(pattern: string) {
  const tz = "America/New_York";
  const ours = parseRate(() => {
    const cron = parseCron(pattern);
    return cron.ok && patternOf(cron.value, false);
  });
  const cached = parseRate(() => timetable(pattern, tz));
  const other = parseRate(() => new Cron(pattern, { timezone: tz, paused: true }));
  const parser = cronParser(pattern, tz) && parseRate(() => CronExpressionParser.parse(pattern, { tz }));
  return {
    pattern,
    carillon: show(ours),
    "carillon, cached": show(cached),
    croner: show(other),
    "cron-parser": parser === null ? "refuses" : show(parser),
  };
}

function countYear(): void {
  const asked = timetable("* * * * * *", "America/New_York");
  const from = Date.UTC(2027, 0, 1);
  const begin = performance.now();
  const counted = asked.count(from, Date.UTC(2028, 0, 1));
  console.log(
    `count of a year of every second: ${counted.count} in ${(performance.now() - begin).toFixed(3)} ms`,
  );
}

export function time(): void {
  console.log("next, answers a second (parsed once, chained from 2026-11-30)\n");
  print(PATTERNS.flatMap((pattern) => ZONES.map((zone) => nextRow(pattern, zone))));
  console.log("parse, patterns a second\n");
  print(PATTERNS.map(parseRow));
  countYear();
  coldZones();
}

function print(rows: { [heading: string]: string }[]): void {
  table(
    Object.keys(rows[0] ?? {}),
    rows.map((row) => Object.values(row)),
  );
}
