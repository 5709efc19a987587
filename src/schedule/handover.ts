/**
 * What is committed but not yet handed over: messages that are owed, rows that the ledger has not acknowledged.
 * Derived from the state, so that it is safe to run twice: the same id, attempt and version every time.
 */
import { BOUNDS, POLLED_QUEUE, TIMES } from "../core/limits.ts";
import type { Message } from "../core/message.ts";
import { claimNumber, definitionOf, dispatchNumber, nextNumber, type Draft } from "./draft.ts";
import { occurrenceKey, occurrenceRow, scheduleRow } from "./rows.ts";
import { dispatched, freshAttempt, messageFor, withoutSendError } from "./run.ts";
import { afterEnd, finishUntracked } from "./settle.ts";
import type { Open, PendingRow, World } from "./state.ts";

export interface OwedMessage {
  /** Slot and variant: names the occurrence inside its object, and the row that travels with it. */
  key: string;
  attempt: number;
  queue: string;
  message: Message;
}

export interface HandOver {
  messages: OwedMessage[];
  rows: PendingRow[];
}

export interface HandedOver {
  sent: { key: string; attempt: number; at: number }[];
  unsent: { key: string; attempt: number; error: string }[];
  recorded: { key: string; version: number }[];
  /** Rows were offered and not all of them acknowledged. */
  unrecorded: boolean;
}

export function pendingHandOver(world: World, at: number): HandOver {
  const { state } = world;
  // As in every step: while the clock is behind, it is as late as the cursor says.
  const now = Math.max(at, state.cursor);
  const owed = state.open.filter((open) => isOwed(open, now));
  const messages = owed.map((open) => owedMessage(world, open, now));
  const ledgerRests = state.handOver.retryAt > now;
  const rows = ledgerRests
    ? []
    : [...openRows(world, now), ...state.rows].slice(0, BOUNDS.ROWS_PER_HAND_OVER);
  if (!ledgerRests && state.unrecorded !== null) rows.push(ownRow(world, state.unrecorded));
  return { messages, rows };
}

function isOwed(open: Open, now: number): boolean {
  return open.send !== null && open.send.at <= now;
}

function owedMessage(world: World, open: Open, now: number): OwedMessage {
  const { timeouts } = definitionOf(world, open.revision);
  const startBy = open.tracked ? now + timeouts.startMs : null;
  return {
    key: occurrenceKey(open),
    attempt: open.attempt,
    queue: open.queue ?? "",
    message: messageFor(world, open, startBy),
  };
}

/** A row that travels with its message says `dispatched`; whoever sends it fills the instant in. */
function openRows(world: World, now: number): PendingRow[] {
  return world.state.open.flatMap((open) => {
    if (open.unrecorded === null) return [];
    if (open.state !== "claimed" || !isOwed(open, now))
      return [occurrenceRow(world.state, open, open.unrecorded)];
    return [occurrenceRow(world.state, asDispatched(open), dispatchNumber(open.unrecorded))];
  });
}

function asDispatched(open: Open): Open {
  const attempts = [freshAttempt(open.attempt, null)];
  return { ...open, state: "dispatched", attempts, error: withoutSendError(open) };
}

function ownRow(world: World, version: number): PendingRow {
  const { state, revisions } = world;
  const definition = definitionOf(world, state.revision);
  return scheduleRow(state, revisions[state.revision]!, definition, version);
}

/** Takes the outcome in. Returns whether it has to be stored: acknowledged rows alone can be forgotten, and are offered again. */
export function handedOver(draft: Draft, outcome: HandedOver): boolean {
  const { state, now } = draft;
  const recorded = new Map(outcome.recorded.map(({ key, version }) => [key, version]));
  let durable = false;
  for (const { key, attempt, at } of outcome.sent) {
    const open = owedAttempt(draft, key, attempt);
    if (!open) continue;
    durable = true;
    open.unrecorded = rowAfterSending(draft, open);
    dispatched(draft, open, at);
    if (!open.tracked) leave(draft, open, recorded.get(key) === open.unrecorded);
  }
  for (const { key, attempt, error } of outcome.unsent) {
    const open = owedAttempt(draft, key, attempt);
    if (!open) continue;
    durable = true;
    sendLater(draft, open, error);
  }
  for (const [key, version] of recorded) acknowledge(draft, key, version);
  if (outcome.unrecorded) {
    durable = true;
    const tries = state.handOver.tries + 1;
    state.handOver = { tries, retryAt: now + backoffMs(tries) };
  } else if (outcome.recorded.length > 0) {
    state.handOver = { tries: 0, retryAt: 0 };
  }
  return durable;
}

/** Nobody reports on it, so it ends here, and the seat that it leaves is for who waits: at the next wake, at once. */
function leave(draft: Draft, open: Open, recorded: boolean): void {
  const { state } = draft;
  const { maxConcurrent } = definitionOf(draft, state.revision);
  const wasFull = state.open.length >= (maxConcurrent ?? BOUNDS.OPEN_MAX);
  finishUntracked(draft, open, recorded);
  afterEnd(draft);
  if (wasFull && state.waiting.some((range) => range.notBefore === null)) state.again = true;
}

/** The row of what has just left: it travelled with the message, or the ledger has yet to hear of it, or can wait. */
function rowAfterSending(draft: Draft, open: Open): number | null {
  if (open.state === "claimed")
    return open.unrecorded === null ? nextNumber(draft) : dispatchNumber(open.unrecorded);
  // Pollers find work in the ledger, so a further attempt has to show there; elsewhere its row can wait for the end.
  return open.queue === POLLED_QUEUE ? nextNumber(draft) : open.unrecorded;
}

/** Still the attempt that was owed? A start may have overtaken the acknowledgement, a cancel may have ended it. */
function owedAttempt(draft: Draft, key: string, attempt: number): Open | undefined {
  return draft.state.open.find((o) => occurrenceKey(o) === key && o.attempt === attempt && o.send !== null);
}

function sendLater(draft: Draft, open: Open, error: string): void {
  const tries = (open.send?.tries ?? 0) + 1;
  const told = open.send?.error === error;
  const since = told ? (open.send?.since ?? draft.now) : draft.now;
  open.send = { at: draft.now + backoffMs(tries), tries, error, since };
  if (told || open.state !== "claimed") return;
  // The ledger says why it is still only claimed: once per cause, not once per try.
  Object.assign(open, { error, unrecorded: claimNumber(draft) });
}

function backoffMs(tries: number): number {
  return Math.min(TIMES.HAND_OVER_RETRY_MS * 2 ** (tries - 1), TIMES.HAND_OVER_RETRY_MS_MAX);
}

function acknowledge(draft: Draft, key: string, version: number): void {
  const { state } = draft;
  state.rows = state.rows.filter((row) => row.key !== key || row.version !== version);
  if (key === "schedule" && state.unrecorded === version) state.unrecorded = null;
  const open = state.open.find((o) => occurrenceKey(o) === key);
  if (open?.unrecorded === version) open.unrecorded = null;
}
