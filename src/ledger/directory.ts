/** The schedules as the ledger knows them: what lists and searches read. */
import type { DefinitionInput } from "../core/schedule.ts";

export const SCHEDULE_STATES = ["active", "paused", "completed", "deleted"] as const;
export type ScheduleState = (typeof SCHEDULE_STATES)[number];

export interface Entry {
  namespace: string;
  name: string;
  /** Which database keeps its occurrences. */
  shard: string;
  state: ScheduleState;
  revision: number;
  createdAt: number;
  updatedAt: number;
  description: string | null;
  tags: string[];
  managedBy: string | null;
  health: string;
  definition: DefinitionInput;
}

interface ScheduleRow {
  namespace: string;
  name: string;
  shard: string;
  state: ScheduleState;
  revision: number;
  created_at: number;
  updated_at: number;
  description: string | null;
  tags: string;
  managed_by: string | null;
  health: string;
  definition: string;
}

export interface DirectoryQuery {
  namespace: string;
  /** Only of these; null: all. */
  schedules: string[] | null;
  /** Null: all but the deleted. */
  state: ScheduleState | null;
  health: string | null;
  tag: string | null;
  managedBy: string | null;
  /** Part of a name, description or tag, in any case. */
  q: string | null;
  before: { createdAt: number; name: string } | null;
  limit: number;
}

export async function readSchedule(db: D1Database, namespace: string, name: string): Promise<Entry | null> {
  const row = await db
    .prepare(
      `SELECT namespace, name, shard, state, revision, created_at, updated_at, description, tags, managed_by, health, definition
         FROM schedules
        WHERE namespace = ?1 AND name = ?2`,
    )
    .bind(namespace, name)
    .first<ScheduleRow>();
  return row && entryOf(row);
}

/** Newest first. One more than asked for, so that the caller sees whether there are more. */
export async function listSchedules(db: D1Database, query: DirectoryQuery): Promise<Entry[]> {
  const { namespace, schedules, state, health, tag, managedBy, q, before, limit } = query;
  const { results } = await db
    .prepare(
      `SELECT namespace, name, shard, state, revision, created_at, updated_at, description, tags, managed_by, health, definition
         FROM schedules
        WHERE namespace = ?1
          AND (state = ?2 OR (?2 IS NULL AND state <> 'deleted'))
          AND (?3 IS NULL OR health = ?3)
          AND (?4 IS NULL OR EXISTS (SELECT 1 FROM json_each(tags) AS tag WHERE tag.value = ?4))
          AND (?5 IS NULL OR managed_by = ?5)
          AND (?6 IS NULL OR instr(lower(name || char(10) || coalesce(description, '') || char(10) || tags), lower(?6)) > 0)
          AND (?7 IS NULL OR (created_at, name) < (?7, ?8))
          AND (?10 IS NULL OR name IN (SELECT value FROM json_each(?10)))
        ORDER BY created_at DESC, name DESC
        LIMIT ?9`,
    )
    .bind(
      namespace,
      state,
      health,
      tag,
      managedBy,
      q,
      before?.createdAt ?? null,
      before?.name ?? null,
      limit + 1,
      schedules && JSON.stringify(schedules),
    )
    .all<ScheduleRow>();
  return results.map(entryOf);
}

/** How many a namespace has, the deleted left out; whoever asks for a bound need not count beyond it. */
export async function countSchedules(db: D1Database, namespace: string, upTo: number): Promise<number> {
  const row = await db
    .prepare(
      `SELECT count(*) AS count
         FROM (SELECT 1 FROM schedules WHERE namespace = ?1 AND state <> 'deleted' LIMIT ?2)`,
    )
    .bind(namespace, upTo)
    .first<{ count: number }>();
  return row?.count ?? 0;
}

/** Of these names, those that any schedule has or had. */
export async function knownNames(db: D1Database, namespace: string, names: string[]): Promise<Set<string>> {
  const { results } = await db
    .prepare("SELECT name FROM schedules WHERE namespace = ?1 AND name IN (SELECT value FROM json_each(?2))")
    .bind(namespace, JSON.stringify(names))
    .all<{ name: string }>();
  return new Set(results.map(({ name }) => name));
}

/** In the order of names, deleted ones included: whoever audits leaves none out. */
export async function schedulesAfter(
  db: D1Database,
  query: { namespace: string; schedules: string[] | null; after: string; limit: number },
): Promise<Entry[]> {
  const { namespace, schedules, after, limit } = query;
  const { results } = await db
    .prepare(
      `SELECT namespace, name, shard, state, revision, created_at, updated_at, description, tags, managed_by, health, definition
         FROM schedules
        WHERE namespace = ?1 AND name > ?2
          AND (?4 IS NULL OR name IN (SELECT value FROM json_each(?4)))
        ORDER BY name
        LIMIT ?3`,
    )
    .bind(namespace, after, limit, schedules && JSON.stringify(schedules))
    .all<ScheduleRow>();
  return results.map(entryOf);
}

/** Those that have a schedule, in order. Each costs one look into the primary key, however many schedules it has. */
export async function listNamespaces(db: D1Database, limit: number): Promise<string[]> {
  const { results } = await db
    .prepare(
      `WITH RECURSIVE found(namespace, n) AS (
         SELECT min(namespace), 1 FROM schedules
         UNION ALL
         SELECT (SELECT min(namespace) FROM schedules WHERE namespace > found.namespace), n + 1
           FROM found WHERE found.namespace IS NOT NULL AND n < ?1)
       SELECT namespace FROM found WHERE namespace IS NOT NULL`,
    )
    .bind(limit)
    .all<{ namespace: string }>();
  return results.map(({ namespace }) => namespace);
}

function entryOf(row: ScheduleRow): Entry {
  return {
    namespace: row.namespace,
    name: row.name,
    shard: row.shard,
    state: row.state,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    description: row.description,
    tags: JSON.parse(row.tags) as string[],
    managedBy: row.managed_by,
    health: row.health,
    definition: JSON.parse(row.definition) as DefinitionInput,
  };
}
