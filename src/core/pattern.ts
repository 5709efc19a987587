/**
 * A cron pattern made ready for searching: small tables instead of lists.
 *
 * Whether a day of a month matches depends on nothing but the month's length and its first weekday (`L`,
 * `W` and `#` included), so all days of all months fit into 28 masks. A time of day is found by three table
 * look-ups. Seconds are seconds on a wall clock, counted from 1970-01-01T00:00 on that wall.
 */
import {
  DAY_SECONDS,
  FIRST_DAY,
  LAST_DAY,
  MONTHS,
  MONTH_SHAPE,
  MONTH_START,
  SHAPES,
  monthOfDay,
  shapeLength,
  yearOfMonth,
} from "./calendar.ts";
import type { Cron } from "./cron.ts";
import type { Field, Term } from "./field.ts";
import { SPECS } from "./field.ts";

export interface Pattern {
  cron: Cron;
  second: Ladder;
  minute: Ladder;
  hour: Ladder;
  /** Bit 1 is January. */
  months: number;
  /** Null: every year. */
  years: ReadonlySet<number> | null;
  /** By shape of the month, bit n for day n. */
  days: Int32Array;
  /** The same without `monthDay: "clamp"`; the same array where that changes nothing. */
  unclamped: Int32Array;
  firstTime: number;
  lastTime: number;
  timesPerDay: number;
}

/** The values of a field, and for each number the nearest one at or after it, or at or before it (−1: none). */
export interface Ladder {
  has: Uint8Array;
  next: Int8Array;
  prev: Int8Array;
  /** How many values are smaller. */
  below: Uint8Array;
  size: number;
}

export function patternOf(cron: Cron, clamp: boolean): Pattern {
  const [second, minute, hour] = [ladder(cron.second), ladder(cron.minute), ladder(cron.hour)];
  const unclamped = dayMasks(cron, false);
  return {
    cron,
    second,
    minute,
    hour,
    months: maskOf(valuesOf(cron.month)),
    years: cron.year.open ? null : new Set(valuesOf(cron.year)),
    days: clamp ? dayMasks(cron, true) : unclamped,
    unclamped,
    firstTime: (hour.next[0]! * 60 + minute.next[0]!) * 60 + second.next[0]!,
    lastTime: (hour.prev[23]! * 60 + minute.prev[59]!) * 60 + second.prev[59]!,
    timesPerDay: hour.size * minute.size * second.size,
  };
}

/** The plain numbers that a field names, each once, in order; `L`, `W` and `#` name none. */
export function valuesOf(field: Field): number[] {
  const { min, max } = SPECS[field.name];
  const values = new Set<number>();
  for (const term of field.terms) {
    const [from, to, step] = bounds(term, min, field.name === "day-of-week" ? 6 : max);
    for (let value = from; value <= to; value += step)
      values.add(field.name === "day-of-week" ? value % 7 : value);
  }
  return [...values].toSorted((a, b) => a - b);
}

function bounds(term: Term, min: number, max: number): [from: number, to: number, step: number] {
  if (term.kind === "all") return [min, max, term.step];
  if (term.kind === "range") return [term.from, term.to, term.step];
  return term.kind === "value" ? [term.value, term.value, 1] : [1, 0, 1];
}

function ladder(field: Field): Ladder {
  const count = SPECS[field.name].max + 1;
  const has = new Uint8Array(count);
  for (const value of valuesOf(field)) has[value] = 1;
  const next = new Int8Array(count + 1).fill(-1);
  const prev = new Int8Array(count).fill(-1);
  const below = new Uint8Array(count + 1);
  for (let value = count - 1; value >= 0; value--) next[value] = has[value] ? value : next[value + 1]!;
  for (let value = 0; value < count; value++) {
    prev[value] = has[value] ? value : value > 0 ? prev[value - 1]! : -1;
    below[value + 1] = below[value]! + has[value]!;
  }
  return { has, next, prev, below, size: below[count]! };
}

function maskOf(values: number[]): number {
  return values.reduce((mask, value) => mask | (1 << value), 0);
}

function dayMasks(cron: Cron, clamp: boolean): Int32Array {
  const { dayOfMonth, dayOfWeek, bothDays } = cron;
  const masks = new Int32Array(SHAPES);
  for (let shape = 0; shape < SHAPES; shape++) {
    const month = { length: shapeLength(shape), firstWeekday: shape % 7 };
    const byDate = datesOf(dayOfMonth, month, clamp);
    const byWeekday = weekdaysOf(dayOfWeek, month);
    // With an open field the other decides, and `and` says so: an open field has every day.
    const and = bothDays || dayOfMonth.open || dayOfWeek.open;
    masks[shape] = and ? byDate & byWeekday : byDate | byWeekday;
  }
  return masks;
}

interface MonthShape {
  length: number;
  firstWeekday: number;
}

function datesOf(field: Field, month: MonthShape, clamp: boolean): number {
  const { length } = month;
  let mask = 0;
  for (const date of valuesOf(field)) {
    if (date <= length) mask |= 1 << date;
    else if (clamp) mask |= 1 << length;
  }
  for (const term of field.terms) {
    if (term.kind === "last" && length - term.before >= 1) mask |= 1 << (length - term.before);
    if (term.kind === "nearest") {
      const date = term.day ?? length;
      if (date <= length || clamp) mask |= 1 << nearestWorkday(Math.min(date, length), month);
    }
  }
  return mask;
}

/** Monday to Friday, at most two days away, never in another month. */
function nearestWorkday(date: number, { length, firstWeekday }: MonthShape): number {
  const weekday = (firstWeekday + date - 1) % 7;
  if (weekday === 6) return date === 1 ? 3 : date - 1;
  if (weekday === 0) return date === length ? date - 2 : date + 1;
  return date;
}

function weekdaysOf(field: Field, { length, firstWeekday }: MonthShape): number {
  const plain = maskOf(valuesOf(field));
  const nths = field.terms.filter((term) => term.kind === "nth");
  let mask = 0;
  for (let date = 1; date <= length; date++) {
    const weekday = (firstWeekday + date - 1) % 7;
    const nth = Math.ceil(date / 7);
    const hit = nths.some(
      (t) => t.weekday === weekday && (t.nth === null ? date + 7 > length : t.nth === nth),
    );
    if (hit || plain & (1 << weekday)) mask |= 1 << date;
  }
  return mask;
}

/** No such time on any wall: beyond every month of the table. */
export const NEVER = Infinity;

/** The days of month `i` that match, as a mask. */
function daysIn(pattern: Pattern, month: number): number {
  if ((pattern.months & (2 << (month % 12))) === 0) return 0;
  if (pattern.years !== null && !pattern.years.has(yearOfMonth(month))) return 0;
  return pattern.days[MONTH_SHAPE[month]!]!;
}

/** The first matching day at or after `day`, or NEVER. Looks at each month of the table at most once. */
export function nextDay(pattern: Pattern, day: number): number {
  if (day > LAST_DAY) return NEVER;
  let month = day <= FIRST_DAY ? 0 : monthOfDay(day);
  let mask = daysIn(pattern, month) & (-1 << Math.max(day - MONTH_START[month]! + 1, 1));
  while (mask === 0) {
    if (++month >= MONTHS) return NEVER;
    mask = daysIn(pattern, month);
  }
  return MONTH_START[month]! + 30 - Math.clz32(mask & -mask);
}

/** The last matching day at or before `day`, or −NEVER. */
export function prevDay(pattern: Pattern, day: number): number {
  if (day < FIRST_DAY) return -NEVER;
  let month = day >= LAST_DAY ? MONTHS - 1 : monthOfDay(day);
  const date = Math.min(day - MONTH_START[month]! + 1, 31);
  let mask = daysIn(pattern, month) & (date === 31 ? -1 : (2 << date) - 1);
  while (mask === 0) {
    if (--month < 0) return -NEVER;
    mask = daysIn(pattern, month);
  }
  return MONTH_START[month]! + 30 - Math.clz32(mask);
}

export function matchesDay(pattern: Pattern, day: number): boolean {
  return nextDay(pattern, day) === day;
}

/** The first time of day (in seconds) at or after `time`, or −1. */
export function nextTime({ hour, minute, second }: Pattern, time: number): number {
  const h = Math.floor(time / 3600);
  const m = Math.floor(time / 60) % 60;
  if (hour.has[h]) {
    if (minute.has[m]) {
      const s = second.next[time % 60]!;
      if (s >= 0) return h * 3600 + m * 60 + s;
    }
    const later = minute.next[m + 1]!;
    if (later >= 0) return h * 3600 + later * 60 + second.next[0]!;
  }
  const laterHour = hour.next[h + 1]!;
  return laterHour < 0 ? -1 : laterHour * 3600 + minute.next[0]! * 60 + second.next[0]!;
}

/** The last time of day at or before `time`, or −1. */
export function prevTime({ hour, minute, second }: Pattern, time: number): number {
  const h = Math.floor(time / 3600);
  const m = Math.floor(time / 60) % 60;
  if (hour.has[h]) {
    if (minute.has[m]) {
      const s = second.prev[time % 60]!;
      if (s >= 0) return h * 3600 + m * 60 + s;
    }
    const earlier = m > 0 ? minute.prev[m - 1]! : -1;
    if (earlier >= 0) return h * 3600 + earlier * 60 + second.prev[59]!;
  }
  const earlierHour = h > 0 ? hour.prev[h - 1]! : -1;
  return earlierHour < 0 ? -1 : earlierHour * 3600 + minute.prev[59]! * 60 + second.prev[59]!;
}

/** The least matching wall second after `second`, or NEVER. */
export function nextWall(pattern: Pattern, second: number): number {
  const day = Math.floor((second + 1) / DAY_SECONDS);
  let found = nextDay(pattern, day);
  if (found === day) {
    const time = nextTime(pattern, second + 1 - day * DAY_SECONDS);
    if (time >= 0) return day * DAY_SECONDS + time;
    found = nextDay(pattern, day + 1);
  }
  return found * DAY_SECONDS + pattern.firstTime;
}

/** The greatest matching wall second at or before `second`, or −NEVER. */
export function prevWall(pattern: Pattern, second: number): number {
  const day = Math.floor(second / DAY_SECONDS);
  let found = prevDay(pattern, day);
  if (found === day) {
    const time = prevTime(pattern, second - day * DAY_SECONDS);
    if (time >= 0) return day * DAY_SECONDS + time;
    found = prevDay(pattern, day - 1);
  }
  return found * DAY_SECONDS + pattern.lastTime;
}

export function matchesWall(pattern: Pattern, second: number): boolean {
  return nextWall(pattern, second - 1) === second;
}

/** Whether the day of a wall second matches without `monthDay: "clamp"`. */
export function unclampedDay(pattern: Pattern, second: number): boolean {
  const day = Math.floor(second / DAY_SECONDS);
  const month = monthOfDay(day);
  const mask = pattern.unclamped[MONTH_SHAPE[month]!]!;
  return (mask & (1 << (day - MONTH_START[month]! + 1))) !== 0;
}

/** How many matching wall seconds lie in (after, upTo]: a look at each month between. */
export function countWall(pattern: Pattern, after: number, upTo: number): number {
  return upTo > after ? countBelow(pattern, upTo + 1) - countBelow(pattern, after + 1) : 0;
}

/** Matching seconds of the table before `second`. */
function countBelow(pattern: Pattern, second: number): number {
  const day = Math.min(Math.max(Math.floor(second / DAY_SECONDS), FIRST_DAY), LAST_DAY);
  const last = monthOfDay(day);
  let days = 0;
  for (let month = 0; month < last; month++) days += bitsOf(daysIn(pattern, month));
  const mask = daysIn(pattern, last);
  const date = day - MONTH_START[last]! + 1;
  days += bitsOf(mask & ((1 << date) - 1));
  if ((mask & (1 << date)) === 0) return days * pattern.timesPerDay;
  return days * pattern.timesPerDay + timesBelow(pattern, second - day * DAY_SECONDS);
}

function timesBelow({ hour, minute, second }: Pattern, time: number): number {
  if (time >= DAY_SECONDS) return hour.size * minute.size * second.size;
  const [h, m, s] = [Math.floor(time / 3600), Math.floor(time / 60) % 60, time % 60];
  const seconds = minute.has[m] ? second.below[s]! : 0;
  const inHour = hour.has[h] ? minute.below[m]! * second.size + seconds : 0;
  return hour.below[h]! * minute.size * second.size + inHour;
}

function bitsOf(mask: number): number {
  let bits = mask - ((mask >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
