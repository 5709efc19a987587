/** The sweep's place in the order of keys, and when it last passed. */
import type { Json } from "../core/schedule.ts";
import { IS_WATCHED } from "./watched.ts";

export interface SweepPass {
  /** Key of the schedule after which the next pass goes on. */
  position: string;
  passedAt: number;
  summary: Json;
}

export async function lastSweep(db: D1Database): Promise<SweepPass | null> {
  const row = await db
    .prepare("SELECT position, passed_at, summary FROM sweep_state WHERE id = 1")
    .first<{ position: string; passed_at: number; summary: string }>();
  return row && { position: row.position, passedAt: row.passed_at, summary: JSON.parse(row.summary) as Json };
}

/**
 * The pass is ours where no other has passed since `before` was read: of two at once, one goes on. It is also the
 * proof that the ledger takes writes, before any object is made to offer it some.
 */
export async function claimPass(db: D1Database, before: SweepPass | null, pass: SweepPass): Promise<boolean> {
  const { meta } = await db
    .prepare(
      `INSERT INTO sweep_state (id, position, passed_at, summary) VALUES (1, ?1, ?2, ?3)
       ON CONFLICT (id) DO UPDATE SET position = excluded.position, passed_at = excluded.passed_at,
         summary = excluded.summary
       WHERE sweep_state.position = ?4 AND sweep_state.passed_at = ?5`,
    )
    .bind(
      pass.position,
      pass.passedAt,
      JSON.stringify(pass.summary),
      before?.position ?? null,
      before?.passedAt ?? null,
    )
    .run();
  return meta.changes > 0;
}

/** Is there anything to look after that is older than `since`? */
export async function hasActiveSince(db: D1Database, since: number): Promise<boolean> {
  const row = await db
    .prepare(`SELECT 1 FROM schedules WHERE ${IS_WATCHED} AND created_at < ?1 LIMIT 1`)
    .bind(since)
    .first();
  return row !== null;
}
