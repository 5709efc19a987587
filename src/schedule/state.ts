/**
 * What one schedule's object remembers: everything that changes, saved as one row. Definitions by revision
 * stand beside it. Plain data throughout; `storage.ts` decides how it is laid out, nobody else.
 */
import type { Attempt, LocalNames, Occurrence, SkipReason, State } from "../core/occurrence.ts";
import type { Previous } from "../core/message.ts";
import type { Waiting } from "../core/plan.ts";
import type { DefinitionInput, Json } from "../core/schedule.ts";
import type { Sealed } from "../core/secrets.ts";

export interface ScheduleState {
  v: 1;
  namespace: string;
  name: string;
  shard: string;
  status: "active" | "paused" | "completed" | "deleted";
  createdAt: number;
  updatedAt: number;
  revision: number;
  /** Every slot up to here is accounted for; never goes back. */
  cursor: number;
  /** Source of row versions and fencing tokens: max(last + 1, now), so both stay above what a lost object used. */
  counter: number;
  /** Claimed `scheduled` and `catch_up` occurrences over all revisions. */
  claimed: number;
  /** Numbers of the last manual, backfill and replay firing. */
  series: { m: number; b: number; r: number };
  pause: Pause | null;
  /** Fixed delay: when the next slot is due; null while its predecessor is open. */
  delayDueAt: number | null;
  /** Under overlap `allow`, catch-up leaves not before this. */
  rateAt: number;
  /** The last plan hit a bound: there is more to do at once. */
  again: boolean;
  open: Open[];
  waiting: Waiting[];
  /** The last settled ones, to answer a report that is repeated. */
  finals: Final[];
  /** What the last requests with a key of their own started by hand. */
  triggered?: { key: string; slot: number; variant: string }[];
  /** Ledger rows that nobody has acknowledged yet; one per key, the newest. */
  rows: PendingRow[];
  /** Version of the schedule's own row that waits to be recorded; null: level. */
  unrecorded: number | null;
  /** Failed hand-overs in a row, and when to try again. */
  handOver: { tries: number; retryAt: number };
  lastGap: { from: number; to: number; count: number; reason: SkipReason; revision: number } | null;
  previous: Previous | null;
  lastSucceededSlot: number | null;
  /** Some consumer has called `start` once: from then on a missing start is a lost message. */
  everStarted: boolean;
  health: Health;
  /** Of the target in force, sealed. */
  secrets: Sealed[];
}

export interface Pause {
  from: number;
  until: number | null;
  note: string | null;
  who: string;
}

export interface Health {
  lastStartedAt: number | null;
  lastSucceededAt: number | null;
  lastFailedAt: number | null;
  lastDurationMs: number | null;
  lastError: string | null;
  consecutiveFailures: number;
  /** Ended in a row without success and without a failure to show: never started, or out of time. */
  consecutiveExpiries: number;
  counts: { [stateOrReason: string]: number };
  /** The status that the ledger knows. */
  status: string;
}

/** An occurrence that is claimed and not final, with what only the object needs to know. */
export interface Open extends Occurrence {
  token: number | null;
  worker: string | null;
  /** First hand-over: `retry.maxElapsed` counts from here. */
  firstDispatchedAt: number | null;
  /** Dispatched: until when a start is expected. */
  startBy: number | null;
  /** Running: the end of `timeouts.run`. */
  deadlineAt: number | null;
  /** Retrying, deferred: when the message leaves again. */
  dueAt: number | null;
  /** Cancel was asked for: when patience ends, and the reason it will carry. */
  cancelAt: number | null;
  cancelReason: string | null;
  /** A message that is owed: not before `at`; `tries` failed so far, with this error since then. */
  send: { at: number; tries: number; error: string | null; since: number } | null;
  /** Version of a row of it that waits to be recorded; null: level. */
  unrecorded: number | null;
  heartbeats: number;
  payload: { value: Json } | null;
  queue: string | null;
  /** The report that ended it; null while open, or when the clock did. */
  settledBy: "complete" | "fail" | "defer" | null;
  /** The definition names this slot, so history can find it by key. */
  computed: boolean;
}

export interface Final {
  slot: number;
  variant: string;
  kind: Occurrence["kind"];
  revision: number;
  token: number | null;
  settledBy: Open["settledBy"];
  state: State;
  reason: string | null;
  finishedAt: number;
  queue?: string | null;
  /** Of its row: a ledger that lost it gets it under the same number. */
  version?: number;
}

export type PendingRow = { key: string; version: number } & (
  | { table: "occurrences"; row: OccurrenceRow }
  | { table: "gaps"; row: GapRow }
  | { table: "changes"; row: ChangeRow }
  | { table: "schedules"; row: ScheduleRow }
);

/** Rows as the ledger keeps them; column names are those of migrations/. */
export interface OccurrenceRow {
  slot: number;
  schedule: string;
  variant: string;
  version: number;
  kind: string;
  revision: number;
  state: State;
  reason: string | null;
  effective_at: number;
  claimed_at: number | null;
  dispatched_at: number | null;
  started_at: number | null;
  finished_at: number | null;
  attempt: number;
  token: number | null;
  queue: string | null;
  attention: 0 | 1;
  computed: 0 | 1;
  due_at: number | null;
  body: OccurrenceBody;
}

export interface OccurrenceBody extends LocalNames {
  tracked: boolean;
  attempts: Attempt[];
  progress: Occurrence["progress"];
  result: Json;
  error: string | null;
  replayOf: string | null;
  leaseUntil: number | null;
  /** A payload of its own (by hand), so that a replay can keep it. */
  payload?: { value: Json };
}

export interface GapRow {
  schedule: string;
  from_at: number;
  to_at: number;
  count: number;
  reason: SkipReason;
  revision: number;
  version: number;
}

export interface ChangeRow {
  schedule: string;
  version: number;
  at: number;
  action: "create" | "edit" | "pause" | "resume" | "complete" | "delete";
  revision: number;
  who: string;
  note: string | null;
  /** What audit and explain recompute the past from; core/eras.ts reads it. */
  body: {
    definition?: DefinitionInput;
    paused?: boolean;
    until?: number | null;
    catchUp?: string | null;
    cursor?: number;
    dueAt?: number | null;
  };
}

export interface ScheduleRow {
  namespace: string;
  name: string;
  version: number;
  shard: string;
  state: ScheduleState["status"];
  revision: number;
  cursor: number;
  created_at: number;
  updated_at: number;
  description: string | null;
  tags: string[];
  managed_by: string | null;
  health: string;
  /** 1: it is over, and a run of it has not ended. */
  unfinished: 0 | 1;
  definition: DefinitionInput;
  state_body: ScheduleStateBody;
}

/** What a recreated or restored object continues from. */
export interface ScheduleStateBody {
  counter: number;
  claimed: number;
  series: ScheduleState["series"];
  pause: Pause | null;
  /** Fixed delay: when the next slot was due as this row was written; a settled row of the chain may know better. */
  delayDueAt?: number | null;
  secrets?: Sealed[];
}

/** The state with the definitions of the revisions that it still refers to. */
export interface World {
  state: ScheduleState;
  revisions: { [revision: number]: DefinitionInput };
}

export function scheduleKey(state: Pick<ScheduleState, "namespace" | "name">): string {
  return `${state.namespace}/${state.name}`;
}

export function freshState(namespace: string, name: string, shard: string, now: number): ScheduleState {
  return {
    v: 1,
    namespace,
    name,
    shard,
    status: "active",
    createdAt: now,
    updatedAt: now,
    revision: 0,
    cursor: now,
    counter: 0,
    claimed: 0,
    series: { m: 0, b: 0, r: 0 },
    pause: null,
    delayDueAt: null,
    rateAt: 0,
    again: false,
    open: [],
    waiting: [],
    finals: [],
    rows: [],
    unrecorded: null,
    handOver: { tries: 0, retryAt: 0 },
    lastGap: null,
    previous: null,
    lastSucceededSlot: null,
    everStarted: false,
    health: freshHealth(),
    secrets: [],
  };
}

export function freshHealth(): Health {
  return {
    lastStartedAt: null,
    lastSucceededAt: null,
    lastFailedAt: null,
    lastDurationMs: null,
    lastError: null,
    consecutiveFailures: 0,
    consecutiveExpiries: 0,
    counts: {},
    status: "healthy",
  };
}
