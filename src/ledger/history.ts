/**
 * The history of one schedule, newest first: recomputed, then looked up by key. The definitions that were in
 * force name the slots, and each slot's row stands under its primary key, so no index is written for it when
 * it fires and nothing is scanned when it is read. What no definition names (manual, backfill, replay,
 * continuation, fixed delay) has a small index of its own. Gap rows are items, and their slots are jumped.
 */
import { compile, type Timetable } from "../core/trigger.ts";
import { definitionChanges, type DefinitionChange } from "./changes.ts";
import { gapsOf } from "./gaps.ts";
import { occurrencesAmong } from "./occurrences.ts";
import { merge, type Placed, type Position, type Stretch } from "./page.ts";
import { placeGap, placeOccurrence, type GapRow, type HistoryItem, type OccurrenceRow } from "./row.ts";

export interface HistoryQuery {
  /** `<namespace>/<name>`. */
  schedule: string;
  from: number;
  /** Exclusive. */
  to: number;
  /** Where the page before ended. */
  before: Position | null;
  limit: number;
}

/** Slots looked up at once, and how often for one page: a paused year of seconds ends a page, not the request. */
const CHUNK = 100;
const CHUNKS_MAX = 20;
const CHANGES_MAX = 200;

/** `db` keeps the occurrences and gap rows, `directory` the changes. */
export async function readHistory(
  db: D1Database,
  directory: D1Database,
  query: HistoryQuery,
): Promise<Stretch<HistoryItem>> {
  const { schedule, from, limit } = query;
  const below = query.before ?? { slot: query.to, schedule, variant: "" };
  const upTo = below.variant === "" ? below.slot - 1 : below.slot;
  const [gaps, changes, oldest] = await Promise.all([
    gapsOf(db, { schedule, upTo, limit: limit + 1 }),
    definitionChanges(directory, { schedule, upTo, limit: CHANGES_MAX }),
    oldestSlot(db),
  ]);
  const eras = erasOf(changes, upTo);
  const knownDownTo = gaps.length > limit ? gaps.at(-1)!.from_at : 0;
  const floor = Math.max(from, oldest ?? Infinity, knownDownTo);
  const early = eras.flatMap(earlySlots).filter((slot) => slot >= from);
  const [beside, planned, earlier] = await Promise.all([
    uncomputed(db, { schedule, from, below, limit }),
    computed(db, { schedule, limit, upTo, slots: slotsBack({ eras, gaps, upTo, floor }) }),
    rowsAt(db, schedule, early),
  ]);
  const unread = changes.length < CHANGES_MAX ? null : bottom(schedule, changes.at(-1)!.at);
  const gapItems = placeGaps(gaps, { from, upTo, isFirstPage: query.before === null });
  const others = { items: earlier, end: unread };
  return merge([beside, planned, others, { items: gapItems, end: endOf(gaps, limit) }], limit);
}

/** Below the last of as many as were asked for there may be more. */
function endOf(gaps: GapRow[], limit: number): Position | null {
  return gaps.length > limit ? placeGap(gaps.at(-1)!).at : null;
}

/** A gap row that reaches beyond the range belongs to its first page, at its upper end. */
function placeGaps(
  gaps: GapRow[],
  { from, upTo, isFirstPage }: { from: number; upTo: number; isFirstPage: boolean },
): Placed<HistoryItem>[] {
  return gaps
    .filter(({ to_at }) => to_at >= from && (isFirstPage || to_at <= upTo))
    .map(placeGap)
    .map(({ at, item }) => ({ at: { ...at, slot: Math.min(at.slot, upTo) }, item }));
}

/** The lowest place that this slot's own row and all above it have. */
function bottom(schedule: string, slot: number): Position {
  return { slot, schedule, variant: "" };
}

/** A definition and the slots that are its own: (after, upTo]. */
interface Era {
  timetable: Timetable;
  after: number;
  upTo: number;
  /** Below `after` for a one-off that lay a little in the past and fired at once. */
  cursor: number;
}

function erasOf(changes: DefinitionChange[], upTo: number): Era[] {
  return changes.flatMap(({ at, cursor, definition }, i) => {
    if (definition === null) return [];
    const { trigger, exclude = [], startAt = null, endAt = null } = definition;
    const compiled = compile({ trigger, exclude, startAt, endAt });
    if (!compiled.ok) return [];
    return { timetable: compiled.value, after: at, upTo: changes[i - 1]?.at ?? upTo, cursor };
  });
}

function earlySlots({ timetable, after, cursor }: Era): number[] {
  const slot = cursor < after ? timetable.prev(after) : null;
  return slot !== null && slot > cursor ? [slot] : [];
}

/** The slots that may have a row, newest first: those of a gap row have none. */
function* slotsBack(walk: { eras: Era[]; gaps: GapRow[]; upTo: number; floor: number }) {
  for (const era of walk.eras) {
    let at = Math.min(era.upTo, walk.upTo);
    for (let slot = era.timetable.prev(at); slot !== null; slot = era.timetable.prev(at)) {
      if (slot <= era.after || slot < walk.floor) break;
      const gap = walk.gaps.find(({ from_at, to_at }) => from_at <= slot && slot <= to_at);
      if (gap === undefined) yield slot;
      at = (gap?.from_at ?? slot) - 1;
    }
  }
}

async function computed(
  db: D1Database,
  walk: { schedule: string; limit: number; upTo: number; slots: Generator<number> },
): Promise<Stretch<HistoryItem>> {
  const items: Placed<HistoryItem>[] = [];
  let last = walk.upTo;
  for (let chunk = 0; chunk < CHUNKS_MAX && items.length < walk.limit; chunk++) {
    const slots = take(walk.slots, CHUNK);
    items.push(...(await rowsAt(db, walk.schedule, slots)));
    if (slots.length < CHUNK) return { items, end: null };
    last = slots.at(-1)!;
  }
  return { items, end: bottom(walk.schedule, last) };
}

function take(slots: Generator<number>, count: number): number[] {
  const taken: number[] = [];
  while (taken.length < count) {
    const { value, done } = slots.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
}

async function rowsAt(db: D1Database, schedule: string, slots: number[]): Promise<Placed<HistoryItem>[]> {
  return (await occurrencesAmong(db, schedule, slots)).map(placeOccurrence);
}

async function uncomputed(
  db: D1Database,
  query: { schedule: string; from: number; below: Position; limit: number },
): Promise<Stretch<HistoryItem>> {
  const { schedule, from, below, limit } = query;
  const { results } = await db
    .prepare(
      `SELECT *
         FROM occurrences
        WHERE schedule = ?1 AND computed = 0 AND slot >= ?2
          AND slot <= ?3 AND (slot, variant) < (?3, ?4)
        ORDER BY slot DESC, variant DESC
        LIMIT ?5`,
    )
    .bind(schedule, from, below.slot, below.variant, limit)
    .all<OccurrenceRow>();
  const items = results.map(placeOccurrence);
  return { items, end: items.length < limit ? null : items.at(-1)!.at };
}

/** Nothing of this database is older: one row read, and no walk goes on below it. */
async function oldestSlot(db: D1Database): Promise<number | null> {
  const row = await db
    .prepare("SELECT slot FROM occurrences ORDER BY slot LIMIT 1")
    .first<{ slot: number }>();
  return row?.slot ?? null;
}
