/** The record of changes: which definition was in force when, and who changed it. */
import type { Action, Change } from "../core/eras.ts";
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

type ChangeBody = Partial<Omit<Change, "version" | "at" | "action" | "revision" | "who" | "note">>;

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

interface FullRow extends ChangeRow {
  version: number;
  who: string;
  note: string | null;
}

export interface ChangesQuery {
  schedule: string;
  /** Only those before this version. */
  before: number | null;
  limit: number;
}

/** All of one schedule, newest first. */
export async function listChanges(db: D1Database, query: ChangesQuery): Promise<Change[]> {
  const { results } = await db
    .prepare(
      `SELECT version, at, action, revision, who, note, body
         FROM changes
        WHERE schedule = ?1 AND (?2 IS NULL OR version < ?2)
        ORDER BY version DESC
        LIMIT ?3`,
    )
    .bind(query.schedule, query.before, query.limit)
    .all<FullRow>();
  return results.map(({ body, ...row }) => changeOf(row, JSON.parse(body) as ChangeBody));
}

/** The creates and edits alone: each made a revision. */
export async function listRevisions(db: D1Database, query: ChangesQuery): Promise<Change[]> {
  const { results } = await db
    .prepare(
      `SELECT version, at, action, revision, who, note, body
         FROM changes
        WHERE schedule = ?1 AND (?2 IS NULL OR version < ?2) AND action IN ('create', 'edit')
        ORDER BY version DESC
        LIMIT ?3`,
    )
    .bind(query.schedule, query.before, query.limit)
    .all<FullRow>();
  return results.map(({ body, ...row }) => changeOf(row, JSON.parse(body) as ChangeBody));
}

/** What a revision said, for whoever runs it again. */
export async function readRevision(
  db: D1Database,
  schedule: string,
  revision: number,
): Promise<DefinitionInput | null> {
  const row = await db
    .prepare(
      `SELECT body FROM changes
        WHERE schedule = ?1 AND revision = ?2 AND action IN ('create', 'edit')
        ORDER BY version DESC LIMIT 1`,
    )
    .bind(schedule, revision)
    .first<{ body: string }>();
  return (row && (JSON.parse(row.body) as ChangeBody).definition) ?? null;
}

/** A row with what its body leaves out. */
export function changeOf(
  { version, at, action, revision, who, note }: Omit<FullRow, "body">,
  body: ChangeBody,
): Change {
  const { definition = null, cursor = at, paused = false, until = null, catchUp = null, dueAt = null } = body;
  return {
    version,
    at,
    action: action as Action,
    revision,
    who,
    note,
    definition,
    cursor,
    paused,
    until,
    catchUp,
    dueAt,
  };
}
