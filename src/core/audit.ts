/**
 * The proof that nothing is missing: every slot that a revision named while it was in force is an occurrence, lies in
 * one gap row, or is held by the object. The past is recomputed from the record of changes alone; what is found is
 * compared by key, gap rows by their recomputed count. The walk is pure and goes page by page: `walk` says which slots
 * have to be looked up, `judge` takes the answer.
 */
import type { Era } from "./eras.ts";
import type { Gap, Standing } from "./finding.ts";
import { lastEffective } from "./plan.ts";
import type { Timetable } from "./rule.ts";
import { formatInstant } from "./time.ts";

/** Slots of one page: looked up by key in a few statements. */
export const AUDIT_SLOTS_MAX = 100_000;
/** Slots inside gap rows that a page looks up as well: one that is both would be told twice. */
const DOUBLE_LOOKS_MAX = 5_000;
/** One count covers at least a day of every-second slots. */
const COUNT_ROUNDS_MAX = 1_000;

export interface Discrepancy {
  kind: "missing" | "doubled" | "unnamed" | "miscounted" | "overlapping" | "broken_chain";
  slot: number;
  expected: string;
  found: string;
}

/** What is known about a schedule beside the rows of its occurrences. */
export interface Books {
  /** `<namespace>/<name>`: spreads the jitter. */
  seed: string;
  /** Oldest first. */
  eras: Era[];
  /** Those that touch the range, oldest first. */
  gaps: Gap[];
  standing: Standing | null;
  /** Slots that the object holds: open, waiting, or not yet told. */
  held: ReadonlySet<number>;
}

/** Where a page begins: after this slot of this revision. */
export interface Place {
  revision: number;
  after: number;
}

export interface Walked {
  expected: number;
  /** Slots that should have a row, and slots in gap rows, which should have none. */
  slots: number[];
  inGaps: number[];
  discrepancies: Discrepancy[];
  /** Where the next page goes on. */
  next: Place | null;
}

/** Both inclusive; `settledAt`: what became due after it may still be on its way. */
export interface AuditRange {
  from: number;
  upTo: number;
  settledAt: number;
}

export function walk(books: Books, range: AuditRange, place: Place | null, limit: number): Walked {
  const walked: Walked = { expected: 0, slots: [], inGaps: [], discrepancies: [], next: null };
  if (place === null) walked.discrepancies.push(...wrongGaps(books, range));
  for (const era of books.eras) {
    if (place !== null && era.revision < place.revision) continue;
    const after = place?.revision === era.revision ? place.after : Math.max(era.after, range.from - 1);
    const reached = walkEra(walked, { books, era, after, upTo: endOf(era, books.seed, range), limit });
    if (reached === null) continue;
    walked.next = { revision: era.revision, after: reached };
    break;
  }
  return walked;
}

/** In the revision in force a slot may still be held by its jitter; what an edit found held is the object's to tell. */
function endOf(era: Era, seed: string, { upTo, settledAt }: AuditRange): number {
  const end = Math.min(era.upTo, upTo, settledAt);
  if (era.ended !== null || era.timetable.kind === "delay") return end;
  return Math.min(end, lastEffective(era, seed, settledAt) ?? end);
}

/** Slot by slot, and over gap rows at once. Returns where the page was full; null: the era is done. */
function walkEra(
  walked: Walked,
  { books, era, after, upTo, limit }: { books: Books; era: Era; after: number; upTo: number; limit: number },
): number | null {
  const gaps = books.gaps.filter(({ revision }) => revision === era.revision);
  let at = after;
  let passed = 0;
  for (let slot = era.timetable.next(at); slot !== null && slot <= upTo; slot = era.timetable.next(at)) {
    if (walked.slots.length >= limit) return at;
    while (passed < gaps.length && gaps[passed]!.to < slot) passed++;
    const gap = gaps[passed];
    if (gap && gap.from <= slot) {
      at = Math.min(gap.to, upTo);
      walked.expected += countIn(era.timetable, slot, at);
      lookInto(walked, era.timetable, slot, at);
    } else {
      walked.expected++;
      walked.slots.push(slot);
      at = slot;
    }
  }
  return null;
}

function lookInto(walked: Walked, timetable: Timetable, from: number, to: number): void {
  for (
    let slot: number | null = from;
    slot !== null && slot <= to && walked.inGaps.length < DOUBLE_LOOKS_MAX;
    slot = timetable.next(slot)
  ) {
    walked.inGaps.push(slot);
  }
}

/** Slots in [from, to]. */
function countIn(timetable: Timetable, from: number, to: number): number {
  let total = 0;
  let after = from - 1;
  for (let round = 0; after < to && round < COUNT_ROUNDS_MAX; round++) {
    const { count, through } = timetable.count(after, to);
    total += count;
    after = through;
  }
  return total;
}

// ── gap rows by themselves ───────────────────────────────────────────────────────────────────────

function wrongGaps({ eras, gaps }: Books, { from, upTo }: AuditRange): Discrepancy[] {
  return gaps
    .filter((gap) => gap.to >= from && gap.from <= upTo)
    .flatMap((gap, i, all) => [...wrongCount(eras, gap), ...overlap(all[i - 1], gap)]);
}

function wrongCount(eras: Era[], gap: Gap): Discrepancy[] {
  const era = eras.find(({ revision }) => revision === gap.revision);
  const inEra = era !== undefined && gap.from > era.after && gap.to <= era.upTo;
  const named = inEra ? countIn(era.timetable, gap.from, gap.to) : 0;
  const begins = inEra && era.timetable.prev(gap.from) === gap.from && era.timetable.prev(gap.to) === gap.to;
  if (named === gap.count && begins) return [];
  const found = `${words(gap)} that says ${gap.count}`;
  const expected =
    named === 0 ? "no slot of that revision there" : `${named} slots from its first to its last`;
  return [{ kind: named === 0 ? "unnamed" : "miscounted", slot: gap.from, expected, found }];
}

function overlap(before: Gap | undefined, gap: Gap): Discrepancy[] {
  if (!before || before.to < gap.from) return [];
  return [
    {
      kind: "overlapping",
      slot: gap.from,
      expected: "each slot in one gap row",
      found: `${words(before)} and ${words(gap)}`,
    },
  ];
}

function words({ from, to, reason, revision }: Gap): string {
  return `a gap row (${reason}, revision ${revision}) from ${formatInstant(from)} to ${formatInstant(to)}`;
}

// ── what the ledger answered ─────────────────────────────────────────────────────────────────────

export interface Judged {
  accounted: number;
  discrepancies: Discrepancy[];
}

/** `present`: of the slots that were asked for, those that have a row. */
export function judge(books: Books, walked: Walked, present: ReadonlySet<number>): Judged {
  const missing = walked.slots.filter((slot) => !present.has(slot) && !isHeld(books, slot));
  const doubled = walked.inGaps.filter((slot) => present.has(slot));
  return {
    accounted: walked.expected - missing.length,
    discrepancies: [
      ...walked.discrepancies,
      ...missing.map((slot) => ofMissing(books, slot)),
      ...doubled.map((slot) => ({
        kind: "doubled" as const,
        slot,
        expected: "an occurrence, or a place in a gap row",
        found: "both",
      })),
    ],
  };
}

/** While a pause lasts, what passes is answered from the pause and written on resume. */
function isHeld({ held, standing }: Books, slot: number): boolean {
  return held.has(slot) || (standing?.status === "paused" && slot > standing.cursor);
}

function ofMissing({ eras, standing }: Books, slot: number): Discrepancy {
  const era = eras.findLast(({ after, upTo }) => after < slot && slot <= upTo);
  const expected = `an occurrence, or a gap row over it (revision ${era?.revision ?? "unknown"})`;
  const found =
    standing !== null && slot > standing.cursor ? "nothing: the schedule has not come that far" : "nothing";
  return { kind: "missing", slot, expected, found };
}

/** Rows under a slot that no revision named while it was in force. */
export function unnamed(eras: readonly Era[], slots: readonly number[]): Discrepancy[] {
  const isNamed = (slot: number) =>
    eras.some(({ timetable, after, upTo }) => after < slot && slot <= upTo && timetable.prev(slot) === slot);
  return slots
    .filter((slot) => !isNamed(slot))
    .map((slot) => ({
      kind: "unnamed",
      slot,
      expected: "nothing: no revision in force named it",
      found: "an occurrence",
    }));
}
