/**
 * Replay: an occurrence that has ended runs again under a new, linked identity; the original stays as it is. It
 * waits for a seat where none is free, behind what is scheduled, and outside `maxBuffered`.
 */
import { fail, ok, type Err, type Result } from "../core/errors.ts";
import { occurrenceId } from "../core/occurrence.ts";
import { BOUNDS } from "../core/limits.ts";
import type { Firing } from "../core/plan.ts";
import { findOpen, findRange, ruleInForce, touch, type Draft, isGone, notFound } from "./draft.ts";
import { view } from "./run.ts";
import { claim, drawUp } from "./settle.ts";
import type { OccurrenceView, ReplayCommand } from "./stub.ts";
import { wake } from "./wake.ts";

export function replay(draft: Draft, command: ReplayCommand): Result<OccurrenceView> {
  const { state } = draft;
  if (isGone(draft)) return notFound(draft);
  wake(draft);
  const refused = refuse(draft, command);
  if (refused) return refused;
  const revision = command.original === null ? state.revision : command.original.revision;
  // The object forgets revisions that nothing refers to; the caller brings the original's along.
  if (command.original) draft.revisions[revision] ??= command.original.definition;
  state.series = { ...state.series, r: state.series.r + 1 };
  touch(draft);
  const firing: Firing = {
    slot: command.slot,
    variant: `${baseOf(command.variant)}~r${state.series.r}`,
    kind: "replay",
    revision,
    payload: command.payload,
    replayOf: occurrenceId(state.name, command.slot, command.variant),
  };
  const seats = ruleInForce(draft).definition.maxConcurrent ?? BOUNDS.OPEN_MAX;
  if (state.open.length < seats) return ok(view(draft, claim(draft, firing)));
  state.waiting.push({
    ...firing,
    after: firing.slot - 1,
    upTo: firing.slot,
    count: 1,
    newestFirst: false,
    notBefore: null,
    buffered: false,
  });
  return ok(view(draft, drawUp(draft, firing)));
}

function refuse(draft: Draft, command: ReplayCommand): Err | null {
  const { state } = draft;
  const { slot, variant } = command;
  const id = occurrenceId(state.name, slot, variant);
  const isWaiting = findRange(draft, (range) => range.variant === variant, slot) !== undefined;
  if (findOpen(state, command) || isWaiting) {
    return fail("not_final", `${id} has not ended yet.`, { hint: "Wait for its end, or cancel it." });
  }
  const isOfIt = ({ replayOf }: { replayOf: string | null }) => replayOf === id;
  if (command.once && (state.open.some(isOfIt) || state.waiting.some(isOfIt)))
    return fail("busy", `A replay of ${id} is under way.`);
  const waiting = state.waiting.reduce((sum, range) => sum + range.count, 0);
  if (waiting < BOUNDS.WAITING_MAX) return null;
  return fail("limit_exceeded", `${waiting} occurrences wait already: no more may.`);
}

/** Replays and continuations of one occurrence stand beside each other, however often it is run again. */
function baseOf(variant: string): string {
  return variant.replace(/(?:~[rc]\d+)+$/, "");
}
