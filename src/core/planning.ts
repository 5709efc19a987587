/** What a plan is made of: what goes in, what comes out, and the three things that it does with a slot. */
import { BOUNDS } from "./limits.ts";
import type { Kind, SkipReason } from "./occurrence.ts";
import type { CatchUp, Definition } from "./schedule.ts";
import { effectiveAt, type Timetable } from "./trigger.ts";

/** A revision with what is derived from it. */
export interface Rule {
  revision: number;
  definition: Definition;
  timetable: Timetable;
}

/** Admitted but not claimed: `count` slots of `revision` in (after, upTo]; by hand: one, at `upTo`. */
export interface Waiting {
  kind: Kind;
  revision: number;
  variant: string;
  after: number;
  upTo: number;
  count: number;
  newestFirst: boolean;
  /** Held by its jitter when an edit came: due from here on, then admitted like any arriving slot. */
  notBefore: number | null;
  /** The overlap policy made it wait, so it counts against `maxBuffered`. Catch-up and backfill don't. */
  buffered: boolean;
  /** By hand: a payload of its own. */
  payload: { value: Definition["payload"] } | null;
  replayOf: string | null;
  /** It stands for missed slots: a later one of that kind takes its place. */
  covers?: true;
}

export interface Seat {
  key: string;
  slot: number;
  running: boolean;
  cancelling: boolean;
}

export interface PlanInput {
  rule: Rule;
  /** Older revisions that waiting slots belong to. */
  ruleOf(revision: number): Rule;
  /** Spreads the jitter: `<namespace>/<name>`. */
  seed: string;
  cursor: number;
  waiting: Waiting[];
  /** Open occurrences, oldest first. */
  seats: Seat[];
  /** Claims left until `maxOccurrences`; null: no limit. */
  left: number | null;
  /** Under overlap `allow`, catch-up leaves not before this. */
  rateAt: number;
  /** No new slots. */
  paused: boolean;
  /** The definition's, or what a resume named. */
  catchUp: CatchUp;
}

export interface Firing {
  slot: number;
  variant: string;
  kind: Kind;
  revision: number;
  payload: Waiting["payload"];
  replayOf: string | null;
}

/** Consecutive slots not run for one reason; `from` and `to` are the first and the last of them. */
export interface Skip {
  from: number;
  to: number;
  count: number;
  reason: SkipReason;
  revision: number;
  /** A run by hand that never began: it has an id of its own, and no slot. */
  byHand?: Firing;
}

export interface Plan {
  fire: Firing[];
  waiting: Waiting[];
  skips: Skip[];
  /** Keys of open occurrences that are asked to stop, or lose their token at once. */
  cancel: string[];
  terminate: string[];
  cursor: number;
  rateAt: number;
  /** A bound was hit: the rest is for another wake, at once. */
  again: boolean;
}

/** A plan in the making. */
export interface Draft extends Plan {
  input: PlanInput;
  now: number;
  taken: Seat[];
  left: number;
  arrivals: Arrival[];
}

export interface Arrival {
  slot: number;
  kind: Kind;
  revision: number;
  /** It stands for missed slots too, so it waits where the policy would skip it. */
  covers: boolean;
}

export function draftOf(input: PlanInput, now: number): Draft {
  return {
    input,
    now,
    fire: [],
    waiting: input.waiting.map((range) => ({ ...range })),
    skips: [],
    cancel: [],
    terminate: [],
    cursor: input.cursor,
    rateAt: input.rateAt,
    again: false,
    taken: [...input.seats],
    left: input.left ?? Number.POSITIVE_INFINITY,
    arrivals: [],
  };
}

/** The greatest slot whose effective instant is not after `at`. Only the last slot can still be held by its jitter. */
export function lastEffective({ definition, timetable }: Rule, seed: string, at: number): number | null {
  const last = timetable.prev(at);
  if (last === null || effectiveAt(timetable, seed, definition.jitterMs, last) <= at) return last;
  return timetable.prev(last - 1);
}

/** When the first slot after `cursor` becomes due. */
export function nextEffective({ definition, timetable }: Rule, seed: string, cursor: number): number | null {
  const next = timetable.next(cursor);
  return next === null ? null : effectiveAt(timetable, seed, definition.jitterMs, next);
}

/** Seats that nobody takes; negative where an edit left fewer than are taken. */
export function seatsFree({ input, taken }: Draft): number {
  return (input.rule.definition.maxConcurrent ?? BOUNDS.OPEN_MAX) - taken.length;
}

/** What may be claimed now: a wake claims no more than fits one queue batch. */
export function claimsFree(draft: Draft): number {
  return Math.min(seatsFree(draft), BOUNDS.CLAIMS_PER_WAKE - draft.fire.length);
}

export function claim(draft: Draft, firing: Firing): void {
  draft.fire.push(firing);
  draft.taken.push({
    key: `${firing.slot}${firing.variant}`,
    slot: firing.slot,
    running: false,
    cancelling: false,
  });
  if (firing.variant === "") draft.left--;
}

export function skipOne(draft: Draft, slot: number, reason: SkipReason, revision: number): void {
  draft.skips.push({ from: slot, to: slot, count: 1, reason, revision });
}
