/** What people do by hand: run now, cancel one, and give an object that lost its memory what the ledger knows. */
import { fail, ok, type Result } from "../core/errors.ts";
import { occurrenceId, type Occurrence } from "../core/occurrence.ts";
import { admission, type Waiting } from "../core/plan.ts";
import { BOUNDS } from "../core/limits.ts";
import {
  definitionOf,
  findOpen,
  findRange,
  nextNumber,
  ruleInForce,
  ruleOf,
  touch,
  type Draft,
  isGone,
  notFound,
} from "./draft.ts";
import { claim, countOutcome, drawUp, isTimed, keepChain } from "./settle.ts";
import { recordClosed, recordSkip } from "./skip.ts";
import type { Open, OccurrenceRow, ScheduleRow, World } from "./state.ts";
import type { Actor, Address, OccurrenceView, TriggerCommand } from "./stub.ts";
import { dispatched, view, viewFinal } from "./run.ts";
import { firingsOf } from "./view.ts";
import { askToStop, terminate, wake } from "./wake.ts";

/** Runs now, outside the trigger's slots: neither the cursor nor streaks nor `maxOccurrences` move. Works while paused. */
export function trigger(draft: Draft, command: TriggerCommand): Result<OccurrenceView> {
  const { state, now } = draft;
  if (isGone(draft)) return notFound(draft);
  wake(draft);
  if (isGone(draft)) return notFound(draft);
  const before = startedBy(draft, command.key);
  if (before) return before;
  const { definition, revision } = ruleInForce(draft);
  if (!definition.tracked && command.overlap !== undefined && command.overlap !== "allow") {
    return fail("invalid_field", `overlap "${command.overlap}" needs a tracked schedule.`, {
      pointer: "/overlap",
    });
  }
  const overlap = command.overlap ?? definition.overlap;
  const seats = overlap === "allow" ? BOUNDS.OPEN_MAX : (definition.maxConcurrent ?? BOUNDS.OPEN_MAX);
  const buffered = state.waiting
    .filter((range) => range.buffered)
    .reduce((sum, range) => sum + range.count, 0);
  const decision = admission(overlap, seats - state.open.length, buffered, definition.maxBuffered);
  if (decision === "overlap" || decision === "buffer_full") {
    return fail(
      "busy",
      `The schedule is busy, and its overlap policy "${overlap}" would skip this run (${decision}).`,
      {
        hint: 'Name another policy for this run: { "overlap": "buffer_one" } or { "overlap": "allow" }.',
      },
    );
  }
  const firing = {
    slot: now,
    variant: nextVariant(draft),
    kind: "manual" as const,
    revision,
    payload: command.payload === undefined ? null : { value: command.payload },
    replayOf: null,
  };
  switch (decision) {
    case "cancel":
      stopOldest(draft, seats);
      if (state.open.length >= seats) supersedeWaiting(draft);
      break;
    case "terminate":
      for (const open of oldestFirst(draft)) if (state.open.length >= seats) terminate(draft, open);
      break;
    case "fire":
    case "wait":
  }
  keepChain(draft);
  if (command.key !== undefined) {
    const { slot, variant } = firing;
    state.triggered = [...(state.triggered ?? []), { key: command.key, slot, variant }].slice(
      -BOUNDS.TRIGGERS_KEPT,
    );
  }
  const isFree = decision === "fire" || state.open.length < seats;
  if (isFree) return ok(view(draft, claim(draft, firing)));
  const range: Waiting = {
    ...firing,
    after: now - 1,
    upTo: now,
    count: 1,
    newestFirst: false,
    notBefore: null,
    buffered: true,
  };
  state.waiting.push(range);
  return ok(view(draft, drawUp(draft, firing)));
}

/** The same request has been here, and its answer was lost. Its slot is the instant at which it was. */
function startedBy(draft: Draft, key: string | undefined): Result<OccurrenceView> | null {
  const { state, now } = draft;
  const started = state.triggered?.findLast((one) => one.key === key);
  if (!started || started.slot < now - BOUNDS.ANSWERS_KEPT_MS) return null;
  const { slot, variant } = started;
  const open = findOpen(state, { slot, variant });
  if (open) return ok(view(draft, open));
  const range = findRange(draft, (one) => one.variant === variant, slot);
  const [waiting] = range ? firingsOf(draft, range, 1) : [];
  if (waiting) return ok(view(draft, drawUp(draft, waiting)));
  const final = state.finals.findLast((one) => one.slot === slot && one.variant === variant);
  if (final) return ok(viewFinal(draft, final));
  const id = occurrenceId(state.name, slot, variant);
  return fail("settled", `This request started ${id}, which has ended since.`, { data: { id } });
}

function oldestFirst({ state }: Draft): Open[] {
  return state.open.toSorted((a, b) => a.slot - b.slot);
}

/** As the policy `cancel_other` does for a slot: what isn't running ends at once, and the first running one is asked. */
function stopOldest(draft: Draft, seats: number): void {
  for (const open of oldestFirst(draft).filter((o) => o.cancelAt === null)) {
    if (draft.state.open.length < seats) return;
    askToStop(draft, open, "superseded");
    if (open.state === "running") return;
  }
}

/** Who waited gives way to the newer one. */
function supersedeWaiting(draft: Draft): void {
  const { state } = draft;
  const replaced = state.waiting.filter((range) => range.buffered);
  state.waiting = state.waiting.filter((range) => !range.buffered);
  for (const range of replaced) {
    const [first] = firingsOf(draft, range, 1);
    if (!first) continue;
    const { upTo: to, count, revision } = range;
    const byHand = range.variant === "" ? {} : { byHand: first };
    recordSkip(draft, { from: first.slot, to, count, reason: "superseded", revision, ...byHand });
  }
}

/**
 * `~m1`, and a higher number only where the same millisecond may have been used before: the counter, which every
 * run by hand draws from, is above all that were. So no id comes twice, even after the clock stepped back.
 */
function nextVariant(draft: Draft): string {
  const { state, now } = draft;
  const number = state.counter < now ? 1 : state.series.m + 1;
  state.series = { ...state.series, m: Math.max(state.series.m, number) };
  nextNumber(draft);
  return `~m${number}`;
}

/** Ends at once what is not running; a running one is marked and learns it from its next heartbeat. */
export function cancel(draft: Draft, command: Actor & Address): Result<OccurrenceView> {
  const { state } = draft;
  const { slot, variant } = command;
  const open = findOpen(state, command);
  if (open) {
    askToStop(draft, open, `cancelled by ${command.who}`);
    const answer = ok(view(draft, open));
    wake(draft);
    return answer;
  }
  const range = findRange(draft, (one) => one.variant === variant, slot);
  if (range) return cancelWaiting(draft, range, slot, `cancelled by ${command.who}`);
  const final = state.finals.findLast((f) => f.slot === slot && f.variant === variant);
  if (final)
    return fail("settled", `The occurrence is ${final.state} already.`, { data: { state: final.state } });
  return fail("not_found", `No open occurrence ${occurrenceId(state.name, slot, variant)}.`);
}

/** Takes one slot out of a waiting range, which falls into the parts before and after it. */
function cancelWaiting(draft: Draft, range: Waiting, slot: number, reason: string): Result<OccurrenceView> {
  const { state } = draft;
  const { timetable } = ruleOf(draft, range.revision);
  const before = range.count === 1 ? 0 : timetable.count(range.after, slot - 1).count;
  const last = before === 0 ? null : timetable.prev(slot - 1);
  const parts: Waiting[] = [];
  if (last !== null) parts.push({ ...range, upTo: last, count: before });
  if (range.count - before > 1) parts.push({ ...range, after: slot, count: range.count - before - 1 });
  state.waiting = state.waiting.flatMap((other) => (other === range ? parts : [other]));
  const { kind, revision, variant, payload, replayOf } = range;
  const firing = { slot, kind, revision, variant, payload, replayOf };
  recordClosed(draft, firing, "cancelled", reason);
  countOutcome(draft, "cancelled");
  wake(draft);
  return ok({ ...view(draft, drawUp(draft, firing)), state: "cancelled", reason });
}

/** What the ledger knows about a schedule whose object is empty or older than it. */
export interface RestoreCommand {
  row: ScheduleRow;
  /** Highest slot or gap end on record, and the highest version or token. */
  highestSlot: number;
  highestVersion: number;
  /** Fixed delay: when the next slot is due, where the record says it. */
  delayDueAt: number | null;
  /** Rows that were not final. */
  open: OccurrenceRow[];
}

/** The object knows at least what the ledger knows: the rule, since its rows come from nowhere else. */
export function isLevel({ state }: World, { row, highestVersion }: RestoreCommand): boolean {
  return state.counter >= Math.max(row.version, highestVersion);
}

/**
 * The object continues where the ledger ends: no old slot becomes due again, no old token becomes valid. What it
 * believed to be open before is dropped: the ledger has seen more of it.
 */
export function restore(draft: Draft, recorded: RestoreCommand): Result<null> {
  const { state } = draft;
  const { row, highestSlot, highestVersion, delayDueAt, open } = recorded;
  if (isLevel(draft, recorded)) return ok(null);
  Object.assign(state, {
    shard: row.shard,
    status: row.state,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    revision: row.revision,
    cursor: Math.max(row.cursor, highestSlot),
    counter: Math.max(row.version, row.state_body.counter, highestVersion),
    claimed: row.state_body.claimed,
    series: row.state_body.series,
    pause: row.state_body.pause,
    secrets: row.state_body.secrets ?? [],
    open: [],
    waiting: [],
    rows: [],
  });
  draft.revisions[row.revision] = row.definition;
  // What is older than its retention may have run and been pruned since: it must not seem missed.
  state.cursor = Math.max(state.cursor, draft.now - definitionOf(draft, row.revision).retentionMs);
  for (const lost of open) adopt(draft, lost);
  // What the ledger has promised holds, if it lies ahead of what is accounted for.
  state.delayDueAt = delayDueAt !== null && delayDueAt > state.cursor ? delayDueAt : null;
  keepChain(draft);
  touch(draft);
  return ok(null);
}

/**
 * Its message may be on the way, running, or lost: it counts as dispatched. The next start gets a new token; where
 * none comes, `timeouts.start` sends it again. Its definition is the one in force, older ones being gone.
 */
function adopt(draft: Draft, row: OccurrenceRow): void {
  const { state, now } = draft;
  if (!row.body.tracked) return;
  const { slot, variant, revision } = row;
  const known = revision === state.revision ? revision : state.revision;
  const kind = row.kind as Occurrence["kind"];
  const open = claim(draft, {
    slot,
    variant,
    kind,
    revision: known,
    payload: row.body.payload ?? null,
    replayOf: row.body.replayOf,
  });
  if (isTimed(open)) state.claimed--;
  // Its own revision was tracked; the one in force may not be, under which a dispatched one could never end.
  open.tracked = true;
  Object.assign(open, { attempt: row.attempt, attempts: row.body.attempts, claimedAt: row.claimed_at });
  if (row.dispatched_at === null) return;
  dispatched(draft, open, now);
  Object.assign(open, { dispatchedAt: row.dispatched_at, firstDispatchedAt: row.dispatched_at });
  state.everStarted = true;
}
