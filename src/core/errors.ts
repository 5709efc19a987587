/**
 * Expected failures are values: `Result` carries either the answer or a `Failure`
 * with a stable `code`. Throwing is for bugs (`invariant`) and for the platform.
 * Everything here is plain data, so that it survives an RPC boundary unchanged.
 */

export type Result<T> = Ok<T> | Err;
export type Ok<T> = { ok: true; value: T };
export type Err = { ok: false; error: Failure };

/** The closed list of stable codes; `http/problem.ts` maps each to a status. */
export type FailureCode =
  // the definition
  | "invalid_field"
  | "invalid_trigger"
  | "never_fires"
  | "too_sparse"
  | "too_expensive"
  | "invalid_duration"
  | "invalid_instant"
  | "unknown_queue"
  | "use_pause_or_resume"
  // the schedule
  | "not_found"
  | "precondition_required"
  | "precondition_failed"
  | "not_paused"
  | "limit_exceeded"
  // the occurrence and its worker
  | "busy"
  | "settled"
  | "superseded"
  | "cancelled"
  | "not_due"
  | "not_final"
  | "lease_lost"
  | "ambiguous_time"
  // the platform
  | "not_configured"
  | "ledger_unavailable"
  | "overloaded";

export interface Failure {
  code: FailureCode;
  /** One sentence: what was wrong and what was expected, quoting the (bounded) input. */
  message: string;
  /** JSON pointer (RFC 6901) into the request body, where one field is to blame. */
  pointer?: string;
  /** What the caller probably meant, or can do. */
  hint?: string;
  /** Typed details by code, e.g. `{ field, position, found, expected, suggestion }` of a cron error. */
  data?: Record<string, unknown>;
}

export function ok<T>(value: T): Ok<T> {
  return { ok: true, value };
}

export function fail(code: FailureCode, message: string, more: Omit<Failure, "code" | "message"> = {}): Err {
  return { ok: false, error: { code, message, ...more } };
}

/** A broken promise of our own code, never of a caller: it must not be caught and turned into an answer. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`invariant broken: ${message}`);
}
