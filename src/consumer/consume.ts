import { attempt, RETRY_SECONDS, type Verdict } from "./attempt.ts";
import type { Message, Runs } from "./protocol.ts";
import { type Handler, type Job, NonRetryable, type Run } from "./run.ts";
import { overHttp, tell } from "./transport.ts";

/** One handler, or a map of them by schedule name. */
export type Jobs<Env> = Handler<Env> | { [schedule: string]: Handler<Env> };
/** Where to report. Default: the service binding `RUNS`, else HTTP with `CARILLON_URL` and `CARILLON_TOKEN`. */
export type Options<Env> = { runs?: (env: Env) => Runs };
type Bindings = { RUNS?: Runs; CARILLON_URL?: string; CARILLON_TOKEN?: string };
/** What is used of a queue's batch, so that a test can make one by hand. */
export type Delivery = {
  readonly body: unknown;
  ack(): void;
  retry(options: { delaySeconds: number }): void;
};

/**
 * A queue handler: `export default { queue: consume<Env>(async (run, env) => { … }) }`.
 * The messages of a batch run side by side; none can ack, retry or fail another.
 */
export function consume<Env>(jobs: Jobs<Env>, { runs = defaultRuns }: Options<Env> = {}) {
  async function settle({ body }: Delivery, env: Env): Promise<Verdict> {
    if (!isMessage(body)) throw new Error("not a message of Carillon, version 1");
    const job: Job = (run) => pick(jobs, body.schedule)(run, env);
    if (body.tracked) return attempt(job, body, runs(env));
    await job(untracked(body));
    return null;
  }
  async function deliver(delivery: Delivery, env: Env): Promise<void> {
    const verdict = await settle(delivery, env).catch((error: unknown) => {
      // Foreign, untracked and failing, or cut off from the scheduler: again, and at last the dead-letter queue.
      tell("delivery_failed", isMessage(delivery.body) ? delivery.body.key : "unknown", error);
      return { delaySeconds: RETRY_SECONDS };
    });
    if (verdict) delivery.retry(verdict);
    else delivery.ack();
  }
  return async function queue(batch: { readonly messages: readonly Delivery[] }, env: Env): Promise<void> {
    await Promise.all(batch.messages.map((delivery) => deliver(delivery, env)));
  };
}

function isMessage(body: unknown): body is Message {
  const { v, key, schedule, tracked } = (body ?? {}) as Partial<Message>;
  return v === 1 && typeof key === "string" && typeof schedule === "string" && typeof tracked === "boolean";
}

/** Called as the run begins, so that a missing handler fails the occurrence, and says why it did not run. */
function pick<Env>(jobs: Jobs<Env>, schedule: string): Handler<Env> {
  const handler = typeof jobs === "function" ? jobs : Object.hasOwn(jobs, schedule) && jobs[schedule];
  if (handler) return handler;
  throw new NonRetryable(`no handler for schedule "${schedule}", only for ${Object.keys(jobs).join(", ")}`);
}

function untracked(message: Message): Run {
  const none = { token: null, deadline: null, newerSucceeded: null, signal: new AbortController().signal };
  const defer = () => {
    throw new Error("only a tracked run can be deferred: throw, and the queue delivers it again");
  };
  return { ...message, ...none, heartbeat: () => Promise.resolve(), defer };
}

function defaultRuns(env: unknown): Runs {
  const { RUNS, CARILLON_URL: url, CARILLON_TOKEN: token } = env as Bindings;
  if (RUNS) return RUNS;
  if (url && token) return overHttp(url, token);
  throw new Error("nowhere to report: bind RUNS to the scheduler, or set CARILLON_URL and CARILLON_TOKEN");
}
