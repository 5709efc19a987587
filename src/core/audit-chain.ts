/**
 * Fixed delay names no slots by itself: each settlement says when the next one is due. So its audit follows that chain,
 * from the change that began it, link by link, to the one that the object holds.
 */
import type { Discrepancy, Judged } from "./audit.ts";
import type { Change, Era } from "./eras.ts";
import type { Standing } from "./finding.ts";
import { formatInstant } from "./time.ts";

/** One slot of the chain, as far as it is on record: a run, its continuations, or a skip. */
export interface Link {
  slot: number;
  /** Of its last row. What came after what, versions tell: a clock may have been set back. */
  version: number;
  /** Null while something of it is open. */
  settledAt: number | null;
  /** What the settlement promised; null where the record does not say. */
  nextDueAt: number | null;
}

export interface Chain {
  era: Era;
  changes: readonly Change[];
  /** Of this era, oldest first. */
  links: readonly Link[];
  standing: Standing | null;
  held: ReadonlySet<number>;
  from: number;
  upTo: number;
}

export function judgeChain(chain: Chain): Judged {
  const { era, from, upTo } = chain;
  const discrepancies: Discrepancy[] = [];
  let accounted = 0;
  let due = from <= era.after ? firstOf(chain) : null;
  for (const { slot, version, settledAt, nextDueAt } of chain.links) {
    if (slot > upTo) break;
    if (due !== null && slot !== due) discrepancies.push(broken(due, slot));
    accounted++;
    due = settledAt === null ? null : promiseOf(chain, version, nextDueAt);
  }
  if (due !== null && isOwed(chain, due)) {
    discrepancies.push({
      kind: "missing",
      slot: due,
      expected: "an occurrence: the next link of the chain",
      found: "nothing",
    });
  }
  return { accounted, discrepancies };
}

/** What the change that began it promised. A slot that its jitter held across that change is the era's before. */
function firstOf(chain: Chain): number | null {
  const { after, begun } = chain.era;
  const due = promiseOf(chain, begun.version, begun.dueAt);
  return due !== null && due <= after ? null : due;
}

/**
 * A resume before it was due counts from itself, and the next one again. One that catches up promises nothing: it says
 * what has passed already, and that may be settled at the same instant.
 */
function promiseOf({ changes, era }: Chain, made: number, dueAt: number | null): number | null {
  let due = dueAt;
  for (const { action, revision, version, dueAt: promised, ...change } of changes) {
    if (due === null) break;
    const at = change.until ?? change.at; // a pause that ended by itself may have been noticed late
    if (action !== "resume" || revision !== era.revision || version < made || at >= due) continue;
    if (promised === null || promised > at) due = promised;
  }
  return due;
}

/** It should be there by now: neither ahead, nor held, nor passed while a pause lasts, nor ended by an edit. */
function isOwed({ era, standing, held, upTo }: Chain, due: number): boolean {
  if (due > upTo || due > era.upTo || held.has(due)) return false;
  return standing?.status !== "paused" || due <= standing.cursor;
}

function broken(due: number, slot: number): Discrepancy {
  return {
    kind: "broken_chain",
    slot: due,
    expected: `a slot at ${formatInstant(due)}, as the link before promised`,
    found: `the next slot is ${formatInstant(slot)}`,
  };
}
