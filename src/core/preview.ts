/** What a time rule would do, for `POST /v1/preview` and `/upcoming`: slots with notes, and what makes none. */
import { compile } from "./compile.ts";
import { affordably } from "./effort.ts";
import type { Result } from "./errors.ts";
import { ok } from "./errors.ts";
import { BOUNDS, LIMITS } from "./limits.ts";
import type { Suppressed, TimeRule, Timetable, Warning } from "./rule.ts";
import { formatInstant } from "./time.ts";
import { effectiveAt } from "./timetable.ts";

/** A night of every minute in a gap is 60; more than this is a list nobody reads. */
const SUPPRESSED_MAX = 100;

export interface PreviewRequest {
  rule: TimeRule;
  jitterMs: number;
  seed: string;
  /** Exclusive. */
  from: number;
  /** Inclusive. */
  until: number | null;
  count: number;
}

export interface PreviewSlot {
  scheduledFor: string;
  effectiveAt: string;
  localTime: string;
  timezones: string[];
  notes: string[];
}

export interface PreviewResponse {
  slots: PreviewSlot[];
  suppressed: Suppressed[];
  description: string;
  warnings: Warning[];
  /** Nothing comes after the last slot shown. */
  exhausted: boolean;
}

export function preview(request: PreviewRequest): Result<PreviewResponse> {
  return affordably(BOUNDS.ASKED_STEPS_MAX, () => look(request));
}

function look(request: PreviewRequest): Result<PreviewResponse> {
  const compiled = compile(request.rule);
  if (!compiled.ok) return compiled;
  const timetable = compiled.value;
  const { from } = request;
  const until = request.until ?? Infinity;
  const count = Math.min(request.count, LIMITS.PREVIEW_COUNT_MAX);
  const slots: PreviewSlot[] = [];
  let last = from;
  let next = timetable.next(from);
  while (next !== null && slots.length < count && next <= until) {
    slots.push(showSlot(timetable, request, next));
    last = next;
    next = timetable.next(next);
  }
  return ok({
    slots,
    // What made no slot counts up to the last slot shown; where the range or the rule ends first, up to there.
    suppressed: timetable.suppressed(from, slots.length < count ? until : last, SUPPRESSED_MAX),
    description: timetable.description,
    warnings: timetable.warnings,
    exhausted: timetable.kind === "calendar" && next === null,
  });
}

function showSlot(timetable: Timetable, { seed, jitterMs }: PreviewRequest, slot: number): PreviewSlot {
  const { localTime, timezones, notes } = timetable.describe(slot);
  const effective = effectiveAt(timetable, seed, jitterMs, slot);
  return {
    scheduledFor: formatInstant(slot),
    effectiveAt: formatInstant(effective),
    localTime,
    timezones,
    notes: effective === slot ? notes : [...notes, "jittered"],
  };
}
