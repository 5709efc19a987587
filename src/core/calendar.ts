/**
 * The proleptic Gregorian calendar as integers: days since 1970-01-01 and months since January 1969.
 *
 * One table holds the first day of every month from 1969 to 2200: a year more at each end than instants
 * may have (1970–2199), because a local date can lie a day outside. The table is also the bound of every
 * search over days: 2,784 months, and nothing beyond.
 */

export const FIRST_YEAR = 1970;
export const LAST_YEAR = 2199;
export const DAY_SECONDS = 86_400;
export const DAY_MS = 86_400_000;

/** 1970-01-01T00:00:00Z and 2199-12-31T23:59:59Z: no slot lies outside. */
export const FIRST_SECOND = 0;
export const LAST_SECOND = Date.UTC(LAST_YEAR + 1, 0, 1) / 1000 - 1;

const TABLE_FIRST_YEAR = FIRST_YEAR - 1;
export const MONTHS = (LAST_YEAR + 1 - TABLE_FIRST_YEAR + 1) * 12;
const MEAN_MONTH_DAYS = 146_097 / 4_800;

/** First day of month `i`; one entry more than there are months, so that lengths are differences. */
export const MONTH_START = new Int32Array(MONTHS + 1);
/** Length and first weekday of month `i` in one small number; see `shapeOf`. */
export const MONTH_SHAPE = new Uint8Array(MONTHS);
/** A month is one of 28 shapes: 4 lengths by 7 first weekdays. */
export const SHAPES = 28;

let day = -365;
for (let month = 0; month < MONTHS; month++) {
  const days = monthLength(TABLE_FIRST_YEAR + Math.floor(month / 12), (month % 12) + 1);
  MONTH_START[month] = day;
  MONTH_SHAPE[month] = shapeOf(days, weekdayOf(day));
  day += days;
}
MONTH_START[MONTHS] = day;

export const FIRST_DAY = MONTH_START[0]!;
export const LAST_DAY = day - 1;

export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

export function monthLength(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** 0 is Sunday; 1970-01-01 was a Thursday. */
export function weekdayOf(day: number): number {
  return (((day + 4) % 7) + 7) % 7;
}

export function shapeOf(length: number, firstWeekday: number): number {
  return (length - 28) * 7 + firstWeekday;
}

export function shapeLength(shape: number): number {
  return 28 + Math.floor(shape / 7);
}

/** The month that holds `day`, for a day of the table. The guess is off by at most one. */
export function monthOfDay(day: number): number {
  let month = Math.floor((day - FIRST_DAY) / MEAN_MONTH_DAYS);
  if (month >= MONTHS) month = MONTHS - 1;
  if (MONTH_START[month]! > day) month--;
  else if (MONTH_START[month + 1]! <= day) month++;
  return month;
}

export function yearOfMonth(month: number): number {
  return TABLE_FIRST_YEAR + Math.floor(month / 12);
}

export function monthIndex(year: number, month: number): number {
  return (year - TABLE_FIRST_YEAR) * 12 + month - 1;
}

/** Days since 1970-01-01 of a civil date of the table's years. */
export function dayOf(year: number, month: number, date: number): number {
  return MONTH_START[monthIndex(year, month)]! + date - 1;
}

/** `2026-11-30` */
export function formatDay(day: number): string {
  const month = monthOfDay(day);
  const date = day - MONTH_START[month]! + 1;
  return `${yearOfMonth(month)}-${two((month % 12) + 1)}-${two(date)}`;
}

/** `2026-11-30T14:00:00`, of seconds on a wall clock (or in UTC). */
export function formatWall(second: number): string {
  const day = Math.floor(second / DAY_SECONDS);
  const rest = second - day * DAY_SECONDS;
  return `${formatDay(day)}T${two(Math.floor(rest / 3600))}:${two(Math.floor(rest / 60) % 60)}:${two(rest % 60)}`;
}

/** A real date of the table's years as a day, else null. */
export function parseDay(text: string): number | null {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!found) return null;
  const [year, month, date] = [Number(found[1]), Number(found[2]), Number(found[3])];
  if (year < TABLE_FIRST_YEAR || year > LAST_YEAR + 1 || month < 1 || month > 12) return null;
  return date >= 1 && date <= monthLength(year, month) ? dayOf(year, month, date) : null;
}

export function two(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}
