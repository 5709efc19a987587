/** Old rows out, from the old end, a bounded stretch at a time. What has gone is on record in `pruned`. */

/** Where the walk through a database's occurrences, and the one through the directory, go on. */
export interface PrunePosition {
  slot: number;
  schedule: string;
  variant: string;
  /** Key of the last schedule looked at. */
  position: string;
}

export const FROM_THE_START: PrunePosition = { slot: 0, schedule: "", variant: "", position: "" };

export async function prunePosition(db: D1Database): Promise<PrunePosition> {
  const row = await db
    .prepare("SELECT slot, schedule, variant, position FROM prune_state WHERE id = 1")
    .first<PrunePosition>();
  return row ?? FROM_THE_START;
}

export async function savePrunePosition(db: D1Database, at: PrunePosition): Promise<void> {
  await db
    .prepare(
      `INSERT INTO prune_state (id, slot, schedule, variant, position) VALUES (1, ?1, ?2, ?3, ?4)
       ON CONFLICT (id) DO UPDATE SET slot = excluded.slot, schedule = excluded.schedule,
         variant = excluded.variant, position = excluded.position`,
    )
    .bind(at.slot, at.schedule, at.variant, at.position)
    .run();
}

export interface OldRow {
  slot: number;
  schedule: string;
  variant: string;
}

/** The next rows after a place, in the order of time, that are older than `before`. */
export async function oldRows(
  db: D1Database,
  after: OldRow,
  before: number,
  limit: number,
): Promise<OldRow[]> {
  const { results } = await db
    .prepare(
      `SELECT slot, schedule, variant
         FROM occurrences
        WHERE slot >= ?1 AND slot < ?4 AND (slot, schedule, variant) > (?1, ?2, ?3)
        ORDER BY slot, schedule, variant
        LIMIT ?5`,
    )
    .bind(after.slot, after.schedule, after.variant, before, limit)
    .all<OldRow>();
  return results;
}

/** What has not ended stays, however old its slot: its object still speaks of it, and pollers look for it. */
const ENDED = `(state IN ('succeeded', 'failed', 'expired', 'cancelled', 'skipped')
                OR (state = 'dispatched' AND body->>'tracked' = 0))`;

/** A backfill runs old slots today: what counts is when it was over. */
const OVER_AT = "coalesce(finished_at, dispatched_at, slot)";

/** Deletes these by key, and first says of each schedule from where on its rows are still complete. */
export async function deleteRows(
  db: D1Database,
  rows: OldRow[],
  before: ReadonlyMap<string, number>,
): Promise<number> {
  if (rows.length === 0) return 0;
  const [, deleted] = await db.batch([
    noteStatement(db, before),
    db
      .prepare(
        `DELETE FROM occurrences
          WHERE (slot, schedule, variant) IN
                (SELECT value->>'slot', value->>'schedule', value->>'variant' FROM json_each(?1))
            AND ${ENDED}
            AND ${OVER_AT} < (SELECT value->>1 FROM json_each(?2) WHERE value->>0 = schedule)`,
      )
      .bind(JSON.stringify(rows), JSON.stringify([...before])),
  ]);
  return deleted?.meta.changes ?? 0;
}

/** One row a schedule, and none where it stands as far already. */
function noteStatement(db: D1Database, before: ReadonlyMap<string, number>): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO pruned (schedule, before)
       SELECT value->>0, value->>1 FROM json_each(?1) WHERE true
       ON CONFLICT (schedule) DO UPDATE SET before = excluded.before WHERE excluded.before > pruned.before`,
    )
    .bind(JSON.stringify([...before]));
}

/** Rows of this schedule before that instant may be gone; null: all that ever were are there. */
export async function prunedBefore(db: D1Database, schedule: string): Promise<number | null> {
  const row = await db
    .prepare("SELECT before FROM pruned WHERE schedule = ?1")
    .bind(schedule)
    .first<{ before: number }>();
  return row?.before ?? null;
}

const GAPS_A_STATEMENT = 10_000;

/** Gap rows that end before their schedule's bound. */
export async function deleteGaps(db: D1Database, before: ReadonlyMap<string, number>): Promise<number> {
  const { results } = await db
    .prepare(
      `SELECT g.schedule, g.from_at
         FROM json_each(?1) AS bound CROSS JOIN gaps AS g
        WHERE g.schedule = bound.value->>0 AND g.from_at < bound.value->>1 AND g.to_at < bound.value->>1
        LIMIT ${GAPS_A_STATEMENT}`,
    )
    .bind(JSON.stringify([...before]))
    .all<{ schedule: string; from_at: number }>();
  if (results.length === 0) return 0;
  const touched = new Set(results.map(({ schedule }) => schedule));
  const noted = new Map([...before].filter(([schedule]) => touched.has(schedule)));
  const [, deleted] = await db.batch([
    noteStatement(db, noted),
    db
      .prepare(
        `DELETE FROM gaps
          WHERE (schedule, from_at) IN (SELECT value->>'schedule', value->>'from_at' FROM json_each(?1))`,
      )
      .bind(JSON.stringify(results)),
  ]);
  return deleted?.meta.changes ?? 0;
}

/**
 * Changes older than the bound go, but for those that still say what was in force at it: the last definition
 * before it, the last pause or resume, and all that came after the older of these two.
 */
export async function deleteChanges(db: D1Database, before: ReadonlyMap<string, number>): Promise<number> {
  const { meta } = await db
    .prepare(
      `DELETE FROM changes
        WHERE (schedule, version) IN (
          SELECT c.schedule, c.version
            FROM json_each(?1) AS bound CROSS JOIN changes AS c
           WHERE c.schedule = bound.value->>0 AND c.at < bound.value->>1
             AND c.version < (SELECT version FROM changes
                               WHERE schedule = bound.value->>0 AND at < bound.value->>1
                                 AND action IN ('create', 'edit', 'delete')
                               ORDER BY version DESC LIMIT 1)
             AND c.version < coalesce((SELECT version FROM changes
                               WHERE schedule = bound.value->>0 AND at < bound.value->>1
                                 AND action IN ('pause', 'resume')
                               ORDER BY version DESC LIMIT 1), c.version + 1))`,
    )
    .bind(JSON.stringify([...before]))
    .run();
  return meta.changes;
}

export interface Retained {
  namespace: string;
  name: string;
  shard: string;
  retentionMs: number | null;
}

const RETAINED = "namespace, name, shard, definition->>'retentionMs' AS retentionMs";

/** These schedules; null where the definition names no retention of its own. */
export async function retentionsOf(db: D1Database, schedules: string[]): Promise<Retained[]> {
  const { results } = await db
    .prepare(
      `SELECT ${RETAINED}
         FROM json_each(?1) AS wanted CROSS JOIN schedules AS s
        WHERE s.namespace = substr(wanted.value, 1, instr(wanted.value, '/') - 1)
          AND s.name = substr(wanted.value, instr(wanted.value, '/') + 1)`,
    )
    .bind(JSON.stringify(schedules))
    .all<Retained>();
  return results;
}

/** The next schedules of any state, in key order. */
export async function retentionsAfter(db: D1Database, position: string, limit: number): Promise<Retained[]> {
  const slash = position.indexOf("/");
  const { results } = await db
    .prepare(
      `SELECT ${RETAINED}
         FROM schedules
        WHERE (namespace, name) > (?1, ?2)
        ORDER BY namespace, name
        LIMIT ?3`,
    )
    .bind(position.slice(0, Math.max(slash, 0)), position.slice(slash + 1), limit)
    .all<Retained>();
  return results;
}

/** Alerts that were resolved long ago. */
export async function deleteAlerts(db: D1Database, before: number, limit: number): Promise<number> {
  const { meta } = await db
    .prepare(
      `DELETE FROM alerts
        WHERE (raised_at, schedule, kind) IN
              (SELECT raised_at, schedule, kind FROM alerts
                WHERE raised_at < ?1 AND resolved_at < ?1 ORDER BY raised_at LIMIT ?2)`,
    )
    .bind(before, limit)
    .run();
  return meta.changes;
}
