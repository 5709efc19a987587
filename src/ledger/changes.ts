/** The record of changes: which definition was in force when. */
import type { DefinitionInput } from "../core/schedule.ts";

/** From `at` (exclusive) on; null: the schedule was deleted. */
export interface DefinitionChange {
  at: number;
  revision: number;
  /** Every slot up to here was accounted for when the definition came into force. */
  cursor: number;
  definition: DefinitionInput | null;
}

interface ChangeRow {
  at: number;
  action: string;
  revision: number;
  body: string;
}

/** Of a create or an edit. */
interface ChangeBody {
  definition?: DefinitionInput;
  cursor?: number;
}

/** Newest first, of those that were in force at `upTo` or before. */
export async function definitionChanges(
  db: D1Database,
  { schedule, upTo, limit }: { schedule: string; upTo: number; limit: number },
): Promise<DefinitionChange[]> {
  const { results } = await db
    .prepare(
      `SELECT at, action, revision, body
         FROM changes
        WHERE schedule = ?1 AND at <= ?2 AND action IN ('create', 'edit', 'delete')
        ORDER BY version DESC
        LIMIT ?3`,
    )
    .bind(schedule, upTo, limit)
    .all<ChangeRow>();
  return results.map(({ at, action, revision, body }) => {
    const { definition = null, cursor = at } = JSON.parse(body) as ChangeBody;
    return { at, revision, cursor, definition: action === "delete" ? null : definition };
  });
}
