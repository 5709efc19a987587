import type { Audit } from "./answers.ts";

interface AuditPage extends Audit {
  nextCursor: string | null;
}

/** All pages of an audit: only together are they the proof. */
export async function auditAll(read: (cursor: string | null) => Promise<AuditPage>): Promise<Audit> {
  const total: Audit = { expected: 0, accounted: 0, discrepancies: [], prunedBefore: null };
  let cursor: string | null = null;
  do {
    const page: AuditPage = await read(cursor);
    total.expected += page.expected;
    total.accounted += page.accounted;
    total.discrepancies.push(...page.discrepancies);
    total.prunedBefore = later(total.prunedBefore, page.prunedBefore);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return total;
}

function later(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return Date.parse(a) >= Date.parse(b) ? a : b;
}
