/** What answers look like, for the document. A test holds each to the schema of the answer that shows it. */

const DEFINITION = {
  description: "What was lent yesterday",
  tags: ["finance"],
  managedBy: null,
  trigger: { cron: "0 2 * * *", timezone: "Europe/Berlin" },
  exclude: [{ date: "2026-12-25" }],
  startAt: null,
  endAt: null,
  maxOccurrences: null,
  jitter: "PT0S",
  target: { queue: "LIBRARY" },
  payload: { report: "daily" },
  tracked: true,
  overlap: "skip",
  maxConcurrent: 1,
  maxBuffered: 100,
  maxContinuations: 100,
  catchUp: { policy: "latest", limit: 10, window: null, grace: "PT5M", rate: 10 },
  retry: {
    maxAttempts: 4,
    initial: "PT10S",
    factor: 2,
    max: "PT15M",
    jitter: 0.2,
    maxElapsed: "PT6H",
    untilNextSlot: false,
  },
  timeouts: { start: "PT15M", lease: "PT1M", run: "PT15M", cancel: "PT1M" },
  pauseAfterFailures: null,
  afterCompletion: "keep",
  retention: "P90D",
  alerts: { noSuccessFor: "PT26H", queueWait: null },
};

const IDENTITY = { namespace: "default", name: "nightly-report" };
const TIMES = { createdAt: "2026-11-01T08:00:00Z", updatedAt: "2026-11-20T09:30:00Z" };
const NAMES = {
  localTime: "2026-11-30T02:00:00+01:00",
  timezones: ["Europe/Berlin"],
  businessDate: "2026-11-30",
};
const SLOT = "2026-11-30T01:00:00Z";
const ID = `nightly-report@${SLOT}`;
const KEY = `default/${ID}`;

export const SCHEDULE = {
  ...IDENTITY,
  ...DEFINITION,
  revision: 3,
  state: "active",
  pause: null,
  health: {
    status: "healthy",
    message: null,
    lastStartedAt: "2026-11-30T01:00:00.045Z",
    lastSucceededAt: "2026-11-30T01:00:19Z",
    lastFailedAt: null,
    lastDurationMs: 18_955,
    lastError: null,
    consecutiveFailures: 0,
    counts: { succeeded: 30 },
  },
  nextSlot: "2026-12-01T01:00:00Z",
  remaining: null,
  cursor: SLOT,
  ...TIMES,
  open: {},
  warnings: [],
};

export const LISTED = {
  ...IDENTITY,
  state: "active",
  revision: 3,
  description: DEFINITION.description,
  tags: DEFINITION.tags,
  managedBy: null,
  trigger: DEFINITION.trigger,
  target: DEFINITION.target,
  health: "healthy",
  nextSlot: SCHEDULE.nextSlot,
  ...TIMES,
};

export const OCCURRENCE = {
  id: ID,
  key: KEY,
  namespace: "default",
  schedule: "nightly-report",
  revision: 3,
  kind: "scheduled",
  scheduledFor: SLOT,
  effectiveAt: SLOT,
  ...NAMES,
  locals: [{ timezone: "Europe/Berlin", localTime: NAMES.localTime, businessDate: NAMES.businessDate }],
  state: "succeeded",
  reason: null,
  claimedAt: "2026-11-30T01:00:00.003Z",
  dispatchedAt: "2026-11-30T01:00:00.029Z",
  startedAt: "2026-11-30T01:00:00.045Z",
  finishedAt: "2026-11-30T01:00:19Z",
  attempt: 1,
  attempts: [
    {
      attempt: 1,
      dispatchedAt: "2026-11-30T01:00:00.029Z",
      startedAt: "2026-11-30T01:00:00.045Z",
      endedAt: "2026-11-30T01:00:19Z",
      outcome: "succeeded",
      error: null,
    },
  ],
  leaseUntil: null,
  progress: null,
  result: { rows: 120 },
  error: null,
  replayOf: null,
  latenessMs: 29,
  queueWaitMs: 16,
  durationMs: 18_955,
};

export const GAP = {
  kind: "gap",
  namespace: "default",
  schedule: "nightly-report",
  from: "2026-11-24T01:00:00Z",
  to: "2026-11-26T01:00:00Z",
  count: 3,
  reason: "paused",
  revision: 3,
};

export const MESSAGE = {
  v: 1,
  id: ID,
  key: KEY,
  namespace: "default",
  schedule: "nightly-report",
  revision: 3,
  kind: "scheduled",
  scheduledFor: SLOT,
  ...NAMES,
  attempt: 1,
  tracked: true,
  startBy: "2026-11-30T01:15:00Z",
  previous: { scheduledFor: "2026-11-29T01:00:00Z", state: "succeeded", result: { rows: 118 } },
  payload: DEFINITION.payload,
};

export const START_GRANT = {
  token: 7,
  attempt: 1,
  leaseUntil: "2026-11-30T01:01:00Z",
  deadline: "2026-11-30T01:15:00Z",
  newerSucceeded: null,
  message: MESSAGE,
};

export const HEARTBEAT_GRANT = { leaseUntil: "2026-11-30T01:02:00Z", cancel: false, newerSucceeded: null };

export const PREVIEW = {
  slots: [
    {
      scheduledFor: "2027-03-28T01:00:00Z",
      effectiveAt: "2027-03-28T01:00:00Z",
      localTime: "2027-03-28T03:00:00+02:00",
      timezones: ["Europe/Berlin"],
      notes: ["dst_gap_next"],
    },
  ],
  suppressed: [],
  description: "At 02:30 every day (Europe/Berlin)",
  warnings: [],
  exhausted: false,
};

export const BACKFILL = {
  id: "b1",
  dryRun: false,
  revision: 3,
  count: 2,
  slots: ["2026-11-24T01:00:00Z", "2026-11-25T01:00:00Z"],
  leftOut: { succeeded: 5, open: 0 },
  more: false,
};

export const BACKFILL_END = { id: "b1", cancelled: 1, stopping: 1 };

export const EXPLANATION = {
  at: "2026-11-25T01:00:00Z",
  verdict: "paused",
  sentences: [
    'Not run: the schedule was paused from 18:00 on 2026-11-23 (Europe/Berlin) to 09:00 on 2026-11-26, by admin: "moving shelves".',
  ],
  occurrence: null,
  gap: GAP,
  evidence: { revision: 3, policy: null },
  nearest: { previous: "2026-11-24T01:00:00Z", next: "2026-11-26T01:00:00Z" },
};

export const AUDIT = { expected: 30, accounted: 30, discrepancies: [], prunedBefore: null, nextCursor: null };

export const SIMULATION = {
  occurrences: [OCCURRENCE],
  gaps: [GAP],
  counts: { succeeded: 1, skipped: 3, paused: 3 },
  reached: "2026-12-01T00:00:00Z",
  truncated: false,
};

export const REPLAYED = { id: ID, replay: `${ID}~r1`, error: null };

export const REVISION = {
  revision: 3,
  at: TIMES.updatedAt,
  action: "edit",
  who: "admin",
  note: null,
  definition: DEFINITION,
};

export const STATS = {
  from: "2026-11-29T12:00:00Z",
  to: "2026-11-30T12:00:00Z",
  truncated: false,
  occurrences: { total: 97, byState: { succeeded: 96, skipped: 1 }, byReason: { overlap: 1 } },
  lateness: { count: 96, p50: 0.029, p95: 0.04, p99: 0.052, max: 0.061 },
  queueWait: { count: 96, p50: 0.016, p95: 0.02, p99: 0.031, max: 0.04 },
  duration: { count: 96, p50: 0.4, p95: 1.2, p99: 18.9, max: 19 },
  schedules: { total: 2, byState: { active: 2 }, byHealth: { healthy: 2 } },
  alerts: {},
};

export const SWEEP = { poked: 1, redispatched: 0, expired: 0, alerts: 1 };

export const ALERT = {
  namespace: "default",
  schedule: "nightly-report",
  kind: "no_success_for",
  state: "open",
  raisedAt: "2026-11-30T04:00:00Z",
  resolvedAt: null,
  message: "nightly-report has not succeeded for 26 hours.",
  occurrence: null,
};

export const HEALTH = {
  status: "ok",
  version: "0.3.0",
  configured: true,
  ledger: "ok",
  sweep: { passedAt: "2026-11-30T11:59:00Z" },
};

export const TOKEN = {
  id: "5f0c1a2b3d4e5f60",
  name: "library workers",
  scopes: ["work"],
  namespaces: ["default"],
  queues: ["LIBRARY"],
  schedules: null,
  createdAt: "2026-11-01T08:00:00Z",
  createdBy: "admin",
  expiresAt: "2027-11-01T00:00:00Z",
  lastUsedAt: "2026-11-30T01:00:00Z",
};
