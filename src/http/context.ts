/** What the composition hands to HTTP, and what a request carries from one step to the next. */
import type { Config } from "../config.ts";
import type { Idempotency } from "../ledger/idempotency.ts";
import type { LedgerReads } from "../ledger/reads.ts";
import type { Tokens } from "../ledger/tokens.ts";
import type { ScheduleStub } from "../schedule/stub.ts";
import type { SweepSummary } from "../watch/sweep.ts";
import type { Limiters } from "./flood.ts";
import type { Principal } from "./principal.ts";

export interface Deps {
  config: Config;
  schedule(namespace: string, name: string): ScheduleStub;
  ledger: LedgerReads;
  tokens: Tokens;
  limiters: Limiters;
  idempotency: Idempotency;
  /** One pass on demand. */
  sweep(now: number): Promise<SweepSummary>;
  /** Goes on behind the answer. It must not reject. */
  later(work: Promise<unknown>): void;
  /** Read once a request. */
  now(): number;
  /** A fault that the caller learns nothing of, for the log. */
  report(fault: unknown, at: { method: string; path: string; code: string }): void;
}

/** Who asks, where, and when. */
export interface Caller {
  principal: Principal;
  namespace: string;
  now: number;
}

export interface AppEnv {
  Variables: Caller & {
    /** The OpenAPI document, made when it is first asked for. */
    document: () => Promise<object>;
    /** Of a request that may come again: names it, and no other. */
    idempotencyKey?: string;
  };
}
