/** A large namespace, written straight into the ledger. */
import type { DatabaseSync } from "node:sqlite";

const DAY = 86_400_000;
const MINUTE = 60_000;

export interface Volume {
  schedules: number;
  occurrences: number;
  now: number;
}

/** Every fifth rule its own, the others shared; one run in a hundred failed, one in fifty was skipped. */
export function fillDay(ledger: DatabaseSync, { schedules, occurrences, now }: Volume): void {
  ledger.exec("BEGIN");
  const schedule = ledger.prepare(
    `INSERT INTO schedules (namespace, name, version, shard, state, revision, cursor, created_at, updated_at, description, tags, health, definition, state_body)
     VALUES ('default', ?, 1, 'LEDGER', 'active', 1, ?, ?, ?, ?, '["finance"]', ?, ?, '{}')`,
  );
  for (let i = 0; i < schedules; i++) {
    const health = i % 250 === 3 ? "failing" : i % 400 === 5 ? "late" : "healthy";
    const created = now - DAY - i * 1_000;
    const definition = { trigger: triggerOf(i), target: { queue: "LIBRARY" } };
    schedule.run(nameOf(i), created, created, created, `Job ${i}`, health, JSON.stringify(definition));
  }
  const occurrence = ledger.prepare(
    `INSERT OR IGNORE INTO occurrences (slot, schedule, variant, version, kind, revision, state, reason, effective_at, claimed_at,
       dispatched_at, started_at, finished_at, attempt, attention, computed, body)
     VALUES (?1, ?2, '', ?3, 'scheduled', 1, ?4, ?5, ?1, ?1, ?1 + ?6, ?1 + ?6, ?1 + 900, 1, ?7, 1, ?8)`,
  );
  for (let n = 0; n < occurrences; n++) {
    const slot = Math.floor((now - (n / occurrences) * DAY) / MINUTE) * MINUTE;
    const state = n % 101 === 0 ? "failed" : n % 53 === 0 ? "skipped" : "succeeded";
    const reason = { failed: "max_attempts", skipped: "overlap", succeeded: null }[state];
    const attention = state === "succeeded" ? 0 : 1;
    const name = `default/${nameOf((n * 7_919) % schedules)}`;
    occurrence.run(slot, name, n + 1, state, reason, 5 + (n % 97) ** 2, attention, BODY);
  }
  ledger.exec("COMMIT");
}

function nameOf(i: number): string {
  return `job-${String(i).padStart(4, "0")}`;
}

function triggerOf(i: number): object {
  const timezone = ["Europe/Berlin", "America/New_York", "UTC", "Asia/Tokyo"][i % 4];
  const [minute, hour] = [(i * 7) % 60, (i * 5) % 24];
  const cron = [
    `${minute} ${hour} * * *`,
    "0 2 * * *",
    `${minute} * * * *`,
    "0 9 * * MON-FRI",
    "*/15 * * * *",
  ];
  return { cron: cron[i % 5], timezone };
}

const BODY = JSON.stringify({
  localTime: "2026-12-01T00:00:00+00:00",
  timezones: ["UTC"],
  locals: [{ timezone: "UTC", localTime: "2026-12-01T00:00:00+00:00", businessDate: "2026-12-01" }],
  businessDate: "2026-12-01",
  tracked: true,
  attempts: [{ attempt: 1, token: 5, dispatchedAt: 0, startedAt: 0, endedAt: 0, outcome: null, error: null }],
  progress: null,
  result: { rows: 120 },
  error: null,
  replayOf: null,
  leaseUntil: null,
});
