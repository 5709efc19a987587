/**
 * Calls URLs: the consumer of our own queue. It is a worker like any other, with the kit's lease; but it stands so near
 * that it asks the schedule's object directly, also for what no message carries: where to call, and the secrets.
 */
import { configOf } from "../config.ts";
import { consume, NonRetryable, RetryLater, type Outcome, type Run, type Runs } from "../consumer/index.ts";
import { readUrl } from "../core/address.ts";
import type { Result } from "../core/errors.ts";
import type { Message } from "../core/message.ts";
import { parseOccurrenceId } from "../core/occurrence.ts";
import type { Json } from "../core/schedule.ts";
import { formatDuration, parseDuration } from "../core/time.ts";
import type { Env } from "../env.ts";
import { causeOf, log } from "../log.ts";
import type { Address, CallView, ScheduleStub } from "../schedule/stub.ts";
import { meaningOf, type Answer } from "./answer.ts";
import { call } from "./call.ts";

export const consumeCalls = consume<Env>(callUrl, { runs: runsOf });

async function callUrl(run: Run, env: Env): Promise<Outcome | void> {
  try {
    return await attempt(run, env);
  } catch (error) {
    // Nobody hears how an untracked call ended: its queue repeats it, but not what repeating cannot change.
    if (run.token !== null || !(error instanceof NonRetryable)) throw error;
    log("call_failed", { occurrence: run.key, cause: String(error.stack) });
  }
}

async function attempt(run: Run, env: Env): Promise<Outcome> {
  const { token, deadline, newerSucceeded, signal, heartbeat: _, defer: __, ...message } = run;
  const { stub, at } = find(env, run.key);
  const to = await stub.call(at, { token, revision: run.revision });
  if (!to.ok) throw refused(to.error);
  const allowed = readUrl(to.value.url, configOf(env).allowPrivateUrls);
  if (!allowed.ok) throw plain(new NonRetryable(`The URL ${allowed.error.message}.`), "not allowed");
  const lent = { token, deadline, newerSucceeded };
  const answer = await withinTimeout(to.value, signal, (signal) =>
    call(to.value, message as Message, lent, { now: Date.now(), signal }),
  );
  return outcomeOf(answer);
}

function outcomeOf(answer: Answer): Outcome {
  const meaning = meaningOf(answer, Date.now());
  if (meaning.is === "done") return { result: meaning.result };
  if (meaning.is === "handed_on") return { handedOn: true };
  const { error, retryable, retryAfterMs } = meaning;
  const logged = `answered ${answer.status}`;
  if (!retryable) throw plain(new NonRetryable(error), logged);
  throw plain(new RetryLater(error, formatDuration(retryAfterMs ?? 0)), logged);
}

async function withinTimeout(
  { url, timeoutMs }: CallView,
  outer: AbortSignal,
  act: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    return await act(AbortSignal.any([outer, timeout]));
  } catch (error) {
    if (outer.aborted) throw outer.reason;
    const { host } = new URL(url);
    const why = timeout.aborted
      ? `${host} did not answer within ${formatDuration(timeoutMs)}.`
      : `${host} could not be called: ${causeOf(error)}`;
    throw plain(new Error(why), why);
  }
}

function refused({ code, message }: { code: string; message: string }): Error {
  const isForGood = code === "not_found" || code === "lease_lost";
  return plain(isForGood ? new NonRetryable(message) : new Error(message), code);
}

/** Reads without the name of its class; and the log learns nothing of what the receiver said. */
function plain<E extends Error>(error: E, logged: string): E {
  return Object.assign(error, { name: "", stack: logged });
}

// ── the schedule's object as the kit knows it ───────────────────────────────────────────────────

function runsOf(env: Env): Runs {
  function on<R, T>(report: (stub: ScheduleStub, at: Address, body: R) => Promise<Result<T>>) {
    return (key: string, body: R) => {
      const { stub, at } = find(env, key);
      return report(stub, at, body);
    };
  }
  return {
    start: on((stub, at, body) => stub.start(at, body)),
    heartbeat: on((stub, at, body) => stub.heartbeat(at, body)),
    complete: on((stub, at, { result, ...body }) => stub.complete(at, { ...body, result: result as Json })),
    fail: on((stub, at, { retryAfter = "PT0S", ...body }) => {
      const after = parseDuration(retryAfter);
      return stub.fail(at, { ...body, retryAfterMs: after.ok ? after.value : null });
    }),
    defer: on((stub, at, { token, for: putOff }) => {
      const forMs = parseDuration(putOff);
      return forMs.ok ? stub.defer(at, { token, forMs: forMs.value }) : Promise.resolve(forMs);
    }),
  };
}

function find(env: Env, key: string): { stub: ScheduleStub; at: Address } {
  const slash = key.indexOf("/");
  const id = parseOccurrenceId(key.slice(slash + 1));
  if (slash < 1 || !id.ok) throw new Error("the message's key names no occurrence");
  const { name, slot, variant } = id.value;
  const stub = env.SCHEDULES.getByName(`${key.slice(0, slash)}/${name}`) as unknown as ScheduleStub;
  return { stub, at: { slot, variant } };
}
