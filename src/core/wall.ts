/**
 * Searching a pattern on a wall clock that knows no zone: next, previous and how many, in whole seconds
 * from 1970-01-01T00:00 on that wall. Every search over days ends with the table of months (calendar.ts):
 * the Gregorian calendar repeats after 400 years, but years end in 2199, and so does the table.
 */
import {
  DAY_SECONDS,
  FIRST_DAY,
  LAST_DAY,
  MONTHS,
  MONTH_SHAPE,
  MONTH_START,
  monthOfDay,
  yearOfMonth,
} from "./calendar.ts";
import type { Pattern } from "./pattern.ts";

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
    month += pattern.monthsOn[month % 12]!;
    if (month >= MONTHS) return NEVER;
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
    month -= pattern.monthsBack[month % 12]!;
    if (month < 0) return -NEVER;
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
