/** What people do to a schedule as a whole: pause it, resume it, remove it. */
import { fail, ok, type Result } from "../core/errors.ts";
import { definitionOf, isGone, notFound, queueChange, type Draft } from "./draft.ts";
import { keepHeld, settleBefore, stale } from "./edit.ts";
import { countOutcome } from "./settle.ts";
import { recordClosed } from "./skip.ts";
import type { Actor, PauseCommand, ResumeCommand, ScheduleView } from "./stub.ts";
import { firingsOf, viewSchedule } from "./view.ts";
import { askToStop, resumeAt, settleAll, wake } from "./wake.ts";

/** Stops new slots only. Slots up to now are settled first; open occurrences go on. */
export function pause(draft: Draft, command: PauseCommand): Result<ScheduleView> {
  const { state, now } = draft;
  if (isGone(draft)) return notFound(draft);
  if (command.until !== null && command.until <= now) {
    return fail("invalid_field", "until lies in the past.", { pointer: "/until" });
  }
  wake(draft);
  settleAll(draft);
  if (isGone(draft)) return notFound(draft);
  if (state.status === "completed") return fail("settled", "The schedule is completed: no slot lies ahead.");
  state.status = "paused";
  state.pause = {
    from: state.pause?.from ?? now,
    until: command.until,
    note: command.note,
    who: command.who,
  };
  queueChange(draft, "pause", command.who, { note: command.note, body: { until: command.until } });
  return ok(viewSchedule(draft));
}

export function resume(draft: Draft, command: ResumeCommand): Result<ScheduleView> {
  if (isGone(draft)) return notFound(draft);
  if (draft.state.status !== "paused")
    return fail("not_paused", `The schedule is ${draft.state.status}, not paused.`);
  const { catchUp } = definitionOf(draft, draft.state.revision);
  resumeAt(
    draft,
    command.who,
    command.note,
    command.catchUp === null ? null : { ...catchUp, policy: command.catchUp },
  );
  Object.assign(draft.state.health, { consecutiveFailures: 0, consecutiveExpiries: 0 });
  wake(draft);
  return ok(viewSchedule(draft));
}

/** Cancels what has not started, lets running work finish, keeps the history and a tombstone. */
export function remove(draft: Draft, command: Actor & { ifMatch?: number }): Result<ScheduleView> {
  const { state } = draft;
  if (isGone(draft)) return notFound(draft);
  const refused = stale(draft, command);
  if (refused) return refused;
  settleBefore(draft);
  if (isGone(draft)) return notFound(draft);
  keepHeld(draft);
  state.cursor = Math.max(state.cursor, draft.now);
  state.status = "deleted";
  state.pause = null;
  cancelWaiting(draft, "deleted");
  for (const open of state.open.filter((o) => o.state !== "running")) askToStop(draft, open, "deleted");
  queueChange(draft, "delete", command.who);
  return ok(viewSchedule(draft));
}

/** Each waiting slot is recorded as cancelled; limits and buffers keep them to a few thousand. */
function cancelWaiting(draft: Draft, reason: string): void {
  for (const range of draft.state.waiting) {
    for (const firing of firingsOf(draft, range, range.count))
      recordClosed(draft, firing, "cancelled", reason);
    countOutcome(draft, "cancelled", range.count);
  }
  draft.state.waiting = [];
}
