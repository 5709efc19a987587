/**
 * A timetable: the union of a rule's sources, in order, each instant once, within the rule's bounds.
 */
import { formatWall } from "./calendar.ts";
import { describeRule } from "./describe.ts";
import { affordably, spend } from "./effort.ts";
import type { Err } from "./errors.ts";
import { ok } from "./errors.ts";
import { BOUNDS } from "./limits.ts";
import type { SlotNames, Suppressed, TimeRule, Timetable } from "./rule.ts";
import type { Lost, Source } from "./source.ts";
import { COUNT_STEPS_MAX } from "./source.ts";
import { hashPlace } from "./time.ts";
import { NEVER } from "./wall.ts";
import { warningsOf } from "./warnings.ts";
import { localTimeIn } from "./zone.ts";

export function calendar(rule: TimeRule, sources: Source[]): Timetable {
  const first = rule.startAt ?? -Infinity;
  const last = rule.endAt ?? Infinity;
  const single = sources.length === 1 ? sources[0]! : null;
  const answers = sources.map(() => ({ asked: NEVER, slot: -NEVER }));

  function next(after: number): number | null {
    const from = Math.max(after, first - 1);
    const least = single ? single.next(from) : nextOfAll(from);
    return least === NEVER || least > last ? null : least;
  }

  function nextOfAll(after: number): number {
    let least = NEVER;
    spend(sources.length);
    for (const [i, source] of sources.entries()) {
      const answer = answers[i]!;
      // What was the next slot for an earlier instant still is, as long as it lies ahead.
      if (after < answer.asked || after >= answer.slot) {
        // The slot first: a search that may cost no more ends in the middle.
        answer.slot = source.next(after);
        answer.asked = after;
      }
      least = Math.min(least, answer.slot);
    }
    return least;
  }

  function prev(upTo: number): number | null {
    const to = Math.min(upTo, last);
    let greatest = -NEVER;
    for (const source of sources) greatest = Math.max(greatest, source.prev(to));
    return greatest === -NEVER || greatest < first ? null : greatest;
  }

  function count(after: number, upTo: number): { count: number; through: number } {
    const from = Math.max(after, first - 1);
    const to = Math.min(upTo, last);
    if (to <= from || sources.length === 0) return { count: 0, through: upTo };
    if (single) {
      const counted = single.count(from, to);
      return counted.through < to ? counted : { count: counted.count, through: upTo };
    }
    let slots = 0;
    for (let slot = next(from); slot !== null && slot <= to; slot = next(slot)) {
      if (++slots === COUNT_STEPS_MAX) return { count: slots, through: slot };
    }
    return { count: slots, through: upTo };
  }

  function describe(slot: number): SlotNames {
    spend(sources.length);
    const zones = new Set<string>();
    const notes = new Set<string>();
    for (const source of sources) {
      const found = source.notes(slot);
      if (found === null) continue;
      zones.add(source.zone.name);
      for (const note of found) notes.add(note);
    }
    // An instant that is no slot (a manual run) is described in the trigger's first zone.
    const names = zones.size > 0 ? [...zones] : [sources[0]?.zone.name ?? "UTC"];
    return slotNames(names, [...notes], slot);
  }

  function suppressed(after: number, upTo: number, limit: number): Suppressed[] {
    const from = Math.max(after, first - 1);
    const to = Math.min(upTo, last);
    const all: { lost: Lost; zone: string }[] = [];
    for (const source of sources) {
      for (const lost of source.suppressed(from, to, limit)) all.push({ lost, zone: source.zone.name });
    }
    const open: Suppressed[] = [];
    for (const { lost, zone } of all.toSorted((a, b) => a.lost.at - b.lost.at)) {
      if (open.length === limit) break;
      // What another source still names is a slot after all.
      spend(sources.length);
      if (lost.wall === null && sources.some((source) => source.notes(lost.at) !== null)) continue;
      const localTime = lost.wall === null ? localTimeIn(zone, lost.at) : formatWall(lost.wall);
      open.push({ localTime, timezone: zone, reason: lost.reason });
    }
    return open;
  }

  return {
    kind: "calendar",
    delayMs: null,
    next,
    prev,
    count,
    describe,
    suppressed,
    // Words and warnings are for people; an alarm that wakes a schedule needs neither.
    get description() {
      return describeRule(rule);
    },
    get warnings() {
      return warningsOf(rule);
    },
  };
}

export function slotNames(zones: string[], notes: string[], slot: number): SlotNames {
  const locals = zones.map((timezone) => {
    const localTime = localTimeIn(timezone, slot);
    return { timezone, localTime, businessDate: localTime.slice(0, 10) };
  });
  const [{ localTime, businessDate }] = locals as [(typeof locals)[number]];
  return { localTime, timezones: zones, locals, businessDate, notes };
}

/** Whether any slot lies ahead; a delay always has one. */
export function canFire(timetable: Timetable, after: number): boolean {
  return timetable.kind === "delay" || timetable.next(after) !== null;
}

/** The slots in (after, upTo], at most `limit`. */
export function between(
  timetable: Timetable,
  { after, upTo, limit }: { after: number; upTo: number; limit: number },
): number[] {
  const slots: number[] = [];
  for (
    let slot = timetable.next(after);
    slot !== null && slot <= upTo && slots.length < limit;
    slot = timetable.next(slot)
  ) {
    slots.push(slot);
  }
  return slots;
}

/** A schedule looks for its next slot on every wake: one whose slots are dear to find is refused at the door. */
export function refuseDear(timetable: Timetable, after: number): Err | null {
  const looked = affordably(BOUNDS.TRIED_STEPS_MAX, () =>
    ok(between(timetable, { after, upTo: Infinity, limit: BOUNDS.TRIED_SLOTS })),
  );
  return looked.ok ? null : looked;
}

/** Two slots in a row that are less than `ms` apart, among the next `limit` after an instant. A delay makes its own distance. */
export function closerThan(
  timetable: Timetable,
  { ms, after, limit }: { ms: number; after: number; limit: number },
): { apartMs: number } | null {
  if (timetable.delayMs !== null) return timetable.delayMs < ms ? { apartMs: timetable.delayMs } : null;
  let last = timetable.next(after);
  for (let i = 1; i < limit && last !== null; i++) {
    const slot = timetable.next(last);
    if (slot !== null && slot - last < ms) return { apartMs: slot - last };
    last = slot;
  }
  return null;
}

/** The slots of [from, to) from either end on, at most `limit`. */
export function within(
  timetable: Timetable,
  { from, to, order, limit }: { from: number; to: number; order: "oldest" | "newest"; limit: number },
): number[] {
  if (order === "oldest") return between(timetable, { after: from - 1, upTo: to - 1, limit });
  const slots: number[] = [];
  for (
    let slot = timetable.prev(to - 1);
    slot !== null && slot >= from && slots.length < limit;
    slot = timetable.prev(slot - 1)
  ) {
    slots.push(slot);
  }
  return slots;
}

/**
 * The slot plus its share of the jitter: never before the slot, and strictly before the next one, so that
 * order stays. It is a function of seed and slot alone: a retry or a restart rolls nothing again.
 */
export function effectiveAt(timetable: Timetable, seed: string, jitterMs: number, slot: number): number {
  if (jitterMs <= 0) return slot;
  const following = timetable.next(slot);
  const room = following === null ? jitterMs : Math.min(jitterMs, following - slot);
  return slot + hashPlace(`${seed}@${slot}`, room);
}
