/**
 * Slots that wait: admitted but not claimed, kept as ranges. They leave oldest first, scheduled before
 * backfill, as seats come free; or are recorded as skipped when they are no longer worth running.
 */
import { BOUNDS } from "./limits.ts";
import type { Kind, SkipReason } from "./occurrence.ts";
import {
  claim,
  claimsFree,
  lastEffective,
  skipOne,
  type Arrival,
  type Draft,
  type Rule,
  type Waiting,
} from "./planning.ts";
import { effectiveAt } from "./trigger.ts";

export function single(slot: number, kind: Kind, revision: number): Waiting {
  return {
    kind,
    revision,
    variant: "",
    after: slot - 1,
    upTo: slot,
    count: 1,
    newestFirst: false,
    notBefore: null,
    buffered: false,
    payload: null,
    replayOf: null,
  };
}

/** Joins the range whose last slot is the one before, so that a long queue stays a short list. */
export function wait(draft: Draft, range: Waiting): void {
  const { timetable } = draft.input.ruleOf(range.revision);
  const first = firstOf(draft, range);
  const neighbour = draft.waiting.find(
    (other) =>
      isTimed(other) &&
      other.kind === range.kind &&
      other.revision === range.revision &&
      other.buffered === range.buffered &&
      other.covers === range.covers &&
      other.notBefore === null &&
      timetable.next(other.upTo) === first,
  );
  if (neighbour) Object.assign(neighbour, { upTo: range.upTo, count: neighbour.count + range.count });
  else draft.waiting.push(range);
}

export function isTimed(range: Waiting): boolean {
  return range.kind === "scheduled" || range.kind === "catch_up";
}

export function dropEmpty(draft: Draft): void {
  draft.waiting = draft.waiting.filter((range) => range.count > 0);
}

/** The last slot that is older than the window; exactly that old is still worth running. */
export function worthlessUpTo(draft: Draft, rule: Rule, range?: Waiting): number | null {
  const { catchUp, seed } = draft.input;
  if (catchUp.windowMs === null) return null;
  const oldest = draft.now - catchUp.windowMs;
  if (range?.count !== 1) return lastEffective(rule, seed, oldest - 1);
  // One slot: no search, and it works for fixed delay too, whose timetable has forgotten the slot by now.
  return effectiveAt(rule.timetable, seed, rule.definition.jitterMs, range.upTo) < oldest ? range.upTo : null;
}

/** A slot that waited longer than the window is no longer worth running. */
export function expireWaiting(draft: Draft): void {
  if (draft.input.catchUp.windowMs === null) return;
  for (const range of draft.waiting) {
    if (!isTimed(range) || range.notBefore !== null) continue;
    const rule = draft.input.ruleOf(range.revision);
    shorten(
      draft,
      range,
      Math.min(range.upTo, worthlessUpTo(draft, rule, range) ?? range.after),
      "catch_up_window",
    );
  }
  dropEmpty(draft);
}

/** Takes the slots up to `upTo` out of a waiting range and records them as skipped. */
export function shorten(draft: Draft, range: Waiting, upTo: number, reason: SkipReason): void {
  if (upTo <= range.after) return;
  const { timetable } = draft.input.ruleOf(range.revision);
  const all = upTo >= range.upTo;
  const from = firstOf(draft, range);
  const count = all ? range.count : Math.min(range.count, timetable.count(range.after, upTo).count);
  if (count === 0) return;
  const to = all ? lastOf(draft, range) : (timetable.prev(upTo) ?? from);
  const { revision } = range;
  const byHand = isTimed(range) ? {} : { byHand: firingOf(range, from) };
  draft.skips.push({ from, to, count, reason, revision, ...byHand });
  range.count -= count;
  range.after = upTo;
}

function firstOf(draft: Draft, range: Waiting): number {
  if (range.count === 1) return lastOf(draft, range);
  return draft.input.ruleOf(range.revision).timetable.next(range.after) ?? range.upTo;
}

function lastOf(draft: Draft, range: Waiting): number {
  if (!range.newestFirst) return range.upTo;
  return draft.input.ruleOf(range.revision).timetable.prev(range.upTo) ?? range.upTo;
}

function firingOf({ variant, kind, revision, payload, replayOf }: Waiting, slot: number) {
  return { slot, variant, kind, revision, payload, replayOf };
}

/** Under `latest` one run is owed for all that was missed: the newest. */
export function coalesceWaiting(draft: Draft): void {
  for (const range of draft.waiting.filter((r) => r.covers)) {
    shorten(draft, range, range.upTo, "coalesced");
  }
  dropEmpty(draft);
}

/** Of what waits for catch-up, no more than the policy's limit: outage upon outage, the oldest make room. */
export function limitCatchUp(draft: Draft): void {
  const queued = inOrder(draft).filter((range) => isTimed(range) && !range.buffered);
  let excess = queued.reduce((sum, range) => sum + range.count, 0) - draft.input.catchUp.limit;
  for (const range of queued) {
    if (excess <= 0) break;
    const count = Math.min(excess, range.count);
    shorten(draft, range, nthOf(draft, range, count), "catch_up_limit");
    excess -= count;
  }
  dropEmpty(draft);
}

function nthOf(draft: Draft, range: Waiting, n: number): number {
  if (n === range.count) return range.upTo;
  const { timetable } = draft.input.ruleOf(range.revision);
  let slot = range.after;
  for (let i = 0; i < n; i++) slot = timetable.next(slot) ?? range.upTo;
  return slot;
}

/** `maxOccurrences` is spent: what still waits will never be claimed. */
export function dropSpent(draft: Draft): void {
  if (draft.left > 0) return;
  for (const range of draft.waiting.filter(isTimed)) shorten(draft, range, range.upTo, "catch_up_limit");
  dropEmpty(draft);
}

/**
 * Slots whose jitter outlived their revision arrive before those of the revision in force. Like any slot, one is
 * missed when a later one is due by now as well, or when it is later than grace.
 */
export function releaseHeld(draft: Draft): void {
  const due = draft.waiting
    .filter((range) => range.notBefore !== null && range.notBefore <= draft.now)
    .toSorted((a, b) => a.upTo - b.upTo);
  if (due.length === 0) return;
  draft.waiting = draft.waiting.filter((range) => !due.includes(range));
  const newer = draft.arrivals;
  draft.arrivals = [];
  let covers = false;
  due.forEach((range, n) => {
    const last = n === due.length - 1;
    const heldFor = draft.now - (range.notBefore ?? draft.now);
    const missed = !last || draft.cursor > draft.input.cursor || heldFor > draft.input.catchUp.graceMs;
    const coalesces = !last || newer.length > 0;
    covers = missed ? settleMissedHeld(draft, range, coalesces, covers) : arrive(draft, range, covers);
  });
  const [next, ...rest] = newer;
  if (next) draft.arrivals.push({ ...next, covers: next.covers || covers }, ...rest);
}

/** Returns whether the next slot stands for this one as well. */
function settleMissedHeld(draft: Draft, range: Waiting, coalesces: boolean, covers: boolean): boolean {
  const { windowMs, policy } = draft.input.catchUp;
  const { upTo: slot, revision } = range;
  const heldFor = draft.now - (range.notBefore ?? draft.now);
  if (policy === "skip") skipOne(draft, slot, "missed", revision);
  else if (windowMs !== null && heldFor > windowMs) skipOne(draft, slot, "catch_up_window", revision);
  else if (policy === "all") {
    draft.waiting.push({ ...range, kind: "catch_up", notBefore: null, buffered: false });
    limitCatchUp(draft);
  } else if (coalesces) {
    skipOne(draft, slot, "coalesced", revision);
    return true;
  } else return arrive(draft, { ...range, kind: "catch_up" }, true);
  return covers;
}

function arrive(draft: Draft, { upTo: slot, kind, revision }: Waiting, covers: boolean): boolean {
  draft.arrivals.push({ slot, kind, revision, covers } satisfies Arrival);
  return false;
}

export function fireWaiting(draft: Draft): void {
  const unlimited = draft.input.rule.definition.overlap === "allow";
  let rate =
    unlimited && draft.now < draft.rateAt ? 0 : unlimited ? draft.input.catchUp.rate : BOUNDS.CLAIMS_PER_WAKE;
  while (rate > 0 && claimsFree(draft) > 0) {
    const range = inOrder(draft)[0];
    if (!range) break;
    if (isTimed(range) && draft.left === 0) {
      shorten(draft, range, range.upTo, "catch_up_limit");
    } else {
      claim(draft, firingOf(range, take(draft, range)));
      rate--;
      if (unlimited) draft.rateAt = draft.now + 1_000;
    }
    dropEmpty(draft);
  }
  // Out of claims, not out of seats: the rest is for another wake.
  if (draft.fire.length >= BOUNDS.CLAIMS_PER_WAKE && inOrder(draft).length > 0) draft.again = true;
}

/**
 * Oldest slot first, scheduled before backfill and replay, and last what was asked for newest first. What is still
 * held by its jitter is not in the queue yet.
 */
function inOrder(draft: Draft): Waiting[] {
  return draft.waiting
    .filter((range) => range.notBefore === null)
    .toSorted((a, b) => rank(a) - rank(b) || (a.newestFirst ? b.upTo - a.upTo : a.after - b.after));
}

function rank({ kind, newestFirst }: Waiting): number {
  if (newestFirst) return 2;
  return kind === "backfill" || kind === "replay" ? 1 : 0;
}

function take(draft: Draft, range: Waiting): number {
  const slot = range.newestFirst ? lastOf(draft, range) : firstOf(draft, range);
  if (range.newestFirst) range.upTo = slot - 1;
  else range.after = slot;
  range.count--;
  return slot;
}
