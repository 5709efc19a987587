/**
 * An independent, slow and simple answer to "which instants?": walk real time minute by minute, read the
 * wall clock from `Intl`, note which wall times never showed and which showed twice, and apply the policy
 * to those. It shares no code with the engine.
 */

export type Gap = "skip" | "next" | "shift";
export type Fold = "first" | "second" | "both";

export const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The wall clock of a zone at an instant, as the ms that UTC would have when its clock shows the same. */
export type Wall = (instant: number) => number;

export function wallOf(timeZone: string): Wall {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (instant) => {
    const [month, day, year, hour, minute, second] = format.format(instant).split(/\D+/).map(Number);
    return Date.UTC(year!, month! - 1, day, hour, minute, second);
  };
}

/** Minutes at which the offset of a zone changes, found by looking every day and halving. */
export function changesOf(wall: Wall, fromYear: number, toYear: number): number[] {
  const offset = (instant: number) => wall(instant) - instant;
  const changes: number[] = [];
  for (let at = Date.UTC(fromYear, 0, 1); at < Date.UTC(toYear + 1, 0, 1); at += DAY) {
    if (offset(at) === offset(at + DAY)) continue;
    let [low, high] = [at, at + DAY];
    while (high - low > MINUTE) {
      const middle = low + Math.floor((high - low) / 2 / MINUTE) * MINUTE;
      if (offset(middle) === offset(low)) low = middle;
      else high = middle;
    }
    changes.push(high);
  }
  return changes;
}

export interface Night {
  /** What is compared lies in (from, to]. */
  from: number;
  to: number;
  jump: number;
  /** Real minutes and what the wall showed. */
  shown: { at: number; wall: number }[];
  /** Wall minutes that never showed, the last minute before them, and the first after. */
  missing: { wall: number; before: { at: number; wall: number }; after: number }[];
  times: Map<number, number[]>;
}

/** Everything the wall did around a change; the margin is wide enough to see both passes of a fold. */
export function nightAround(wall: Wall, change: number): Night {
  const jump = wall(change) - change - (wall(change - MINUTE) - (change - MINUTE));
  const reach = Math.abs(jump) + 3 * HOUR;
  const [from, to] = [change - reach, change + reach];
  const night: Night = { from, to, jump, shown: [], missing: [], times: new Map() };
  const margin = Math.abs(jump) + HOUR;
  for (let at = from - margin; at <= to + margin; at += MINUTE) {
    const now = { at, wall: wall(at) };
    night.shown.push(now);
    night.times.set(now.wall, [...(night.times.get(now.wall) ?? []), at]);
  }
  for (const [i, after] of night.shown.entries()) {
    const before = night.shown[i - 1];
    if (before === undefined) continue;
    for (let missed = before.wall + MINUTE; missed < after.wall; missed += MINUTE) {
      if (!night.times.has(missed)) night.missing.push({ wall: missed, before, after: after.at });
    }
  }
  return night;
}

export interface Spec {
  text: string;
  minutes: Set<number>;
  hours: Set<number>;
  /** Null: open. */
  dates: Set<number> | null;
  weekdays: Set<number> | null;
}

function matches({ minutes, hours, dates, weekdays }: Spec, wall: number): boolean {
  const at = new Date(wall);
  if (!minutes.has(at.getUTCMinutes()) || !hours.has(at.getUTCHours())) return false;
  const byDate = dates?.has(at.getUTCDate());
  const byWeekday = weekdays?.has(at.getUTCDay());
  if (dates && weekdays) return Boolean(byDate) || Boolean(byWeekday);
  return byDate ?? byWeekday ?? true;
}

export function walk(night: Night, spec: Spec, { gap, fold }: { gap: Gap; fold: Fold }): number[] {
  const found = new Set<number>();
  for (const [wall, times] of night.times) {
    if (!matches(spec, wall)) continue;
    if (fold !== "second") found.add(times[0]!);
    if (fold !== "first") found.add(times.at(-1)!);
  }
  for (const { wall, before, after } of night.missing) {
    if (gap === "skip" || !matches(spec, wall)) continue;
    found.add(gap === "next" ? after : before.at + (wall - before.wall));
  }
  return [...found].filter((at) => at > night.from && at <= night.to).toSorted((a, b) => a - b);
}

/** Small and seeded: a failure names its seed and comes again. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
