/** One page of an audit: the books are read, the slots looked up by key in chunks, and core/ judges. */
import {
  AUDIT_SLOTS_MAX,
  judge,
  unnamed,
  walk,
  type Books,
  type Discrepancy,
  type Place,
} from "../core/audit.ts";
import { judgeChain, type Link } from "../core/audit-chain.ts";
import { erasOf, type Change } from "../core/eras.ts";
import type { Knowledge } from "../schedule/stub.ts";
import { changesWith, gapOf } from "./evidence.ts";
import { gapsBetween } from "./gaps.ts";
import { prunedBefore } from "./prune.ts";

export interface AuditQuery {
  /** Both inclusive. */
  from: number;
  upTo: number;
  /** What became due after it is not judged yet. */
  settledAt: number;
  now: number;
  place: Place | null;
  /** Slots to look up; at most a page. */
  limit: number;
  knowledge: Knowledge | null;
  /** Whether rows that no revision names are looked for: that reads every row of the range, of whatever schedule. */
  strays: boolean;
}

export interface AuditPage {
  expected: number;
  accounted: number;
  discrepancies: Discrepancy[];
  /** The range reaches back beyond the retention: what is older may be gone. */
  prunedBefore: number | null;
  looked: number;
  next: Place | null;
}

const GAPS_MAX = 10_000; // a page; where there are more, it ends with the last of them
const SLOTS_A_LOOK = 5_000; // bound as one text
const LINKS_MAX = 10_000; // of a chain
const STRAY_ROWS_MAX = 50_000; // rows of all schedules that one page reads in search of strays

export async function auditPage(
  db: D1Database,
  directory: D1Database,
  schedule: string,
  query: AuditQuery,
): Promise<AuditPage> {
  const { knowledge, place } = query;
  const changes = await changesWith(directory, schedule, knowledge?.unrecorded ?? []);
  const eras = erasOf(changes);
  const retentionMs = eras.at(-1)?.definition.retentionMs ?? 0;
  // Whoever keeps more now than before cannot have back what has gone.
  const pruned = (await prunedBefore(db, schedule)) ?? 0;
  const from = Math.max(query.from, query.now - retentionMs, pruned);
  const gaps = await gapsBetween(db, { schedule, from, upTo: query.upTo, limit: GAPS_MAX });
  const upTo = gaps.length === GAPS_MAX ? gaps.at(-1)!.from_at - 1 : query.upTo;
  const books: Books = {
    seed: schedule,
    eras,
    gaps: withUnrecorded(gaps, knowledge),
    standing: knowledge,
    held: heldOf(knowledge),
  };
  const range = { from, upTo, settledAt: query.settledAt };
  const walked = walk(books, range, place, Math.min(query.limit, AUDIT_SLOTS_MAX));
  const present = await presentAmong(db, schedule, [...walked.slots, ...walked.inGaps]);
  const judged = judge(books, walked, present);
  const chains = place === null ? await judgeChains(db, schedule, { books, changes, range }) : NOTHING;
  const strays = query.strays && place === null ? await straysOf(db, schedule, { books, range }) : [];
  return {
    expected: walked.expected + chains.expected,
    accounted: judged.accounted + chains.accounted,
    discrepancies: [...judged.discrepancies, ...chains.discrepancies, ...strays],
    prunedBefore: from > query.from && (eras[0]?.after ?? from) < from ? from : null,
    looked: walked.slots.length,
    next: walked.next ?? (upTo < query.upTo ? { revision: eras.at(-1)?.revision ?? 0, after: upTo } : null),
  };
}

const NOTHING = { expected: 0, accounted: 0, discrepancies: [] };

function withUnrecorded(gaps: Parameters<typeof gapOf>[0][], knowledge: Knowledge | null) {
  const known = new Map(gaps.map((gap) => [gap.from_at, gapOf(gap)]));
  for (const told of knowledge?.unrecorded ?? [])
    if (told.table === "gaps") known.set(told.row.from_at, gapOf(told.row));
  return [...known.values()].toSorted((a, b) => a.from - b.from);
}

/** Open, waiting, or settled and not told yet. */
function heldOf(knowledge: Knowledge | null): Set<number> {
  if (knowledge === null) return new Set();
  const untold = knowledge.unrecorded.flatMap((told) => (told.table === "occurrences" ? [told.row] : []));
  return new Set(
    [...knowledge.held, ...untold].filter(({ variant }) => variant === "").map(({ slot }) => slot),
  );
}

async function presentAmong(db: D1Database, schedule: string, slots: number[]): Promise<Set<number>> {
  const present = new Set<number>();
  for (let i = 0; i < slots.length; i += SLOTS_A_LOOK) {
    const { results } = await db
      .prepare(
        `SELECT o.slot
           FROM json_each(?2) AS named CROSS JOIN occurrences AS o
          WHERE o.slot = named.value AND o.schedule = ?1 AND o.variant = ''`,
      )
      .bind(schedule, JSON.stringify(slots.slice(i, i + SLOTS_A_LOOK)))
      .all<{ slot: number }>();
    for (const { slot } of results) present.add(slot);
  }
  return present;
}

// ── fixed delay ──────────────────────────────────────────────────────────────────────────────────

interface Range {
  from: number;
  upTo: number;
  settledAt: number;
}

async function judgeChains(
  db: D1Database,
  schedule: string,
  { books, changes, range }: { books: Books; changes: Change[]; range: Range },
) {
  const delays = books.eras.filter(({ timetable }) => timetable.kind === "delay");
  if (delays.length === 0) return NOTHING;
  const upTo = Math.min(range.upTo, range.settledAt);
  const links = await readLinks(db, schedule, range.from, upTo);
  const { standing, held } = books;
  const total = { expected: 0, accounted: 0, discrepancies: [] as Discrepancy[] };
  for (const era of delays) {
    const own = links.filter(({ slot }) => era.after < slot && slot <= era.upTo);
    const { accounted, discrepancies } = judgeChain({
      era,
      changes,
      links: own,
      standing,
      held,
      from: range.from,
      upTo,
    });
    total.accounted += accounted;
    total.expected += accounted + discrepancies.length;
    total.discrepancies.push(...discrepancies);
  }
  return total;
}

/** A slot's own run and its continuations are one link; the last of them settled it. */
async function readLinks(db: D1Database, schedule: string, from: number, upTo: number): Promise<Link[]> {
  const { results } = await db
    .prepare(
      `SELECT slot, max(version) AS version, CASE WHEN count(*) = count(finished_at) THEN max(finished_at) END AS settledAt,
              max(CASE WHEN finished_at IS NOT NULL THEN due_at END) AS nextDueAt
         FROM occurrences
        WHERE schedule = ?1 AND computed = 0 AND slot >= ?2 AND slot <= ?3
          AND (variant = '' OR variant GLOB '~c[0-9]*')
        GROUP BY slot
        ORDER BY slot
        LIMIT ${LINKS_MAX}`,
    )
    .bind(schedule, from, upTo)
    .all<Link>();
  return results;
}

// ── rows that nothing names ──────────────────────────────────────────────────────────────────────

/** There is no index by schedule, so this reads a bounded stretch of the range, from its newest end. */
async function straysOf(
  db: D1Database,
  schedule: string,
  { books, range }: { books: Books; range: Range },
): Promise<Discrepancy[]> {
  const { results } = await db
    .prepare(
      `SELECT slot
         FROM (SELECT slot, schedule, variant, computed
                 FROM occurrences
                WHERE slot >= ?2 AND slot <= ?3
                ORDER BY slot DESC
                LIMIT ${STRAY_ROWS_MAX})
        WHERE schedule = ?1 AND variant = '' AND computed = 1
        ORDER BY slot`,
    )
    .bind(schedule, range.from, range.upTo)
    .all<{ slot: number }>();
  return unnamed(
    books.eras,
    results.map(({ slot }) => slot),
  );
}
