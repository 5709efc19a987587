/**
 * The steps in the life of one occurrence: claimed, owed, sent, failed, finished. Each step keeps
 * the occurrence, the counters and the pending ledger rows in agreement; nothing else writes them.
 */
import { invariant } from "../core/errors.ts";
import { BOUNDS, WEBHOOKS_QUEUE } from "../core/limits.ts";
import { isFinal, move, type Attempt, type Occurrence, type State } from "../core/occurrence.ts";
import type { Firing } from "../core/plan.ts";
import { afterFailure } from "../core/retry.ts";
import type { Json } from "../core/schedule.ts";
import { formatInstant } from "../core/time.ts";
import { effectiveAt } from "../core/trigger.ts";
import {
  claimNumber,
  definitionOf,
  nextNumber,
  queueRow,
  ruleOf,
  touch,
  queueChange,
  type Draft,
} from "./draft.ts";
import { occurrenceRow } from "./rows.ts";
import { scheduleKey, type Open, type World } from "./state.ts";

/** A firing as the occurrence that it will be: its names are fixed here, once. */
export function drawUp(draft: World, firing: Firing): Occurrence & { computed: boolean } {
  const { slot, variant, kind, revision, replayOf } = firing;
  const { definition, timetable } = ruleOf(draft, revision);
  const { localTime, timezones, locals, businessDate } = timetable.describe(slot);
  const byHand = variant !== "";
  return {
    slot,
    variant,
    kind,
    revision,
    localTime,
    timezones,
    locals,
    businessDate,
    effectiveAt: byHand ? slot : effectiveAt(timetable, scheduleKey(draft.state), definition.jitterMs, slot),
    state: "buffered",
    reason: null,
    tracked: definition.tracked,
    claimedAt: null,
    dispatchedAt: null,
    startedAt: null,
    finishedAt: null,
    attempt: 0,
    attempts: [],
    leaseUntil: null,
    progress: null,
    result: null,
    error: null,
    replayOf,
    // Fixed delay and firings by hand cannot be computed again from the definition.
    computed: !byHand && timetable.kind === "calendar",
  };
}

/** Takes a slot for ours, durably: at most once per key. The message is owed from here on. */
export function claim(draft: Draft, firing: Firing): Open {
  const { state, now } = draft;
  const { slot, variant, revision, payload } = firing;
  const { target } = definitionOf(draft, revision);
  const open: Open = {
    ...drawUp(draft, firing),
    attempt: 1,
    claimedAt: now,
    token: null,
    worker: null,
    firstDispatchedAt: null,
    startBy: null,
    deadlineAt: null,
    dueAt: null,
    cancelAt: null,
    cancelReason: null,
    send: { at: now, tries: 0, error: null, since: now },
    unrecorded: claimNumber(draft),
    heartbeats: 0,
    settledBy: null,
    payload,
    queue: "queue" in target ? target.queue : WEBHOOKS_QUEUE,
  };
  const twice = state.open.some((other) => other.slot === slot && other.variant === variant);
  invariant(!twice, `slot ${slot}${variant} is claimed twice`);
  move(open, "claimed");
  state.open.push(open);
  if (isTimed(open)) state.claimed++;
  // Where the number of claims matters, an object that lost its memory has to find it in the ledger.
  if (isTimed(open) && definitionOf(draft, state.revision).maxOccurrences !== null) touch(draft);
  return open;
}

/** Made by the clock: counts for `maxOccurrences`, streaks and fixed delay. Firings by hand do not. */
export function isTimed(occurrence: Pick<Open, "kind" | "variant">): boolean {
  return occurrence.kind === "scheduled" || occurrence.kind === "catch_up";
}

/** Part of what fixed delay counts from: a timed occurrence, or what continues one. */
export function isOfChain(occurrence: Pick<Open, "kind" | "variant">): boolean {
  return isTimed(occurrence) || (occurrence.kind === "continuation" && /^~c\d+$/.test(occurrence.variant));
}

/** The message of the current attempt is owed, from `at` on. */
export function owe(open: Open, at: number): void {
  open.send = { at, tries: 0, error: null, since: at };
}

/** An attempt is over without success: another, or the end. */
export function endAttempt(
  draft: Draft,
  open: Open,
  ended: { outcome: string; error: string | null; retryable: boolean; retryAfterMs?: number | null },
): void {
  closeAttempt(draft, open, ended.outcome, ended.error);
  open.error = ended.error;
  if (open.cancelAt !== null) return finish(draft, open, "cancelled", { reason: open.cancelReason });
  const after = afterFailure(
    definitionOf(draft, open.revision).retry,
    {
      attempt: open.attempt,
      // What is deleted drains: an attempt may end well, but none follows it.
      retryable: ended.retryable && draft.state.status !== "deleted",
      firstDispatchedAt: open.firstDispatchedAt ?? draft.now,
      seed: `${scheduleKey(draft.state)}@${open.slot}${open.variant}`,
      retryAfterMs: ended.retryAfterMs ?? null,
      reason: lastReason(draft, ended),
    },
    draft.now,
  );
  switch (after.next) {
    case "retry":
      return putOff(draft, open, "retrying", after.at, open.attempt + 1);
    case "failed":
      // The table knows `failed` from claimed and running only: what was never started ends as expired.
      return finish(draft, open, open.state === "dispatched" ? "expired" : "failed", {
        reason: after.reason,
      });
    case "expired":
      return finish(draft, open, "expired", { reason: after.reason });
  }
}

function lastReason({ state }: Draft, ended: { outcome: string; retryable: boolean }): string {
  if (ended.outcome !== "failed") return ended.outcome;
  if (!ended.retryable) return "non_retryable";
  return state.status === "deleted" ? "deleted" : "max_attempts";
}

/** The next message leaves at `at`; what the worker holds stays valid until somebody starts that attempt. */
export function putOff(
  draft: Draft,
  open: Open,
  to: "retrying" | "deferred",
  at: number,
  attempt: number,
): void {
  move(open, to, { attempt, leaseUntil: null });
  Object.assign(open, { dueAt: at, startBy: null, unrecorded: nextNumber(draft), send: null });
}

export function closeAttempt(draft: Draft, open: Open, outcome: string, error: string | null): void {
  const last = open.attempts.at(-1);
  if (last && last.endedAt === null)
    Object.assign(last, { endedAt: draft.now, outcome, error } satisfies Partial<Attempt>);
}

export interface Ending {
  reason?: string | null;
  error?: string | null;
  result?: Json;
}

/** The end of an occurrence. It leaves the object; the ledger row and the last finals remember it. */
export function finish(draft: Draft, open: Open, to: State, ending: Ending = {}): void {
  const { state, now } = draft;
  if (open.attempts.at(-1)?.endedAt === null) closeAttempt(draft, open, to, ending.error ?? null);
  if (to !== open.state) move(open, to);
  invariant(isFinal(open.state, open.tracked), `${to} is no end`);
  Object.assign(open, { finishedAt: now, leaseUntil: null, dueAt: null, reason: ending.reason ?? null });
  if (ending.error !== undefined) open.error = ending.error;
  if (ending.result !== undefined) open.result = ending.result;
  state.open = state.open.filter((other) => other !== open);
  const version = nextNumber(draft);
  queueRow(draft, occurrenceRow(state, open, version));
  remember(draft, open, version);
  keepHealth(draft, open);
}

/** Nobody reports on it, so handing it over is its end. Its row travelled with the message. */
export function finishUntracked(draft: Draft, open: Open, recorded: boolean): void {
  const { state } = draft;
  invariant(
    open.state === "dispatched" && !open.tracked,
    "only a dispatched, untracked occurrence ends here",
  );
  state.open = state.open.filter((other) => other !== open);
  const version = open.unrecorded ?? nextNumber(draft);
  if (!recorded) queueRow(draft, occurrenceRow(state, open, version));
  remember(draft, open, version);
  // All that one can know of it: where nobody reports, to be on its way is to have succeeded.
  state.health.lastSucceededAt = open.dispatchedAt;
  countOutcome(draft, "dispatched");
}

function remember(draft: Draft, open: Open, version: number): void {
  const { slot, variant, kind, revision, token, settledBy, state, reason, queue } = open;
  const finishedAt = draft.now;
  const final = {
    slot,
    variant,
    kind,
    revision,
    token,
    settledBy,
    state,
    reason,
    queue,
    finishedAt,
    version,
  };
  draft.state.finals = [...draft.state.finals, final].slice(-BOUNDS.FINALS_KEPT);
}

export function countOutcome(draft: Draft, what: string, by = 1): void {
  const { counts } = draft.state.health;
  counts[what] = (counts[what] ?? 0) + by;
}

function keepHealth(draft: Draft, open: Open): void {
  const { state, now } = draft;
  const { health } = state;
  countOutcome(draft, open.state);
  const startedAt = open.attempts.at(-1)?.startedAt ?? null;
  if (startedAt !== null) health.lastDurationMs = now - startedAt;
  if (open.state === "succeeded") {
    health.lastSucceededAt = now;
    state.lastSucceededSlot = Math.max(state.lastSucceededSlot ?? 0, open.slot);
    state.previous = {
      scheduledFor: formatInstant(open.slot),
      state: open.state,
      result: boundedResult(open.result),
    };
  } else if (open.state === "failed" || open.state === "expired") {
    health.lastFailedAt = now;
    health.lastError = (open.error ?? open.reason ?? "").slice(0, 1_000);
  }
  if (!isOfChain(open)) return;
  if (open.state === "succeeded") Object.assign(health, { consecutiveFailures: 0, consecutiveExpiries: 0 });
  if (open.state === "failed") health.consecutiveFailures++;
  // A run that made way for its successor says nothing about its job.
  if (open.state === "expired" && open.reason !== "superseded") health.consecutiveExpiries++;
}

const PREVIOUS_BYTES_MAX = 4_096; // it travels in every message and sits in the head row

function boundedResult(result: Json): Json {
  return JSON.stringify(result).length <= PREVIOUS_BYTES_MAX ? result : null;
}

/** What the end of an occurrence means for its schedule: the next delay begins, or there is nothing left to do. */
export function afterEnd(draft: Draft): void {
  if (draft.state.status === "deleted") return;
  keepChain(draft);
  completeIfDone(draft);
}

/** Fixed delay counts from the settlement of the last slot: when nothing of the chain is open, that is `since`. */
export function keepChain(draft: Draft, since = draft.now): void {
  const { state } = draft;
  const { definition, timetable } = ruleOf(draft, state.revision);
  if (timetable.delayMs === null || state.delayDueAt !== null) return;
  if (state.open.some(isOfChain) || state.waiting.some(isOfChain)) return;
  const { startAt, endAt } = definition;
  const counted = startAt !== null && startAt > since ? startAt : since + timetable.delayMs;
  const dueAt = Math.max(counted, state.cursor + 1);
  state.delayDueAt = endAt !== null && dueAt > endAt ? null : dueAt;
  noteDelay(draft);
}

/**
 * The next slot cannot be computed from the definition, so the row of the one just settled carries it: the ledger
 * knows when to miss it, and no row is written for that. Where nothing was settled the schedule's own row does.
 */
function noteDelay(draft: Draft): void {
  const { state } = draft;
  const settled = state.rows.findLast(
    (row) => row.table === "occurrences" && isOfChain(row.row as Pick<Open, "kind" | "variant">),
  );
  if (settled?.table !== "occurrences") return;
  const version = nextNumber(draft);
  queueRow(draft, { ...settled, version, row: { ...settled.row, version, due_at: state.delayDueAt } });
}

/** Nothing lies ahead and no slot waits: the schedule has done what it was made for. Its last runs may still go on. */
function completeIfDone(draft: Draft): void {
  const { state } = draft;
  if (state.status === "active" && isDone(draft)) {
    state.status = "completed";
    queueChange(draft, "complete", "carillon", { body: { cursor: state.cursor } });
  }
  const { afterCompletion } = definitionOf(draft, state.revision);
  const isOver = state.status === "completed" && state.open.length === 0 && state.waiting.length === 0;
  if (isOver && afterCompletion === "delete") {
    state.status = "deleted";
    queueChange(draft, "delete", "carillon", { note: "afterCompletion: delete" });
  }
}

function isDone(draft: Draft): boolean {
  const { state } = draft;
  if (state.waiting.some(isTimed)) return false;
  const { definition, timetable } = ruleOf(draft, state.revision);
  if (definition.maxOccurrences !== null && state.claimed >= definition.maxOccurrences) return true;
  const chainOpen = timetable.kind === "delay" && state.open.some(isOfChain);
  return !chainOpen && timetable.next(state.cursor) === null;
}
