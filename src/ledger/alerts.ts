/** Alerts: what the sweep found, since when, and who has been told. One of a kind is open for a schedule at a time. */
import { IS_WATCHED } from "./watched.ts";

export const ALERT_KINDS = [
  "no_success_for", // alerts.noSuccessFor has passed without a success
  "missing_occurrence", // a due slot is neither an occurrence nor in a gap row, and its object could not mend it
  "claimed_without_dispatch", // ours, and its message does not leave
  "queue_wait", // dispatched, and not started within alerts.queueWait
  "stale_lease", // its lease is over, and nothing has come of that
  "overdue_result", // dispatched longer ago than timeouts.start and timeouts.run together
  "consecutive_failures", // several occurrences in a row have failed
  "auto_paused", // pauseAfterFailures has stopped it
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

export interface Alert {
  /** `<namespace>/<name>`. */
  schedule: string;
  kind: AlertKind;
  raisedAt: number;
  resolvedAt: number | null;
  message: string;
  occurrence: string | null;
}

export type AlertKey = Pick<Alert, "schedule" | "kind">;

interface AlertRow {
  schedule: string;
  kind: AlertKind;
  raised_at: number;
  resolved_at: number | null;
  message: string;
  occurrence: string | null;
}

function alertOf({ schedule, kind, raised_at, resolved_at, message, occurrence }: AlertRow): Alert {
  return { schedule, kind, raisedAt: raised_at, resolvedAt: resolved_at, message, occurrence };
}

const COLUMNS = "schedule, kind, raised_at, resolved_at, message, occurrence";

export async function openAlertsOf(db: D1Database, schedules: string[]): Promise<AlertKey[]> {
  const { results } = await db
    .prepare(
      `SELECT schedule, kind
         FROM alerts
        WHERE resolved_at IS NULL AND schedule IN (SELECT value FROM json_each(?1))`,
    )
    .bind(JSON.stringify(schedules))
    .all<AlertKey>();
  return results;
}

/** One that is open already stays as it was. How many are new. */
export async function raiseAlerts(db: D1Database, alerts: Alert[]): Promise<number> {
  if (alerts.length === 0) return 0;
  const { meta } = await db
    .prepare(
      `INSERT INTO alerts (${COLUMNS})
       SELECT value->>'schedule', value->>'kind', value->>'raisedAt', NULL, value->>'message', value->>'occurrence'
         FROM json_each(?1) WHERE true
       ON CONFLICT DO NOTHING`,
    )
    .bind(JSON.stringify(alerts))
    .run();
  return meta.changes;
}

export async function resolveAlerts(db: D1Database, keys: AlertKey[], at: number): Promise<void> {
  if (keys.length === 0) return;
  await db
    .prepare(
      `UPDATE alerts SET resolved_at = max(?2, raised_at)
        WHERE resolved_at IS NULL
          AND (schedule, kind) IN (SELECT value->>'schedule', value->>'kind' FROM json_each(?1))`,
    )
    .bind(JSON.stringify(keys), at)
    .run();
}

/** A schedule that is completed or deleted, its runs ended, has nothing to alert of any more. */
export async function resolveOrphans(db: D1Database, at: number): Promise<void> {
  await db
    .prepare(
      `UPDATE alerts SET resolved_at = max(?1, raised_at)
        WHERE resolved_at IS NULL
          AND NOT EXISTS (SELECT 1 FROM schedules AS s
                WHERE s.namespace = substr(alerts.schedule, 1, instr(alerts.schedule, '/') - 1)
                  AND s.name = substr(alerts.schedule, instr(alerts.schedule, '/') + 1)
                  AND ${IS_WATCHED})`,
    )
    .bind(at)
    .run();
}

export interface AlertQuery {
  namespace: string;
  /** Only of these; null: all. */
  schedules: string[] | null;
  state: "open" | "resolved" | null;
  schedule: string | null;
  before: { raisedAt: number; schedule: string; kind: string } | null;
  limit: number;
}

/** Newest first. One more than asked for, so that the caller sees whether there are more. */
export async function listAlerts(db: D1Database, query: AlertQuery): Promise<Alert[]> {
  const { namespace, schedules, state, schedule, before, limit } = query;
  const { results } = await db
    .prepare(
      `SELECT ${COLUMNS}
         FROM alerts
        WHERE schedule >= ?1 || '/' AND schedule < ?1 || '0'
          AND (?2 IS NULL OR (resolved_at IS NULL) = (?2 = 'open'))
          AND (?3 IS NULL OR schedule = ?1 || '/' || ?3)
          AND (?8 IS NULL OR schedule IN (SELECT ?1 || '/' || value FROM json_each(?8)))
          AND (?4 IS NULL OR (raised_at, schedule, kind) < (?4, ?5, ?6))
        ORDER BY raised_at DESC, schedule DESC, kind DESC
        LIMIT ?7`,
    )
    .bind(
      namespace,
      state,
      schedule,
      before?.raisedAt ?? null,
      before?.schedule ?? null,
      before?.kind ?? null,
      limit + 1,
      schedules && JSON.stringify(schedules),
    )
    .all<AlertRow>();
  return results.map(alertOf);
}

/** An alert, and how many of its turns (raised, resolved) each channel has been told. */
export interface Untold extends Alert {
  queued: number;
  posted: number;
}

/** Those that somebody has not been told all of, oldest first. */
export async function untoldAlerts(db: D1Database, limit: number): Promise<Untold[]> {
  const { results } = await db
    .prepare(
      `SELECT ${COLUMNS}, queued, posted
         FROM alerts
        WHERE (queued < 2 OR posted < 2)
          AND min(queued, posted) < CASE WHEN resolved_at IS NULL THEN 1 ELSE 2 END
        ORDER BY raised_at
        LIMIT ?1`,
    )
    .bind(limit)
    .all<AlertRow & { queued: number; posted: number }>();
  return results.map((row) => ({ ...alertOf(row), queued: row.queued, posted: row.posted }));
}

/** Never fewer than it says already: two passes may tell at once. */
export async function saveTold(db: D1Database, told: Untold[]): Promise<void> {
  if (told.length === 0) return;
  await db
    .prepare(
      `UPDATE alerts SET queued = max(queued, told.value->>'queued'), posted = max(posted, told.value->>'posted')
         FROM json_each(?1) AS told
        WHERE alerts.raised_at = told.value->>'raisedAt' AND alerts.schedule = told.value->>'schedule'
          AND alerts.kind = told.value->>'kind'`,
    )
    .bind(JSON.stringify(told))
    .run();
}
