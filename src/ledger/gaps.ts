/** Gap rows: consecutive slots not run for the same reason. Those of one schedule never overlap. */
import type { Position } from "./page.ts";
import type { GapRow } from "./row.ts";

/** Of one schedule, newest first, down from the one that begins at or before `upTo`. */
export async function gapsOf(
  db: D1Database,
  { schedule, upTo, limit }: { schedule: string; upTo: number; limit: number },
): Promise<GapRow[]> {
  const { results } = await db
    .prepare(
      `SELECT *
         FROM gaps
        WHERE schedule = ?1 AND from_at <= ?2
        ORDER BY from_at DESC
        LIMIT ?3`,
    )
    .bind(schedule, upTo, limit)
    .all<GapRow>();
  return results;
}

/** The one that begins last at or before an instant; it may end before. */
export async function gapBefore(db: D1Database, schedule: string, at: number): Promise<GapRow | null> {
  return db
    .prepare("SELECT * FROM gaps WHERE schedule = ?1 AND from_at <= ?2 ORDER BY from_at DESC LIMIT 1")
    .bind(schedule, at)
    .first<GapRow>();
}

/** Of one schedule, oldest first: those that begin up to `upTo`, from the last that begins at or before `from` on. */
export async function gapsBetween(
  db: D1Database,
  { schedule, from, upTo, limit }: { schedule: string; from: number; upTo: number; limit: number },
): Promise<GapRow[]> {
  const { results } = await db
    .prepare(
      `SELECT *
         FROM gaps
        WHERE schedule = ?1 AND from_at <= ?3
          AND from_at >= coalesce(
                (SELECT from_at FROM gaps WHERE schedule = ?1 AND from_at <= ?2 ORDER BY from_at DESC LIMIT 1), ?2)
        ORDER BY from_at
        LIMIT ?4`,
    )
    .bind(schedule, from, upTo, limit)
    .all<GapRow>();
  return results;
}

/** How many gap rows one page looks at: those of other namespaces and reasons lie between them. */
const SCAN_MAX = 200;

/** Of a whole namespace, newest first, and how far down they are complete (null: to the end). */
export async function listGaps(
  db: D1Database,
  query: {
    namespace: string;
    schedules: string[] | null;
    from: number;
    before: Position;
    reason: string | null;
    limit: number;
  },
): Promise<{ rows: GapRow[]; end: Position | null }> {
  const { namespace, schedules, from, before, reason, limit } = query;
  const { results: rows } = await db
    .prepare(
      `SELECT *
         FROM (SELECT *
                 FROM gaps
                WHERE to_at <= ?2 AND (to_at, schedule, '') < (?2, ?3, ?4) AND to_at >= ?5
                ORDER BY to_at DESC, schedule DESC
                LIMIT ${SCAN_MAX})
        WHERE schedule >= ?1 || '/' AND schedule < ?1 || '0'
          AND (?6 IS NULL OR reason = ?6)
          AND (?8 IS NULL OR schedule IN (SELECT ?1 || '/' || value FROM json_each(?8)))
        LIMIT ?7`,
    )
    .bind(
      namespace,
      before.slot,
      before.schedule,
      before.variant,
      from,
      reason,
      limit,
      schedules && JSON.stringify(schedules),
    )
    .all<GapRow>();
  const last = rows.at(-1);
  if (rows.length === limit && last) {
    return { rows, end: { slot: last.to_at, schedule: last.schedule, variant: "" } };
  }
  return { rows, end: await endOfScan(db, query) };
}

async function endOfScan(
  db: D1Database,
  { from, before }: { from: number; before: Position },
): Promise<Position | null> {
  return db
    .prepare(
      `SELECT to_at AS slot, schedule, '' AS variant
         FROM gaps
        WHERE to_at <= ?1 AND (to_at, schedule, '') < (?1, ?2, ?3) AND to_at >= ?4
        ORDER BY to_at DESC, schedule DESC
        LIMIT 1 OFFSET ${SCAN_MAX - 1}`,
    )
    .bind(before.slot, before.schedule, before.variant, from)
    .first<Position>();
}
