/**
 * What was found out about one instant: from the record where there is one, and else from what was in force: the
 * revision, its timetable, pauses, bounds. The words come after (explain.ts).
 */
import { eraAt, erasOf, isSlotOf, pauseAt, pausesOf, type Change, type Era, type PauseSpan } from "./eras.ts";
import type { WallGap } from "./moment.ts";
import type { Occurrence, SkipReason, State } from "./occurrence.ts";
import type { Exclusion } from "./rule.ts";
import type { Definition } from "./schedule.ts";
import { compile, effectiveAt } from "./trigger.ts";

export const VERDICTS = [
  "succeeded",
  "failed",
  "expired",
  "cancelled",
  "dispatched",
  "running",
  "waiting",
  "skipped",
  "will_run",
  "not_a_slot",
  "dst_gap",
  "excluded",
  "before_creation",
  "paused",
  "out_of_bounds",
  "deleted",
] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface Gap {
  from: number;
  to: number;
  count: number;
  reason: SkipReason;
  revision: number;
}

/** What the object says of itself. */
export interface Standing {
  status: "active" | "paused" | "completed" | "deleted";
  cursor: number;
  claimed: number;
  delayDueAt: number | null;
}

export interface Evidence {
  at: number;
  now: number;
  /** `<namespace>/<name>`: spreads the jitter. */
  seed: string;
  /** Oldest first. */
  changes: Change[];
  standing: Standing | null;
  /** The slot's own record, and runs by hand or again at that very slot. */
  occurrence: Occurrence | null;
  beside: Occurrence[];
  gap: Gap | null;
  /** Earlier ones, of which one may have been in the way. */
  earlier: Occurrence[];
  /** It was asked by a local time that did not exist. */
  wall: WallGap | null;
}

/** What was found out, before it is put into words. */
export interface Finding {
  verdict: Verdict;
  evidence: Evidence;
  /** In force at that instant. */
  era: Era | null;
  eras: Era[];
  pause: PauseSpan | null;
  /** Why the rule in force names no slot there. */
  cause: Cause | null;
  effectiveAt: number | null;
}

export type Cause =
  | { kind: "excluded"; by: Exclusion | null }
  | { kind: "before_start" | "after_end" | "completed" | "spent" | "pruned" }
  | { kind: "other_revision"; era: Era }
  | { kind: "unhandled" | "unrecorded" };

export function find(evidence: Evidence): Finding {
  const { at, changes, occurrence, gap } = evidence;
  const eras = erasOf(changes);
  const era = eraAt(eras, at);
  const pause = pauseAt(pausesOf(changes), at);
  const base = { evidence, era, eras, pause, cause: null, effectiveAt: null };
  if (occurrence) {
    return {
      ...base,
      verdict: verdictOf(occurrence.state, occurrence.reason),
      effectiveAt: occurrence.effectiveAt,
    };
  }
  if (gap && isInGap(eras, gap, at))
    return { ...base, verdict: gap.reason === "paused" ? "paused" : "skipped" };
  return { ...base, ...recompute(base) };
}

/** A claimed one whose message is not out, and one between two attempts, both wait. */
function verdictOf(state: State, reason: string | null): Verdict {
  switch (state) {
    case "buffered":
    case "claimed":
    case "retrying":
    case "deferred":
      return "waiting";
    case "skipped":
      return reason === "paused" ? "paused" : "skipped";
    default:
      return state;
  }
}

function isInGap(eras: Era[], gap: Gap, at: number): boolean {
  const era = eras.find(({ revision }) => revision === gap.revision);
  return gap.from <= at && at <= gap.to && era?.timetable.prev(at) === at;
}

type Base = Omit<Finding, "verdict">;
type Found = Pick<Finding, "verdict"> & Partial<Pick<Finding, "cause" | "effectiveAt">>;

/** No record speaks of it: what was, or is, in force does. */
function recompute({ evidence, era, eras, pause }: Base): Found {
  const { at, changes } = evidence;
  const created = changes[0];
  if (!created || at <= Math.min(created.cursor, created.at)) return { verdict: "before_creation" };
  if (era === null) return betweenEras(changes, at);
  if (era.timetable.kind === "delay") return ofDelay(evidence, pause);
  if (!isSlotOf(era, at)) return whyNoSlot(era, eras, at);
  return ofSlot(evidence, era, pause);
}

function betweenEras(changes: Change[], at: number): Found {
  const last = changes.findLast(
    (change) => change.at <= at && ["complete", "delete", "create", "edit"].includes(change.action),
  );
  return last?.action === "delete"
    ? { verdict: "deleted" }
    : { verdict: "out_of_bounds", cause: { kind: "completed" } };
}

function ofDelay({ at, now, standing }: Evidence, pause: PauseSpan | null): Found {
  if (standing?.delayDueAt !== at) return { verdict: "not_a_slot" };
  if (pause) return { verdict: "paused", effectiveAt: at };
  return at > now
    ? { verdict: "will_run", effectiveAt: at }
    : { verdict: "waiting", cause: { kind: "unhandled" }, effectiveAt: at };
}

/** The rule names it, and nothing is on record: it lies ahead, a pause lasts, or the record is not there any more. */
function ofSlot(evidence: Evidence, era: Era, pause: PauseSpan | null): Found {
  const { at, now, seed, standing } = evidence;
  const { timetable, definition } = era;
  const due = effectiveAt(timetable, seed, definition.jitterMs, at);
  if (isSpent(evidence, era)) return { verdict: "out_of_bounds", cause: { kind: "spent" }, effectiveAt: due };
  const isOpenPause = pause !== null && (pause.until === null || at < pause.until);
  if (isOpenPause && (standing === null || at > standing.cursor || at > now))
    return { verdict: "paused", effectiveAt: due };
  if (due > now) return { verdict: "will_run", effectiveAt: due };
  if (at <= now - definition.retentionMs)
    return { verdict: "out_of_bounds", cause: { kind: "pruned" }, effectiveAt: due };
  const isHandled = standing !== null && at <= standing.cursor;
  return { verdict: "waiting", cause: { kind: isHandled ? "unrecorded" : "unhandled" }, effectiveAt: due };
}

/** `maxOccurrences` will be used up before that slot comes. */
function isSpent({ at, standing }: Evidence, { definition, timetable }: Era): boolean {
  const { maxOccurrences } = definition;
  if (maxOccurrences === null || standing === null || at <= standing.cursor) return false;
  const left = Math.max(0, maxOccurrences - standing.claimed);
  const ahead = timetable.count(standing.cursor, at);
  return ahead.count > left;
}

/** The rule in force doesn't name it: taken out, outside the bounds, or meant by another revision. */
function whyNoSlot(era: Era, eras: Era[], at: number): Found {
  const { definition, timetable } = era;
  const { startAt, endAt } = definition;
  const unbounded = names({ ...definition, startAt: null, endAt: null }, at);
  if (unbounded && startAt !== null && at < startAt)
    return { verdict: "out_of_bounds", cause: { kind: "before_start" } };
  if (unbounded && endAt !== null && at > endAt)
    return { verdict: "out_of_bounds", cause: { kind: "after_end" } };
  if (names({ ...definition, exclude: [] }, at)) {
    const by = definition.exclude.find((one) => !names({ ...definition, exclude: [one] }, at)) ?? null;
    return { verdict: "excluded", cause: { kind: "excluded", by } };
  }
  const other = eras.findLast(
    (one) => one !== era && one.timetable.prev(at) === at && timetable !== one.timetable,
  );
  return { verdict: "not_a_slot", cause: other ? { kind: "other_revision", era: other } : null };
}

function names(rule: Pick<Definition, "trigger" | "exclude" | "startAt" | "endAt">, at: number): boolean {
  const { trigger, exclude, startAt, endAt } = rule;
  const compiled = compile({ trigger, exclude, startAt, endAt });
  return compiled.ok && compiled.value.prev(at) === at;
}
