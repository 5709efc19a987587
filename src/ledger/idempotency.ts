/** What was answered to requests that may come twice. Keys, fingerprints and answers mean nothing to whoever reads the rows. */

export interface Reservation {
  key: string;
  /** Of the request's body: the same key is for the same request. */
  fingerprint: string;
  at: number;
}

export interface Answered {
  fingerprint: string;
  /** Null: in progress. */
  status: number | null;
  answer: string | null;
}

export interface Idempotency {
  /**
   * Null: the request is ours to carry out. Taken over is what has outlived `forgottenBefore`, and what was reserved
   * before `lapsedBefore` and never answered: whoever had it died on the way.
   */
  reserve(
    of: Reservation,
    bounds: { lapsedBefore: number; forgottenBefore: number },
  ): Promise<Answered | null>;
  settle(of: Reservation, status: number, answer: string | null): Promise<void>;
  release(of: Reservation): Promise<void>;
}

export function openIdempotency(db: D1Database): Idempotency {
  return {
    async reserve(of, bounds) {
      // Who finds a row that is released in between tries once more; twice in a row it is in progress.
      for (let tries = 0; tries < 2; tries++) {
        if (await reserve(db, of, bounds)) return null;
        const known = await readAnswered(db, of.key);
        if (known) return known;
      }
      return { fingerprint: of.fingerprint, status: null, answer: null };
    },
    settle: (of, status, answer) => settle(db, of, { status, answer }),
    release: (of) => release(db, of),
  };
}

async function reserve(
  db: D1Database,
  { key, fingerprint, at }: Reservation,
  { lapsedBefore, forgottenBefore }: { lapsedBefore: number; forgottenBefore: number },
): Promise<boolean> {
  const { meta } = await db
    .prepare(
      `INSERT INTO idempotency (key, fingerprint, at) VALUES (?1, ?2, ?3)
       ON CONFLICT (key) DO UPDATE
         SET fingerprint = excluded.fingerprint, at = excluded.at, status = NULL, answer = NULL
       WHERE idempotency.at < ?5
          OR (idempotency.status IS NULL AND idempotency.at < ?4 AND idempotency.fingerprint = excluded.fingerprint)`,
    )
    .bind(key, fingerprint, at, lapsedBefore, forgottenBefore)
    .run();
  return meta.changes > 0;
}

async function readAnswered(db: D1Database, key: string): Promise<Answered | null> {
  return db
    .prepare("SELECT fingerprint, status, answer FROM idempotency WHERE key = ?1")
    .bind(key)
    .first<Answered>();
}

/** Only of one's own reservation: when it was made says whose it is. */
async function settle(
  db: D1Database,
  { key, at }: Reservation,
  { status, answer }: Pick<Answered, "status" | "answer">,
): Promise<void> {
  await db
    .prepare("UPDATE idempotency SET status = ?3, answer = ?4 WHERE key = ?1 AND at = ?2 AND status IS NULL")
    .bind(key, at, status, answer)
    .run();
}

async function release(db: D1Database, { key, at }: Reservation): Promise<void> {
  await db
    .prepare("DELETE FROM idempotency WHERE key = ?1 AND at = ?2 AND status IS NULL")
    .bind(key, at)
    .run();
}

/** The oldest, at most so many. */
export async function deleteAnswers(db: D1Database, before: number, limit: number): Promise<number> {
  const { meta } = await db
    .prepare(
      `DELETE FROM idempotency
        WHERE key IN (SELECT key FROM idempotency WHERE at < ?1 ORDER BY at LIMIT ?2)`,
    )
    .bind(before, limit)
    .run();
  return meta.changes;
}
