/**
 * What a schedule's object answers to: the commands, the views, nothing of how. `http/`, `watch/` and
 * `delivery/` know a schedule only through this interface. Everything that crosses is plain data, and
 * every expected failure is a `Result`, since classes and error identities do not survive RPC.
 */
import type { Result } from "../core/errors.ts";
import type { Message } from "../core/message.ts";
import type { Kind, Occurrence, State } from "../core/occurrence.ts";
import type { ChangeRow, GapRow, OccurrenceRow } from "./state.ts";
import type {
  CatchUpPolicy,
  DefinitionInput,
  DefinitionSaid,
  Health,
  Json,
  Overlap,
  Warning,
} from "../core/schedule.ts";
import type { UrlTarget } from "../core/target.ts";

/** Who asks, for the record of changes: a token's name, never the token. */
export interface Actor {
  who: string;
}

export interface PutCommand extends Actor {
  namespace: string;
  name: string;
  input: DefinitionSaid;
  /** State, not definition: honoured on creation only. */
  paused?: boolean;
  /** Revision that the caller believes in force (`If-Match`). */
  ifMatch?: number;
  /** `If-None-Match: *`: create, never replace. */
  createOnly?: boolean;
}

export interface PatchCommand extends Actor {
  /** Merge patch by top-level field, already parsed: null restores the default (but `payload: null` is a value). */
  patch: { [K in keyof DefinitionSaid]?: DefinitionSaid[K] | null };
  paused?: boolean;
  ifMatch?: number;
}

export interface PauseCommand extends Actor {
  note: string | null;
  until: number | null;
}
export interface ResumeCommand extends Actor {
  note: string | null;
  /** What becomes of the slots that passed: recorded as `paused` (null), or caught up. */
  catchUp: CatchUpPolicy | null;
}
export interface TriggerCommand extends Actor {
  payload?: Json;
  overlap?: Overlap;
  /** Names the request, should it come again: what it started once it does not start twice. */
  key?: string;
}
export interface BackfillCommand extends Actor {
  /** [from, to), at most up to now. */
  from: number;
  to: number;
  order: "oldest" | "newest";
  limit: number;
  /** Also slots that succeeded or are open. */
  rerun: boolean;
  dryRun: boolean;
  /** The revision that the slots were looked up for, and those of them that the ledger knows to have succeeded. */
  revision: number;
  succeeded: number[];
}
export interface BackfillView {
  /** `b1`: names it, to call it off; null where nothing was queued. */
  id: string | null;
  dryRun: boolean;
  revision: number;
  count: number;
  /** In the order in which they run. */
  slots: string[];
  leftOut: { succeeded: number; open: number };
  /** The range goes on beyond what was chosen. */
  more: boolean;
}
/** What the object knows and the ledger may not know yet. Instants in epoch ms. */
export interface Knowledge {
  status: ScheduleView["state"];
  revision: number;
  cursor: number;
  /** Claims that count for `maxOccurrences`. */
  claimed: number;
  delayDueAt: number | null;
  createdAt: number;
  /** Open and waiting. */
  held: { slot: number; variant: string }[];
  /** Rows that nobody has acknowledged. */
  unrecorded: (
    | { table: "occurrences"; row: OccurrenceRow }
    | { table: "gaps"; row: GapRow }
    | { table: "changes"; row: ChangeRow }
  )[];
}
export interface BackfillEnd {
  id: string;
  cancelled: number;
  /** Running, and asked to stop. */
  stopping: number;
}
export interface ReplayCommand extends Actor, Address {
  /** The revision that made the original, as the ledger remembers it; null: the current one. */
  original: { revision: number; definition: DefinitionInput } | null;
  /** A payload of its own that the original had. */
  payload: { value: Json } | null;
  /** Not while another replay of it is under way: who asks for many may ask twice. */
  once?: boolean;
}
/** The complete definition with defaults, presented as JSON (ISO instants and durations), and the state beside it. */
export interface ScheduleView {
  namespace: string;
  name: string;
  revision: number;
  state: "active" | "paused" | "completed" | "deleted";
  definition: { [field: string]: Json };
  pause: { from: string; until: string | null; note: string | null; who: string } | null;
  health: HealthView;
  nextSlot: string | null;
  /** Claims left until `maxOccurrences`; null: no limit. */
  remaining: number | null;
  cursor: string;
  createdAt: string;
  updatedAt: string;
  /** Occurrences that are open or wait for a seat, by state. */
  open: Partial<Record<State, number>>;
  warnings: Warning[];
}

export interface HealthView {
  status: Health;
  message: string | null;
  lastStartedAt: string | null;
  lastSucceededAt: string | null;
  lastFailedAt: string | null;
  lastDurationMs: number | null;
  lastError: string | null;
  consecutiveFailures: number;
  counts: { [stateOrReason: string]: number };
}

/** Contract §3, as JSON. */
export interface OccurrenceView {
  id: string;
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
  state: State;
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

export interface StartReport {
  attempt: number;
  worker: string;
}
export interface StartGrant {
  token: number;
  attempt: number;
  leaseUntil: string;
  deadline: string;
  newerSucceeded: string | null;
  message: Message;
}
export interface HeartbeatReport {
  token: number;
  progress?: number | null;
  note?: string | null;
}
export interface HeartbeatGrant {
  leaseUntil: string;
  cancel: boolean;
  newerSucceeded: string | null;
}
export interface CompleteReport {
  token: number;
  result?: Json;
  workRemaining?: boolean;
}
export interface FailReport {
  token: number;
  error: string;
  retryable?: boolean;
  retryAfterMs?: number | null;
}
export interface DeferReport {
  token: number;
  forMs: number;
}

/** Which attempt is to be called: tracked, by the token that holds it; otherwise by the revision that made it. */
export interface CallQuery {
  token: number | null;
  revision: number;
}
/** What an attempt calls, with its secrets in the clear: for the Worker's own consumer, and nobody else. */
export interface CallView extends Required<UrlTarget> {
  secretHeaders: Record<string, string>;
  /** `whsec_…`: the current secret, and the next one while it is being replaced. */
  signing: string[];
}

export interface PokeCommand {
  /** What the ledger should have and does not, or has in a state that does not end. Null: no row at all. */
  lacks: { slot: number; variant: string; state: State | null }[];
}
export interface PokeReply {
  /** Those slots of `lacks` that wait for a seat, and so have no row yet. */
  waiting: number[];
  /** Messages that leave once more: never started in time, or another attempt. */
  redispatched: number;
  expired: number;
}

/** Slot and variant: how an occurrence is addressed inside its schedule's object. */
export interface Address {
  slot: number;
  variant: string;
  /** The queues that the caller may act for; beyond them nothing is found. Left out: all. */
  queues?: string[];
}

export interface PutReply {
  outcome: "created" | "replaced" | "unchanged";
  schedule: ScheduleView;
}

/** A put of which only the outcome is asked. */
export type Foreseeable = Omit<PutCommand, "ifMatch" | "createOnly">;
/** What a put would come to: the schedule as it is (null: there is none), and as it would be. */
export interface Foreseen extends PutReply {
  before: ScheduleView | null;
}

/** The RPC surface of one schedule's Durable Object. */
export interface ScheduleStub {
  put(command: PutCommand): Promise<Result<PutReply>>;
  /** The same for the revision in force, by the code that does it; nothing is kept. */
  foresee(command: Foreseeable): Promise<Result<Foreseen>>;
  patch(command: PatchCommand): Promise<Result<PutReply>>;
  read(): Promise<Result<ScheduleView>>;
  remove(command: Actor & { ifMatch?: number }): Promise<Result<ScheduleView>>;
  pause(command: PauseCommand): Promise<Result<ScheduleView>>;
  resume(command: ResumeCommand): Promise<Result<ScheduleView>>;
  trigger(command: TriggerCommand): Promise<Result<OccurrenceView>>;
  cancel(command: Actor & Address): Promise<Result<OccurrenceView>>;
  /** Past slots, queued behind the scheduled ones. */
  backfill(command: BackfillCommand): Promise<Result<BackfillView>>;
  cancelBackfill(command: Actor & { id: string }): Promise<Result<BackfillEnd>>;
  /** An ended occurrence again, under an identity of its own. */
  replay(command: ReplayCommand): Promise<Result<OccurrenceView>>;
  /** Open and waiting occurrences, oldest first: the ledger knows only what was handed over. */
  open(): Promise<Result<OccurrenceView[]>>;
  knowledge(): Promise<Result<Knowledge>>;
  /** What is open or waits at a slot, the slot's own and what runs beside it. */
  live(slot: number): Promise<Result<Occurrence[]>>;
  /** One open or waiting occurrence; `not_found` when it is final (ask the ledger) or never was. */
  occurrence(address: Address): Promise<Result<OccurrenceView>>;
  /** The message of an occurrence that is dispatched and waits for a start. */
  message(address: Address): Promise<Result<Message>>;
  call(address: Address, query: CallQuery): Promise<Result<CallView>>;
  start(address: Address, report: StartReport): Promise<Result<StartGrant>>;
  heartbeat(address: Address, report: HeartbeatReport): Promise<Result<HeartbeatGrant>>;
  complete(address: Address, report: CompleteReport): Promise<Result<OccurrenceView>>;
  fail(address: Address, report: FailReport): Promise<Result<OccurrenceView>>;
  defer(address: Address, report: DeferReport): Promise<Result<OccurrenceView>>;
  /** The dead-letter queue gave this attempt up. */
  deadLettered(address: Address & { attempt: number }): Promise<Result<null>>;
  /** From the sweep: look at the clock, do what is due, and offer again what the ledger lacks. */
  poke(command?: PokeCommand): Promise<Result<PokeReply>>;
}
