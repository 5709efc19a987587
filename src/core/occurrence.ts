/**
 * The life of an occurrence, as one table.
 *
 *   buffered   → claimed | skipped | cancelled
 *   claimed    → dispatched | cancelled | expired | failed
 *   dispatched → running | retrying | deferred | expired | cancelled
 *   running    → succeeded | retrying | deferred | failed | expired | cancelled
 *   retrying   → dispatched | running | expired | cancelled
 *   deferred   → dispatched | expired | cancelled
 *
 * `succeeded, failed, expired, cancelled, skipped` are final; `dispatched` is, where nobody reports.
 * Guards in the machine, guards in SQL and the model test all derive from TRANSITIONS, which a test holds to
 * this picture.
 */
import { fail, invariant, ok, type Result } from "./errors.ts";
import { formatInstant, parseInstant } from "./time.ts";
import type { Json } from "./schedule.ts";

export const STATES = [
  "buffered", // admitted, waits for a seat: not claimed yet
  "claimed", // ours, durably; its message is not known to be out
  "dispatched", // handed to its target
  "running", // a worker holds the lease
  "retrying", // an attempt ended badly, another is due at `dueAt`
  "deferred", // the worker put it off until `dueAt`; no attempt was used up
  "succeeded",
  "failed",
  "expired", // not worth running any more: maxElapsed, or its successor is due
  "cancelled",
  "skipped", // a policy decided against running it; the reason says which
] as const;
export type State = (typeof STATES)[number];

/** From each state, where it may go. A late holder whom nobody has replaced takes `retrying` back to `running`. */
export const TRANSITIONS: Record<State, readonly State[]> = {
  buffered: ["claimed", "skipped", "cancelled"],
  claimed: ["dispatched", "cancelled", "expired", "failed"],
  dispatched: ["running", "retrying", "deferred", "expired", "cancelled"],
  running: ["succeeded", "retrying", "deferred", "failed", "expired", "cancelled"],
  retrying: ["dispatched", "running", "expired", "cancelled"],
  deferred: ["dispatched", "expired", "cancelled"],
  succeeded: [],
  failed: [],
  expired: [],
  cancelled: [],
  skipped: [],
};

export const KINDS = ["scheduled", "catch_up", "manual", "backfill", "replay", "continuation"] as const;
export type Kind = (typeof KINDS)[number];

/** Why a slot did not run: the reason of a skipped occurrence or of a gap row. */
export const SKIP_REASONS = [
  "overlap",
  "buffer_full",
  "superseded",
  "missed",
  "coalesced",
  "catch_up_window",
  "catch_up_limit",
  "paused",
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

const END_REASONS = [
  "non_retryable",
  "max_attempts",
  "max_elapsed",
  "lease_expired",
  "run_timeout",
  "dead_lettered",
  "never_dispatched",
  "never_started",
  "unknown_queue",
  "terminated",
  "deleted",
] as const;
const REASONS: ReadonlySet<string> = new Set([...SKIP_REASONS, ...END_REASONS]);

/** One of a closed list, to count by: a reason may name who cancelled, and there are many of those. */
export function kindOfReason(reason: string): string {
  if (REASONS.has(reason)) return reason;
  return reason.startsWith("cancelled by ") ? "by_hand" : "other";
}

export interface Attempt {
  attempt: number;
  token: number | null;
  dispatchedAt: number | null;
  startedAt: number | null;
  endedAt: number | null;
  /** succeeded, failed, lease_expired, run_timeout, deferred, cancelled … */
  outcome: string | null;
  error: string | null;
}

/** The instant and its local names, fixed when the occurrence is made: later zone data doesn't rewrite history. */
export interface LocalNames {
  localTime: string;
  timezones: string[];
  locals: { timezone: string; localTime: string; businessDate: string }[];
  businessDate: string;
}

/** The record of one occurrence: what the ledger keeps and the API shows. Instants in epoch ms. */
export interface Occurrence extends LocalNames {
  slot: number;
  /** "" for the slot itself; "~m1", "~b1", "~r2", "~c3", or several in a row. */
  variant: string;
  kind: Kind;
  revision: number;
  effectiveAt: number;
  state: State;
  reason: string | null;
  tracked: boolean;
  claimedAt: number | null;
  dispatchedAt: number | null;
  startedAt: number | null;
  finishedAt: number | null;
  attempt: number;
  attempts: Attempt[];
  leaseUntil: number | null;
  progress: { value: number | null; note: string | null; at: number } | null;
  result: Json;
  error: string | null;
  replayOf: string | null;
}

export function isFinal(state: State, tracked: boolean): boolean {
  return TRANSITIONS[state].length === 0 || (state === "dispatched" && !tracked);
}

/** The only place where a state changes. A move that the table lacks is a bug of ours, so it throws. */
export function move(occurrence: Occurrence, to: State, change: Partial<Occurrence> = {}): void {
  invariant(
    TRANSITIONS[occurrence.state].includes(to) && !isFinal(occurrence.state, occurrence.tracked),
    `${occurrence.state} → ${to} is no transition (slot ${occurrence.slot}${occurrence.variant})`,
  );
  Object.assign(occurrence, change, { state: to });
}

/** `<name>@<slot>` and the variant: derived, readable, never reused. */
export function occurrenceId(name: string, slot: number, variant = ""): string {
  return `${name}@${formatInstant(slot)}${variant}`;
}

/** The one spelling that `occurrenceId` gives, and no other: an id is a key. */
export function parseOccurrenceId(id: string): Result<{ name: string; slot: number; variant: string }> {
  const [, name, instant, variant] =
    /^([a-z0-9][a-z0-9._-]{0,127})@([^~]+)((?:~[a-z]\d{1,9})*)$/.exec(id) ?? [];
  const slot = instant === undefined ? null : parseInstant(instant);
  if (
    name === undefined ||
    variant === undefined ||
    !slot?.ok ||
    occurrenceId(name, slot.value, variant) !== id
  ) {
    return fail("not_found", "No occurrence has this id.", {
      hint: "An id is <schedule>@<slot>, such as nightly-report@2026-11-30T01:00:00Z.",
    });
  }
  return ok({ name, slot: slot.value, variant });
}
