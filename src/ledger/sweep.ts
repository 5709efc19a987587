/** The sweep's place in the order of keys, what it looks at, and whether the ledger knows of a slot. */
import type { DefinitionInput, Json } from "../core/schedule.ts";
import type { ScheduleStateBody } from "../schedule/state.ts";

export interface SweepPass {
  passedAt: number;
  summary: Json;
}

export async function lastSweep(db: D1Database): Promise<SweepPass | null> {
  const row = await db
    .prepare("SELECT passed_at, summary FROM sweep_state WHERE id = 1")
    .first<{ passed_at: number; summary: string }>();
  return row && { passedAt: row.passed_at, summary: JSON.parse(row.summary) as Json };
}

export async function sweepPosition(db: D1Database): Promise<string> {
  const row = await db.prepare("SELECT position FROM sweep_state WHERE id = 1").first<{ position: string }>();
  return row?.position ?? "";
}

export async function saveSweep(
  db: D1Database,
  position: string,
  passedAt: number,
  summary: Json,
): Promise<void> {
  await db
    .prepare(
      `INSERT INTO sweep_state (id, position, passed_at, summary) VALUES (1, ?1, ?2, ?3)
       ON CONFLICT (id) DO UPDATE SET position = excluded.position, passed_at = excluded.passed_at,
         summary = excluded.summary`,
    )
    .bind(position, passedAt, JSON.stringify(summary))
    .run();
}

export interface Watched {
  namespace: string;
  name: string;
  shard: string;
  cursor: number;
  definition: DefinitionInput;
  stateBody: ScheduleStateBody;
}

/** The next active schedules after a position, in key order. */
export async function activeAfter(db: D1Database, position: string, limit: number): Promise<Watched[]> {
  const slash = position.indexOf("/");
  const { results } = await db
    .prepare(
      `SELECT namespace, name, shard, cursor, definition, state_body FROM schedules
        WHERE (namespace, name) > (?1, ?2) AND state = 'active'
        ORDER BY namespace, name LIMIT ?3`,
    )
    .bind(position.slice(0, Math.max(slash, 0)), position.slice(slash + 1), limit)
    .all<Omit<Watched, "definition" | "stateBody"> & { definition: string; state_body: string }>();
  return results.map(({ definition, state_body, ...row }) => ({
    ...row,
    definition: JSON.parse(definition) as DefinitionInput,
    stateBody: JSON.parse(state_body) as ScheduleStateBody,
  }));
}

export interface DueSlot {
  schedule: string;
  slot: number;
}

/** Of slots that should be on record, those that are neither an occurrence nor inside a gap row. */
export async function unexplained(db: D1Database, due: DueSlot[]): Promise<Set<string>> {
  const { results } = await db
    .prepare(
      `SELECT due.value->>'schedule' AS schedule FROM json_each(?1) AS due
        WHERE NOT EXISTS (SELECT 1 FROM occurrences AS o
                WHERE o.slot = due.value->>'slot' AND o.schedule = due.value->>'schedule' AND o.variant = '')
          AND NOT EXISTS (SELECT 1 FROM gaps AS g
                WHERE g.schedule = due.value->>'schedule' AND g.from_at <= due.value->>'slot'
                  AND g.to_at >= due.value->>'slot')`,
    )
    .bind(JSON.stringify(due))
    .all<{ schedule: string }>();
  return new Set(results.map((row) => row.schedule));
}
