/** What the scheduler answers. Instants are RFC 3339, durations ISO 8601. */
import type { CompleteDefinition, Json, Target, Trigger } from "./definition.ts";

export interface Warning {
  code: string;
  message: string;
}

export type ScheduleState = "active" | "paused" | "completed" | "deleted";
export type HealthStatus = "healthy" | "late" | "failing" | "stalled" | "waiting" | "paused" | "completed";

export interface Schedule extends CompleteDefinition {
  namespace: string;
  name: string;
  /** Of the definition; `ifMatch` takes it. */
  revision: number;
  state: ScheduleState;
  pause: { from: string; until: string | null; note: string | null; who: string } | null;
  health: {
    status: HealthStatus;
    message: string | null;
    lastStartedAt: string | null;
    lastSucceededAt: string | null;
    lastFailedAt: string | null;
    lastDurationMs: number | null;
    lastError: string | null;
    consecutiveFailures: number;
    counts: { [stateOrReason: string]: number };
  };
  nextSlot: string | null;
  remaining: number | null;
  cursor: string;
  createdAt: string;
  updatedAt: string;
  open: { [state: string]: number };
  warnings: Warning[];
}

export interface ListedSchedule {
  namespace: string;
  name: string;
  state: ScheduleState;
  revision: number;
  description: string | null;
  tags: string[];
  managedBy: string | null;
  trigger: Trigger | Trigger[];
  target: Target;
  health: string;
  nextSlot: string | null;
  createdAt: string;
  updatedAt: string;
}

export type Kind = "scheduled" | "catch_up" | "manual" | "backfill" | "replay" | "continuation";
export type OccurrenceState =
  | "buffered"
  | "claimed"
  | "dispatched"
  | "running"
  | "retrying"
  | "deferred"
  | "succeeded"
  | "failed"
  | "expired"
  | "cancelled"
  | "skipped";

export interface Occurrence {
  id: string;
  /** The idempotency key everywhere: of the message, of the webhook, of the effect. */
  key: string;
  namespace: string;
  schedule: string;
  revision: number;
  kind: Kind;
  scheduledFor: string;
  effectiveAt: string;
  localTime: string;
  timezones: string[];
  locals: { timezone: string; localTime: string; businessDate: string }[];
  businessDate: string;
  state: OccurrenceState;
  reason: string | null;
  claimedAt: string | null;
  dispatchedAt: string | null;
  startedAt: string | null;
  finishedAt: string | null;
  attempt: number;
  attempts: {
    attempt: number;
    dispatchedAt: string | null;
    startedAt: string | null;
    endedAt: string | null;
    outcome: string | null;
    error: string | null;
  }[];
  leaseUntil: string | null;
  progress: { value: number | null; note: string | null; at: string } | null;
  result: Json;
  error: string | null;
  replayOf: string | null;
  latenessMs: number | null;
  queueWaitMs: number | null;
  durationMs: number | null;
}

/** Consecutive slots that did not run, for one reason. */
export interface Gap {
  kind: "gap";
  namespace: string;
  schedule: string;
  from: string;
  to: string;
  count: number;
  reason: string;
  revision: number;
}
export type HistoryItem = Occurrence | Gap;

export interface Message {
  v: 1;
  id: string;
  key: string;
  namespace: string;
  schedule: string;
  revision: number;
  kind: Kind;
  scheduledFor: string;
  localTime: string;
  timezones: string[];
  businessDate: string;
  attempt: number;
  tracked: boolean;
  startBy: string | null;
  previous: { scheduledFor: string; state: OccurrenceState; result: Json } | null;
  payload: Json;
}
export interface Grant {
  token: number;
  attempt: number;
  leaseUntil: string;
  deadline: string;
  newerSucceeded: string | null;
  message: Message;
}
export interface Renewal {
  leaseUntil: string;
  cancel: boolean;
  newerSucceeded: string | null;
}

export interface Preview {
  slots: {
    scheduledFor: string;
    effectiveAt: string;
    localTime: string;
    timezones: string[];
    notes: string[];
  }[];
  suppressed: { localTime: string; timezone: string; reason: "dst_gap" | "excluded" }[];
  description: string;
  warnings: Warning[];
  exhausted: boolean;
}

export interface Explanation {
  at: string;
  verdict: string;
  sentences: string[];
  occurrence: Occurrence | null;
  gap: Gap | null;
  evidence: { revision: number | null; [about: string]: unknown };
  nearest: { previous: string | null; next: string | null };
}

export interface Audit {
  expected: number;
  accounted: number;
  discrepancies: { schedule: string; kind: string; slot: string; expected: string; found: string }[];
  prunedBefore: string | null;
}

export interface Revision {
  revision: number;
  at: string;
  action: "create" | "edit";
  who: string;
  note: string | null;
  definition: CompleteDefinition;
}

export interface Backfill {
  id: string | null;
  dryRun: boolean;
  revision: number;
  count: number;
  slots: string[];
  leftOut: { succeeded: number; open: number };
  more: boolean;
}
export interface BackfillEnd {
  id: string;
  cancelled: number;
  stopping: number;
}
export interface Replayed {
  id: string;
  replay: string | null;
  error: { code: string; message: string } | null;
}

export interface Simulation {
  occurrences: Occurrence[];
  gaps: Gap[];
  counts: { [stateOrReason: string]: number };
  reached: string;
  truncated: boolean;
}

export interface Change {
  name: string;
  action: "create" | "update" | "unchanged" | "delete" | "conflict";
  diff: { field: string; from: Json; to: Json }[];
  nextSlot: string | null;
  warnings: Warning[];
  /** Why it was left undone: of a conflict, and of what could not be carried out. */
  error: { code: string; message: string; hint: string | null } | null;
}
export interface Applied {
  dryRun: boolean;
  /** Changes that were due and could not be carried out. */
  failed: number;
  /** Another call would find more to prune. */
  more: boolean;
  changes: Change[];
}

export interface Alert {
  namespace: string;
  schedule: string;
  kind: string;
  state: "open" | "resolved";
  raisedAt: string;
  resolvedAt: string | null;
  message: string;
  occurrence: string | null;
}

interface Percentiles {
  count: number;
  p50: number | null;
  p95: number | null;
  p99: number | null;
  max: number | null;
}
interface Counts {
  [word: string]: number;
}
/** Times in seconds. */
export interface Stats {
  from: string;
  to: string;
  truncated: boolean;
  occurrences: { total: number; byState: Counts; byReason: Counts };
  lateness: Percentiles;
  queueWait: Percentiles;
  duration: Percentiles;
  schedules: { total: number; byState: Counts; byHealth: Counts };
  alerts: Counts;
}

export interface Sweep {
  poked: number;
  redispatched: number;
  expired: number;
  alerts: number;
}

export interface Token {
  id: string;
  name: string;
  scopes: string[];
  namespaces: string[];
  queues: string[] | null;
  schedules: string[] | null;
  createdAt: string;
  createdBy: string;
  expiresAt: string | null;
  /** To the minute. */
  lastUsedAt: string | null;
}
export interface NewToken extends Token {
  token: string;
}
