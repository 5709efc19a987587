/**
 * A cron pattern on the wall clock of one zone: days first, then the times of a day, then the zone, and the
 * zone only where something was found. Nothing is carried from one question to the next, so the answer
 * never depends on when one asks.
 *
 * All numbers are whole seconds; NEVER and −NEVER stand for "no such slot".
 */
import { FIRST_SECOND, LAST_SECOND } from "./calendar.ts";
import { spend } from "./effort.ts";
import { invariant } from "./errors.ts";
import type { Pattern } from "./pattern.ts";
import { NEVER, countWall, matchesWall, nextWall, prevWall, unclampedDay } from "./wall.ts";
import type { Dst, Span, Zone } from "./zone.ts";
import { OFFSET_MAX, SPANS_MAX, gapAt, passAt, wallEnd, wallStart } from "./zone.ts";

/** A span may have to be found first, and is looked for in 60 places a year. */
const SPAN_STEPS = 500;

export interface Zoned {
  pattern: Pattern;
  zone: Zone;
  dst: Dst;
}

export function nextSecond(zoned: Zoned, after: number): number {
  const { pattern, zone } = zoned;
  let cursor = Math.max(after, FIRST_SECOND - 1);
  for (let passed = 0; ; passed++) {
    spend(passed === 0 ? 1 : SPAN_STEPS);
    invariant(passed <= SPANS_MAX, "a search for the next slot ran out of spans");
    if (cursor >= LAST_SECOND) return NEVER;
    const span = zone.spanAt(cursor + 1);
    const found = nextIn(zoned, span, cursor);
    if (found <= LAST_SECOND) return found;
    // Wall times still to come, in whatever offset, lie after this one. Where the next match is far, the
    // spans between hold none, and none of their clock changes matters.
    const wall = nextWall(pattern, span.until + span.offset - 2 * OFFSET_MAX);
    cursor = Math.max(span.until - 1, wall - OFFSET_MAX - 1);
  }
}

function nextIn({ pattern, dst }: Zoned, span: Span, after: number): number {
  const wall = nextWall(pattern, Math.max(after + span.offset, wallStart(span, dst.fold) - 1));
  const found = wall < wallEnd(span, dst.fold) ? wall - span.offset : NEVER;
  const gap = gapAt(span, dst);
  if (gap === null || gap === "skip") return found;
  if (gap === "next") return after < span.from && hasInGap(pattern, span) ? span.from : found;
  const moved = nextWall(pattern, Math.max(after, span.from - 1) + span.before);
  return moved < span.from + span.offset ? Math.min(found, moved - span.before) : found;
}

/** The wall times that were left out run from `from + before` up to `from + offset`. */
function hasInGap(pattern: Pattern, span: Span): boolean {
  return nextWall(pattern, span.from + span.before - 1) < span.from + span.offset;
}

export function prevSecond(zoned: Zoned, upTo: number): number {
  const { pattern, zone } = zoned;
  let cursor = Math.min(upTo, LAST_SECOND);
  for (let passed = 0; ; passed++) {
    spend(passed === 0 ? 1 : SPAN_STEPS);
    invariant(passed <= SPANS_MAX, "a search for the previous slot ran out of spans");
    if (cursor < FIRST_SECOND) return -NEVER;
    const span = zone.spanAt(cursor);
    const found = prevIn(zoned, span, cursor);
    if (found >= FIRST_SECOND) return found;
    const wall = prevWall(pattern, span.from + span.offset + 2 * OFFSET_MAX);
    cursor = Math.min(span.from - 1, wall + OFFSET_MAX + 1);
  }
}

function prevIn({ pattern, dst }: Zoned, span: Span, upTo: number): number {
  const wall = prevWall(pattern, Math.min(upTo + span.offset, wallEnd(span, dst.fold) - 1));
  const found = wall >= wallStart(span, dst.fold) ? wall - span.offset : -NEVER;
  const gap = gapAt(span, dst);
  if (gap === null || gap === "skip") return found;
  if (gap === "next") return found === -NEVER && hasInGap(pattern, span) ? span.from : found;
  const moved = prevWall(pattern, Math.min(upTo + span.before, span.from + span.offset - 1));
  return moved >= span.from + span.before ? Math.max(found, moved - span.before) : found;
}

/** Slots in (after, upTo], by arithmetic over months; only the times of a gap are looked at one by one. */
export function countSeconds(zoned: Zoned, after: number, upTo: number): number {
  const { pattern, zone, dst } = zoned;
  let cursor = Math.max(after, FIRST_SECOND - 1);
  const end = Math.min(upTo, LAST_SECOND);
  let count = 0;
  while (cursor < end) {
    spend(SPAN_STEPS);
    const span = zone.spanAt(cursor + 1);
    const last = Math.min(end, span.until - 1);
    const from = Math.max(cursor + span.offset, wallStart(span, dst.fold) - 1);
    count += countWall(pattern, from, Math.min(last + span.offset, wallEnd(span, dst.fold) - 1));
    for (const moved of movedInto(zoned, span)) {
      if (moved > cursor && moved <= last && !matchesWall(pattern, moved + span.offset)) count++;
    }
    cursor = last;
  }
  return count;
}

/** The instants at which the wall times of the gap before this span come to be, in order, each once. */
function movedInto({ pattern, dst }: Zoned, span: Span): number[] {
  const gap = gapAt(span, dst);
  if (gap === null || gap === "skip") return [];
  if (gap === "next") return hasInGap(pattern, span) ? [span.from] : [];
  return gapWalls(pattern, span).map((wall) => wall - span.before);
}

/** The slots in (after, upTo] that were moved out of a gap. */
export function movedSeconds(zoned: Zoned, after: number, upTo: number): number[] {
  const seconds: number[] = [];
  const end = Math.min(upTo, LAST_SECOND);
  let cursor = Math.max(after, FIRST_SECOND - 1);
  while (cursor < end) {
    spend(SPAN_STEPS);
    const span = zoned.zone.spanAt(cursor + 1);
    seconds.push(...movedInto(zoned, span).filter((moved) => moved > cursor && moved <= end));
    cursor = span.until - 1;
  }
  return seconds;
}

/** The matching wall times left out at the start of a span: at most one a second, of a day. */
function gapWalls(pattern: Pattern, span: Span): number[] {
  const walls: number[] = [];
  let wall = nextWall(pattern, span.from + span.before - 1);
  for (; wall < span.from + span.offset; wall = nextWall(pattern, wall)) walls.push(wall);
  return walls;
}

/** The wall times by which a second is a slot; more than one only where a gap was closed. */
export function wallsOf(zoned: Zoned, second: number): { walls: number[]; notes: string[] } {
  const { pattern, zone, dst } = zoned;
  const span = zone.spanAt(second);
  const walls: number[] = [];
  const notes: string[] = [];
  const wall = second + span.offset;
  if (matchesWall(pattern, wall) && wall >= wallStart(span, dst.fold) && wall < wallEnd(span, dst.fold)) {
    walls.push(wall);
    const pass = passAt(span, second);
    if (pass) notes.push(`dst_fold_${pass}`);
  }
  const gap = gapAt(span, dst);
  if (gap === "next" && second === span.from && hasInGap(pattern, span)) {
    walls.push(...gapWalls(pattern, span));
    notes.push("dst_gap_next");
  }
  const meant = second + span.before;
  if (gap === "shift" && meant < span.from + span.offset && matchesWall(pattern, meant)) {
    walls.push(meant);
    notes.push("dst_gap_shift");
  }
  if (walls.some((named) => !unclampedDay(pattern, named))) notes.push("month_day_clamped");
  return { walls, notes };
}

/** Wall times in (after, upTo] that a skipped gap swallowed, with the instant of the change. */
export function swallowed(
  zoned: Zoned,
  after: number,
  upTo: number,
  limit: number,
): { at: number; wall: number }[] {
  const found: { at: number; wall: number }[] = [];
  const end = Math.min(upTo, LAST_SECOND);
  let cursor = Math.max(after, FIRST_SECOND - 1);
  while (cursor < end && found.length < limit) {
    spend(SPAN_STEPS);
    const span = zoned.zone.spanAt(cursor + 1);
    if (span.from > after && span.from <= end && gapAt(span, zoned.dst) === "skip") {
      for (const wall of gapWalls(zoned.pattern, span)) found.push({ at: span.from, wall });
    }
    cursor = span.until - 1;
  }
  return found.slice(0, limit);
}
