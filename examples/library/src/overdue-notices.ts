import { NonRetryable, type Outcome, type Run } from "carillon/consumer";
import type { Env } from "./index.ts";

const BATCH = 25;

interface Loan {
  id: number;
  member: string;
  title: string;
  due_on: string;
}

/** One notice for each loan of the branch that is overdue on the run's business date. Safe to run again. */
export async function overdueNotices(run: Run, { LIBRARY_DB: db }: Env): Promise<Outcome | void> {
  const { branch } = (run.payload ?? {}) as { branch?: string };
  if (!branch)
    throw new NonRetryable('the payload names no branch: { "job": "overdue-notices", "branch": "lisbon" }');
  const overdue = await findOverdue(db, branch, run.businessDate);
  let sent = 0;
  for (let done = 0; done < overdue.length; done += BATCH) {
    if (run.signal.aborted) return;
    sent += await send(db, run, branch, overdue.slice(done, done + BATCH));
    await run.heartbeat({ progress: Math.min(1, (done + BATCH) / overdue.length), note: `${sent} sent` });
  }
  return { result: { branch, date: run.businessDate, overdue: overdue.length, sent } };
}

async function findOverdue(db: D1Database, branch: string, date: string): Promise<Loan[]> {
  const { results } = await db
    .prepare(
      `SELECT id, member, title, due_on FROM loans
        WHERE branch = ?1 AND returned_on IS NULL AND due_on < ?2 ORDER BY due_on, id`,
    )
    .bind(branch, date)
    .all<Loan>();
  return results;
}

/** The row is the notice: its key (loan and date) is what keeps a second run from sending it twice. */
async function send(db: D1Database, run: Run, branch: string, loans: Loan[]): Promise<number> {
  const { meta } = await db
    .prepare(
      `INSERT INTO notices (loan, date, branch, member, title, days_late, sent_by)
       SELECT value ->> 'id', ?2, ?3, value ->> 'member', value ->> 'title',
              CAST(julianday(?2) - julianday(value ->> 'due_on') AS INTEGER), ?4
         FROM json_each(?1) WHERE true ON CONFLICT DO NOTHING`,
    )
    .bind(JSON.stringify(loans), run.businessDate, branch, run.key)
    .run();
  return meta.changes;
}
