/**
 * The physical limit: a walk that knows nothing but the one pattern it was written for: bit masks for the
 * time of day, a hand-written test for the day, offsets in a sorted array. No DST policy, no bounds, no
 * exclusions, no zones in plural. It is what the real engine is measured against.
 */
const DAY = 86_400;

interface BareDay {
  date: number;
  month: number;
  year: number;
  weekday: number;
}

export interface BareWalk {
  /** Bit 1 is January. */
  months: number;
  hours: number;
  minutes: [low: number, high: number];
  matches(day: BareDay): boolean;
}

export interface Offsets {
  from: number[];
  offset: number[];
}

const ALL = 0x1ffe;

export const BARE: Record<string, BareWalk> = {
  "*/5 * * * *": { months: ALL, hours: 0xffffff, minutes: every5(), matches: () => true },
  "0 9 * * MON-FRI": {
    months: ALL,
    hours: 1 << 9,
    minutes: [1, 0],
    matches: ({ weekday }) => weekday > 0 && weekday < 6,
  },
  "0 0 1 * *": { months: ALL, hours: 1, minutes: [1, 0], matches: ({ date }) => date === 1 },
  "0 0 29 2 *": { months: 1 << 2, hours: 1, minutes: [1, 0], matches: ({ date }) => date === 29 },
  "0 0 15W * *": {
    months: ALL,
    hours: 1,
    minutes: [1, 0],
    matches: ({ date, weekday }) =>
      (date === 15 && weekday > 0 && weekday < 6) ||
      (date === 14 && weekday === 5) ||
      (date === 16 && weekday === 1),
  },
};

function every5(): [number, number] {
  let [low, high] = [0, 0];
  for (let minute = 0; minute < 60; minute += 5) {
    if (minute < 30) low |= 1 << minute;
    else high |= 1 << (minute - 30);
  }
  return [low, high];
}

/** Days are walked one by one; a month that can't match is left by its whole length. */
export function bareNext(walk: BareWalk, zone: Offsets, after: number): number {
  const offset = zone.offset[segment(zone, after)]!;
  const local = after + 60 - (after % 60) + offset;
  let day = Math.floor(local / DAY);
  let minute = Math.floor((local - day * DAY) / 60);
  const at = civil(day);
  for (;;) {
    if ((walk.months & (1 << at.month)) === 0) {
      const rest = monthLength(at.year, at.month) - at.date + 1;
      day += rest;
      minute = 0;
      nextMonth(at);
      at.weekday = (at.weekday + rest) % 7;
      continue;
    }
    if (walk.matches(at)) {
      const found = nextMinute(walk, minute);
      if (found >= 0) {
        const wall = day * DAY + found * 60;
        return wall - zone.offset[segment(zone, wall - offset)]!;
      }
    }
    day++;
    minute = 0;
    at.weekday = at.weekday === 6 ? 0 : at.weekday + 1;
    if (++at.date > monthLength(at.year, at.month)) nextMonth(at);
  }
}

function nextMonth(at: BareDay): void {
  at.date = 1;
  if (++at.month > 12) [at.month, at.year] = [1, at.year + 1];
}

function nextMinute({ hours, minutes }: BareWalk, minute: number): number {
  let hour = Math.floor(minute / 60);
  let rest = minute % 60;
  for (; hour < 24; hour++, rest = 0) {
    if ((hours & (1 << hour)) === 0) continue;
    const low = rest < 30 ? minutes[0] & (-1 << rest) : 0;
    if (low !== 0) return hour * 60 + 31 - Math.clz32(low & -low);
    const high = minutes[1] & (-1 << Math.max(rest - 30, 0));
    if (high !== 0) return hour * 60 + 30 + 31 - Math.clz32(high & -high);
  }
  return -1;
}

let recent = 0;
function segment({ from }: Offsets, second: number): number {
  if (second >= from[recent]! && (recent + 1 === from.length || second < from[recent + 1]!)) return recent;
  let [low, high] = [0, from.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (from[middle]! <= second) low = middle;
    else high = middle - 1;
  }
  return (recent = low);
}

function monthLength(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Days since 1970-01-01 to a civil date, in eras of 400 years that begin in March. */
function civil(day: number): BareDay {
  const shifted = day + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const date = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return { date, month, year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), weekday: (day + 4) % 7 };
}
