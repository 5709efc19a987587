/**
 * What the sweep asks of an object: look at the clock, and at what the ledger lacks. A ledger that lost rows is
 * offered all that the object still knows; rows go out under the version they had, so what it kept stays as it is.
 */
import { ok, type Result } from "../core/errors.ts";
import { isFinal } from "../core/occurrence.ts";
import { nextNumber, queueRow, ruleOf, touch, type Draft } from "./draft.ts";
import { occurrenceKey, occurrenceRow } from "./rows.ts";
import { drawUp } from "./settle.ts";
import { scheduleKey, type Final, type ScheduleState } from "./state.ts";
import type { PokeCommand, PokeReply } from "./stub.ts";
import { wake } from "./wake.ts";

export function poke(draft: Draft, { lacks }: PokeCommand): Result<PokeReply> {
  const { state } = draft;
  const settledBefore = new Set(state.finals.map(occurrenceKey));
  wake(draft);
  const lost = lacks.filter((doubt) => isLost(state, doubt));
  if (lost.length > 0) offerAll(draft);
  const settled = state.finals.filter((final) => !settledBefore.has(occurrenceKey(final)));
  return ok({
    waiting: lacks.filter(({ slot }) => isWaiting(state, slot)).map(({ slot }) => slot),
    redispatched: state.open.filter(
      ({ send, firstDispatchedAt }) => send !== null && send.at <= draft.now && firstDispatchedAt !== null,
    ).length,
    expired: settled.filter((final) => final.state === "expired").length,
  });
}

/** Told once and acknowledged, and yet the ledger does not have it, or has it open where it ended. */
function isLost(state: ScheduleState, doubt: PokeCommand["lacks"][number]): boolean {
  const key = occurrenceKey(doubt);
  if (state.rows.some((row) => row.key === key)) return false;
  const open = state.open.find((other) => occurrenceKey(other) === key);
  if (open) return open.unrecorded === null && doubt.state === null;
  const { lastGap } = state;
  const inGap = lastGap !== null && lastGap.from <= doubt.slot && doubt.slot <= lastGap.to;
  return inGap || state.finals.some((final) => occurrenceKey(final) === key);
}

function isWaiting({ waiting }: ScheduleState, slot: number): boolean {
  return waiting.some((range) => range.after < slot && slot <= range.upTo);
}

function offerAll(draft: Draft): void {
  const { state } = draft;
  for (const open of state.open) open.unrecorded ??= nextNumber(draft);
  for (const final of state.finals) offerFinal(draft, final);
  if (state.lastGap !== null) offerGap(draft, state.lastGap);
  touch(draft);
}

/** Without what only its row knew: attempts, result, error. */
function offerFinal(draft: Draft, final: Final): void {
  const { state, revisions } = draft;
  const { slot, variant, kind, revision, version } = final;
  if (version === undefined || state.rows.some((row) => row.key === occurrenceKey(final))) return;
  const known = revision in revisions ? revision : state.revision;
  if (ruleOf(draft, known).timetable.kind === "delay" && known !== revision) return;
  const drawn = drawUp(draft, { slot, variant, kind, revision: known, payload: null, replayOf: null });
  const isOver = isFinal(final.state, true);
  const occurrence = {
    ...drawn,
    revision,
    state: final.state,
    reason: final.reason,
    attempt: 1,
    tracked: isOver,
    dispatchedAt: isOver ? null : final.finishedAt,
    finishedAt: isOver ? final.finishedAt : null,
  };
  const { token, settledBy } = final;
  const rest = { token, settledBy, queue: null, payload: null, dueAt: null };
  queueRow(draft, occurrenceRow(state, { ...occurrence, ...rest }, version));
}

function offerGap(draft: Draft, gap: NonNullable<ScheduleState["lastGap"]>): void {
  const { from: from_at, to: to_at, count, reason, revision } = gap;
  const key = `gap ${from_at}`;
  if (draft.state.rows.some((row) => row.key === key)) return;
  const version = nextNumber(draft);
  const schedule = scheduleKey(draft.state);
  const row = { schedule, from_at, to_at, count, reason, revision, version };
  queueRow(draft, { key, version, table: "gaps", row });
}
