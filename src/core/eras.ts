/**
 * What was in force when: the record of changes, read as eras. An era is one revision and the slots that are its
 * own: those in (after, upTo]. Explain and audit both recompute the past from here, and from nothing else.
 */
import { complete, type CatchUpPolicy, type Definition, type DefinitionInput } from "./schedule.ts";
import { compile, type Timetable } from "./trigger.ts";

export const ACTIONS = ["create", "edit", "pause", "resume", "complete", "delete"] as const;
export type Action = (typeof ACTIONS)[number];

export interface Change {
  version: number;
  at: number;
  action: Action;
  revision: number;
  who: string;
  note: string | null;
  /** Of a create or an edit. */
  definition: DefinitionInput | null;
  /** Every slot up to here was accounted for when the change came into force. */
  cursor: number;
  /** Of a create: it began paused. */
  paused: boolean;
  /** Of a pause: when it ends by itself. */
  until: number | null;
  /** Of a resume: what became of the slots that had passed; null: recorded as paused. */
  catchUp: CatchUpPolicy | null;
  /** Fixed delay: the next slot, counted from this change. */
  dueAt: number | null;
}

export interface Era {
  revision: number;
  definition: Definition;
  timetable: Timetable;
  /** The change that began it, and the one that ended it; null: it is in force. */
  begun: Change;
  ended: Change | null;
  after: number;
  /** Infinity while it is in force. */
  upTo: number;
}

const ENDS: readonly Action[] = ["edit", "complete", "delete"];

/** Oldest first, from changes that are oldest first. */
export function erasOf(changes: readonly Change[]): Era[] {
  return changes.flatMap((begun, i) => {
    if (begun.definition === null) return [];
    const definition = complete(begun.definition);
    const timetable = definition.ok ? compile(definition.value) : definition;
    if (!definition.ok || !timetable.ok) return [];
    const ended = changes.slice(i + 1).find(({ action }) => ENDS.includes(action)) ?? null;
    return {
      revision: begun.revision,
      definition: definition.value,
      timetable: timetable.value,
      begun,
      ended,
      after: begun.cursor,
      upTo: endOf(ended),
    };
  });
}

/** An edit or delete settles every slot up to its own instant; what a completed rule goes on to name are no slots. */
function endOf(ended: Change | null): number {
  if (ended === null) return Number.POSITIVE_INFINITY;
  return ended.action === "complete" ? ended.cursor : ended.at;
}

/** The era that a slot at this instant belongs to. */
export function eraAt(eras: readonly Era[], at: number): Era | null {
  return eras.findLast((era) => era.after < at && at <= era.upTo) ?? null;
}

/** Whether the era's own rule names the instant, inside the era. */
export function isSlotOf({ timetable, after, upTo }: Era, at: number): boolean {
  return at > after && at <= upTo && timetable.prev(at) === at;
}

export interface PauseSpan {
  from: number;
  /** When it ended; null: it lasts. */
  to: number | null;
  until: number | null;
  who: string;
  note: string | null;
  /** How it ended: null while it lasts. */
  resumed: Change | null;
}

/** Oldest first. A pause that was changed while it lasted is one pause, with the last words about it. */
export function pausesOf(changes: readonly Change[]): PauseSpan[] {
  const spans: PauseSpan[] = [];
  for (const change of changes) {
    const last = spans.at(-1);
    const lasting = last?.to === null ? last : null;
    const { at, who, note, until } = change;
    if (change.action === "pause" && lasting) Object.assign(lasting, { until, who, note });
    else if (change.action === "pause" || (change.action === "create" && change.paused))
      spans.push({ from: at, to: null, until, who, note: note ?? null, resumed: null });
    else if (lasting && (change.action === "resume" || change.action === "delete"))
      Object.assign(lasting, { to: at, resumed: change });
  }
  return spans;
}

export function pauseAt(pauses: readonly PauseSpan[], at: number): PauseSpan | null {
  return pauses.findLast(({ from, to }) => from < at && (to === null || at <= to)) ?? null;
}
