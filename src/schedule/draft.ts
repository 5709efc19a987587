/**
 * One command works on one draft: a private copy of the world, the instant, and what the ledger will have
 * to hear. Everything here is synchronous and forgets nothing: a draft is either committed whole or dropped.
 */
import { fail, invariant, type Err } from "../core/errors.ts";
import type { Rule, Waiting } from "../core/plan.ts";
import { complete, type Definition, type DefinitionInput } from "../core/schedule.ts";
import { compile, type Timetable } from "../core/trigger.ts";
import type { Address } from "./stub.ts";
import {
  scheduleKey,
  type ChangeRow,
  type Open,
  type PendingRow,
  type ScheduleState,
  type World,
} from "./state.ts";

export interface Draft extends World {
  now: number;
}

/**
 * What is changed in place is copied, and what is only ever replaced is shared: most steps touch one occurrence, and
 * the last finals and the pending rows, which are most of a state, stay as they are.
 */
export function draftOf({ state, revisions }: World, now: number): Draft {
  const { health, open, waiting } = state;
  const copy = {
    ...state,
    health: { ...health, counts: { ...health.counts } },
    open: open.map((one) => ({ ...one, attempts: one.attempts.map((attempt) => ({ ...attempt })) })),
    waiting: [...waiting],
  };
  return { state: copy, revisions: { ...revisions }, now };
}

/** Of plain data; quick about what two states share. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const keys = Object.keys(a) as never[];
  return keys.length === Object.keys(b).length && keys.every((key) => isEqual(a[key], b[key]));
}

/** The next number of the object's one counter: above the last, and above any that a lost object used. */
export function nextNumber(draft: Draft): number {
  draft.state.counter = Math.max(draft.state.counter + 1, draft.now);
  return draft.state.counter;
}

/**
 * The version of a row that says `claimed`; the next one is kept free for the row that travels with the message and
 * says `dispatched`. Under one number the ledger would keep whichever of the two it saw first.
 */
export function claimNumber(draft: Draft): number {
  const number = nextNumber(draft);
  draft.state.counter = dispatchNumber(number);
  return number;
}

export function dispatchNumber(claimed: number): number {
  return claimed + 1;
}

export function definitionOf(draft: World, revision: number): Definition {
  return known(draft, revision).definition;
}

/** A revision with its timetable. For the revision in force, fixed delay has the one slot that the chain names. */
export function ruleOf(draft: World, revision: number): Rule {
  const { definition, timetable } = known(draft, revision);
  const isChain = timetable.kind === "delay" && revision === draft.state.revision;
  return {
    revision,
    definition,
    timetable: isChain ? chained(timetable, draft.state.delayDueAt) : timetable,
  };
}

// Definitions are never changed in place, so what follows from one is computed once.
const rules = new WeakMap<DefinitionInput, Omit<Rule, "revision">>();

function known(draft: World, revision: number): Omit<Rule, "revision"> {
  const input = draft.revisions[revision];
  invariant(input, `revision ${revision} of ${scheduleKey(draft.state)} is not stored`);
  const before = rules.get(input);
  if (before) return before;
  const definition = complete(input);
  invariant(
    definition.ok,
    `a stored definition no longer holds: ${definition.ok ? "" : definition.error.message}`,
  );
  const timetable = compile(definition.value);
  invariant(
    timetable.ok,
    `a stored trigger no longer compiles: ${timetable.ok ? "" : timetable.error.message}`,
  );
  const rule = { definition: definition.value, timetable: timetable.value };
  rules.set(input, rule);
  return rule;
}

export function ruleInForce(draft: World): Rule {
  return ruleOf(draft, draft.state.revision);
}

/** The timetable of a fixed delay: one slot, known since the last one was settled. */
function chained(compiled: Timetable, dueAt: number | null): Timetable {
  return {
    ...compiled,
    next: (after) => (dueAt !== null && dueAt > after ? dueAt : null),
    prev: (upTo) => (dueAt !== null && dueAt <= upTo ? dueAt : null),
    count: (after, upTo) => ({
      count: dueAt !== null && dueAt > after && dueAt <= upTo ? 1 : 0,
      through: upTo,
    }),
  };
}

/** The open occurrence at an address, for a caller who may act for its queue. */
export function findOpen(state: ScheduleState, { slot, variant, queues }: Address): Open | undefined {
  const open = state.open.find((o) => o.slot === slot && o.variant === variant);
  return open && (!queues || (open.queue !== null && queues.includes(open.queue))) ? open : undefined;
}

/** The waiting range of that sort which holds this slot. */
export function findRange(
  draft: World,
  isOfSort: (range: Waiting) => boolean,
  slot: number,
): Waiting | undefined {
  return draft.state.waiting.find((range) => isOfSort(range) && holds(draft, range, slot));
}

function holds(draft: World, range: Waiting, slot: number): boolean {
  // One slot stands at the end of its range, unless the range is used up from there.
  if (range.count === 1 && !range.newestFirst) return range.upTo === slot;
  return (
    slot > range.after && slot <= range.upTo && ruleOf(draft, range.revision).timetable.prev(slot) === slot
  );
}

/** Queues a ledger row; of one key only the newest waits. */
export function queueRow(draft: Draft, row: PendingRow): void {
  draft.state.rows = [...draft.state.rows.filter((other) => other.key !== row.key), row];
}

export function queueChange(
  draft: Draft,
  action: ChangeRow["action"],
  who: string,
  more: Partial<ChangeRow> = {},
): void {
  const { state, now } = draft;
  const version = nextNumber(draft);
  queueRow(draft, {
    key: `change ${version}`,
    version,
    table: "changes",
    row: {
      schedule: scheduleKey(state),
      version,
      at: now,
      action,
      revision: state.revision,
      who,
      note: null,
      body: {},
      ...more,
    },
  });
  touch(draft);
}

/** The schedule's own row has something to tell. */
export function touch(draft: Draft): void {
  draft.state.unrecorded = nextNumber(draft);
}

export function isGone(draft: Draft): boolean {
  return draft.state.revision === 0 || draft.state.status === "deleted";
}

export function notFound(draft: Draft): Err {
  return fail("not_found", `There is no schedule ${draft.state.name} in namespace ${draft.state.namespace}.`);
}
