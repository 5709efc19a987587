/**
 * A lending library with branches in five time zones, and what it has to do on time. A Worker of its own:
 * of Carillon it knows the consumer kit, and nothing else.
 */
import { consume, type Handler, NonRetryable, type Run, type Runs } from "carillon/consumer";
import { inventorySummary } from "./inventory-summary.ts";
import { loanReport } from "./loan-report.ts";
import { overdueNotices } from "./overdue-notices.ts";
import { showTable } from "./tables.ts";

export interface Env {
  RUNS: Runs;
  LIBRARY_DB: D1Database;
}

const JOBS: { [job: string]: Handler<Env> } = {
  "overdue-notices": overdueNotices,
  "inventory-summary": inventorySummary,
  "loan-report": loanReport,
};

/** By the payload's `job`, since several schedules (one a branch) may ask for the same; else by the schedule's name. */
function jobOf({ payload, schedule }: Run): Handler<Env> {
  const { job = schedule } = (payload ?? {}) as { job?: string };
  const handler = Object.hasOwn(JOBS, job) && JOBS[job];
  if (handler) return handler;
  throw new NonRetryable(`the library has no job "${job}": name one of ${Object.keys(JOBS).join(", ")}`);
}

export default {
  queue: consume<Env>((run, env) => jobOf(run)(run, env)),
  fetch: (request, env) => showTable(new URL(request.url).pathname, env.LIBRARY_DB),
} satisfies ExportedHandler<Env>;
