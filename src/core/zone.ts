/**
 * Local wall time ↔ instant. What a transition does to a local time is decided here and nowhere else.
 *
 * A zone is a row of spans, each with one offset. Local time runs evenly inside a span; all trouble sits at
 * its ends:
 *
 *   gap (offset grows)      wall  01:59 │ 03:00      the local times between do not exist
 *   fold (offset shrinks)   wall  02:59 │ 02:00      the last hour before comes again after
 *
 * Offsets come from the runtime's zone database, for the instant in question. One look costs about a
 * microsecond, so spans are found once per zone and year and kept; nothing on the hot path asks `Intl`.
 * All numbers are whole seconds.
 */
import {
  DAY_SECONDS,
  FIRST_SECOND,
  FIRST_YEAR,
  LAST_SECOND,
  LAST_YEAR,
  dayOf,
  formatWall,
} from "./calendar.ts";

export interface Span {
  /** First instant, and the first one after. */
  from: number;
  until: number;
  /** Wall minus UTC: in this span, just before it, and just after it. */
  offset: number;
  before: number;
  after: number;
}

export type Gap = "skip" | "next" | "shift";
export type Fold = "first" | "second" | "both";
export interface Dst {
  gap: Gap;
  fold: Fold;
  /** Larger jumps are a date left out, not daylight saving, and make no slot whatever `gap` says. */
  gapMax: number;
}

type ClockFields = Record<"minute" | "hour", { text: string }>;

/**
 * `auto` is cronie's rule: a fixed time of day (neither minute nor hour starts with `*`) runs exactly once
 * a day, anything else follows elapsed time.
 */
export function dstOf(choice: "auto" | { gap: Gap; fold: Fold } | undefined, cron: ClockFields): Dst {
  if (typeof choice === "object") return { ...choice, gapMax: Infinity };
  return isFixedTime(cron)
    ? { gap: "next", fold: "first", gapMax: AUTO_GAP_MAX }
    : { gap: "skip", fold: "both", gapMax: AUTO_GAP_MAX };
}

export function isFixedTime({ minute, hour }: ClockFields): boolean {
  return !minute.text.startsWith("*") && !hour.text.startsWith("*");
}

export interface Zone {
  name: string;
  spanAt(second: number): Span;
}

/** Larger jumps are a date that a zone left out (Samoa, 30 December 2011), not daylight saving. */
export const AUTO_GAP_MAX = 3 * 3600;

/** No offset since 1970 is further from UTC (the furthest are −12 and +14). */
export const OFFSET_MAX = 15 * 3600;
/**
 * Two changes that cancel out between two looks would be overlooked. The closest in any zone from 1970 to
 * 2199 are 7 days apart (Recife in October 2000, Gaza in October 2040), so 6 days see them all.
 */
const PROBE_STEP = 6 * DAY_SECONDS;
/**
 * No way through the spans is longer: 230 years, each a span of its own and at most 4 changes (Morocco
 * before 2018, Egypt in 2010 and 2014).
 */
export const SPANS_MAX = (LAST_YEAR - FIRST_YEAR + 1) * 5;
/** A schedule lives in a handful of zones; the bound is for the isolate that serves them all. */
const ZONES_MAX = 600;

const zones = new Map<string, Zone | null>();

export function isTimezone(name: string): boolean {
  return zoneOf(name) !== null;
}

/** The zone by its IANA name, or null. Bare offsets are no zones: they know no history. */
export function zoneOf(name: string): Zone | null {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const zone = openZone(name);
  if (zone === null) return null;
  if (zones.size >= ZONES_MAX) zones.clear();
  zones.set(name, zone);
  return zone;
}

function openZone(name: string): Zone | null {
  if (!/^[A-Za-z]/.test(name)) return null;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      timeZoneName: "longOffset",
      year: "numeric",
    });
  } catch {
    return null;
  }
  const years = new Map<number, Span[]>();
  let recent: Span = { from: 0, until: 0, offset: 0, before: 0, after: 0 };
  return {
    name,
    spanAt(second) {
      if (second >= recent.from && second < recent.until) return recent;
      const at = Math.min(Math.max(second, FIRST_SECOND), LAST_SECOND);
      const year = new Date(at * 1000).getUTCFullYear();
      let spans = years.get(year);
      if (spans === undefined) years.set(year, (spans = spansOfYear(format, year)));
      recent = spans.find((span) => at < span.until)!;
      return recent;
    },
  };
}

/** `2001, GMT-04:00` → −14400; early zones carry seconds (`GMT-00:44:30`). */
function offsetAt(format: Intl.DateTimeFormat, second: number): number {
  const text = format.format(second * 1000);
  const sign = text.indexOf("GMT") + 3;
  if (sign === text.length) return 0;
  const parts = text.slice(sign + 1).split(":");
  const size = Number(parts[0]) * 3600 + Number(parts[1] ?? 0) * 60 + Number(parts[2] ?? 0);
  return text[sign] === "-" ? -size : size;
}

function spansOfYear(format: Intl.DateTimeFormat, year: number): Span[] {
  const start = dayOf(year, 1, 1) * DAY_SECONDS;
  const end = dayOf(year + 1, 1, 1) * DAY_SECONDS;
  // The first and last span of all have no neighbour: nothing lies outside the years.
  let before = offsetAt(format, year === FIRST_YEAR ? start : start - 1);
  const last = offsetAt(format, year === LAST_YEAR ? end - 1 : end);
  const spans: Span[] = [];
  let from = start;
  let offset = offsetAt(format, start);
  for (let left = start; left < end - 1;) {
    const right = Math.min(left + PROBE_STEP, end - 1);
    if (offsetAt(format, right) === offset) {
      left = right;
      continue;
    }
    const change = firstChange(format, left, right, offset);
    const after = offsetAt(format, change);
    spans.push({ from, until: change, offset, before, after });
    [from, before, offset, left] = [change, offset, after, change];
  }
  spans.push({ from, until: end, offset, before, after: last });
  return spans;
}

/** Bisection: the first second in (left, right] whose offset is not `offset`; 19 halvings of 6 days. */
function firstChange(format: Intl.DateTimeFormat, left: number, right: number, offset: number): number {
  while (right - left > 1) {
    const middle = Math.floor((left + right) / 2);
    if (offsetAt(format, middle) === offset) left = middle;
    else right = middle;
  }
  return right;
}

/** The first wall time of a span that counts: under `first`, what the span before has shown is over. */
export function wallStart(span: Span, fold: Fold): number {
  const repeated = fold === "first" && span.before > span.offset;
  return span.from + (repeated ? span.before : span.offset);
}

/** The wall time at which a span stops counting: under `second`, what comes again waits for its return. */
export function wallEnd(span: Span, fold: Fold): number {
  const returns = fold === "second" && span.after < span.offset;
  return span.until + (returns ? span.after : span.offset);
}

/** What becomes of the wall times left out where this span begins; null when there are none. */
export function gapAt(span: Span, dst: Dst): Gap | null {
  const size = span.offset - span.before;
  if (size <= 0) return null;
  return size > dst.gapMax ? "skip" : dst.gap;
}

/** `first` or `second` when the wall showed, or will show, this second's local time again. */
export function passAt(span: Span, second: number): "first" | "second" | null {
  const wall = second + span.offset;
  if (span.before > span.offset && wall < span.from + span.before) return "second";
  return span.after < span.offset && wall >= span.until + span.after ? "first" : null;
}

/** RFC 3339 with the numeric offset in force, UTC included: `2027-03-28T03:30:00+02:00`. */
export function localTimeIn(zone: string, instant: number): string {
  const second = Math.floor(instant / 1000);
  const offset = zoneOf(zone)?.spanAt(second).offset ?? 0;
  const rest = instant - second * 1000;
  const fraction = rest === 0 ? "" : `.${String(rest).padStart(3, "0")}`;
  return `${formatWall(second + offset)}${fraction}${formatOffset(offset)}`;
}

/** Numeric offsets have no seconds in RFC 3339; the few zones that had them (Monrovia, 1971) are cut off. */
function formatOffset(offset: number): string {
  const minutes = Math.floor(Math.abs(offset) / 60);
  const pad = (value: number) => String(value).padStart(2, "0");
  return `${offset < 0 ? "-" : "+"}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

/** The instants at which a wall time comes to be under a policy, in order; none where a gap is skipped. */
export function instantsOf(zone: Zone, wall: number, dst: Dst): number[] {
  const found = new Set<number>();
  const end = Math.min(wall + OFFSET_MAX, LAST_SECOND);
  let cursor = Math.max(wall - OFFSET_MAX, FIRST_SECOND);
  // At most a span for each transition within 30 hours.
  while (cursor <= end) {
    const span = zone.spanAt(cursor);
    const at = wall - span.offset;
    if (wall >= wallStart(span, dst.fold) && wall < wallEnd(span, dst.fold)) found.add(at);
    if (wall >= span.from + span.before && wall < span.from + span.offset) {
      const gap = gapAt(span, dst);
      if (gap === "next") found.add(span.from);
      if (gap === "shift") found.add(wall - span.before);
    }
    cursor = span.until;
  }
  return [...found].filter((at) => at >= FIRST_SECOND && at <= LAST_SECOND).toSorted((a, b) => a - b);
}
