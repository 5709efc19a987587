/**
 * What the clock does to a schedule: time-outs first, then what expires because its successor is due, then
 * waiting occurrences, then new slots (contract §2.2). Also `wakeAt`: when the clock has something to do again.
 */
import { TIMES } from "../core/limits.ts";
import { lastEffective, nextEffective, plan, type Seat, type Waiting } from "../core/plan.ts";
import type { CatchUp } from "../core/schedule.ts";
import { effectiveAt } from "../core/trigger.ts";
import type { HandOver } from "./handover.ts";
import { definitionOf, queueChange, ruleInForce, ruleOf, type Draft } from "./draft.ts";
import { occurrenceKey } from "./rows.ts";
import { afterEnd, claim, endAttempt, finish, isTimed, keepChain, owe } from "./settle.ts";
import { recordSkip } from "./skip.ts";
import { scheduleKey, type OccurrenceRow, type Open, type World } from "./state.ts";

export function wake(draft: Draft): void {
  const { state } = draft;
  state.again = false;
  forgetPruned(draft);
  for (const open of state.open.slice()) timeOut(draft, open);
  if (state.pause?.until != null && state.pause.until <= draft.now) endPause(draft, state.pause.until);
  if (state.status === "active") supersede(draft);
  settleSlots(draft, null);
  pauseAfterFailures(draft);
}

/** Last, so that what is due by now is decided by the catch-up and overlap policies and not taken for paused. */
function pauseAfterFailures(draft: Draft): void {
  const { state } = draft;
  const { pauseAfterFailures: limit } = definitionOf(draft, state.revision);
  const failures = state.health.consecutiveFailures;
  if (limit === null || failures < limit || state.status !== "active") return;
  const note = `paused after ${failures} failed occurrences in a row; last error: ${state.health.lastError ?? "none"}`;
  state.status = "paused";
  state.pause = { from: draft.now, until: null, note, who: "carillon" };
  queueChange(draft, "pause", "carillon", { note });
}

/** A row that the ledger has pruned by now would reappear: past its retention it is no longer offered. */
function forgetPruned(draft: Draft): void {
  const { state, now } = draft;
  const { retentionMs } = definitionOf(draft, state.revision);
  state.rows = state.rows.filter((row) => {
    const at = row.table === "occurrences" ? overAt(row.row) : row.table === "gaps" ? row.row.to_at : now;
    return at + retentionMs >= now;
  });
}

/** A backfill runs old slots today: retention counts from the end of a run. */
function overAt({ finished_at, dispatched_at, claimed_at, slot }: OccurrenceRow): number {
  return finished_at ?? dispatched_at ?? claimed_at ?? slot;
}

/** Every slot up to now is decided under the revision in force. `catchUp` overrides the definition's, on resume. */
export function settleSlots(draft: Draft, catchUp: CatchUp | null): void {
  const { state } = draft;
  if (state.status === "deleted") return;
  const rule = ruleInForce(draft);
  const { maxOccurrences } = rule.definition;
  const planned = plan(
    {
      rule,
      ruleOf: (revision) => ruleOf(draft, revision),
      seed: scheduleKey(state),
      cursor: state.cursor,
      waiting: state.waiting,
      seats: seatsOf(draft),
      left: maxOccurrences === null ? null : Math.max(0, maxOccurrences - state.claimed),
      rateAt: state.rateAt,
      paused: state.status !== "active",
      catchUp: catchUp ?? rule.definition.catchUp,
    },
    draft.now,
  );
  state.cursor = planned.cursor;
  state.waiting = planned.waiting;
  state.rateAt = planned.rateAt;
  state.again = planned.again;
  // Fixed delay: a slot that the cursor has passed is spent.
  if (state.delayDueAt !== null && state.delayDueAt <= state.cursor) state.delayDueAt = null;
  for (const skip of planned.skips) recordSkip(draft, skip);
  for (const firing of planned.fire) claim(draft, firing);
  for (const key of planned.cancel) askToStop(draft, openOf(draft, key), "superseded");
  for (const key of planned.terminate) terminate(draft, openOf(draft, key));
  afterEnd(draft);
}

/** Every slot up to now, in as many pieces as it takes: what follows may change the rule they belong to. */
export function settleAll(draft: Draft, catchUp: CatchUp | null = null): void {
  const { state } = draft;
  for (let cursor = -1; cursor < state.cursor;) {
    cursor = state.cursor;
    settleSlots(draft, catchUp);
    if (!state.again) return;
  }
}

function seatsOf({ state }: Draft): Seat[] {
  return state.open
    .map((open) => ({
      key: occurrenceKey(open),
      slot: open.slot,
      running: open.state === "running",
      cancelling: open.cancelAt !== null,
    }))
    .toSorted((a, b) => a.slot - b.slot);
}

function openOf(draft: Draft, key: string): Open | undefined {
  return draft.state.open.find((open) => occurrenceKey(open) === key);
}

/** Ends at once what is not running; a running one is marked, learns it from its next heartbeat, and has `timeouts.cancel`. */
export function askToStop(draft: Draft, open: Open | undefined, reason: string): void {
  if (!open) return;
  if (open.state !== "running") return finish(draft, open, "cancelled", { reason });
  open.cancelAt ??= draft.now + definitionOf(draft, open.revision).timeouts.cancelMs;
  open.cancelReason ??= reason;
}

/** Its token is void from here on: nobody may report for it any more. */
export function terminate(draft: Draft, open: Open | undefined): void {
  if (!open) return;
  open.token = null;
  finish(draft, open, "cancelled", { reason: "terminated" });
}

/** The end of a pause: slots that passed are recorded as `paused`, or caught up. */
export function resumeAt(draft: Draft, who: string, note: string | null, catchUp: CatchUp | null): void {
  const { state } = draft;
  if (catchUp === null) settlePaused(draft);
  state.status = "active";
  state.pause = null;
  queueChange(draft, "resume", who, {
    note,
    body: { catchUp: catchUp?.policy ?? null, cursor: state.cursor, dueAt: state.delayDueAt },
  });
  if (catchUp !== null) settleAll(draft, catchUp);
}

/** `until` ends the pause by itself, without catch-up; a slot at that very instant runs again. */
function endPause(draft: Draft, until: number): void {
  settlePaused(draft, until - 1, until);
  draft.state.status = "active";
  draft.state.pause = null;
  Object.assign(draft.state.health, { consecutiveFailures: 0, consecutiveExpiries: 0 });
  queueChange(draft, "resume", "carillon", {
    note: "the pause ended",
    body: { until, cursor: draft.state.cursor, dueAt: draft.state.delayDueAt },
  });
}

/** `endedAt`: a fixed delay counts from there, however late its end is noticed. */
export function settlePaused(draft: Draft, upTo = draft.now, endedAt = draft.now): void {
  const { state } = draft;
  const { timetable } = ruleInForce(draft);
  for (let round = 0; round < COUNT_ROUNDS_MAX; round++) {
    const first = timetable.next(state.cursor);
    if (first === null || first > upTo) break;
    const { count, through } = timetable.count(state.cursor, upTo);
    const to = timetable.prev(through) ?? first;
    if (count > 0) recordSkip(draft, { from: first, to, count, reason: "paused", revision: state.revision });
    state.cursor = through < upTo ? through : to;
  }
  if (timetable.kind === "delay") state.delayDueAt = null;
  keepChain(draft, endedAt);
}

// One count covers at least a day of every-second slots; a pause of decades stays within this.
const COUNT_ROUNDS_MAX = 10_000;

// ── time-outs ────────────────────────────────────────────────────────────────────────────────────

function timeOut(draft: Draft, open: Open): void {
  const { now } = draft;
  if (open.state === "running") return timeOutRunning(draft, open);
  if (isOutOfTime(draft, open)) return expire(draft, open);
  if (
    open.state === "dispatched" &&
    open.startBy !== null &&
    open.startBy <= now &&
    draft.state.everStarted
  ) {
    open.startBy = null;
    owe(open, now);
  }
  if (open.dueAt !== null && open.dueAt <= now && open.send === null) owe(open, now);
}

/**
 * What was over before a report came is over, though no wake has come yet to say so: the answer must not hang on
 * whether the alarm was punctual. A report at that very instant still counts.
 */
export function timeOutBefore(draft: Draft, open: Open): void {
  if (open.state === "running") timeOutRunning(draft, open, draft.now - 1);
  else if (open.deadlineAt !== null && open.deadlineAt < draft.now) open.token = null;
}

function timeOutRunning(draft: Draft, open: Open, now = draft.now): void {
  if (open.cancelAt !== null && open.cancelAt <= now) {
    open.token = null;
    return finish(draft, open, "cancelled", { reason: open.cancelReason });
  }
  if (open.deadlineAt !== null && open.deadlineAt <= now) {
    open.token = null;
    return endAttempt(draft, open, {
      outcome: "run_timeout",
      error: "longer than timeouts.run",
      retryable: true,
    });
  }
  if (open.leaseUntil !== null && open.leaseUntil <= now) {
    endAttempt(draft, open, {
      outcome: "lease_expired",
      error: "no heartbeat within timeouts.lease",
      retryable: true,
    });
  }
}

function isOutOfTime(draft: Draft, open: Open): boolean {
  const since = open.firstDispatchedAt ?? open.claimedAt ?? draft.now;
  if (since + definitionOf(draft, open.revision).retry.maxElapsedMs <= draft.now) return true;
  return open.send?.error === "unknown_queue" && open.send.since + TIMES.UNKNOWN_QUEUE_MS <= draft.now;
}

function expire(draft: Draft, open: Open): void {
  if (open.send?.error === "unknown_queue") {
    const error = `the queue binding ${open.queue} does not exist`;
    return finish(draft, open, open.state === "claimed" ? "failed" : "expired", {
      reason: "unknown_queue",
      error,
    });
  }
  const reasons = { claimed: "never_dispatched", dispatched: "never_started" } as Record<string, string>;
  finish(draft, open, "expired", {
    reason: reasons[open.state] ?? "max_elapsed",
    error: open.send?.error ?? open.error,
  });
}

/** `untilNextSlot`: a retry is worth something only until its successor is due. A running attempt goes on. */
function supersede(draft: Draft): void {
  const { state, now } = draft;
  const waitingToRetry = state.open.filter((open) => open.state === "retrying" && open.variant === "");
  if (waitingToRetry.length === 0) return;
  const last = lastEffective(ruleInForce(draft), scheduleKey(state), now);
  // An instant that the rule names before it was in force is no slot.
  if (last === null || last <= state.updatedAt) return;
  for (const open of waitingToRetry) {
    if (last > open.slot && definitionOf(draft, open.revision).retry.untilNextSlot) {
      finish(draft, open, "expired", { reason: "superseded" });
    }
  }
}

// ── the next wake ────────────────────────────────────────────────────────────────────────────────

/** When the clock has something to do next, at most a day away; null when nothing lies ahead. */
export function wakeAt(world: World, now: number): number | null {
  const { state } = world;
  if (state.revision === 0) return null;
  if (state.again) return now + 1;
  const due = dueInstants(world, now);
  if (hasUnrecorded(world)) due.push(state.handOver.retryAt);
  return due.length === 0 ? null : Math.min(now + TIMES.WAKE_MS_MAX, ...due);
}

/**
 * When a commit that owes something has to wake, should nothing come of it; null where it owes nothing. Also no
 * later than what comes next: it may be the only alarm left, since one that is running is gone once another is set.
 */
export function guardAt(world: World, owed: HandOver, now: number): number | null {
  if (owed.messages.length === 0 && owed.rows.length === 0) return null;
  const retryMs = owed.messages.length > 0 ? TIMES.HAND_OVER_RETRY_MS : TIMES.ROWS_GUARD_MS;
  const ahead = world.state.again ? [now + 1] : dueInstants(world, now).filter((at) => at > now);
  return Math.min(now + retryMs, ...ahead);
}

function dueInstants(world: World, now: number): number[] {
  const { state } = world;
  const due = [...openDue(world, now), ...waitingDue(world, now)];
  if (state.pause?.until != null) due.push(state.pause.until);
  if (state.status === "active") {
    const next = nextEffective(ruleInForce(world), scheduleKey(state), state.cursor);
    if (next !== null) due.push(next);
  }
  return due;
}

function openDue(world: World, now: number): number[] {
  return world.state.open.flatMap((open) => {
    const { retry, timeouts } = definitionOf(world, open.revision);
    if (open.state === "running") return present([open.leaseUntil, open.deadlineAt, open.cancelAt]);
    const end = (open.firstDispatchedAt ?? open.claimedAt ?? 0) + retry.maxElapsedMs;
    // Where nobody has ever reported nothing is sent again, but the schedule's health says so from then on.
    const startBy = world.state.everStarted || (open.startBy ?? 0) > now ? open.startBy : null;
    return present([
      end,
      startBy,
      open.send === null ? open.dueAt : open.send.at,
      open.send?.error === "unknown_queue" ? open.send.since + TIMES.UNKNOWN_QUEUE_MS : null,
      firstLeaseEnd(open, timeouts.leaseMs, now),
    ]);
  });
}

/** A message is usually started at once: armed for that lease's end already, `start` need not move the alarm. */
function firstLeaseEnd(open: Open, leaseMs: number, now: number): number | null {
  const dispatchedAt = open.state === "dispatched" ? open.attempts.at(-1)?.dispatchedAt : null;
  return dispatchedAt != null && dispatchedAt + leaseMs > now ? dispatchedAt + leaseMs : null;
}

function present(instants: (number | null)[]): number[] {
  return instants.filter((at) => at !== null);
}

function waitingDue(world: World, now: number): number[] {
  const { state } = world;
  const { catchUp, overlap } = definitionOf(world, state.revision);
  return state.waiting.flatMap((range) => {
    if (range.notBefore !== null) return [range.notBefore];
    const due: number[] = [];
    if (catchUp.windowMs !== null && isTimed(range)) due.push(lastDue(world, range) + catchUp.windowMs + 1);
    // Past it, what waits does so for a seat: the end of a run lets it go.
    if (overlap === "allow" && state.rateAt > now) due.push(state.rateAt);
    return due;
  });
}

function lastDue(world: World, range: Waiting): number {
  const { definition, timetable } = ruleOf(world, range.revision);
  return effectiveAt(timetable, scheduleKey(world.state), definition.jitterMs, range.upTo);
}

export function hasUnrecorded({ state }: World): boolean {
  return (
    state.rows.length > 0 || state.unrecorded !== null || state.open.some((open) => open.unrecorded !== null)
  );
}
