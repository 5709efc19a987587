/** The words of an explanation: short sentences for an engineer who was woken by it, with local times and numbers. */
import { describeExclusion } from "./describe.ts";
import type { Era } from "./eras.ts";
import type { Finding, Gap } from "./finding.ts";
import type { WallGap } from "./moment.ts";
import type { Occurrence, SkipReason } from "./occurrence.ts";
import { inTheWay, pausedWords, slotAt, spanOf, timeAt, whySkipped } from "./skip-words.ts";
import { formatDuration } from "./time.ts";
import { plural } from "./words.ts";

export function sentencesOf(finding: Finding): string[] {
  const { wall } = finding.evidence;
  const own = ofFinding(finding);
  return wall ? ofWall(wall, finding, own) : own;
}

function ofFinding(finding: Finding): string[] {
  const { evidence, verdict } = finding;
  const { occurrence, gap } = evidence;
  if (occurrence) return [ofOccurrence(finding, occurrence), ...ofAttempts(occurrence), ...ofBeside(finding)];
  if (gap && (verdict === "skipped" || verdict === "paused"))
    return [...ofGap(finding, gap), ...ofBeside(finding)];
  return [...ofNothing(finding), ...ofBeside(finding)];
}

// ── what is on record ────────────────────────────────────────────────────────────────────────────

function ofOccurrence(finding: Finding, o: Occurrence): string {
  const slot = slotAt(finding);
  switch (o.state) {
    case "succeeded":
      return `The slot of ${slot} ran and succeeded${o.kind === "catch_up" ? ", as catch-up" : ""}.`;
    case "failed":
      return `The slot of ${slot} ran and failed (${o.reason ?? "failed"}).`;
    case "expired":
      return `The slot of ${slot} expired: ${EXPIRED[o.reason ?? ""] ?? o.reason ?? "it was not worth running any more"}.`;
    case "cancelled":
      return `The slot of ${slot} was ${o.reason?.startsWith("cancelled") ? o.reason : `cancelled (${o.reason ?? "by request"})`}.`;
    case "skipped":
      return whySkipped(finding, o.reason as SkipReason, null);
    case "dispatched":
      return o.tracked
        ? `The slot of ${slot} was handed over at ${timeAt(finding, o.dispatchedAt ?? o.effectiveAt)}, and no worker has started it yet.`
        : `The slot of ${slot} was handed over at ${timeAt(finding, o.dispatchedAt ?? o.effectiveAt)}; the schedule is not tracked, so that was all.`;
    case "running":
      return `The slot of ${slot} is running since ${timeAt(finding, o.startedAt ?? o.effectiveAt)}.`;
    case "buffered":
      return `The slot of ${slot} waits for a seat: ${inTheWay(finding, o.effectiveAt, "is")}.`;
    case "claimed":
      return `The slot of ${slot} is claimed, and its message is not out yet.`;
    case "retrying":
      return `The slot of ${slot} failed and is to be tried again (attempt ${o.attempt}).`;
    case "deferred":
      return `The slot of ${slot} was put off by its worker.`;
  }
}

const EXPIRED: { [reason: string]: string } = {
  never_started: "no worker ever started it",
  never_dispatched: "its message could not be sent in time",
  max_elapsed: "it was still being retried when retry.maxElapsed had passed",
  superseded: "the next slot was due, and retry.untilNextSlot ends the retries then",
  unknown_queue: "its queue does not exist any more",
};

function ofAttempts(o: Occurrence): string[] {
  const last = o.attempts.at(-1);
  const told: string[] = [];
  if (o.attempts.length > 1) told.push(`It took ${plural(o.attempts.length, "attempt")}.`);
  if (o.finishedAt !== null && last?.startedAt)
    told.push(`The last attempt ran for ${formatDuration(o.finishedAt - last.startedAt)}.`);
  const error = o.error ?? (o.state === "succeeded" ? null : (last?.error ?? null));
  if (error !== null && error !== "") told.push(`Last error: ${error.slice(0, 300)}`);
  return told;
}

/** One that an operator ran again is not to be overlooked. */
function ofBeside({ evidence }: Finding): string[] {
  return evidence.beside.map(({ kind, variant, state }) => `${BESIDE[kind]} (${variant}): ${state}.`);
}

const BESIDE: Record<Occurrence["kind"], string> = {
  scheduled: "Its own run",
  catch_up: "Its catch-up",
  manual: "A run by hand at that instant",
  backfill: "A backfill of it",
  replay: "A replay of it",
  continuation: "A continuation of it",
};

function ofGap(finding: Finding, gap: Gap): string[] {
  const [from, to] = [slotAt(finding, gap.from), slotAt(finding, gap.to)];
  return [
    whySkipped(finding, gap.reason, gap),
    `It is one of ${plural(gap.count, "slot")} in a row that did not run for this reason, from ${from} to ${to}.`,
  ];
}

// ── what is on no record ─────────────────────────────────────────────────────────────────────────

function ofNothing(finding: Finding): string[] {
  const { verdict, evidence, era, pause } = finding;
  const { at, now, changes } = evidence;
  const slot = slotAt(finding);
  switch (verdict) {
    case "before_creation":
      return [
        `${slot} lies before the schedule was created, at ${slotAt(finding, changes[0]?.at ?? at)} by ${changes[0]?.who ?? "someone"}.`,
        "Slots before the creation are no missed runs; a backfill can run them.",
      ];
    case "deleted": {
      const gone = changes.findLast((change) => change.action === "delete" && change.at <= at);
      return [
        `The schedule was deleted at ${slotAt(finding, gone?.at ?? at)} by ${gone?.who ?? "someone"}, so ${slot} is no slot.`,
      ];
    }
    case "paused": {
      const passed =
        at <= now
          ? "It is recorded when the schedule is resumed."
          : "It runs only if the schedule is resumed before.";
      return [`Not run: ${pausedWords(finding, pause)}.`, passed];
    }
    case "will_run":
      return [`The slot of ${slot} will run${jitterWords(finding)}.`, ...dstWords(finding)];
    case "out_of_bounds":
      return boundWords(finding, slot);
    case "excluded": {
      const { cause } = finding;
      const by = cause?.kind === "excluded" && cause.by ? describeExclusion(cause.by) : "an exclusion";
      return [`${slot} would be a slot, but it is excluded: ${by}.`, ...ruleWords(era)];
    }
    case "waiting":
      return finding.cause?.kind === "unrecorded"
        ? [
            `The slot of ${slot} has been handled, but the ledger has no record of it: it is late, or lost one. An audit tells which.`,
          ]
        : [`The slot of ${slot} is due and has not been handled yet.`];
    default:
      return noSlotWords(finding, slot);
  }
}

function jitterWords({ evidence, effectiveAt, era }: Finding): string {
  if (effectiveAt === null || effectiveAt === evidence.at) return "";
  const by = formatDuration(effectiveAt - evidence.at);
  return `, ${by} later than its name because of jitter (up to ${formatDuration(era?.definition.jitterMs ?? 0)})`;
}

function dstWords({ era, evidence }: Finding): string[] {
  const { notes = [] } = era?.timetable.describe(evidence.at) ?? {};
  if (notes.some((note) => note.startsWith("dst_gap")))
    return ["It was moved here from a local time that the clock leaves out."];
  if (notes.includes("dst_fold_first")) return ["The clock shows this local time twice; this is the first."];
  if (notes.includes("dst_fold_second"))
    return ["The clock shows this local time twice; this is the second."];
  return [];
}

function boundWords(finding: Finding, slot: string): string[] {
  const { era, cause, evidence } = finding;
  const { startAt, endAt, maxOccurrences, retentionMs } = era?.definition ?? {};
  switch (cause?.kind) {
    case "before_start":
      return [`${slot} lies before startAt, ${slotAt(finding, startAt ?? evidence.at)}.`];
    case "after_end":
      return [`${slot} lies after endAt, ${slotAt(finding, endAt ?? evidence.at)}.`];
    case "spent":
      return [
        `By ${slot} the schedule will have made its ${maxOccurrences ?? 0} occurrences (maxOccurrences).`,
      ];
    case "pruned":
      return [
        `${slot} was a slot, but its record is older than the retention of ${spanOf(retentionMs)} and has been pruned.`,
      ];
    default: {
      const done = evidence.changes.findLast(
        (change) => change.action === "complete" && change.cursor <= evidence.at,
      );
      return [
        `The schedule was completed at ${slotAt(finding, done?.at ?? evidence.at)}: nothing after that is a slot.`,
      ];
    }
  }
}

function noSlotWords({ era, eras, cause }: Finding, slot: string): string[] {
  if (era?.timetable.kind === "delay")
    return [`${slot} is no slot: fixed delay counts each slot from the end of the run before it.`];
  const told = [`${slot} is no slot.`, ...ruleWords(era)];
  if (cause?.kind !== "other_revision" || !era) return told;
  const { revision, begun } = cause.era;
  const when = eras.indexOf(cause.era) < eras.indexOf(era) ? "earlier" : "later";
  return [
    ...told,
    `The ${when} revision ${revision}, by ${begun.who}, names it; revision ${era.revision}, by ${era.begun.who}, was in force.`,
  ];
}

function ruleWords(era: Era | null): string[] {
  return era ? [`Revision ${era.revision} says: ${era.timetable.description}.`] : [];
}

// ── a local time that did not exist ──────────────────────────────────────────────────────────────

function ofWall(wall: WallGap, finding: Finding, own: string[]): string[] {
  const { localTime, timezone, clockAt, clockNext, moved } = wall;
  const missing = `${localTime.slice(11, 16)} on ${localTime.slice(0, 10)} did not exist in ${timezone}: the clock went from ${clockAt} to ${clockNext}.`;
  if (moved !== null) return [missing, `The slot was moved to ${timeAt(finding, moved)}.`, ...own];
  const isMeant = finding.era?.timetable
    .suppressed(finding.evidence.at - 1, finding.evidence.at + 1, SUPPRESSED_LOOK)
    .some((lost) => lost.reason === "dst_gap" && lost.localTime === localTime);
  return [
    missing,
    isMeant ? "dst.gap is skip: the rule makes no slot of it." : "The rule names no such time.",
    ...ruleWords(finding.era),
  ];
}

/** A night of every second in a gap. */
const SUPPRESSED_LOOK = 3_600;
