/**
 * Where slots come from: a cron in one zone, a fixed rate, or a single instant; each before and after its
 * exclusions. A timetable is the union of its sources. Instants are epoch ms here; NEVER means none.
 */
import { INSTANT_MAX, INSTANT_MIN } from "./time.ts";
import { giveUp, spend } from "./effort.ts";
import type { Excluder, Stretch } from "./exclusion.ts";
import { coverAt, excludesWall, nextCovered } from "./exclusion.ts";
import { NEVER } from "./wall.ts";
import type { Zone } from "./zone.ts";
import { passAt } from "./zone.ts";
import type { Zoned } from "./zoned.ts";
import { countSeconds, movedSeconds, nextSecond, prevSecond, swallowed, wallsOf } from "./zoned.ts";

export interface Source {
  zone: Zone;
  next(after: number): number;
  prev(upTo: number): number;
  /** Slots in (after, through]. */
  count(after: number, upTo: number): { count: number; through: number };
  /** The notes of a slot, or null if it is none of this source's. */
  notes(slot: number): string[] | null;
  /** Local times without a slot in (after, upTo], in order, at most `limit`. */
  suppressed(after: number, upTo: number, limit: number): Lost[];
}

/** In a gap there is a wall time (in seconds) and no instant to show. */
export interface Lost {
  at: number;
  wall: number | null;
  reason: "dst_gap" | "excluded";
}

/** Slots and stretches that one count may step over one by one, some 10 ms worth. */
export const COUNT_STEPS_MAX = 50_000;
/**
 * How many excluded stretches in a row a search steps over. Whole days, and hours or minutes in a row, are
 * one stretch, so that 230 years of excluded nights take 84,000. Only exclusions of single seconds or
 * minutes that leave nothing between them come near it, and such a trigger is refused as too sparse.
 */
const EXCLUDED_RUN_MAX = 100_000;
/** And how many exclusions it looks at on the way: some 100 ms worth, however long their list. */
const EXCLUDED_LOOKS_MAX = 2_000_000;

export function cronSource(zoned: Zoned): Source {
  return {
    zone: zoned.zone,
    next: (after) => nextSecond(zoned, Math.floor(after / 1000)) * 1000,
    prev: (upTo) => prevSecond(zoned, Math.floor(upTo / 1000)) * 1000,
    count: (after, upTo) => ({
      count: countSeconds(zoned, Math.floor(after / 1000), Math.floor(upTo / 1000)),
      through: upTo,
    }),
    notes(slot) {
      const { walls, notes } = wallsOf(zoned, Math.floor(slot / 1000));
      return walls.length > 0 && slot % 1000 === 0 ? notes : null;
    },
    suppressed: (after, upTo, limit) =>
      swallowed(zoned, Math.floor(after / 1000), Math.floor(upTo / 1000), limit).map(({ at, wall }) => ({
        at: at * 1000,
        wall,
        reason: "dst_gap" as const,
      })),
  };
}

export function everySource(zone: Zone, everyMs: number, anchor: number): Source {
  // The grid reaches both ways from its anchor, as far as instants do.
  const first = anchor + Math.ceil((INSTANT_MIN - anchor) / everyMs) * everyMs;
  const last = anchor + Math.floor((INSTANT_MAX - anchor) / everyMs) * everyMs;
  const atOrBefore = (ms: number) => first + Math.floor((Math.min(ms, last) - first) / everyMs) * everyMs;
  return {
    zone,
    next(after) {
      if (after < first) return first;
      return after >= last ? NEVER : atOrBefore(after) + everyMs;
    },
    prev: (upTo) => (upTo < first ? -NEVER : atOrBefore(upTo)),
    count(after, upTo) {
      const below = (ms: number) => (ms < first ? 0 : (atOrBefore(ms) - first) / everyMs + 1);
      return { count: Math.max(below(upTo) - below(after), 0), through: upTo };
    },
    notes: (slot) => (slot >= first && slot <= last && (slot - first) % everyMs === 0 ? [] : null),
    suppressed: () => [],
  };
}

/** `wall` is what was asked for, in seconds, where the instant was given as a local time. */
export function onceSource(zone: Zone, instant: number, wall: number | null): Source {
  return {
    zone,
    next: (after) => (instant > after ? instant : NEVER),
    prev: (upTo) => (instant <= upTo ? instant : -NEVER),
    count: (after, upTo) => ({ count: instant > after && instant <= upTo ? 1 : 0, through: upTo }),
    notes(slot) {
      if (slot !== instant) return null;
      const second = Math.floor(slot / 1000);
      const span = zone.spanAt(second);
      if (wall === null) return [];
      if (wall !== second + span.offset) return [second === span.from ? "dst_gap_next" : "dst_gap_shift"];
      const pass = passAt(span, second);
      return pass ? [`dst_fold_${pass}`] : [];
    },
    suppressed: () => [],
  };
}

/** The source without what is excluded. `zoned` is the cron behind it, if there is one. */
export function excluding(source: Source, excluders: Excluder[], zoned: Zoned | null): Source {
  if (excluders.length === 0) return source;
  const cover = (slot: number) => {
    spend(excluders.length);
    return coverOf(excluders, zoned, slot);
  };
  const runMax = Math.min(EXCLUDED_RUN_MAX, Math.floor(EXCLUDED_LOOKS_MAX / excluders.length));
  return {
    ...source,
    next(after) {
      let slot = source.next(after);
      for (let run = 0; run < runMax && slot !== NEVER; run++) {
        const stretch = cover(slot);
        if (stretch === null) return slot;
        slot = source.next(stretch.until - 1);
      }
      if (slot !== NEVER) giveUp();
      return NEVER;
    },
    prev(upTo) {
      let slot = source.prev(upTo);
      for (let run = 0; run < runMax && slot !== -NEVER; run++) {
        const stretch = cover(slot);
        if (stretch === null) return slot;
        slot = source.prev(stretch.from - 1);
      }
      if (slot !== -NEVER) giveUp();
      return -NEVER;
    },
    count: (after, upTo) => countExcluding(source, excluders, zoned, { after, upTo }),
    notes(slot) {
      const notes = source.notes(slot);
      return notes === null || cover(slot) !== null ? null : notes;
    },
    suppressed: (after, upTo, limit) => {
      const lost = source.suppressed(after, upTo, limit);
      let slot = source.next(after);
      for (
        let seen = 0;
        slot !== NEVER && slot <= upTo && seen < COUNT_STEPS_MAX && lost.length < 2 * limit;
        seen++
      ) {
        if (cover(slot) !== null) lost.push({ at: slot, wall: null, reason: "excluded" });
        slot = source.next(slot);
      }
      return lost.toSorted((a, b) => a.at - b.at).slice(0, limit);
    },
  };
}

/**
 * What takes a slot out: its own local time, or, when it was moved out of a gap, all the local times that
 * were meant. (Sundays excluded, 02:30 moved to 03:00: still a Sunday's 02:30.)
 */
function coverOf(excluders: Excluder[], zoned: Zoned | null, slot: number): Stretch | null {
  const second = Math.floor(slot / 1000);
  const found: Stretch = { from: NEVER, until: -NEVER };
  for (const excluder of excluders) {
    const stretch = coverAt(excluder, second);
    if (stretch === null) continue;
    found.from = Math.min(found.from, stretch.from * 1000);
    found.until = Math.max(found.until, stretch.until * 1000);
  }
  if (found.until > found.from) return found;
  if (zoned === null) return null;
  const { walls } = wallsOf(zoned, second);
  const meant = walls.every((wall) =>
    excluders.some((e) => e.zone.name === zoned.zone.name && excludesWall(e, wall)),
  );
  return walls.length > 0 && meant ? { from: slot, until: slot + 1000 } : null;
}

/** All slots less those of the excluded stretches, stepping from stretch to stretch. */
function countExcluding(
  source: Source,
  excluders: Excluder[],
  zoned: Zoned | null,
  { after, upTo }: { after: number; upTo: number },
): { count: number; through: number } {
  const first = Math.floor(after / 1000) + 1;
  const last = Math.floor(upTo / 1000);
  let excluded = 0;
  let cursor = first;
  let steps = 0;
  for (; cursor <= last && steps < COUNT_STEPS_MAX; steps++) {
    spend(2 * excluders.length);
    const start = Math.min(...excluders.map((excluder) => nextCovered(excluder, cursor)));
    if (start > last) cursor = last + 1;
    else {
      const until = Math.max(...excluders.map((excluder) => coverAt(excluder, start)?.until ?? start));
      excluded += source.count(start * 1000 - 1, Math.min(until * 1000 - 1, upTo)).count;
      cursor = until;
    }
  }
  const through = cursor > last ? upTo : cursor * 1000 - 1;
  if (zoned !== null) {
    for (const second of movedSeconds(zoned, first - 1, Math.floor(through / 1000))) {
      const byInstant = excluders.some((excluder) => coverAt(excluder, second) !== null);
      if (!byInstant && coverOf(excluders, zoned, second * 1000) !== null) excluded++;
    }
  }
  return { count: source.count(after, through).count - excluded, through };
}
