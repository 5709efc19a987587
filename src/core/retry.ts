/**
 * What follows an attempt that ended badly: another one at a known instant, or an end with a reason.
 * Backoff is `initial · factor^(n-1)`, at most `max`, spread by a jitter that is a function of the
 * occurrence and the attempt, so that neither a restart nor a repeated report rolls it again.
 */
import type { Retry } from "./schedule.ts";
import { hashUnit } from "./time.ts";

export type Aftermath =
  | { next: "retry"; at: number }
  | { next: "failed"; reason: string }
  | { next: "expired"; reason: "max_elapsed" };

export interface FailedAttempt {
  /** The attempt that failed, from 1. */
  attempt: number;
  retryable: boolean;
  /** The occurrence's first dispatch. */
  firstDispatchedAt: number;
  /** Spreads the backoff: the occurrence's key. */
  seed: string;
  /** The worker asked for at least this much. */
  retryAfterMs: number | null;
  /** Why it ends if no attempt is left. */
  reason: string;
}

/** The delay after the nth failed attempt, without jitter. */
export function backoff(retry: Retry, attempt: number): number {
  return Math.min(retry.maxMs, retry.initialMs * retry.factor ** (attempt - 1));
}

export function afterFailure(retry: Retry, failed: FailedAttempt, now: number): Aftermath {
  if (!failed.retryable || failed.attempt >= retry.maxAttempts)
    return { next: "failed", reason: failed.reason };
  const spread = 1 + retry.jitter * (2 * hashUnit(`${failed.seed}#${failed.attempt}`) - 1);
  const delay = Math.max(Math.round(backoff(retry, failed.attempt) * spread), failed.retryAfterMs ?? 0);
  const at = now + delay;
  return at - failed.firstDispatchedAt > retry.maxElapsedMs
    ? { next: "expired", reason: "max_elapsed" }
    : { next: "retry", at };
}
