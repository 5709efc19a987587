/** The recent past, over a bounded stretch of the ledger: what metrics and statistics are made of. */
import type { State } from "../core/occurrence.ts";

/** Null: all. */
interface Whose {
  namespaces: string[] | null;
  schedules: string[] | null;
}
export interface NumbersQuery extends Whose {
  from: number;
  to: number;
}

/** An occurrence as far as it is measured. Untracked ones end as `dispatched`. */
export interface Measured {
  slot: number;
  schedule: string;
  /** By hand and its kin have no slot to be late for. */
  variant: string;
  state: State;
  reason: string | null;
  effective_at: number;
  dispatched_at: number | null;
  /** When its last attempt left: what the wait for a start counts from. */
  left_at: number | null;
  started_at: number | null;
  finished_at: number | null;
}

/** The newest ones since `from`, of these namespaces (null: all), in the order of time: no index, no scan beyond the limit. */
export async function recentOccurrences(
  db: D1Database,
  query: NumbersQuery & { limit: number },
): Promise<Measured[]> {
  const { namespaces, schedules, from, to, limit } = query;
  const { results } = await db
    .prepare(
      `SELECT *
         FROM (SELECT slot, schedule, variant, state, reason, effective_at, dispatched_at, started_at, finished_at,
                      body->>'$.attempts[#-1].dispatchedAt' AS left_at
                 FROM occurrences
                WHERE slot >= ?2 AND slot <= ?3
                ORDER BY slot DESC, schedule DESC, variant DESC
                LIMIT ?4)
        WHERE (?1 IS NULL OR substr(schedule, 1, instr(schedule, '/') - 1) IN (SELECT value FROM json_each(?1)))
          AND (?5 IS NULL OR substr(schedule, instr(schedule, '/') + 1) IN (SELECT value FROM json_each(?5)))`,
    )
    .bind(listOrNull(namespaces), from, to, limit, listOrNull(schedules))
    .all<Measured>();
  return results;
}

export interface SkippedRun {
  schedule: string;
  reason: string;
  count: number;
}

/** Slots in gap rows that end since `from`: newest first, as many rows as asked for. */
export async function recentGaps(
  db: D1Database,
  query: NumbersQuery & { limit: number },
): Promise<SkippedRun[]> {
  const { namespaces, schedules, from, to, limit } = query;
  const { results } = await db
    .prepare(
      `SELECT *
         FROM (SELECT schedule, reason, count FROM gaps
                WHERE to_at >= ?2 AND to_at <= ?3
                ORDER BY to_at DESC LIMIT ?4)
        WHERE (?1 IS NULL OR substr(schedule, 1, instr(schedule, '/') - 1) IN (SELECT value FROM json_each(?1)))
          AND (?5 IS NULL OR substr(schedule, instr(schedule, '/') + 1) IN (SELECT value FROM json_each(?5)))`,
    )
    .bind(listOrNull(namespaces), from, to, limit, listOrNull(schedules))
    .all<SkippedRun>();
  return results;
}

export interface Standing {
  namespace: string;
  state: string;
  health: string;
  count: number;
}

/** How many schedules there are of each state and health. Reads each of them once: callers keep the answer a while. */
export async function countSchedules(db: D1Database, { namespaces, schedules }: Whose): Promise<Standing[]> {
  const { results } = await db
    .prepare(
      `SELECT namespace, state, health, count(*) AS count
         FROM schedules
        WHERE state <> 'deleted'
          AND (?1 IS NULL OR namespace IN (SELECT value FROM json_each(?1)))
          AND (?2 IS NULL OR name IN (SELECT value FROM json_each(?2)))
        GROUP BY namespace, state, health`,
    )
    .bind(listOrNull(namespaces), listOrNull(schedules))
    .all<Standing>();
  return results;
}

export interface OpenAlerts {
  namespace: string;
  kind: string;
  count: number;
}

export async function countOpenAlerts(
  db: D1Database,
  { namespaces, schedules }: Whose,
): Promise<OpenAlerts[]> {
  const { results } = await db
    .prepare(
      `SELECT substr(schedule, 1, instr(schedule, '/') - 1) AS namespace, kind, count(*) AS count
         FROM alerts
        WHERE resolved_at IS NULL
          AND (?1 IS NULL OR substr(schedule, 1, instr(schedule, '/') - 1) IN (SELECT value FROM json_each(?1)))
          AND (?2 IS NULL OR substr(schedule, instr(schedule, '/') + 1) IN (SELECT value FROM json_each(?2)))
        GROUP BY 1, 2`,
    )
    .bind(listOrNull(namespaces), listOrNull(schedules))
    .all<OpenAlerts>();
  return results;
}

/** All that statistics are made of, from however many databases. */
export interface Numbers {
  occurrences: Measured[];
  gaps: SkippedRun[];
  schedules: Standing[];
  alerts: OpenAlerts[];
  /** The window held more than was read: the oldest are left out. */
  isCut: boolean;
}

const ROWS_MAX = 5_000;
const GAPS_MAX = 1_000;

export async function readNumbers(
  directory: D1Database,
  shards: D1Database[],
  query: NumbersQuery,
): Promise<Numbers> {
  const [occurrences, gaps, schedules, alerts] = await Promise.all([
    Promise.all(shards.map((shard) => recentOccurrences(shard, { ...query, limit: ROWS_MAX }))),
    Promise.all(shards.map((shard) => recentGaps(shard, { ...query, limit: GAPS_MAX }))),
    countSchedules(directory, query),
    countOpenAlerts(directory, query),
  ]);
  const isCut =
    occurrences.some((rows) => rows.length === ROWS_MAX) || gaps.some((rows) => rows.length === GAPS_MAX);
  return { occurrences: occurrences.flat(), gaps: gaps.flat(), schedules, alerts, isCut };
}

function listOrNull(list: string[] | null): string | null {
  return list && JSON.stringify(list);
}
