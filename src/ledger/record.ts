/**
 * The write side of the ledger. Every statement is an upsert of many rows from one bound JSON array, and every
 * upsert carries the guard `excluded.version > version`: the same again writes nothing, an older one neither.
 */
import type { PendingRow } from "../schedule/state.ts";

type Table = PendingRow["table"];

const OCCURRENCES = `
INSERT INTO occurrences (slot, schedule, variant, version, kind, revision, state, reason, effective_at, claimed_at,
  dispatched_at, started_at, finished_at, attempt, token, queue, attention, computed, due_at, body)
SELECT value->>'slot', value->>'schedule', value->>'variant', value->>'version', value->>'kind', value->>'revision',
  value->>'state', value->>'reason', value->>'effective_at', value->>'claimed_at', value->>'dispatched_at',
  value->>'started_at', value->>'finished_at', value->>'attempt', value->>'token', value->>'queue',
  value->>'attention', value->>'computed', value->>'due_at', value->'body'
FROM json_each(?1) WHERE true
ON CONFLICT (slot, schedule, variant) DO UPDATE SET version = excluded.version, kind = excluded.kind,
  state = excluded.state, reason = excluded.reason, effective_at = excluded.effective_at,
  claimed_at = excluded.claimed_at, dispatched_at = excluded.dispatched_at, started_at = excluded.started_at,
  finished_at = excluded.finished_at, attempt = excluded.attempt, token = excluded.token, queue = excluded.queue,
  attention = excluded.attention, due_at = excluded.due_at, body = excluded.body
WHERE excluded.version > occurrences.version`;

const GAPS = `
INSERT INTO gaps (schedule, from_at, to_at, count, reason, revision, version)
SELECT value->>'schedule', value->>'from_at', value->>'to_at', value->>'count', value->>'reason', value->>'revision',
  value->>'version'
FROM json_each(?1) WHERE true
ON CONFLICT (schedule, from_at) DO UPDATE SET to_at = excluded.to_at, count = excluded.count,
  reason = excluded.reason, version = excluded.version
WHERE excluded.version > gaps.version`;

const CHANGES = `
INSERT INTO changes (schedule, version, at, action, revision, who, note, body)
SELECT value->>'schedule', value->>'version', value->>'at', value->>'action', value->>'revision', value->>'who',
  value->>'note', value->'body'
FROM json_each(?1) WHERE true
ON CONFLICT (schedule, version) DO NOTHING`;

/** An object of 0.2.0 does not say `unfinished`: for a moment it may hand over to a Courier that is newer. */
const SCHEDULES = `
INSERT INTO schedules (namespace, name, version, shard, state, revision, cursor, created_at, updated_at, description,
  tags, managed_by, health, unfinished, definition, state_body)
SELECT value->>'namespace', value->>'name', value->>'version', value->>'shard', value->>'state', value->>'revision',
  value->>'cursor', value->>'created_at', value->>'updated_at', value->>'description', value->'tags',
  value->>'managed_by', value->>'health', coalesce(value->>'unfinished', 0), value->'definition', value->'state_body'
FROM json_each(?1) WHERE true
ON CONFLICT (namespace, name) DO UPDATE SET version = excluded.version, state = excluded.state,
  revision = excluded.revision, cursor = excluded.cursor, created_at = excluded.created_at,
  updated_at = excluded.updated_at, description = excluded.description, tags = excluded.tags,
  managed_by = excluded.managed_by, health = excluded.health, unfinished = excluded.unfinished,
  definition = excluded.definition, state_body = excluded.state_body
WHERE excluded.version > schedules.version`;

const UPSERTS: Record<Table, string> = {
  occurrences: OCCURRENCES,
  gaps: GAPS,
  changes: CHANGES,
  schedules: SCHEDULES,
};

/** Records all of them, in one transaction: one statement a table. */
export async function recordRows(database: D1Database, rows: PendingRow[]): Promise<void> {
  const tables = [...new Set(rows.map((row) => row.table))];
  const statements = tables.map((table) => {
    const own = rows.filter((row) => row.table === table).map((row) => row.row);
    return database.prepare(UPSERTS[table]).bind(JSON.stringify(own));
  });
  if (statements.length > 0) await database.batch(statements);
}
