import { holdLease, type Lease } from "./lease.ts";
import type { Grant, Message, Refusal, Result, Runs } from "./protocol.ts";
import { type Job, NonRetryable, RetryLater, type Run } from "./run.ts";
import { insist, tell } from "./transport.ts";

/** What to tell the queue of a message: done with it (null), or deliver it again after so many seconds. */
export type Verdict = { delaySeconds: number } | null;

export const RETRY_SECONDS = 30;
const RETRY_SECONDS_MAX = 86_400; // the longest delay that a queue takes
const ERROR_CHARS_MAX = 4_000;
/** The occurrence has no use for this message any more; whatever became of it is recorded there. */
const OVER = new Set(["settled", "superseded", "cancelled", "not_found", "lease_lost"]);

/** One tracked message, from `start` to a report that was accepted. */
export async function attempt(job: Job, message: Message, runs: Runs): Promise<Verdict> {
  const { key } = message;
  // The same id for every try of this call, so that a lost answer finds its token again.
  const claim = { attempt: message.attempt, worker: crypto.randomUUID() };
  const start = await insist(() => runs.start(key, claim));
  if (!start.ok) return afterRefusal(key, start.error);

  const lease = holdLease(runs, key, start.value);
  const report = await work(job, start.value, runs, lease);
  lease.release();
  if (report === null) return null; // handed on
  if (lease.stop === "lease_lost") return null; // the result is dropped: the attempt may be another's by now
  const answer = await insist(report);
  if (answer.ok || OVER.has(answer.error.code)) return null;

  // Too large a result, a duration that is none: it would be refused the next time as well.
  const reason = new NonRetryable(`the report was refused: ${answer.error.message}`);
  const failed = await insist(failure(runs, key, start.value.token, reason));
  return failed.ok ? null : afterRefusal(key, failed.error);
}

type Report = () => Promise<Result<unknown>>;

/** Runs the handler and puts into words how it ended; null: it has not, and somebody else will say. */
async function work(job: Job, grant: Grant, runs: Runs, lease: Lease): Promise<Report | null> {
  const { token, attempt, deadline, message } = grant;
  let deferral = "";
  const run: Run = {
    ...message,
    attempt,
    token,
    deadline,
    signal: lease.signal,
    get newerSucceeded() {
      return lease.newerSucceeded;
    },
    heartbeat(news) {
      Object.assign(lease.news, news);
      return new Promise((resolve) => setTimeout(resolve, 0)); // a turn for the renewal, and for the clock
    },
    defer(duration) {
      deferral = duration; // holds even if the handler catches this
      throw new Error(`deferred for ${duration}`);
    },
  };
  let report: Report;
  try {
    const outcome = await job(run);
    if (outcome?.handedOn) return null;
    if (lease.stop && !outcome) throw new Error(`stopped: ${lease.stop}`);
    // JSON on both transports: RPC would clone what HTTP can't send and the ledger can't keep.
    const result: unknown = JSON.parse(JSON.stringify(outcome?.result ?? null));
    report = () => runs.complete(message.key, { token, result, workRemaining: outcome?.workRemaining });
  } catch (error) {
    if (!deferral) tell("attempt_failed", message.key, error);
    report = failure(runs, message.key, token, error);
  }
  return deferral ? () => runs.defer(message.key, { token, for: deferral }) : report;
}

function failure(runs: Runs, key: string, token: number, error: unknown): Report {
  const text = String(error).slice(0, ERROR_CHARS_MAX);
  const retryable = !(error instanceof NonRetryable);
  const retryAfter = error instanceof RetryLater ? error.after : undefined;
  return () => runs.fail(key, { token, error: text, retryable, retryAfter });
}

function afterRefusal(key: string, { code, message, data }: Refusal): Verdict {
  if (code === "not_found") tell("not_found", key, message); // deleted, or not this consumer's to see
  if (OVER.has(code)) return null;
  if (code !== "busy" && code !== "not_due") tell("refused", key, `${code}: ${message}`);
  const until = Date.parse(String(data?.[code === "busy" ? "leaseUntil" : "dueAt"]));
  if (Number.isNaN(until)) return { delaySeconds: RETRY_SECONDS };
  const seconds = Math.ceil((until - Date.now()) / 1_000) + 1; // queues delay by whole seconds
  return { delaySeconds: Math.min(Math.max(seconds, 1), RETRY_SECONDS_MAX) };
}
