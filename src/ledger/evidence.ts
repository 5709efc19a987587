/** What the ledger knows about one instant of a schedule, with what its object has not told it yet. */
import { changeOf, listChanges } from "./changes.ts";
import type { Change } from "../core/eras.ts";
import type { Gap } from "../core/finding.ts";
import type { Occurrence } from "../core/occurrence.ts";
import type { GapRow, OccurrenceRow as Told } from "../schedule/state.ts";
import { occurrenceOf as readRow } from "../schedule/rows.ts";
import type { Knowledge } from "../schedule/stub.ts";
import { gapBefore } from "./gaps.ts";
import { occurrencesAmong, occurrencesAt } from "./occurrences.ts";
import { occurrenceOf } from "./row.ts";

type Unrecorded = Knowledge["unrecorded"];

/** Changes of one schedule that are looked at: a definition edited daily for years. */
const CHANGES_MAX = 2_000;

/** Oldest first. */
export async function changesWith(
  directory: D1Database,
  schedule: string,
  unrecorded: Unrecorded,
): Promise<Change[]> {
  const recorded = await listChanges(directory, { schedule, before: null, limit: CHANGES_MAX });
  const known = new Map(recorded.map((change) => [change.version, change]));
  for (const told of unrecorded) {
    if (told.table !== "changes") continue;
    const { body, ...row } = told.row;
    known.set(row.version, changeOf(row, body as Parameters<typeof changeOf>[1]));
  }
  return [...known.values()].toSorted((a, b) => a.version - b.version);
}

export interface SlotEvidence {
  /** The slot's own first. */
  occurrences: Occurrence[];
  gap: Gap | null;
  /** Of the slots asked for, oldest first. */
  earlier: Occurrence[];
}

export async function evidenceAt(
  db: D1Database,
  schedule: string,
  { at, earlier, unrecorded }: { at: number; earlier: number[]; unrecorded: Unrecorded },
): Promise<SlotEvidence> {
  const [rows, before, gap] = await Promise.all([
    occurrencesAt(db, schedule, at),
    occurrencesAmong(db, schedule, earlier),
    gapBefore(db, schedule, at),
  ]);
  const own = new Map(rows.map((row) => [row.variant, occurrenceOf(row)]));
  for (const { row } of unrecorded.filter(isOccurrence))
    if (row.slot === at) own.set(row.variant, readRow(row));
  const told = unrecorded.filter(isGap).findLast(({ row }) => row.from_at <= at && at <= row.to_at)?.row;
  const found = told ?? (gap && gap.to_at >= at ? gap : null);
  return {
    occurrences: [...own.values()],
    gap: found && gapOf(found),
    earlier: before.map(occurrenceOf).toReversed(),
  };
}

function isOccurrence(told: Unrecorded[number]): told is { table: "occurrences"; row: Told } {
  return told.table === "occurrences";
}

function isGap(told: Unrecorded[number]): told is { table: "gaps"; row: GapRow } {
  return told.table === "gaps";
}

export function gapOf({ from_at: from, to_at: to, count, reason, revision }: GapRow): Gap {
  return { from, to, count, reason, revision };
}
