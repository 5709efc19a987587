/**
 * Occurrences of all schedules, newest first. The table is in the order of time and has no index on the
 * common path, so a filter is applied to a bounded stretch of it: a page may hold fewer items than asked for
 * (even none) and still have a cursor, which says where to go on.
 */
import type { Kind, State } from "../core/occurrence.ts";
import type { Position } from "./page.ts";
import type { OccurrenceRow } from "./row.ts";

export interface OccurrenceFilter {
  state: State | null;
  reason: string | null;
  kind: Kind | null;
}

export interface OccurrenceQuery extends OccurrenceFilter {
  namespace: string;
  /** Only of these; null: all. */
  schedules: string[] | null;
  from: number;
  before: Position;
  limit: number;
}

/** How many rows one page looks at. */
const SCAN_MAX = 1_000;

/** Runs again and continuations of one slot that are shown with it. */
const BESIDE_MAX = 50;

/** The happy path carries no `attention`; every row of any other state does, and a list of it reads nothing else. */
const HAPPY_STATES: readonly State[] = ["dispatched", "succeeded"];

export async function readOccurrence(db: D1Database, key: Position): Promise<OccurrenceRow | null> {
  return db
    .prepare("SELECT * FROM occurrences WHERE slot = ?1 AND schedule = ?2 AND variant = ?3")
    .bind(key.slot, key.schedule, key.variant)
    .first<OccurrenceRow>();
}

export async function listOccurrences(
  db: D1Database,
  query: OccurrenceQuery,
): Promise<{ rows: OccurrenceRow[]; end: Position | null }> {
  const rows = await list(db, query);
  const last = rows.at(-1);
  if (rows.length === query.limit && last) return { rows, end: positionOf(last) };
  return { rows, end: await endOf(db, query) };
}

/** The place alone: what a row carries besides is no part of a cursor. */
function positionOf({ slot, schedule, variant }: OccurrenceRow): Position {
  return { slot, schedule, variant };
}

/** The slot's own, and all that ran at that very slot beside it. */
export async function occurrencesAt(
  db: D1Database,
  schedule: string,
  slot: number,
): Promise<OccurrenceRow[]> {
  const { results } = await db
    .prepare("SELECT * FROM occurrences WHERE slot = ?1 AND schedule = ?2 ORDER BY variant LIMIT ?3")
    .bind(slot, schedule, BESIDE_MAX)
    .all<OccurrenceRow>();
  return results;
}

/** Those of these slots that are on record, in their order: by primary key, one row a slot, and none read twice to sort them. */
export async function occurrencesAmong(
  db: D1Database,
  schedule: string,
  slots: number[],
): Promise<OccurrenceRow[]> {
  if (slots.length === 0) return [];
  const { results } = await db
    .prepare(
      `SELECT o.*
         FROM json_each(?2) AS named CROSS JOIN occurrences AS o
        WHERE o.slot = named.value AND o.schedule = ?1 AND o.variant = ''`,
    )
    .bind(schedule, JSON.stringify(slots))
    .all<OccurrenceRow>();
  return results;
}

/** Of these slots, those that some run has seen to its end: the slot's own, or one by hand. By primary key. */
export async function succeededAmong(db: D1Database, schedule: string, slots: number[]): Promise<number[]> {
  const { results } = await db
    .prepare(
      `SELECT DISTINCT o.slot
         FROM json_each(?2) AS asked CROSS JOIN occurrences AS o
        WHERE o.slot = asked.value AND o.schedule = ?1
          AND (o.state = 'succeeded' OR (o.state = 'dispatched' AND o.body->>'tracked' = 0))`,
    )
    .bind(schedule, JSON.stringify(slots))
    .all<{ slot: number }>();
  return results.map(({ slot }) => slot);
}

async function list(db: D1Database, query: OccurrenceQuery): Promise<OccurrenceRow[]> {
  const { namespace, schedules, reason, kind, limit } = query;
  const { results } = await db
    .prepare(
      `SELECT *
         FROM (SELECT * ${stretchOf(query)} LIMIT ${SCAN_MAX})
        WHERE schedule >= ?6 || '/' AND schedule < ?6 || '0'
          AND (?5 IS NULL OR state = ?5)
          AND (?7 IS NULL OR reason = ?7)
          AND (?8 IS NULL OR kind = ?8)
          AND (?9 IS NULL OR schedule IN (SELECT ?6 || '/' || value FROM json_each(?9)))
        LIMIT ?10`,
    )
    .bind(...boundOf(query), namespace, reason, kind, schedules && JSON.stringify(schedules), limit)
    .all<OccurrenceRow>();
  return results;
}

/** The last place of a full stretch; null where the rows end before it. */
async function endOf(db: D1Database, query: OccurrenceQuery): Promise<Position | null> {
  return db
    .prepare(`SELECT slot, schedule, variant ${stretchOf(query)} LIMIT 1 OFFSET ?6`)
    .bind(...boundOf(query), SCAN_MAX - 1)
    .first<Position>();
}

/** What one page looks at, newest first; it binds ?1 to ?5. */
function stretchOf({ state }: OccurrenceQuery): string {
  const isRare = state !== null && !HAPPY_STATES.includes(state);
  return `FROM occurrences
         WHERE ${isRare ? "attention = 1 AND state = ?5 AND" : ""}
               slot <= ?1 AND (slot, schedule, variant) < (?1, ?2, ?3) AND slot >= ?4
         ORDER BY slot DESC, schedule DESC, variant DESC`;
}

function boundOf({ before, from, state }: OccurrenceQuery) {
  return [before.slot, before.schedule, before.variant, from, state];
}

export interface WorkQuery {
  namespace: string;
  /** Only of these; null: all. */
  schedules: string[] | null;
  queue: string;
  limit: number;
}

/** Dispatched and not started, oldest first: what a worker that polls may take from this queue. */
export async function listWork(
  db: D1Database,
  { namespace, schedules, queue, limit }: WorkQuery,
): Promise<Position[]> {
  const { results } = await db
    .prepare(
      `SELECT slot, schedule, variant
         FROM occurrences
        WHERE attention = 1 AND state = 'dispatched' AND queue = ?2
          AND schedule >= ?1 || '/' AND schedule < ?1 || '0'
          AND (?4 IS NULL OR schedule IN (SELECT ?1 || '/' || value FROM json_each(?4)))
        ORDER BY slot, schedule, variant
        LIMIT ?3`,
    )
    .bind(namespace, queue, limit, schedules && JSON.stringify(schedules))
    .all<Position>();
  return results;
}
