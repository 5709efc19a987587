/**
 * The one place where a failure becomes an HTTP answer: an RFC 9457 problem document with a stable `code`,
 * the field to blame and a hint. Whatever an answer needs to know about a code stands in PROBLEMS, and the
 * OpenAPI document is made from the same table.
 */
import type { Context } from "hono";
import type { Failure, FailureCode, Ok } from "../core/errors.ts";
import { classify } from "../schedule/faults.ts";

/** Codes that only HTTP knows, beside those of `core/errors.ts`. */
type DoorCode =
  | "unknown_field"
  | "invalid_json"
  | "body_too_large"
  | "method_not_allowed"
  | "unauthorized"
  | "forbidden"
  | "quota_exceeded"
  | "rate_limited"
  | "idempotency_key_reused"
  | "idempotency_in_progress"
  | "internal";
export type ProblemCode = FailureCode | DoorCode;

/** A failure on its way out. `parameter` names a query, path or header value, as `pointer` names a body's field. */
export interface Refusal extends Omit<Failure, "code"> {
  code: ProblemCode;
  parameter?: string;
}
export type Outcome<T> = Ok<T> | { ok: false; error: Refusal };

interface Kind {
  status: 400 | 401 | 403 | 404 | 405 | 409 | 412 | 413 | 422 | 428 | 429 | 500 | 503;
  title: string;
  /** Seconds after which the same request may work. */
  retryAfter?: number;
}

export const PROBLEMS: Record<ProblemCode, Kind> = {
  invalid_json: { status: 400, title: "The body is not JSON" },
  unauthorized: { status: 401, title: "A valid bearer token is required" },
  forbidden: { status: 403, title: "The token may not do this" },
  quota_exceeded: { status: 403, title: "The namespace's quota is used up" },
  not_found: { status: 404, title: "There is no such thing here" },
  method_not_allowed: { status: 405, title: "The resource does not know this method" },
  idempotency_in_progress: { status: 409, title: "The same request is being carried out", retryAfter: 1 },
  use_pause_or_resume: { status: 409, title: "Only pause and resume change this" },
  not_paused: { status: 409, title: "The schedule is not paused" },
  busy: { status: 409, title: "Another one is running" },
  settled: { status: 409, title: "The occurrence has ended" },
  superseded: { status: 409, title: "A later attempt has replaced this one" },
  cancelled: { status: 409, title: "The occurrence was cancelled" },
  not_due: { status: 409, title: "The occurrence is not due yet" },
  not_final: { status: 409, title: "The occurrence has not ended yet" },
  lease_lost: { status: 409, title: "The token holds this lease no longer" },
  precondition_failed: { status: 412, title: "The revision has changed meanwhile" },
  body_too_large: { status: 413, title: "The body is too large" },
  idempotency_key_reused: { status: 422, title: "The Idempotency-Key was used for another request" },
  unknown_field: { status: 422, title: "There is no such field" },
  invalid_field: { status: 422, title: "A value is not valid" },
  invalid_trigger: { status: 422, title: "The trigger is not valid" },
  never_fires: { status: 422, title: "The trigger can never make a slot" },
  too_sparse: { status: 422, title: "Too little is left of the trigger to be found" },
  too_expensive: { status: 422, title: "The search for slots would take too long" },
  invalid_duration: { status: 422, title: "A duration is not valid" },
  invalid_instant: { status: 422, title: "An instant is not valid" },
  unknown_queue: { status: 422, title: "The queue may not be named" },
  ambiguous_time: { status: 422, title: "The local time exists twice" },
  limit_exceeded: { status: 422, title: "A limit is exceeded" },
  precondition_required: { status: 428, title: "If-Match is required" },
  // The length of the limiters' window: after it the same request works for certain.
  rate_limited: { status: 429, title: "Too many requests", retryAfter: 60 },
  internal: { status: 500, title: "Something is broken on our side" },
  not_configured: { status: 503, title: "The scheduler is not configured" },
  ledger_unavailable: { status: 503, title: "The ledger does not answer", retryAfter: 5 },
  overloaded: { status: 503, title: "Too much at once", retryAfter: 1 },
};

const ERRORS_SHOWN_MAX = 20;
/** What callers sent is quoted in part, never echoed whole. */
const TEXT_CHARS_MAX = 500;

/** Several refusals make one document: it speaks of the first and lists all. */
export function refuse(c: Context, ...refusals: [Refusal, ...Refusal[]]): Response {
  const [first] = refusals;
  const { status, title, retryAfter } = PROBLEMS[first.code];
  const document = {
    ...first.data,
    type: typeOf(first.code),
    title,
    status,
    ...blame(first),
    ...(refusals.length > 1 ? { errors: refusals.slice(0, ERRORS_SHOWN_MAX).map(blame) } : {}),
  };
  if (retryAfter !== undefined) c.header("retry-after", String(retryAfter));
  return c.body(JSON.stringify(document), status, { "content-type": "application/problem+json" });
}

/** A name, not an address: it stays the same wherever the scheduler is deployed. */
export function typeOf(code: ProblemCode): string {
  return `urn:carillon:problem:${code}`;
}

function blame({ message, code, pointer, parameter, hint }: Refusal) {
  const cut = (text?: string) => text?.slice(0, TEXT_CHARS_MAX);
  return { detail: cut(message), code, pointer: cut(pointer), parameter, hint: cut(hint) };
}

/** What was thrown: the platform's passing troubles, or a bug of ours, of whose details the caller learns nothing. */
export function fromThrown(error: unknown): Refusal {
  if (error instanceof Error && error.message.startsWith("D1_")) {
    return { code: "ledger_unavailable", message: "The ledger does not answer now. Try again." };
  }
  if (classify(error) !== "ours") {
    return {
      code: "overloaded",
      message: "The schedule's object was reset or has too much to do. Try again.",
    };
  }
  return { code: "internal", message: "The request met a fault of the scheduler. It has been logged." };
}
