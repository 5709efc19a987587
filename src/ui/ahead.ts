/**
 * The day ahead of a namespace: what its active schedules will do, by half hour and by minute. Schedules that share
 * a rule are counted once. A rule takes a fraction of a millisecond to make ready, so one look makes ready a bounded
 * number of them; what it has counted is kept, and the next look goes on.
 */
import type { TimeRule } from "../core/rule.ts";
import { between, compile } from "../core/trigger.ts";
import type { SharedRule } from "../ledger/overview.ts";
import { BUCKET_MS, BUCKETS } from "./behind.ts";

const MINUTE = 60_000;
const MINUTES = (BUCKETS * BUCKET_MS) / MINUTE;
const MINUTES_A_BUCKET = BUCKET_MS / MINUTE;
/** New rules of one look: some 50 ms worth. */
const RULES_A_LOOK = 250;
/** A rule of more slots than this is counted by the half hour, and taken to be even inside it. */
const LISTED_MAX = 150;
const KEPT_MAX = 6_000;

export interface Ahead {
  from: number;
  buckets: AheadBucket[];
  /** The sixty minutes from now on. */
  hour: { slots: number; peak: number };
  /** The fullest minutes, where something stands out. */
  herds: Herd[];
  /** Schedules that have been counted, and those that there are. */
  counted: number;
  schedules: number;
  /** Fixed delays: when their next run is depends on the one before. */
  delays: number;
}
export interface AheadBucket {
  from: number;
  slots: number;
  /** In its fullest minute. */
  peak: number;
}
export interface Herd {
  at: number;
  slots: number;
}

/** The minutes of its slots, or how many it has in each half hour. Null: a fixed delay. */
type Course = { minutes: number[] } | { buckets: number[] } | null;

/** The half hour under way is the first one. */
export function aheadFrom(now: number): number {
  return Math.floor(now / BUCKET_MS) * BUCKET_MS;
}

export function createAhead(): (rules: SharedRule[], now: number) => Ahead {
  let since = 0;
  let courses = new Map<string, Course>();
  return (rules, now) => {
    const from = aheadFrom(now);
    if (from !== since || courses.size > KEPT_MAX) courses = new Map();
    since = from;
    const perMinute = Array.from({ length: MINUTES }, () => 0);
    const sum = { counted: 0, schedules: 0, delays: 0 };
    let fresh = 0;
    for (const { count, jitterMs, ...rule } of rules) {
      sum.schedules += count;
      const key = JSON.stringify(rule);
      if (!courses.has(key)) {
        if (fresh === RULES_A_LOOK) continue;
        fresh++;
        courses.set(key, courseOf(rule, from));
      }
      sum.counted += count;
      const course = courses.get(key) ?? null;
      if (course === null) sum.delays += count;
      else add(perMinute, course, count, jitterMs);
    }
    return { from, ...sum, ...picture(perMinute, from, now) };
  };
}

function courseOf(rule: TimeRule, from: number): Course {
  const compiled = compile(rule);
  if (!compiled.ok || compiled.value.kind === "delay") return null;
  const timetable = compiled.value;
  const upTo = from + BUCKETS * BUCKET_MS - 1;
  const slots = between(timetable, { after: from - 1, upTo, limit: LISTED_MAX + 1 });
  if (slots.length <= LISTED_MAX) return { minutes: slots.map((slot) => Math.floor((slot - from) / MINUTE)) };
  const buckets = Array.from({ length: BUCKETS }, (_, i) => {
    const begin = from + i * BUCKET_MS;
    return timetable.count(begin - 1, begin + BUCKET_MS - 1).count;
  });
  return { buckets };
}

/** Jitter spreads a slot over the minutes that it may land in. */
function add(perMinute: number[], course: NonNullable<Course>, count: number, jitterMs: number): void {
  if ("buckets" in course) {
    for (let i = 0; i < MINUTES; i++)
      perMinute[i]! += (count * course.buckets[Math.floor(i / MINUTES_A_BUCKET)]!) / MINUTES_A_BUCKET;
    return;
  }
  const spread = Math.max(1, Math.min(MINUTES, Math.ceil(jitterMs / MINUTE)));
  for (const minute of course.minutes) {
    for (let i = minute; i < Math.min(minute + spread, MINUTES); i++) perMinute[i]! += count / spread;
  }
}

const HERDS_SHOWN = 3;
const HERDS_APART_MS = 4 * 3_600_000;
/** A minute stands out with this many slots, and so many times the average. */
const HERD_LEAST = 10;
const HERD_TIMES = 4;

function picture(perMinute: number[], from: number, now: number): Pick<Ahead, "buckets" | "herds" | "hour"> {
  const buckets = Array.from({ length: BUCKETS }, (_, i) => {
    const minutes = perMinute.slice(i * MINUTES_A_BUCKET, (i + 1) * MINUTES_A_BUCKET);
    const slots = minutes.reduce((sum, count) => sum + count, 0);
    return {
      from: from + i * BUCKET_MS,
      slots: Math.round(slots),
      peak: Math.round(Math.max(...minutes)),
    };
  });
  const average = perMinute.reduce((sum, count) => sum + count, 0) / MINUTES;
  const herds = perMinute
    .map((count, i) => ({ at: from + i * MINUTE, slots: Math.round(count) }))
    .filter(({ at, slots }) => at > now && slots >= HERD_LEAST && slots >= HERD_TIMES * average)
    .toSorted((a, b) => b.slots - a.slots || a.at - b.at);
  const begin = Math.floor((now - from) / MINUTE) + 1;
  const hour = perMinute.slice(begin, begin + 60);
  return {
    buckets,
    herds: apart(herds),
    hour: {
      slots: Math.round(hour.reduce((sum, count) => sum + count, 0)),
      peak: Math.round(Math.max(...hour)),
    },
  };
}

/** The fullest first, and none so close to another that their names would cover each other. */
function apart(herds: Herd[]): Herd[] {
  const chosen: Herd[] = [];
  for (const herd of herds) {
    if (chosen.length === HERDS_SHOWN) break;
    if (chosen.every(({ at }) => Math.abs(at - herd.at) >= HERDS_APART_MS)) chosen.push(herd);
  }
  return chosen;
}
