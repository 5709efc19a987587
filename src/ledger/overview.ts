/** What the dashboard's first page asks of a namespace: the day behind in numbers, the rules ahead, and what is ill. */
import type { State } from "../core/occurrence.ts";
import type { TimeRule } from "../core/rule.ts";
import type { OccurrenceRow } from "./row.ts";

/** Whose: of a namespace, and only these schedules where not null. */
export interface Part {
  namespace: string;
  schedules: string[] | null;
}

/** One stretch of the day behind: what its slots have come to, and how late they left. */
export interface Bucket {
  /** All that was read; of a fuller stretch, the oldest part. */
  total: number;
  byState: Partial<Record<State, number>>;
  /** How many left at most so late, one for each of the bounds that were asked for. */
  atMost: number[];
  /** Those that left at all, and have a slot to be late for. */
  measured: number;
}

export interface DayQuery extends Part {
  from: number;
  bucketMs: number;
  buckets: number;
  /** In ms, in order. */
  bounds: readonly number[];
}

/** Rows of one bucket: a bound on what one look at a busy namespace costs. */
export const BUCKET_ROWS_MAX = 5_000;

const COUNTED = ["succeeded", "failed", "expired", "cancelled", "skipped", "running", "retrying"] as const;

/**
 * Sums and no groups: the rows of a bucket stand together in the order of time, so that nothing has to be sorted.
 * What is in no listed state has been dispatched, or is about to be.
 */
export async function dayBehind(db: D1Database, query: DayQuery): Promise<Bucket[]> {
  const { namespace, schedules, from, bucketMs, buckets, bounds } = query;
  const sums = [
    "count(*)",
    ...COUNTED.map((state) => `sum(state = '${state}')`),
    "sum(late IS NOT NULL)",
    ...bounds.map((bound) => `sum(late <= ${bound})`),
  ];
  const { results } = await db
    .prepare(
      `WITH RECURSIVE bucket(n, begin) AS (
         SELECT 0, CAST(?2 AS INTEGER)
         UNION ALL
         SELECT n + 1, begin + CAST(?3 AS INTEGER) FROM bucket WHERE n < ?4 - 1)
       SELECT n, (SELECT json_array(${sums.join(", ")})
                    FROM (SELECT state, iif(variant = '', dispatched_at - effective_at, NULL) AS late
                            FROM occurrences
                           WHERE slot >= bucket.begin AND slot < bucket.begin + CAST(?3 AS INTEGER)
                             AND schedule >= ?1 || '/' AND schedule < ?1 || '0'
                             AND (?5 IS NULL OR schedule IN (SELECT ?1 || '/' || value FROM json_each(?5)))
                           LIMIT ${BUCKET_ROWS_MAX})) AS sums
         FROM bucket`,
    )
    .bind(namespace, from, bucketMs, buckets, listOrNull(schedules))
    .all<{ n: number; sums: string }>();
  return results.map(({ sums }) => bucketOf(JSON.parse(sums) as (number | null)[]));
}

function bucketOf(sums: (number | null)[]): Bucket {
  const [total, ...others] = sums.map((sum) => sum ?? 0) as [number, ...number[]];
  const byState: Bucket["byState"] = {};
  COUNTED.forEach((state, i) => (byState[state] = others[i]!));
  byState.dispatched = total - others.slice(0, COUNTED.length).reduce((sum, n) => sum + n, 0);
  return { total, byState, measured: others[COUNTED.length]!, atMost: others.slice(COUNTED.length + 1) };
}

/** The same buckets of several databases. */
export function addUp([first = [], ...others]: Bucket[][]): Bucket[] {
  return first.map((bucket, i) => others.reduce((sum, buckets) => addTo(sum, buckets[i]!), bucket));
}

function addTo(a: Bucket, b: Bucket): Bucket {
  const byState = Object.fromEntries(
    [...COUNTED, "dispatched" as const].map((state) => [
      state,
      (a.byState[state] ?? 0) + (b.byState[state] ?? 0),
    ]),
  );
  return {
    total: a.total + b.total,
    byState,
    atMost: a.atMost.map((count, i) => count + b.atMost[i]!),
    measured: a.measured + b.measured,
  };
}

export interface SkippedStretch {
  from_at: number;
  to_at: number;
  count: number;
  reason: string;
}

const GAPS_MAX = 1_000;

/** Gap rows that end since `from`, newest first. */
export async function gapsSince(
  db: D1Database,
  { namespace, schedules, from }: Part & { from: number },
): Promise<SkippedStretch[]> {
  const { results } = await db
    .prepare(
      `SELECT from_at, to_at, count, reason
         FROM (SELECT * FROM gaps WHERE to_at >= ?2 ORDER BY to_at DESC LIMIT ${GAPS_MAX})
        WHERE schedule >= ?1 || '/' AND schedule < ?1 || '0'
          AND (?3 IS NULL OR schedule IN (SELECT ?1 || '/' || value FROM json_each(?3)))`,
    )
    .bind(namespace, from, listOrNull(schedules))
    .all<SkippedStretch>();
  return results;
}

/** A time rule that active schedules follow, and how many of them. */
export interface SharedRule extends TimeRule {
  jitterMs: number;
  count: number;
}

/** Beyond this a picture of the day ahead is one of its most common rules. */
export const RULES_MAX = 5_000;

export async function rulesAhead(db: D1Database, { namespace, schedules }: Part): Promise<SharedRule[]> {
  const { results } = await db
    .prepare(
      `SELECT definition->'$.trigger' AS "trigger", definition->'$.exclude' AS exclude, definition->>'$.startAt' AS start_at,
              definition->>'$.endAt' AS end_at, definition->>'$.jitterMs' AS jitter, count(*) AS count
         FROM schedules
        WHERE namespace = ?1 AND state = 'active'
          AND (?2 IS NULL OR name IN (SELECT value FROM json_each(?2)))
        GROUP BY 1, 2, 3, 4, 5
        ORDER BY count(*) DESC
        LIMIT ${RULES_MAX}`,
    )
    .bind(namespace, listOrNull(schedules))
    .all<{
      trigger: string;
      exclude: string | null;
      start_at: number | null;
      end_at: number | null;
      jitter: number | null;
      count: number;
    }>();
  return results.map(({ trigger, exclude, start_at, end_at, jitter, count }) => ({
    trigger: JSON.parse(trigger) as TimeRule["trigger"],
    exclude: exclude === null ? [] : (JSON.parse(exclude) as TimeRule["exclude"]),
    startAt: start_at,
    endAt: end_at,
    jitterMs: jitter ?? 0,
    count,
  }));
}

export interface Unwell {
  name: string;
  health: string;
  updatedAt: number;
}

/** Schedules that are late, failing or stalled, those changed last first. */
export async function unwellSchedules(
  db: D1Database,
  { namespace, schedules, limit }: Part & { limit: number },
): Promise<Unwell[]> {
  const { results } = await db
    .prepare(
      `SELECT name, health, updated_at AS updatedAt
         FROM schedules INDEXED BY unwell
        WHERE namespace = ?1 AND state = 'active' AND health IN ('late', 'failing', 'stalled')
          AND (?3 IS NULL OR name IN (SELECT value FROM json_each(?3)))
        ORDER BY updated_at DESC
        LIMIT ?2`,
    )
    .bind(namespace, limit, listOrNull(schedules))
    .all<Unwell>();
  return results;
}

/** What is under way, as far as the ledger has heard: a run that outlives its first heartbeat, and what waits to be tried again. */
export async function inFlight(
  db: D1Database,
  { namespace, schedules, limit }: Part & { limit: number },
): Promise<OccurrenceRow[]> {
  const { results } = await db
    .prepare(
      `SELECT *
         FROM occurrences
        WHERE attention = 1 AND state IN ('running', 'retrying', 'deferred', 'claimed')
          AND schedule >= ?1 || '/' AND schedule < ?1 || '0'
          AND (?3 IS NULL OR schedule IN (SELECT ?1 || '/' || value FROM json_each(?3)))
        ORDER BY slot DESC
        LIMIT ?2`,
    )
    .bind(namespace, limit, listOrNull(schedules))
    .all<OccurrenceRow>();
  return results;
}

function listOrNull(list: string[] | null): string | null {
  return list && JSON.stringify(list);
}
