/**
 * Pages over several sources at once (databases, rows, gap rows): each hands over a stretch of its items
 * and says how far down it has looked, and what all of them have looked at makes the page.
 */

/** The order of time, and the cursor of every list of occurrences. A gap row stands at its last slot. */
export interface Position {
  slot: number;
  schedule: string;
  variant: string;
}

export interface Placed<T> {
  at: Position;
  item: T;
}

/** Items newest first, complete down to and including `end`; null: there is nothing below. */
export interface Stretch<T> {
  items: Placed<T>[];
  end: Position | null;
}

/** Positive where `a` is newer. */
export function compare(a: Position, b: Position): number {
  if (a.slot !== b.slot) return a.slot - b.slot;
  if (a.schedule !== b.schedule) return a.schedule > b.schedule ? 1 : -1;
  if (a.variant !== b.variant) return a.variant > b.variant ? 1 : -1;
  return 0;
}

/** What two stretches both have is taken from the earlier one. */
export function merge<T>(stretches: Stretch<T>[], limit: number): Stretch<T> {
  const ends = stretches.flatMap(({ end }) => end ?? []).toSorted(compare);
  const floor = ends.at(-1) ?? null;
  const known = stretches
    .flatMap(({ items }) => items)
    .filter(({ at }) => floor === null || compare(at, floor) >= 0)
    .toSorted((a, b) => compare(b.at, a.at));
  const distinct = known.filter(({ at }, i) => i === 0 || compare(at, known[i - 1]!.at) !== 0);
  const items = distinct.slice(0, limit);
  return { items, end: distinct.length > limit ? items.at(-1)!.at : floor };
}
