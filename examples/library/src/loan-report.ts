import type { Outcome, Run } from "carillon/consumer";
import type { Env } from "./index.ts";

/** The month up to the business date, branch by branch. The first report of a date stands; others find it. */
export async function loanReport(run: Run, { LIBRARY_DB: db }: Env): Promise<Outcome | void> {
  const month = run.businessDate.slice(0, 7);
  const { results: branches } = await db
    .prepare(
      `SELECT branch, count(*) FILTER (WHERE substr(lent_on, 1, 7) = ?1) AS lent,
              count(*) FILTER (WHERE substr(returned_on, 1, 7) = ?1) AS returned,
              count(*) FILTER (WHERE returned_on IS NULL AND due_on < ?2) AS overdue
         FROM loans WHERE lent_on <= ?2 GROUP BY branch ORDER BY branch`,
    )
    .bind(month, run.businessDate)
    .all();
  const { meta } = await db
    .prepare("INSERT INTO reports (business_date, made_by, body) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")
    .bind(run.businessDate, run.key, JSON.stringify({ month, branches }))
    .run();
  return { result: { businessDate: run.businessDate, branches: branches.length, new: meta.changes === 1 } };
}
