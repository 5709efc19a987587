/** Why a slot was skipped, in words: the policy, its numbers, and what was in the way. */
import type { PauseSpan } from "./eras.ts";
import type { Finding, Gap } from "./finding.ts";
import type { SkipReason } from "./occurrence.ts";
import type { Definition } from "./schedule.ts";
import { formatDuration } from "./time.ts";
import { localTimeIn } from "./zone.ts";

export function whySkipped(finding: Finding, reason: SkipReason, gap: Gap | null): string {
  const { evidence } = finding;
  const definition = definitionOf(finding, gap);
  const { catchUp, overlap, maxBuffered } = definition ?? {};
  switch (reason) {
    case "overlap":
      return `Skipped: ${inTheWay(finding, evidence.occurrence?.finishedAt ?? evidence.at, "was")}, and overlap is skip.`;
    case "buffer_full":
      return overlap === "buffer_one"
        ? "Skipped: one run was waiting already, and overlap is buffer_one."
        : `Skipped: ${maxBuffered ?? "as many as may"} were waiting already (maxBuffered), and overlap is ${overlap ?? "buffer_all"}.`;
    case "superseded":
      return `Skipped: it waited, and a later run took its place (overlap ${overlap ?? "cancel_other"}).`;
    case "missed":
      return `Skipped: the scheduler came to it too late (more than catchUp.grace ${spanOf(catchUp?.graceMs)}, or after the next slot), and catchUp.policy is skip.`;
    case "coalesced":
      return `Skipped: it was missed, and catchUp.policy latest runs one slot for all that were missed${insteadOf(finding, gap)}.`;
    case "catch_up_window":
      return `Skipped: it was older than catchUp.window ${spanOf(catchUp?.windowMs)} when its turn came.`;
    case "catch_up_limit":
      return `Skipped: it was missed, and no more than the latest ${catchUp?.limit ?? "few"} missed slots are made up (catchUp.limit), within maxOccurrences.`;
    case "paused":
      return `Not run: ${pausedWords(finding, finding.pause)}.`;
  }
}

function definitionOf({ eras, evidence }: Finding, gap: Gap | null): Definition | null {
  const revision = gap?.revision ?? evidence.occurrence?.revision;
  return eras.find((era) => era.revision === revision)?.definition ?? null;
}

export function spanOf(ms: number | null | undefined): string {
  return ms === null || ms === undefined ? "" : formatDuration(ms);
}

function insteadOf(finding: Finding, gap: Gap | null): string {
  const era = finding.eras.find(({ revision }) => revision === gap?.revision) ?? finding.era;
  const instead = era?.timetable.next(gap?.to ?? finding.evidence.at) ?? null;
  return instead === null || instead > finding.evidence.now ? "" : `: that of ${timeAt(finding, instead)}`;
}

/** `the run of 09:00 was still going` */
export function inTheWay(finding: Finding, at: number, verb: "is" | "was"): string {
  const { earlier } = finding.evidence;
  const other = earlier.findLast(
    ({ dispatchedAt, claimedAt, finishedAt, state }) =>
      state !== "skipped" &&
      (dispatchedAt ?? claimedAt ?? at) <= at &&
      (finishedAt === null || finishedAt > at),
  );
  if (!other) return `another run ${verb} still going`;
  const which = other.kind === "scheduled" ? "run" : `${other.kind} run`;
  return `the ${which} of ${timeAt(finding, other.slot)} ${verb} still going`;
}

export function pausedWords(finding: Finding, pause: PauseSpan | null): string {
  if (!pause) return "the schedule was paused";
  const { from, to, until, who, note } = pause;
  const begin = slotAt(finding, from);
  const lasts =
    to === null ? `has been paused since ${begin}` : `was paused from ${begin} to ${timeAt(finding, to)}`;
  const end = to === null && until !== null ? `, until ${slotAt(finding, until)}` : "";
  return `the schedule ${lasts}${end}, by ${who}${note === null ? "" : `: "${note}"`}`;
}

// ── times ────────────────────────────────────────────────────────────────────────────────────────

/** `09:00 on 2026-11-30 (Europe/Berlin)` */
export function slotAt({ evidence, era, eras }: Finding, at = evidence.at): string {
  const names = (era ?? eras.at(-1))?.timetable.describe(at);
  const zone = names?.timezones[0] ?? "UTC";
  const local = localTimeIn(zone, at);
  return `${clock(local)} on ${local.slice(0, 10)} (${zone})`;
}

/** The time alone, where the day is the same. */
export function timeAt(finding: Finding, at: number): string {
  const full = slotAt(finding, at);
  const [, day = ""] = / on (\S+)/.exec(slotAt(finding)) ?? [];
  return full.includes(day) ? full.slice(0, full.indexOf(" ")) : full;
}

function clock(local: string): string {
  const time = /T(\d\d:\d\d)(:\d\d(?:\.\d+)?)/.exec(local);
  return `${time?.[1] ?? ""}${time?.[2] === ":00" ? "" : (time?.[2] ?? "")}`;
}
