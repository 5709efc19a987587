/**
 * The `Runs` entrypoint: how a consumer Worker reports over a service binding. It acts only within the props of
 * that binding, checks what it is given, and answers with data: nothing is thrown across the boundary.
 */
import { WorkerEntrypoint } from "cloudflare:workers";
import { fail, type Err, type Result } from "../core/errors.ts";
import { LIMITS } from "../core/limits.ts";
import { parseOccurrenceId } from "../core/occurrence.ts";
import type { Json } from "../core/schedule.ts";
import { parseDuration } from "../core/time.ts";
import type { Env } from "../env.ts";
import { causeOf, log } from "../log.ts";
import type {
  Address,
  CompleteReport,
  HeartbeatReport,
  ScheduleStub,
  StartReport,
} from "../schedule/stub.ts";

export interface RunsProps {
  namespaces: string[];
  queues: string[];
}

interface FailBody {
  token: number;
  error: string;
  retryable: boolean;
  retryAfter: string | null;
}

/** Whatever a consumer sends: its types end at the boundary. */
type Unchecked<T> = { [K in keyof T]?: unknown } | null | undefined;

export class Runs extends WorkerEntrypoint<Env, Partial<RunsProps> | undefined> {
  async start(key: unknown, report: Unchecked<StartReport>) {
    const { attempt, worker } = report ?? {};
    if (!isInteger(attempt) || !isText(worker))
      return unsound("start", "{ attempt: integer, worker: string }");
    return this.#report(key, (stub, at) => stub.start(at, { attempt, worker }));
  }

  async heartbeat(key: unknown, report: Unchecked<HeartbeatReport>) {
    const { token, progress, note } = report ?? {};
    const isSound = (progress == null || Number.isFinite(progress)) && (note == null || isText(note));
    if (!isInteger(token) || !isSound)
      return unsound("heartbeat", "{ token, progress?: number, note?: string }");
    const told =
      progress == null && note == null ? {} : { progress: progress as number, note: note as string };
    return this.#report(key, (stub, at) => stub.heartbeat(at, { token, ...told }));
  }

  async complete(key: unknown, report: Unchecked<CompleteReport>) {
    const { token, result = null, workRemaining } = report ?? {};
    if (!isInteger(token)) return unsound("complete", "{ token, result?, workRemaining? }");
    const size = JSON.stringify(result)?.length ?? 0;
    if (size > LIMITS.RESULT_BYTES_MAX) {
      const message = `The result has ${size} bytes; ${LIMITS.RESULT_BYTES_MAX} are kept. Store it, and report where.`;
      return fail("limit_exceeded", message);
    }
    const done = { token, result: result as Json, workRemaining: Boolean(workRemaining) };
    return this.#report(key, (stub, at) => stub.complete(at, done));
  }

  async fail(key: unknown, report: Unchecked<FailBody>) {
    const { token, error, retryable = true, retryAfter } = report ?? {};
    if (!isInteger(token) || typeof error !== "string") {
      return unsound("fail", "{ token, error: string, retryable?, retryAfter?: duration }");
    }
    const after = retryAfter == null ? null : durationOf(retryAfter);
    if (after && !after.ok) return after;
    const ended = { token, error: error.slice(0, ERROR_CHARS_MAX), retryable: Boolean(retryable) };
    return this.#report(key, (stub, at) => stub.fail(at, { ...ended, retryAfterMs: after?.value ?? null }));
  }

  async defer(key: unknown, report: Unchecked<{ token: number; for: string }>) {
    const { token, for: putOff } = report ?? {};
    if (!isInteger(token)) return unsound("defer", "{ token, for: duration }");
    const duration = durationOf(putOff);
    if (!duration.ok) return duration;
    return this.#report(key, (stub, at) => stub.defer(at, { token, forMs: duration.value }));
  }

  /** Finds the schedule's object, within what this binding may touch. What it may not is not found. */
  async #report<T>(
    key: unknown,
    call: (stub: ScheduleStub, at: Address) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const { namespaces, queues } = this.ctx.props ?? {};
    if (!Array.isArray(namespaces) || !Array.isArray(queues)) {
      return fail("not_found", "This service binding carries no props, so it may do nothing.", {
        hint: 'props = { namespaces = ["default"], queues = ["LIBRARY"] }',
      });
    }
    const [, namespace = "", rest = ""] = /^([^/]+)\/(.+)$/.exec(typeof key === "string" ? key : "") ?? [];
    const id = parseOccurrenceId(rest);
    if (!id.ok || !namespaces.includes(namespace)) return fail("not_found", "No occurrence has this key.");
    const { name, slot, variant } = id.value;
    try {
      const stub = this.env.SCHEDULES.getByName(`${namespace}/${name}`) as unknown as ScheduleStub;
      return await call(stub, { slot, variant, queues });
    } catch (error) {
      log("request_failed", { occurrence: rest.slice(0, 300), cause: causeOf(error) });
      return fail("overloaded", "The schedule's object did not answer; report again.");
    }
  }
}

// A quarter of the bytes: whatever the characters are, what is kept stays within the limit.
const ERROR_CHARS_MAX = LIMITS.ERROR_BYTES_MAX / 4;

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isText(text: unknown): text is string {
  return typeof text === "string" && text.length <= LIMITS.NOTE_CHARS_MAX;
}

function durationOf(value: unknown): Result<number> {
  return typeof value === "string"
    ? parseDuration(value)
    : unsound("for and retryAfter", 'a duration such as "10m"');
}

function unsound(call: string, expected: string): Err {
  return fail("invalid_field", `${call} expects ${expected}.`);
}
