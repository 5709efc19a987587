/**
 * What workers report: start, heartbeat, complete, fail, defer. Only the token of the attempt that holds the
 * occurrence writes; every call is idempotent for the same worker and token. A lapsed lease voids nothing by
 * itself: until another attempt has started, its holder may still renew, complete or fail.
 */
import { fail, ok, type Err, type Result } from "../core/errors.ts";
import { messageOf, type Message } from "../core/message.ts";
import { move, occurrenceId, type Occurrence } from "../core/occurrence.ts";
import type { Firing } from "../core/plan.ts";
import { instantOrNull, presentOccurrence } from "../core/present.ts";
import { formatInstant } from "../core/time.ts";
import { definitionOf, findOpen, nextNumber, ruleOf, type Draft } from "./draft.ts";
import { claim, closeAttempt, endAttempt, finish, putOff } from "./settle.ts";
import type { Final, Open } from "./state.ts";
import { timeOutBefore } from "./wake.ts";
import type {
  Address,
  CompleteReport,
  DeferReport,
  FailReport,
  HeartbeatGrant,
  HeartbeatReport,
  OccurrenceView,
  StartGrant,
  StartReport,
} from "./stub.ts";

export function start(draft: Draft, command: Address & StartReport): Result<StartGrant> {
  const { state, now } = draft;
  const open = findOpen(state, command);
  if (!open) return refuseSettled(draft, command);
  if (!open.tracked)
    return fail(
      "settled",
      "This schedule is not tracked: nobody reports on its occurrences.",
      state409(open),
    );
  if (open.state === "running") {
    if (open.worker === command.worker) return ok(grant(draft, open));
    return fail("busy", "Another worker holds the lease.", state409(open));
  }
  if (open.dueAt !== null && open.dueAt > now) {
    return fail("not_due", `The next attempt is due at ${instantOrNull(open.dueAt)}.`, state409(open));
  }
  const { timeouts } = definitionOf(draft, open.revision);
  state.everStarted = true;
  state.health.lastStartedAt = now;
  // A message can be faster than the acknowledgement of its own sending: its arrival proves that it left.
  if (open.state === "claimed") open.unrecorded = nextNumber(draft);
  if (open.state !== "dispatched") dispatched(draft, open, now);
  move(open, "running", { startedAt: now });
  const deadlineAt = now + timeouts.runMs;
  Object.assign(open, {
    token: nextNumber(draft),
    worker: command.worker,
    deadlineAt,
    leaseUntil: Math.min(now + timeouts.leaseMs, deadlineAt),
    startBy: null,
    dueAt: null,
    send: null,
    heartbeats: 0,
  });
  const attempt = open.attempts.at(-1);
  if (attempt) Object.assign(attempt, { startedAt: now, token: open.token });
  return ok(grant(draft, open));
}

/** The message left: attempt and occurrence say when. */
export function dispatched(draft: Draft, open: Open, at: number): void {
  const { timeouts } = definitionOf(draft, open.revision);
  if (open.state !== "dispatched") move(open, "dispatched");
  Object.assign(open, {
    dispatchedAt: open.dispatchedAt ?? at,
    firstDispatchedAt: open.firstDispatchedAt ?? at,
    startBy: open.tracked ? at + timeouts.startMs : null,
    dueAt: null,
    error: withoutSendError(open),
    send: null,
  });
  if (open.attempts.at(-1)?.attempt !== open.attempt || open.attempts.at(-1)?.endedAt !== null) {
    open.attempts = [...open.attempts, freshAttempt(open.attempt, at)].slice(-ATTEMPTS_KEPT);
  }
}

/** Why it could not be sent is of no interest once it was. */
export function withoutSendError({ error, send }: Open): string | null {
  return send !== null && send.error === error ? null : error;
}

const ATTEMPTS_KEPT = 20;

export function freshAttempt(attempt: number, dispatchedAt: number | null): Occurrence["attempts"][number] {
  return { attempt, token: null, dispatchedAt, startedAt: null, endedAt: null, outcome: null, error: null };
}

function grant(draft: Draft, open: Open): StartGrant {
  return {
    token: open.token ?? 0,
    attempt: open.attempt,
    leaseUntil: formatInstant(open.leaseUntil ?? draft.now),
    deadline: formatInstant(open.deadlineAt ?? draft.now),
    newerSucceeded: newerSucceeded(draft, open.slot),
    message: messageFor(draft, open),
  };
}

/** A later slot that already succeeded: its result is not to be overwritten by an older run. */
function newerSucceeded({ state }: Draft, slot: number): string | null {
  return state.lastSucceededSlot !== null && state.lastSucceededSlot > slot
    ? formatInstant(state.lastSucceededSlot)
    : null;
}

export function messageFor(
  draft: Pick<Draft, "state" | "revisions">,
  open: Open,
  startBy = open.startBy,
): Message {
  const { state } = draft;
  const payload = open.payload ? open.payload.value : definitionOf(draft, open.revision).payload;
  const { namespace, name, previous } = state;
  return messageOf(open, { namespace, name, attempt: open.attempt, startBy, previous, payload });
}

export function heartbeat(draft: Draft, command: Address & HeartbeatReport): Result<HeartbeatGrant> {
  const held = holder(draft, command);
  if (!held.ok) return held;
  const open = held.value;
  const { timeouts } = definitionOf(draft, open.revision);
  open.leaseUntil = Math.min(draft.now + timeouts.leaseMs, open.deadlineAt ?? Number.POSITIVE_INFINITY);
  open.heartbeats++;
  if (command.progress !== undefined || command.note !== undefined) {
    open.progress = { value: command.progress ?? null, note: command.note ?? null, at: draft.now };
  }
  // A run that outlives its first heartbeat is worth a row: a long job is seen in the ledger while it runs.
  if (open.heartbeats === 1) open.unrecorded = nextNumber(draft);
  return ok({
    leaseUntil: formatInstant(open.leaseUntil),
    cancel: open.cancelAt !== null,
    newerSucceeded: newerSucceeded(draft, open.slot),
  });
}

export function complete(draft: Draft, command: Address & CompleteReport): Result<OccurrenceView> {
  const held = holder(draft, command);
  if (!held.ok) return repeated(draft, command, "complete", held);
  const open = held.value;
  open.settledBy = "complete";
  const next = command.workRemaining ? continuationOf(draft, open) : null;
  // Work that remains and is not gone on with is told of: it is for the next slot, if there is one.
  const reason = command.workRemaining && next === null ? "work_remaining" : null;
  finish(draft, open, "succeeded", { reason, error: null, result: command.result ?? null });
  if (next) claim(draft, next);
  return ok(view(draft, open));
}

/** `workRemaining`: the same slot, revision and seat go on at once, up to `maxContinuations`. */
function continuationOf(draft: Draft, open: Open): Firing | null {
  const { maxContinuations } = definitionOf(draft, open.revision);
  const [, base = "", number = "0"] = /^(.*?)(?:~c(\d+))?$/.exec(open.variant) ?? [];
  const next = Number(number) + 1;
  // Pause, delete and a wish to cancel end the chain.
  const { status } = draft.state;
  const goesOn = (status === "active" || status === "completed") && open.cancelAt === null;
  if (!goesOn || next > maxContinuations) return null;
  const { slot, revision, payload, replayOf } = open;
  return { slot, variant: `${base}~c${next}`, kind: "continuation", revision, payload, replayOf };
}

export function failed(draft: Draft, command: Address & FailReport): Result<OccurrenceView> {
  const held = holder(draft, command);
  if (!held.ok) return repeated(draft, command, "fail", held);
  const open = held.value;
  const { error, retryable = true, retryAfterMs } = command;
  open.settledBy = "fail";
  endAttempt(draft, open, { outcome: "failed", error, retryable, retryAfterMs: retryAfterMs ?? null });
  Object.assign(open, { token: null, settledBy: null });
  return ok(view(draft, open));
}

export function defer(draft: Draft, command: Address & DeferReport): Result<OccurrenceView> {
  const held = holder(draft, command);
  if (!held.ok) return repeated(draft, command, "defer", held);
  const open = held.value;
  closeAttempt(draft, open, "deferred", null);
  open.settledBy = "defer";
  if (open.cancelAt !== null) finish(draft, open, "cancelled", { reason: open.cancelReason });
  else if (draft.state.status === "deleted") finish(draft, open, "cancelled", { reason: "deleted" });
  else putOff(draft, open, "deferred", draft.now + command.forMs, open.attempt);
  Object.assign(open, { token: null, settledBy: null });
  return ok(view(draft, open));
}

/** The dead-letter queue gave the message up: an attempt that nobody could start. */
export function deadLettered(draft: Draft, command: Address & { attempt: number }): Result<null> {
  const open = findOpen(draft.state, command);
  if (open?.state === "dispatched" && open.attempt === command.attempt) {
    endAttempt(draft, open, {
      outcome: "dead_lettered",
      error: "its queue gave the message up",
      retryable: true,
    });
  }
  return ok(null);
}

/** The open occurrence that this token holds; a lapsed one whose successor has not started is taken back. */
function holder(draft: Draft, command: Address & { token: number }): Result<Open> {
  const addressed = findOpen(draft.state, command);
  if (addressed) timeOutBefore(draft, addressed);
  const open = findOpen(draft.state, command);
  if (!open || open.token === null || open.token !== command.token) return leaseLost(draft, command, open);
  if (open.state !== "running") takeBack(draft, open);
  return ok(open);
}

function leaseLost(draft: Draft, command: Address, open: Open | undefined): Err {
  const final = finalOf(draft, command);
  const now = open?.state ?? final?.state;
  const message = `This token does not hold the occurrence${now ? `, which is ${now}` : ""}: it never did, another attempt started, or it ended.`;
  const ended = final && { data: { state: final.state, reason: final.reason } };
  return fail("lease_lost", message, open ? state409(open) : ended);
}

/** Nobody has replaced the late holder: the queued attempt is withdrawn, and its message will find us busy. */
function takeBack(draft: Draft, open: Open): void {
  const attempt = open.attempts.findLast((a) => a.token === open.token);
  if (attempt) Object.assign(attempt, { endedAt: null, outcome: null, error: null });
  open.attempts = open.attempts.filter((a) => a.startedAt !== null);
  move(open, "running", { attempt: attempt?.attempt ?? open.attempt, error: null });
  Object.assign(open, { send: null, dueAt: null, startBy: null, unrecorded: nextNumber(draft) });
  const { timeouts } = definitionOf(draft, open.revision);
  open.leaseUntil = Math.min(draft.now + timeouts.leaseMs, open.deadlineAt ?? Number.POSITIVE_INFINITY);
}

const OUTCOMES = { complete: "succeeded", fail: "failed", defer: "deferred" } as const;

/** A report that was committed and whose answer was lost gets the same answer again; any other is stale. */
function repeated(
  draft: Draft,
  command: Address & { token: number },
  report: keyof typeof OUTCOMES,
  lost: Err,
): Result<OccurrenceView> {
  const final = finalOf(draft, command);
  if (final?.settledBy === report && final.token === command.token) return ok(viewFinal(draft, final));
  const open = findOpen(draft.state, command);
  const reported = open?.attempts.some((a) => a.token === command.token && a.outcome === OUTCOMES[report]);
  return open && reported ? ok(view(draft, open)) : lost;
}

function refuseSettled(draft: Draft, command: Address): Err {
  const final = finalOf(draft, command);
  if (!final)
    return fail(
      "not_found",
      `No open occurrence ${occurrenceId(draft.state.name, command.slot, command.variant)}.`,
    );
  const code =
    final.state === "cancelled" ? "cancelled" : final.reason === "superseded" ? "superseded" : "settled";
  return fail(code, `This occurrence is ${final.state} already.`, {
    data: { state: final.state, reason: final.reason },
  });
}

function finalOf({ state }: Draft, { slot, variant, queues }: Address): Final | undefined {
  const final = state.finals.findLast((one) => one.slot === slot && one.variant === variant);
  // Those of older versions do not say whose they were: their holders may still ask for their answer.
  if (!queues || final?.queue === undefined) return final;
  return final.queue !== null && queues.includes(final.queue) ? final : undefined;
}

function state409(open: Open) {
  const { state, attempt, leaseUntil, dueAt } = open;
  return { data: { state, attempt, leaseUntil: instantOrNull(leaseUntil), dueAt: instantOrNull(dueAt) } };
}

export function view(draft: Draft, occurrence: Occurrence): OccurrenceView {
  return presentOccurrence(draft.state.namespace, draft.state.name, occurrence);
}

/** What the object still knows of a settled occurrence; the ledger has the whole of it. */
export function viewFinal(draft: Draft, final: Final): OccurrenceView {
  const pending = draft.state.rows.find((row) => row.key === `${final.slot}${final.variant}`);
  const { timetable } = ruleOf(
    draft,
    final.revision in draft.revisions ? final.revision : draft.state.revision,
  );
  const { localTime, timezones, locals, businessDate } = timetable.describe(final.slot);
  const body = pending?.table === "occurrences" ? pending.row.body : null;
  return view(draft, {
    ...final,
    localTime,
    timezones,
    locals,
    businessDate,
    effectiveAt: final.slot,
    tracked: true,
    claimedAt: null,
    dispatchedAt: null,
    startedAt: null,
    attempt: body?.attempts.at(-1)?.attempt ?? 1,
    attempts: body?.attempts ?? [],
    leaseUntil: null,
    progress: body?.progress ?? null,
    result: body?.result ?? null,
    error: body?.error ?? null,
    replayOf: null,
  });
}
