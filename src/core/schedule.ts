/**
 * The definition of a schedule: what a user may say (`DefinitionInput`, only what was said), and what it
 * means with every default filled in (`Definition`). Stored is what was said, so that a default which
 * depends on another field (overlap on tracked) follows when that field is edited.
 */
import { fail, ok, type Result } from "./errors.ts";
import { DEFAULTS, LIMITS } from "./limits.ts";
import { formatDuration, formatInstant } from "./time.ts";
import { compile, type Exclusion, type Timetable, type Trigger } from "./trigger.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type Target = QueueTarget | UrlTarget;
export interface QueueTarget {
  queue: string;
}
export interface UrlTarget {
  url: string;
  method?: string;
  headers?: Record<string, string>;
  timeoutMs?: number;
}

export const OVERLAPS = [
  "skip",
  "buffer_one",
  "buffer_all",
  "cancel_other",
  "terminate_other",
  "allow",
] as const;
export type Overlap = (typeof OVERLAPS)[number];
export const CATCH_UP_POLICIES = ["skip", "latest", "all"] as const;
export type CatchUpPolicy = (typeof CATCH_UP_POLICIES)[number];

export interface CatchUp {
  policy: CatchUpPolicy;
  /** How many of the missed slots `all` runs: 1–1,000. */
  limit: number;
  /** How long a slot stays worth running; null: for ever. */
  windowMs: number | null;
  /** How late the latest due slot may be and still count as current. */
  graceMs: number;
  /** Catch-up claims a second where overlap is `allow`. */
  rate: number;
}

export interface Retry {
  maxAttempts: number;
  initialMs: number;
  factor: number;
  maxMs: number;
  /** Share of the delay, 0–1, by which it is spread to either side. */
  jitter: number;
  /** From the occurrence's first dispatch. */
  maxElapsedMs: number;
  untilNextSlot: boolean;
}

export interface Timeouts {
  startMs: number;
  leaseMs: number;
  runMs: number;
  cancelMs: number;
}

export interface Alerts {
  noSuccessForMs: number | null;
  queueWaitMs: number | null;
}

export interface Definition {
  description: string | null;
  tags: string[];
  managedBy: string | null;
  trigger: Trigger | Trigger[];
  exclude: Exclusion[];
  startAt: number | null;
  endAt: number | null;
  maxOccurrences: number | null;
  jitterMs: number;
  target: Target;
  payload: Json;
  tracked: boolean;
  overlap: Overlap;
  /** Null where overlap is `allow`: no limit. */
  maxConcurrent: number | null;
  maxBuffered: number;
  maxContinuations: number;
  catchUp: CatchUp;
  retry: Retry;
  timeouts: Timeouts;
  pauseAfterFailures: number | null;
  afterCompletion: "keep" | "delete";
  retentionMs: number;
  alerts: Alerts;
}

export type DefinitionInput = Pick<Definition, "trigger" | "target"> &
  Partial<Omit<Definition, "trigger" | "target" | "catchUp" | "retry" | "timeouts" | "alerts">> & {
    catchUp?: Partial<CatchUp>;
    retry?: Partial<Retry>;
    timeouts?: Partial<Timeouts>;
    alerts?: Partial<Alerts>;
  };

export interface Warning {
  code: string;
  message: string;
}
