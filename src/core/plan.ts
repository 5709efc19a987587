/**
 * The plan: one pure decision about everything that is due.
 *
 *     (cursor, now] ── due? ──┬─ missed ── catch-up policy ──► gap rows · ranges that wait
 *                             └─ current ── overlap policy ──► fires · waits · is skipped
 *     waiting ── window? seats? rate? ──► fires, oldest first, scheduled before backfill
 *
 * It works on ranges, so a sleep, a crash, a pause and a slow tick are one path. It costs the same after
 * a second and after a year: the last due slot is found from the right, a run of skipped ones is counted.
 */
import type { Kind, SkipReason } from "./occurrence.ts";
import { BOUNDS } from "./limits.ts";
import type { CatchUp, Definition, Overlap } from "./schedule.ts";
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

interface Draft extends Plan {
  input: PlanInput;
  now: number;
  taken: Seat[];
  left: number;
  arrivals: Arrival[];
}

interface Arrival {
  slot: number;
  kind: Kind;
  revision: number;
  /** It stands for missed slots too, so it waits where the policy would skip it. */
  covers: boolean;
}

export function plan(input: PlanInput, now: number): Plan {
  const draft: Draft = {
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
  if (!input.paused) settleDue(draft);
  expireWaiting(draft);
  releaseHeld(draft);
  fireWaiting(draft);
  for (const arrival of draft.arrivals) admit(draft, arrival);
  const { fire, waiting, skips, cancel, terminate, cursor, rateAt, again } = draft;
  return { fire, waiting, skips, cancel, terminate, cursor, rateAt, again };
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

// ── new slots: what is due, what of it was missed ────────────────────────────────────────────────

function settleDue(draft: Draft): void {
  const { rule, seed } = draft.input;
  const last = lastEffective(rule, seed, draft.now);
  if (last === null || last <= draft.cursor || draft.left === 0) return;
  const { jitterMs } = rule.definition;
  const isCurrent =
    draft.now - effectiveAt(rule.timetable, seed, jitterMs, last) <= draft.input.catchUp.graceMs;
  const missedUpTo = isCurrent ? rule.timetable.prev(last - 1) : last;
  const settled = settleMissed(draft, missedUpTo, isCurrent);
  if (!settled.all) return;
  draft.cursor = last;
  if (!isCurrent) return;
  if (settled.queued) wait(draft, single(draft, last, "scheduled", false));
  else
    draft.arrivals.push({ slot: last, kind: "scheduled", revision: rule.revision, covers: settled.missed });
}

interface Settled {
  all: boolean;
  missed: boolean;
  /** Missed slots wait their turn, and the current one behind them. */
  queued: boolean;
}

function settleMissed(draft: Draft, upTo: number | null, hasCurrent: boolean): Settled {
  const start = draft.cursor;
  if (upTo === null || upTo <= start) return { all: true, missed: false, queued: false };
  const { catchUp } = draft.input;
  if (catchUp.policy === "skip")
    return { all: skipRange(draft, upTo, "missed"), missed: false, queued: false };
  const worthless = worthlessUpTo(draft, draft.input.rule);
  if (worthless !== null && worthless > start) {
    if (!skipRange(draft, Math.min(worthless, upTo), "catch_up_window"))
      return { all: false, missed: true, queued: false };
    if (worthless >= upTo) return { all: true, missed: false, queued: false };
  }
  return catchUp.policy === "latest"
    ? coalesce(draft, upTo, hasCurrent)
    : queueLatest(draft, upTo, hasCurrent);
}

function coalesce(draft: Draft, upTo: number, hasCurrent: boolean): Settled {
  if (hasCurrent) return { all: skipRange(draft, upTo, "coalesced"), missed: true, queued: false };
  const { rule } = draft.input;
  const before = rule.timetable.prev(upTo - 1);
  if (before !== null && !skipRange(draft, before, "coalesced"))
    return { all: false, missed: true, queued: false };
  draft.arrivals.push({ slot: upTo, kind: "catch_up", revision: rule.revision, covers: true });
  return { all: true, missed: true, queued: false };
}

function queueLatest(draft: Draft, upTo: number, hasCurrent: boolean): Settled {
  const { rule, catchUp } = draft.input;
  const room = draft.left - (hasCurrent ? 1 : 0);
  const limit = Math.max(0, Math.min(catchUp.limit, room));
  const { after, count } = latestSlots(rule.timetable, draft.cursor, upTo, limit);
  if (!skipRange(draft, after, "catch_up_limit")) return { all: false, missed: true, queued: false };
  if (count > 0) {
    wait(draft, { ...single(draft, upTo, "catch_up", false), after, count });
  }
  return { all: true, missed: true, queued: count > 0 };
}

/** The latest `limit` (at most 1,000) slots in (after, upTo], as a range. */
function latestSlots(timetable: Timetable, after: number, upTo: number, limit: number) {
  let count = 0;
  let first = upTo + 1;
  while (count < limit) {
    const slot = timetable.prev(first - 1);
    if (slot === null || slot <= after) break;
    first = slot;
    count++;
  }
  return { after: first - 1, count };
}

/** The last slot that is older than the window; exactly that old is still worth running. */
function worthlessUpTo(draft: Draft, rule: Rule, range?: Waiting): number | null {
  const { catchUp, seed } = draft.input;
  if (catchUp.windowMs === null) return null;
  const oldest = draft.now - catchUp.windowMs;
  if (range?.count !== 1) return lastEffective(rule, seed, oldest - 1);
  // One slot: no search, and it works for fixed delay too, whose timetable has forgotten the slot by now.
  return effectiveAt(rule.timetable, seed, rule.definition.jitterMs, range.upTo) < oldest ? range.upTo : null;
}

/** Records the slots in (cursor, upTo] as not run and moves the cursor; false when the bound of counting was hit. */
function skipRange(draft: Draft, upTo: number, reason: SkipReason): boolean {
  const { rule } = draft.input;
  const first = rule.timetable.next(draft.cursor);
  if (first === null || first > upTo) return true;
  const { count, through } = rule.timetable.count(draft.cursor, upTo);
  const to = rule.timetable.prev(through);
  if (to !== null && count > 0) draft.skips.push({ from: first, to, count, reason, revision: rule.revision });
  draft.cursor = through;
  draft.again = through < upTo;
  return !draft.again;
}

// ── waiting slots ────────────────────────────────────────────────────────────────────────────────

function single(draft: Draft, slot: number, kind: Kind, buffered: boolean): Waiting {
  return {
    kind,
    revision: draft.input.rule.revision,
    variant: "",
    after: slot - 1,
    upTo: slot,
    count: 1,
    newestFirst: false,
    notBefore: null,
    buffered,
    payload: null,
    replayOf: null,
  };
}

function wait(draft: Draft, range: Waiting): void {
  draft.waiting.push(range);
}

function isTimed(range: Waiting): boolean {
  return range.kind === "scheduled" || range.kind === "catch_up";
}

/** A slot that waited longer than the window is no longer worth running. */
function expireWaiting(draft: Draft): void {
  if (draft.input.catchUp.windowMs === null) return;
  for (const range of draft.waiting) {
    if (!isTimed(range) || range.notBefore !== null) continue;
    const rule = draft.input.ruleOf(range.revision);
    const upTo = Math.min(range.upTo, worthlessUpTo(draft, rule, range) ?? range.after);
    if (upTo <= range.after) continue;
    shorten(draft, range, rule, upTo, "catch_up_window");
  }
  draft.waiting = draft.waiting.filter((range) => range.count > 0);
}

/** Takes the slots up to `upTo` out of a waiting range and records them as skipped. */
function shorten(draft: Draft, range: Waiting, rule: Rule, upTo: number, reason: SkipReason): void {
  const all = upTo >= range.upTo;
  const from = firstOf(range, rule);
  const count = all ? range.count : Math.min(range.count, rule.timetable.count(range.after, upTo).count);
  if (count === 0) return;
  const to = all ? lastOf(range, rule) : (rule.timetable.prev(upTo) ?? from);
  draft.skips.push({ from, to, count, reason, revision: range.revision });
  range.count -= count;
  range.after = upTo;
}

function firstOf(range: Waiting, rule: Rule): number {
  return range.count === 1 ? lastOf(range, rule) : (rule.timetable.next(range.after) ?? range.upTo);
}

function lastOf(range: Waiting, rule: Rule): number {
  return range.newestFirst ? (rule.timetable.prev(range.upTo) ?? range.upTo) : range.upTo;
}

/** Slots whose jitter outlived their revision arrive now, before those of the revision in force. */
function releaseHeld(draft: Draft): void {
  const due = draft.waiting.filter((range) => range.notBefore !== null && range.notBefore <= draft.now);
  if (due.length === 0) return;
  draft.waiting = draft.waiting.filter((range) => !due.includes(range));
  const arrivals = due.map((range): Arrival => ({
    slot: range.upTo,
    kind: range.kind,
    revision: range.revision,
    covers: false,
  }));
  draft.arrivals.unshift(...arrivals);
}

function seatsFree(draft: Draft): number {
  const seats = draft.input.rule.definition.maxConcurrent ?? BOUNDS.OPEN_MAX;
  return Math.min(seats - draft.taken.length, BOUNDS.CLAIMS_PER_WAKE - draft.fire.length);
}

function fireWaiting(draft: Draft): void {
  const unlimited = draft.input.rule.definition.overlap === "allow";
  let rate =
    unlimited && draft.now < draft.rateAt ? 0 : unlimited ? draft.input.catchUp.rate : BOUNDS.CLAIMS_PER_WAKE;
  while (rate > 0 && seatsFree(draft) > 0) {
    const range = nextWaiting(draft);
    if (!range) break;
    if (isTimed(range) && draft.left === 0) {
      shorten(draft, range, draft.input.ruleOf(range.revision), range.upTo, "catch_up_limit");
    } else {
      const { kind, revision, variant, payload, replayOf } = range;
      claim(draft, {
        slot: take(range, draft.input.ruleOf(revision)),
        variant,
        kind,
        revision,
        payload,
        replayOf,
      });
      rate--;
      if (unlimited) draft.rateAt = draft.now + 1_000;
    }
    draft.waiting = draft.waiting.filter((r) => r.count > 0);
  }
  // Out of claims, not out of seats: the rest is for another wake.
  if (draft.fire.length >= BOUNDS.CLAIMS_PER_WAKE && nextWaiting(draft)) draft.again = true;
}

/** Oldest slot first, scheduled before backfill. */
function nextWaiting(draft: Draft): Waiting | undefined {
  const rank = (range: Waiting) => (range.kind === "backfill" ? 1 : 0);
  return draft.waiting
    .filter((range) => range.notBefore === null)
    .toSorted((a, b) => rank(a) - rank(b) || a.after - b.after)[0];
}

function take(range: Waiting, rule: Rule): number {
  if (range.newestFirst) {
    const slot = lastOf(range, rule);
    range.upTo = slot - 1;
    range.count--;
    return slot;
  }
  const slot = firstOf(range, rule);
  range.after = slot;
  range.count--;
  return slot;
}

// ── the overlap policy ───────────────────────────────────────────────────────────────────────────

export type Admission = "fire" | "wait" | "cancel" | "terminate" | "overlap" | "buffer_full";

/** What an overlap policy says about one more, when `free` seats are left and `buffered` wait already. */
export function admission(overlap: Overlap, free: number, buffered: number, maxBuffered: number): Admission {
  if (free > 0) return "fire";
  switch (overlap) {
    case "skip":
      return "overlap";
    case "buffer_one":
      return buffered === 0 ? "wait" : "buffer_full";
    case "buffer_all":
      return buffered < maxBuffered ? "wait" : "buffer_full";
    case "cancel_other":
      return "cancel";
    case "terminate_other":
      return "terminate";
    case "allow":
      return "wait"; // only where OPEN_MAX is reached
  }
}

function admit(draft: Draft, arrival: Arrival): void {
  const { definition } = draft.input.rule;
  const waits = (buffered: boolean) =>
    wait(draft, { ...single(draft, arrival.slot, arrival.kind, buffered), revision: arrival.revision });
  const buffered = draft.waiting
    .filter((range) => range.buffered)
    .reduce((sum, range) => sum + range.count, 0);
  const decision = admission(definition.overlap, seatsFree(draft), buffered, definition.maxBuffered);
  switch (decision) {
    case "fire":
      return fireArrival(draft, arrival);
    case "wait":
      return waits(true);
    case "cancel":
      return cancelOther(draft, arrival, waits);
    case "terminate":
      vacate(draft, draft.taken[0], "terminate");
      return fireArrival(draft, arrival);
    case "overlap":
    case "buffer_full":
      if (arrival.covers) return waits(false);
      draft.skips.push(skipOf(arrival.slot, decision, arrival.revision));
  }
}

/** The oldest is asked to stop. One that isn't running ends at once and leaves its seat; else the new one waits alone. */
function cancelOther(draft: Draft, arrival: Arrival, waits: (buffered: boolean) => void): void {
  const oldest = draft.taken.find((seat) => !seat.cancelling);
  if (oldest && !oldest.running) {
    vacate(draft, oldest, "cancel");
    return fireArrival(draft, arrival);
  }
  if (oldest) draft.cancel.push(oldest.key);
  for (const range of draft.waiting.filter((r) => r.buffered)) {
    shorten(draft, range, draft.input.ruleOf(range.revision), range.upTo, "superseded");
  }
  draft.waiting = draft.waiting.filter((range) => range.count > 0);
  waits(true);
}

function vacate(draft: Draft, seat: Seat | undefined, how: "cancel" | "terminate"): void {
  if (!seat) return;
  draft[how].push(seat.key);
  draft.taken = draft.taken.filter((other) => other !== seat);
}

function skipOf(slot: number, reason: SkipReason, revision: number): Skip {
  return { from: slot, to: slot, count: 1, reason, revision };
}

function fireArrival(draft: Draft, { slot, kind, revision }: Arrival): void {
  if (draft.left === 0) return void draft.skips.push(skipOf(slot, "catch_up_limit", revision));
  claim(draft, { slot, variant: "", kind, revision, payload: null, replayOf: null });
}

function claim(draft: Draft, firing: Firing): void {
  draft.fire.push(firing);
  draft.taken.push({
    key: `${firing.slot}${firing.variant}`,
    slot: firing.slot,
    running: false,
    cancelling: false,
  });
  if (firing.variant === "") draft.left--;
}
