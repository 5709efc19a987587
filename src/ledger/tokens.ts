/** API tokens: what each may do. Of its secret only the hash is here. */

export const SCOPES = ["read", "write", "trigger", "work", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

export interface Token {
  id: string;
  name: string;
  /** SHA-256 of the secret, in hex. */
  hash: string;
  scopes: Scope[];
  /** `["*"]`: all. */
  namespaces: string[];
  /** Null: all. */
  queues: string[] | null;
  schedules: string[] | null;
  createdAt: number;
  createdBy: string;
  /** From here on it opens nothing. */
  expiresAt: number | null;
  lastUsedAt: number | null;
}

export interface TokensQuery {
  /** Only tokens that stay within these namespaces; null: all. */
  namespaces: string[] | null;
  queues: string[] | null;
  schedules: string[] | null;
  before: { createdAt: number; id: string } | null;
  limit: number;
}

/** Read afresh for each request: what was revoked is refused from the next one on. */
export interface Tokens {
  find(id: string): Promise<Token | null>;
  /** Newest first; one more than asked for, if there is one. */
  list(query: TokensQuery): Promise<Token[]>;
  create(token: Token): Promise<void>;
  /** False: somebody else was faster. */
  revoke(token: Token, who: string, at: number): Promise<boolean>;
  /** Notes that it was used, unless that was noted since `notSince`. */
  touch(id: string, at: number, notSince: number): Promise<void>;
}

export function openTokens(db: D1Database): Tokens {
  return {
    find: (id) => readToken(db, id),
    list: (query) => listTokens(db, query),
    create: (token) => createToken(db, token),
    revoke: (token, who, at) => revokeToken(db, token, who, at),
    touch: (id, at, notSince) => touchToken(db, id, at, notSince),
  };
}

interface TokenRow {
  id: string;
  name: string;
  hash: string;
  scopes: string;
  namespaces: string;
  queues: string | null;
  schedules: string | null;
  created_at: number;
  created_by: string;
  expires_at: number | null;
  last_used_at: number | null;
}

async function readToken(db: D1Database, id: string): Promise<Token | null> {
  const row = await db.prepare("SELECT * FROM tokens WHERE id = ?1").bind(id).first<TokenRow>();
  return row && tokenOf(row);
}

/** A bound that the reader has, the token must have too, and no wider. */
async function listTokens(db: D1Database, query: TokensQuery): Promise<Token[]> {
  const { namespaces, queues, schedules, before, limit } = query;
  const { results } = await db
    .prepare(
      `SELECT *
         FROM tokens
        WHERE (?1 IS NULL OR NOT EXISTS (SELECT 1 FROM json_each(namespaces) AS own
                                          WHERE own.value NOT IN (SELECT value FROM json_each(?1))))
          AND (?2 IS NULL OR (queues IS NOT NULL AND NOT EXISTS
                (SELECT 1 FROM json_each(queues) AS own WHERE own.value NOT IN (SELECT value FROM json_each(?2)))))
          AND (?3 IS NULL OR (schedules IS NOT NULL AND NOT EXISTS
                (SELECT 1 FROM json_each(schedules) AS own WHERE own.value NOT IN (SELECT value FROM json_each(?3)))))
          AND (?4 IS NULL OR (created_at, id) < (?4, ?5))
        ORDER BY created_at DESC, id DESC
        LIMIT ?6`,
    )
    .bind(
      listOrNull(namespaces),
      listOrNull(queues),
      listOrNull(schedules),
      before?.createdAt ?? null,
      before?.id ?? null,
      limit + 1,
    )
    .all<TokenRow>();
  return results.map(tokenOf);
}

async function createToken(db: D1Database, token: Token): Promise<void> {
  await db.batch([
    db
      .prepare(
        `INSERT INTO tokens (id, name, hash, scopes, namespaces, queues, schedules, created_at, created_by, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`,
      )
      .bind(
        token.id,
        token.name,
        token.hash,
        JSON.stringify(token.scopes),
        JSON.stringify(token.namespaces),
        listOrNull(token.queues),
        listOrNull(token.schedules),
        token.createdAt,
        token.createdBy,
        token.expiresAt,
      ),
    noteStatement(db, token, { action: "create", who: token.createdBy, at: token.createdAt }),
  ]);
}

async function revokeToken(db: D1Database, token: Token, who: string, at: number): Promise<boolean> {
  const [, deleted] = await db.batch([
    noteStatement(db, token, { action: "revoke", who, at }),
    db.prepare("DELETE FROM tokens WHERE id = ?1").bind(token.id),
  ]);
  return (deleted?.meta.changes ?? 0) > 0;
}

/** Nothing is noted of a token that is gone: of two who revoke it at once, one did. */
function noteStatement(
  db: D1Database,
  token: Token,
  { action, who, at }: { action: "create" | "revoke"; who: string; at: number },
): D1PreparedStatement {
  const { id, name, scopes, namespaces, queues, schedules, expiresAt } = token;
  return db
    .prepare(
      `INSERT INTO token_changes (at, token, action, who, name, namespaces, body)
       SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE EXISTS (SELECT 1 FROM tokens WHERE id = ?2)`,
    )
    .bind(
      at,
      id,
      action,
      who,
      name,
      JSON.stringify(namespaces),
      JSON.stringify({ scopes, queues, schedules, expiresAt }),
    );
}

async function touchToken(db: D1Database, id: string, at: number, notSince: number): Promise<void> {
  await db
    .prepare(
      "UPDATE tokens SET last_used_at = ?2 WHERE id = ?1 AND (last_used_at IS NULL OR last_used_at < ?3)",
    )
    .bind(id, at, notSince)
    .run();
}

function tokenOf(row: TokenRow): Token {
  return {
    id: row.id,
    name: row.name,
    hash: row.hash,
    scopes: JSON.parse(row.scopes) as Scope[],
    namespaces: JSON.parse(row.namespaces) as string[],
    queues: JSON.parse(row.queues ?? "null") as string[] | null,
    schedules: JSON.parse(row.schedules ?? "null") as string[] | null,
    createdAt: row.created_at,
    createdBy: row.created_by,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  };
}

function listOrNull(list: string[] | null): string | null {
  return list && JSON.stringify(list);
}
