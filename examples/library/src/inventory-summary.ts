import type { Outcome, Run } from "carillon/consumer";
import type { Env } from "./index.ts";

/** What is out, for each branch, as of the slot. Only the latest matters: an older run never overwrites a newer. */
export async function inventorySummary(run: Run, { LIBRARY_DB: db }: Env): Promise<Outcome | void> {
  if (run.newerSucceeded) return { result: { leftTo: run.newerSucceeded } };
  const { meta } = await db
    .prepare(
      `INSERT INTO summaries (branch, as_of, on_loan, overdue, borrowers)
       SELECT branch, ?1, count(*), count(*) FILTER (WHERE due_on < ?2), count(DISTINCT member)
         FROM loans WHERE returned_on IS NULL GROUP BY branch
       ON CONFLICT (branch) DO UPDATE SET as_of = excluded.as_of, on_loan = excluded.on_loan,
          overdue = excluded.overdue, borrowers = excluded.borrowers
        WHERE excluded.as_of > summaries.as_of`,
    )
    .bind(run.scheduledFor, run.businessDate)
    .run();
  return { result: { asOf: run.scheduledFor, branches: meta.changes } };
}
