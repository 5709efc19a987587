/**
 * The time that somebody asks about: an instant, or what a clock on the wall shows. A local time may exist twice, and
 * then it has to be said which; or not at all, and then something else happened in its place.
 */
import { formatWall } from "./calendar.ts";
import { fail, invariant, ok, type Result } from "./errors.ts";
import type { Timetable, Trigger } from "./rule.ts";
import { INSTANTS, parseInstant, parseLocal, quote } from "./time.ts";
import { instantsOf, localTimeIn, zoneOf } from "./zone.ts";

export type Moment = { at: number; gap: null } | { at: number; gap: WallGap };

/** A local time that the clock left out. */
export interface WallGap {
  timezone: string;
  localTime: string;
  /** What the clock showed when it jumped, and what it showed next. */
  clockAt: string;
  clockNext: string;
  /** Where the rule put the slot that was meant; null where it makes none of it. */
  moved: number | null;
}

const ANY = Number.POSITIVE_INFINITY;

export function momentOf(text: string, timezone: string, timetable: Timetable): Result<Moment> {
  // A plus sign that was not escaped arrives as a space.
  const written = text.trim().replace(/ (\d\d:\d\d)$/, "+$1");
  const wallMs = parseLocal(written);
  if (wallMs === null) {
    const instant = parseInstant(written);
    return instant.ok ? ok({ at: instant.value, gap: null }) : instant;
  }
  const zone = zoneOf(timezone);
  invariant(zone, `the zone ${timezone} of a stored definition`);
  const wall = Math.floor(wallMs / 1000);
  const found = instantsOf(zone, wall, { gap: "skip", fold: "both", gapMax: ANY });
  const instants = found.map((second) => second * 1000 + (wallMs - wall * 1000));
  if (instants.length > 1) return ambiguous(written, timezone, instants);
  const [at] = instants;
  if (at !== undefined) return ok({ at, gap: null });
  const [jump] = instantsOf(zone, wall, { gap: "next", fold: "both", gapMax: ANY });
  if (jump === undefined)
    return fail("invalid_instant", `${quote(written)} in ${timezone} lies outside ${INSTANTS}.`);
  const { before, offset } = zone.spanAt(jump);
  const places = [jump, wall - before].map((second) => second * 1000);
  const moved = places.find((slot) => timetable.prev(slot) === slot && wasMoved(timetable, slot)) ?? null;
  const gap: WallGap = {
    timezone,
    localTime: formatWall(wall),
    clockAt: formatWall(jump + before).slice(11, 16),
    clockNext: formatWall(jump + offset).slice(11, 16),
    moved,
  };
  return ok({ at: moved ?? jump * 1000, gap });
}

function wasMoved(timetable: Timetable, slot: number): boolean {
  return timetable.describe(slot).notes.some((note) => note.startsWith("dst_gap"));
}

function ambiguous(text: string, timezone: string, instants: number[]) {
  const candidates = instants.map((at) => localTimeIn(timezone, at));
  return fail("ambiguous_time", `${quote(text)} exists twice in ${timezone}: the clock was set back.`, {
    hint: `Say which one is meant: ${candidates.join(" or ")}.`,
    data: { candidates },
  });
}

/** The zone whose clock is meant where none is said: the first that the trigger names. */
export function zoneOfTrigger(trigger: Trigger | Trigger[]): string {
  for (const one of [trigger].flat()) {
    if ("timezone" in one && one.timezone !== undefined) return [one.timezone].flat()[0] ?? "UTC";
  }
  return "UTC";
}
