/** What crosses between scheduler and consumer, told again here: the kit imports nothing of the scheduler. */

/** At least once, in any order: `key`, the same in every attempt, is what makes an effect idempotent. */
export interface Message {
  v: 1;
  id: string;
  key: string;
  namespace: string;
  schedule: string;
  revision: number;
  kind: "scheduled" | "catch_up" | "manual" | "backfill" | "replay" | "continuation";
  /** The slot, not the moment of delivery: derive dates from this, or from `businessDate`. */
  scheduledFor: string;
  localTime: string;
  timezones: string[];
  businessDate: string;
  attempt: number;
  tracked: boolean;
  startBy: string | null;
  previous: { scheduledFor: string; state: string; result: unknown } | null;
  payload: unknown;
}

/** Expected refusals are values with a stable code: error classes do not survive an RPC boundary. */
export type Result<T> = { ok: true; value: T } | { ok: false; error: Refusal };
export type Refusal = { code: string; message: string; data?: Record<string, unknown> };

/** The right to run one attempt, until `leaseUntil` unless renewed, and never past `deadline`. */
export type Grant = Lent & { token: number; attempt: number; deadline: string; message: Message };
export type Renewal = Lent & { cancel: boolean };
type Lent = { leaseUntil: string; newerSucceeded: string | null };
export type Progress = { progress?: number; note?: string };

/** The scheduler's `Runs` entrypoint, as a service binding offers it; `overHttp` makes the same out of fetch. */
export interface Runs {
  start(key: string, report: { attempt: number; worker: string }): Promise<Result<Grant>>;
  heartbeat(key: string, report: Progress & { token: number }): Promise<Result<Renewal>>;
  complete(key: string, report: { token: number; result?: unknown; workRemaining?: boolean }): Reply;
  fail(
    key: string,
    report: { token: number; error: string; retryable?: boolean; retryAfter?: string },
  ): Reply;
  defer(key: string, report: { token: number; for: string }): Reply;
}
type Reply = Promise<Result<unknown>>;
