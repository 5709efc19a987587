/**
 * A cron pattern made ready for searching: small tables instead of lists.
 *
 * Whether a day of a month matches depends on nothing but the month's length and its first weekday (`L`,
 * `W` and `#` included), so all days of all months fit into 28 masks. A time of day is found by three table
 * look-ups.
 */
import { SHAPES, shapeLength } from "./calendar.ts";
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
  /** From each month of the year, January first, how many months on to the next that matches, and back. */
  monthsOn: Uint8Array;
  monthsBack: Uint8Array;
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
  const months = maskOf(valuesOf(cron.month));
  return {
    cron,
    second,
    minute,
    hour,
    months,
    monthsOn: strides(months, 1),
    monthsBack: strides(months, -1),
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

function strides(months: number, direction: 1 | -1): Uint8Array {
  return Uint8Array.from({ length: 12 }, (_, month) => {
    let stride = 1;
    while (stride < 12 && (months & (2 << ((month + direction * stride + 24) % 12))) === 0) stride++;
    return stride;
  });
}

function dayMasks(cron: Cron, clamp: boolean): Int32Array {
  const { dayOfMonth, dayOfWeek, bothDays } = cron;
  const dates = valuesOf(dayOfMonth);
  const weekdays = maskOf(valuesOf(dayOfWeek));
  // With an open field the other decides, and `and` says so: an open field has every day.
  const and = bothDays || dayOfMonth.open || dayOfWeek.open;
  const masks = new Int32Array(SHAPES);
  for (let shape = 0; shape < SHAPES; shape++) {
    const month = { length: shapeLength(shape), firstWeekday: shape % 7 };
    const byDate = datesIn(month, dates, clamp) | specialDatesIn(month, dayOfMonth, clamp);
    const byWeekday = weekdaysIn(month, weekdays) | nthWeekdaysIn(month, dayOfWeek);
    masks[shape] = and ? byDate & byWeekday : byDate | byWeekday;
  }
  return masks;
}

interface MonthShape {
  length: number;
  firstWeekday: number;
}

function datesIn({ length }: MonthShape, dates: number[], clamp: boolean): number {
  let mask = 0;
  for (const date of dates) {
    if (date <= length) mask |= 1 << date;
    else if (clamp) mask |= 1 << length;
  }
  return mask;
}

/** `L`, `L-3`, `15W`, `LW` */
function specialDatesIn(month: MonthShape, { terms }: Field, clamp: boolean): number {
  const { length } = month;
  let mask = 0;
  for (const term of terms) {
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

/** The week (bit 0 is Sunday) laid over the month again and again from its first day on. */
function weekdaysIn({ length, firstWeekday }: MonthShape, weekdays: number): number {
  const week = ((weekdays >> firstWeekday) | (weekdays << (7 - firstWeekday))) & 0x7f;
  const weeks = week | (week << 7) | (week << 14) | (week << 21) | (week << 28);
  return (weeks << 1) & ((2 << length) - 2);
}

/** `MON#2`, `FRI#L` */
function nthWeekdaysIn({ length, firstWeekday }: MonthShape, { terms }: Field): number {
  let mask = 0;
  for (const term of terms) {
    if (term.kind !== "nth") continue;
    const first = 1 + ((term.weekday - firstWeekday + 7) % 7);
    const last = first + 7 * Math.floor((length - first) / 7);
    const date = term.nth === null ? last : first + 7 * (term.nth - 1);
    if (date <= length) mask |= 1 << date;
  }
  return mask;
}
