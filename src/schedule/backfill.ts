/**
 * Backfill: slots of the past run on request, under the revision in force, and wait behind what is scheduled. One
 * backfill has one number, so that its occurrences (`…~b1`) are known by it and can be called off together.
 */
import { fail, ok, type Err, type Result } from "../core/errors.ts";
import { BOUNDS } from "../core/limits.ts";
import type { Rule, Waiting } from "../core/plan.ts";
import { formatInstant } from "../core/time.ts";
import { within } from "../core/trigger.ts";
import { findRange, ruleInForce, touch, type Draft, isGone, notFound } from "./draft.ts";
import { countOutcome } from "./settle.ts";
import { recordClosed } from "./skip.ts";
import type { ScheduleState } from "./state.ts";
import type { Actor, BackfillCommand, BackfillEnd, BackfillView } from "./stub.ts";
import { firingsOf } from "./view.ts";
import { askToStop, wake } from "./wake.ts";

export function backfill(draft: Draft, command: BackfillCommand): Result<BackfillView> {
  const { state } = draft;
  if (isGone(draft)) return notFound(draft);
  const rule = ruleInForce(draft);
  const refused = refuse(draft, command, rule);
  if (refused) return refused;
  if (!command.dryRun) wake(draft);
  const chosen = choose(draft, command, rule);
  const variant = `~b${state.series.b + 1}`;
  if (!command.dryRun && chosen.slots.length > 0) {
    const waiting = state.waiting.reduce((sum, range) => sum + range.count, 0);
    if (waiting + chosen.slots.length > BOUNDS.WAITING_MAX) return tooMany(waiting);
    state.series = { ...state.series, b: state.series.b + 1 };
    state.waiting.push(...rangesOf(chosen.slots, { command, rule, variant }));
    touch(draft);
    wake(draft);
  }
  return ok({
    id: command.dryRun || chosen.slots.length === 0 ? null : variant.slice(1),
    dryRun: command.dryRun,
    revision: rule.revision,
    count: chosen.slots.length,
    slots: chosen.slots.map(formatInstant),
    leftOut: { succeeded: chosen.succeeded, open: chosen.open },
    more: chosen.more,
  });
}

function refuse({ state, now }: Draft, command: BackfillCommand, { timetable }: Rule): Err | null {
  const { from, to, revision } = command;
  if (to > now) {
    const hint = `It is ${formatInstant(now)} now; what is to come runs by itself.`;
    return fail("invalid_field", "to lies in the future.", { pointer: "/to", hint });
  }
  if (from >= to) return fail("invalid_field", "from does not lie before to.", { pointer: "/from" });
  if (timetable.kind === "delay") {
    return fail("invalid_field", "The trigger `after` names no slots of the past.", {
      pointer: "/from",
      hint: "Run it now: POST …/trigger.",
    });
  }
  // What has succeeded was looked up for the slots of that revision.
  if (revision === state.revision) return null;
  return fail("precondition_failed", `Revision ${state.revision} came into force meanwhile. Try again.`);
}

function tooMany(waiting: number): Err {
  return fail(
    "limit_exceeded",
    `${waiting} occurrences wait already, and at most ${BOUNDS.WAITING_MAX} may.`,
    {
      pointer: "/limit",
      hint: "Let some of them run first, or call a backfill off.",
    },
  );
}

interface Chosen {
  slots: number[];
  succeeded: number;
  open: number;
  /** The range has more slots than were chosen or looked at. */
  more: boolean;
}

/** From the end that the order begins with, at most `limit` slots, without those that ran or run. */
function choose(draft: Draft, command: BackfillCommand, rule: Rule): Chosen {
  const done = succeededSlots(draft.state, command.succeeded);
  const chosen: Chosen = { slots: [], succeeded: 0, open: 0, more: false };
  for (const slot of within(rule.timetable, { ...command, limit: BOUNDS.BACKFILL_LOOK_MAX })) {
    if (chosen.slots.length === command.limit) return { ...chosen, more: true };
    if (!command.rerun && done.has(slot)) chosen.succeeded++;
    else if (!command.rerun && isOpen(draft, slot)) chosen.open++;
    else chosen.slots.push(slot);
  }
  const looked = chosen.slots.length + chosen.succeeded + chosen.open;
  return { ...chosen, more: looked === BOUNDS.BACKFILL_LOOK_MAX };
}

/** Those that the ledger knows, and those that it may not know yet. */
function succeededSlots({ finals }: ScheduleState, recorded: number[]): Set<number> {
  const recent = finals.filter(({ state }) => state === "succeeded" || state === "dispatched");
  return new Set([...recorded, ...recent.map(({ slot }) => slot)]);
}

function isOpen(draft: Draft, slot: number): boolean {
  return (
    draft.state.open.some((open) => open.slot === slot && open.kind !== "manual") ||
    findRange(draft, (range) => range.kind !== "manual", slot) !== undefined
  );
}

/** Slots that follow each other in the timetable make one range; what was left out parts them. */
function rangesOf(
  chosen: number[],
  { command, rule, variant }: { command: BackfillCommand; rule: Rule; variant: string },
): Waiting[] {
  const ranges: Waiting[] = [];
  for (const slot of chosen.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && rule.timetable.next(last.upTo) === slot)
      Object.assign(last, { upTo: slot, count: last.count + 1 });
    else ranges.push(rangeAt(slot, rule.revision, variant, command.order === "newest"));
  }
  return ranges;
}

function rangeAt(slot: number, revision: number, variant: string, newestFirst: boolean): Waiting {
  return {
    kind: "backfill",
    revision,
    variant,
    after: slot - 1,
    upTo: slot,
    count: 1,
    newestFirst,
    notBefore: null,
    buffered: false,
    payload: null,
    replayOf: null,
  };
}

/** What of a backfill still waits is cancelled; what of it runs is asked to stop. */
export function cancelBackfill(draft: Draft, { id, who }: Actor & { id: string }): Result<BackfillEnd> {
  const { state } = draft;
  if (isGone(draft)) return notFound(draft);
  const number = Number(id.slice(1));
  if (number > state.series.b) return fail("not_found", `There was no backfill ${id} of ${state.name}.`);
  const reason = `cancelled by ${who}`;
  const ranges = state.waiting.filter((range) => range.variant === `~${id}`);
  state.waiting = state.waiting.filter((range) => !ranges.includes(range));
  let cancelled = 0;
  for (const firing of ranges.flatMap((range) => firingsOf(draft, range, range.count))) {
    recordClosed(draft, firing, "cancelled", reason);
    cancelled++;
  }
  countOutcome(draft, "cancelled", cancelled);
  const open = state.open.filter(({ variant }) => variant === `~${id}` || variant.startsWith(`~${id}~`));
  const running = open.filter((one) => one.state === "running").length;
  for (const one of open) askToStop(draft, one, reason);
  wake(draft);
  return ok({ id, cancelled: cancelled + open.length - running, stopping: running });
}
