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
import type { SkipReason } from "./occurrence.ts";
import { admit } from "./overlap.ts";
import { draftOf, lastEffective, type Draft, type Plan, type PlanInput } from "./planning.ts";
import { effectiveAt, type Timetable } from "./trigger.ts";
import {
  dropSpent,
  expireWaiting,
  fireWaiting,
  limitCatchUp,
  releaseHeld,
  single,
  wait,
  worthlessUpTo,
} from "./waiting.ts";

export { admission, type Admission } from "./overlap.ts";
export { lastEffective, nextEffective } from "./planning.ts";
export type { Firing, Plan, PlanInput, Rule, Seat, Skip, Waiting } from "./planning.ts";

export function plan(input: PlanInput, now: number): Plan {
  const draft = draftOf(input, now);
  if (!input.paused) settleDue(draft);
  expireWaiting(draft);
  releaseHeld(draft);
  fireWaiting(draft);
  for (const arrival of draft.arrivals) admit(draft, arrival);
  dropSpent(draft);
  const { fire, waiting, skips, cancel, terminate, cursor, rateAt, again } = draft;
  return { fire, waiting, skips, cancel, terminate, cursor, rateAt, again };
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
  if (settled.queued) wait(draft, single(last, "scheduled", rule.revision));
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
    wait(draft, { ...single(upTo, "catch_up", rule.revision), after, count });
    limitCatchUp(draft);
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
