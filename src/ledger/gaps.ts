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

/** Of a whole namespace, newest first. */
export async function listGaps(
  db: D1Database,
  query: { namespace: string; from: number; before: Position; reason: string | null; limit: number },
): Promise<GapRow[]> {
  const { namespace, from, before, reason, limit } = query;
  const { results } = await db
    .prepare(
      `SELECT *
         FROM gaps
        WHERE schedule >= ?1 || '/' AND schedule < ?1 || '0'
          AND to_at <= ?2 AND (to_at, schedule, '') < (?2, ?3, ?4)
          AND to_at >= ?5
          AND (?6 IS NULL OR reason = ?6)
        ORDER BY to_at DESC, schedule DESC
        LIMIT ?7`,
    )
    .bind(namespace, before.slot, before.schedule, before.variant, from, reason, limit)
    .all<GapRow>();
  return results;
}
