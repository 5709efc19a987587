/**
 * The audit trail: who changed which schedule of a namespace, or its tokens, newest first. A filter looks at a bounded
 * stretch, as lists of occurrences do: a page may hold fewer than asked for, and still says where to go on.
 */
import type { Action } from "../core/eras.ts";
import { merge, type Placed, type Position, type Stretch } from "./page.ts";
import { scheduleKey, splitKey } from "./row.ts";
import type { Token, TokensQuery } from "./tokens.ts";

export const TRAIL_ACTIONS = ["create", "edit", "pause", "resume", "complete", "delete", "revoke"] as const;
export type TrailAction = (typeof TRAIL_ACTIONS)[number];

export type TrailItem =
  | {
      kind: "schedule";
      at: number;
      action: Action;
      who: string;
      schedule: string;
      revision: number;
      note: string | null;
    }
  | { kind: "token"; at: number; action: "create" | "revoke"; who: string; token: TrailToken };
export type TrailToken = Pick<
  Token,
  "id" | "name" | "scopes" | "namespaces" | "queues" | "schedules" | "expiresAt"
>;

export interface TrailQuery {
  namespace: string;
  /** Only of these; null: all. */
  schedules: string[] | null;
  who: string | null;
  action: TrailAction | null;
  /** Of one schedule alone. */
  schedule: string | null;
  /** Tokens that stay within these bounds as well; null: none. */
  tokens: Pick<TokensQuery, "namespaces" | "queues" | "schedules"> | null;
  /** By instant, then `<namespace>/<name>` or `~<token>`, then version or action. */
  before: Position;
  limit: number;
}

const SCAN_MAX = 500;

export async function readTrail(db: D1Database, query: TrailQuery): Promise<Stretch<TrailItem>> {
  const { tokens, schedule } = query;
  const stretches = [
    readChanges(db, query),
    ...(tokens && schedule === null ? [readTokenChanges(db, query, tokens)] : []),
  ];
  return merge(await Promise.all(stretches), query.limit);
}

interface ChangeRow {
  schedule: string;
  version: number;
  at: number;
  action: Action;
  revision: number;
  who: string;
  note: string | null;
}

const NAMESPACE = "substr(schedule, 1, instr(schedule, '/') - 1)"; // as the index `changes_by_time` spells it

async function readChanges(db: D1Database, query: TrailQuery): Promise<Stretch<TrailItem>> {
  const { namespace, schedules, who, action, schedule, before, limit } = query;
  // Of one schedule by its primary key: its changes are few, and lie side by side.
  const stretch =
    schedule === null
      ? `${NAMESPACE} = ?1 AND at <= ?2 AND (at, schedule, version) < (?2, ?3, ?4)
         ORDER BY at DESC, schedule DESC, version DESC`
      : "schedule = ?1 AND ?3 = ?3 AND at <= ?2 AND version < ?4 ORDER BY version DESC";
  const key = schedule === null ? namespace : scheduleKey(namespace, schedule);
  const version = schedule === null ? Number(before.variant) || 0 : Number(before.variant) || before.slot + 1;
  const place = [key, before.slot, before.schedule, version] as const;
  const { results } = await db
    .prepare(
      `SELECT *
         FROM (SELECT schedule, version, at, action, revision, who, note
                 FROM changes
                WHERE ${stretch}
                LIMIT ${SCAN_MAX})
        WHERE (?5 IS NULL OR who = ?5)
          AND (?6 IS NULL OR action = ?6)
          AND (?7 IS NULL OR substr(schedule, instr(schedule, '/') + 1) IN (SELECT value FROM json_each(?7)))
        LIMIT ?8`,
    )
    .bind(...place, who, action, schedules && JSON.stringify(schedules), limit)
    .all<ChangeRow>();
  const items = results.map(placeChange);
  if (results.length === limit) return { items, end: items.at(-1)!.at };
  const end = await db
    .prepare(`SELECT at, schedule, version FROM changes WHERE ${stretch} LIMIT 1 OFFSET ${SCAN_MAX - 1}`)
    .bind(...place)
    .first<Pick<ChangeRow, "at" | "schedule" | "version">>();
  return { items, end: end && placeOf(end) };
}

function placeOf({ at, schedule, version }: Pick<ChangeRow, "at" | "schedule" | "version">): Position {
  return { slot: at, schedule, variant: String(version) };
}

function placeChange(row: ChangeRow): Placed<TrailItem> {
  const { at, action, who, revision, note } = row;
  const { name: schedule } = splitKey(row.schedule);
  return { at: placeOf(row), item: { kind: "schedule", at, action, who, schedule, revision, note } };
}

interface TokenChangeRow {
  at: number;
  token: string;
  action: "create" | "revoke";
  who: string;
  name: string;
  namespaces: string;
  body: string;
}

async function readTokenChanges(
  db: D1Database,
  { namespace, who, action, before, limit }: TrailQuery,
  { namespaces, queues, schedules }: NonNullable<TrailQuery["tokens"]>,
): Promise<Stretch<TrailItem>> {
  const place = [before.slot, before.schedule, before.variant] as const;
  const stretch = `at <= ?1 AND (at, '~' || token, action) < (?1, ?2, ?3) ORDER BY at DESC, token DESC, action DESC`;
  const { results } = await db
    .prepare(
      `SELECT *
         FROM (SELECT * FROM token_changes WHERE ${stretch} LIMIT ${SCAN_MAX})
        WHERE EXISTS (SELECT 1 FROM json_each(namespaces) WHERE value IN (?4, '*'))
          AND ${isWithin("namespaces", 5)} AND ${isWithin("body->'queues'", 6)} AND ${isWithin("body->'schedules'", 7)}
          AND (?8 IS NULL OR who = ?8)
          AND (?9 IS NULL OR action = ?9)
        LIMIT ?10`,
    )
    .bind(
      ...place,
      namespace,
      listOrNull(namespaces),
      listOrNull(queues),
      listOrNull(schedules),
      who,
      action,
      limit,
    )
    .all<TokenChangeRow>();
  const items = results.map(placeTokenChange);
  if (results.length === limit) return { items, end: items.at(-1)!.at };
  const end = await db
    .prepare(`SELECT at, token, action FROM token_changes WHERE ${stretch} LIMIT 1 OFFSET ${SCAN_MAX - 1}`)
    .bind(...place)
    .first<Pick<TokenChangeRow, "at" | "token" | "action">>();
  return { items, end: end && { slot: end.at, schedule: `~${end.token}`, variant: end.action } };
}

/** A list in a column, null for all, against the reader's own. */
function isWithin(column: string, own: number): string {
  return `(?${own} IS NULL OR (json_type(${column}) = 'array' AND NOT EXISTS
    (SELECT 1 FROM json_each(${column}) AS asked WHERE asked.value NOT IN (SELECT value FROM json_each(?${own})))))`;
}

function placeTokenChange(row: TokenChangeRow): Placed<TrailItem> {
  const { at, token: id, action, who, name } = row;
  const body = JSON.parse(row.body) as Omit<TrailToken, "id" | "name" | "namespaces">;
  const token = { id, name, namespaces: JSON.parse(row.namespaces) as string[], ...body };
  return {
    at: { slot: at, schedule: `~${id}`, variant: action },
    item: { kind: "token", at, action, who, token },
  };
}

function listOrNull(list: string[] | null): string | null {
  return list && JSON.stringify(list);
}
