/**
 * What is taken out of a trigger: local dates, ranges of them, and cron patterns.
 *
 * An exclusion answers with the whole stretch that it takes out around an instant, so that a search steps
 * over August at once and not slot by slot. A five-field pattern takes out whole minutes.
 */
import { DAY_SECONDS, LAST_SECOND, parseDay } from "./calendar.ts";
import { invariant } from "./errors.ts";
import type { Pattern } from "./pattern.ts";
import { NEVER, matchesDay, matchesWall, nextDay, nextWall } from "./wall.ts";
import type { Zone } from "./zone.ts";
import { OFFSET_MAX, SPANS_MAX } from "./zone.ts";

/** A stretch of instants, `until` not in it. */
export interface Stretch {
  from: number;
  until: number;
}

export type Excluder = { zone: Zone } & (
  | { kind: "days"; from: number; to: number }
  | { kind: "cron"; pattern: Pattern; wholeDays: boolean }
);

export function daysExcluder(zone: Zone, from: string, to: string): Excluder {
  return { kind: "days", zone, from: parseDay(from)!, to: parseDay(to)! };
}

/** `times` are those of the trigger in the same zone: a pattern that takes all of them takes whole days. */
export function cronExcluder(zone: Zone, pattern: Pattern, times: Pattern | null): Excluder {
  const { cron, hour, minute, second } = pattern;
  const full = hour.size === 24 && minute.size === 60 && (cron.wholeMinutes || second.size === 60);
  const covers =
    times !== null &&
    isSubset(times.hour.has, hour.has) &&
    isSubset(times.minute.has, minute.has) &&
    (cron.wholeMinutes || isSubset(times.second.has, second.has));
  return { kind: "cron", zone, pattern, wholeDays: full || covers };
}

function isSubset(some: Uint8Array, all: Uint8Array): boolean {
  return some.every((has, value) => !has || all[value] === 1);
}

/** The stretch that an exclusion takes out around `second`, or null. */
export function coverAt(excluder: Excluder, second: number): Stretch | null {
  const span = excluder.zone.spanAt(second);
  const wall = second + span.offset;
  const stretch = excluder.kind === "days" ? daysAround(excluder, wall) : cronAround(excluder, wall);
  if (stretch === null) return null;
  // Wall times are instants only inside this span; the next one is asked afresh.
  return {
    from: Math.max(stretch.from - span.offset, span.from),
    until: Math.min(stretch.until - span.offset, span.until),
  };
}

export function excludesWall(excluder: Excluder, wall: number): boolean {
  return (excluder.kind === "days" ? daysAround(excluder, wall) : cronAround(excluder, wall)) !== null;
}

function daysAround({ from, to }: { from: number; to: number }, wall: number): Stretch | null {
  const day = Math.floor(wall / DAY_SECONDS);
  return day < from || day > to ? null : { from: from * DAY_SECONDS, until: (to + 1) * DAY_SECONDS };
}

/** Rounded to what the pattern takes out entirely: days, hours, minutes, or the one second. */
function cronAround(excluder: { pattern: Pattern; wholeDays: boolean }, wall: number): Stretch | null {
  const { pattern, wholeDays } = excluder;
  const day = Math.floor(wall / DAY_SECONDS);
  if (wholeDays) {
    return matchesDay(pattern, day) ? { from: day * DAY_SECONDS, until: (day + 1) * DAY_SECONDS } : null;
  }
  const { cron, hour, minute, second } = pattern;
  const wholeMinutes = cron.wholeMinutes || second.size === 60;
  // Rounded down, not by remainder: western walls show 1969 in the first hours of 1970.
  const sample = cron.wholeMinutes ? floorTo(wall, 60) : wall;
  if (!matchesWall(pattern, sample)) return null;
  if (!wholeMinutes) return { from: wall, until: wall + 1 };
  const midnight = day * DAY_SECONDS;
  if (minute.size < 60) return blockAround(minute.has, floorTo(wall, 3600), 60, wall);
  return blockAround(hour.has, midnight, 3600, wall);
}

function floorTo(wall: number, unit: number): number {
  return Math.floor(wall / unit) * unit;
}

/** The run of set values around `wall`, where value i stands for `unit` seconds from `base + i·unit`. */
function blockAround(has: Uint8Array, base: number, unit: number, wall: number): Stretch {
  let first = Math.floor((wall - base) / unit);
  let last = first;
  while (first > 0 && has[first - 1]) first--;
  while (last + 1 < has.length && has[last + 1]) last++;
  return { from: base + first * unit, until: base + (last + 1) * unit };
}

/** The first excluded second at or after `second`, or NEVER. */
export function nextCovered(excluder: Excluder, second: number): number {
  let cursor = second;
  // Each turn passes a span; within one, the wall says where the pattern comes next.
  for (let passed = 0; ; passed++) {
    invariant(passed <= SPANS_MAX, "a search for the next exclusion ran out of spans");
    if (cursor > LAST_SECOND) return NEVER;
    if (coverAt(excluder, cursor) !== null) return cursor;
    const span = excluder.zone.spanAt(cursor);
    const wall = nextWallCovered(excluder, cursor + span.offset);
    if (wall - span.offset < span.until) return wall - span.offset;
    cursor = Math.max(span.until, wall - 2 * OFFSET_MAX);
  }
}

function nextWallCovered(excluder: Excluder, wall: number): number {
  if (excluder.kind === "days")
    return wall >= (excluder.to + 1) * DAY_SECONDS ? NEVER : Math.max(wall, excluder.from * DAY_SECONDS);
  if (!excluder.wholeDays) return nextWall(excluder.pattern, wall - 1);
  const day = Math.floor(wall / DAY_SECONDS);
  const found = nextDay(excluder.pattern, day);
  return found === day ? wall : found * DAY_SECONDS;
}
