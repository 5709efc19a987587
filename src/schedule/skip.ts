/** Slots that are not run: each is on record with its reason, alone as an occurrence, in a row as one gap row. */
import { move } from "../core/occurrence.ts";
import type { Firing, Skip } from "../core/plan.ts";
import { nextNumber, queueRow, ruleOf, type Draft } from "./draft.ts";
import { occurrenceRow } from "./rows.ts";
import { countOutcome, drawUp } from "./settle.ts";
import { scheduleKey } from "./state.ts";

export function recordSkip(draft: Draft, skip: Skip): void {
  const { state } = draft;
  countOutcome(draft, skip.reason, skip.count);
  if (skip.byHand) return recordClosed(draft, skip.byHand, "skipped", skip.reason);
  const gap = extendedGap(draft, skip);
  if (gap.count === 1) {
    const { from: slot, revision, reason } = skip;
    const firing: Firing = { slot, variant: "", kind: "scheduled", revision, payload: null, replayOf: null };
    recordClosed(draft, firing, "skipped", reason);
  } else {
    const version = nextNumber(draft);
    const { from, to, count, reason, revision } = gap;
    queueRow(draft, {
      key: `gap ${from}`,
      version,
      table: "gaps",
      row: { schedule: scheduleKey(state), from_at: from, to_at: to, count, reason, revision, version },
    });
  }
  state.lastGap = gap.count === 1 ? null : gap;
}

/** A run of skips that was counted in several wakes stays one gap row. */
function extendedGap(draft: Draft, skip: Skip): Skip {
  const last = draft.state.lastGap;
  const adjacent =
    last !== null &&
    last.reason === skip.reason &&
    last.revision === skip.revision &&
    ruleOf(draft, skip.revision).timetable.prev(skip.from - 1) === last.to;
  return adjacent ? { ...skip, from: last.from, count: last.count + skip.count } : skip;
}

/** A firing that never became an occurrence: skipped, or cancelled while it waited. */
export function recordClosed(
  draft: Draft,
  firing: Firing,
  to: "skipped" | "cancelled",
  reason: string,
): void {
  const closed = { ...drawUp(draft, firing), reason, finishedAt: draft.now };
  move(closed, to);
  const nothing = { token: null, settledBy: null, queue: null, dueAt: null, payload: firing.payload };
  queueRow(draft, occurrenceRow(draft.state, { ...closed, ...nothing }, nextNumber(draft)));
}
