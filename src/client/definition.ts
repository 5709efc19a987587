/** A schedule as people write it. Durations are `PT15M` or `15m`, instants RFC 3339; what is left out has its default. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type Dst = "auto" | { gap: "skip" | "next" | "shift"; fold: "first" | "second" | "both" };
export type Trigger =
  | { cron: string; timezone: string | string[]; dst?: Dst; monthDay?: "skip" | "clamp" }
  | { every: string; anchor?: string }
  | { after: string }
  | { at: string; timezone?: string; dst?: Dst }
  | { in: string; dueAt?: string };

export type Exclusion =
  | { date: string; timezone?: string }
  | { from: string; to: string; timezone?: string }
  | { cron: string; timezone?: string };

export type Target = { queue: string } | UrlTarget;
export interface UrlTarget {
  url: string;
  method?: "POST" | "PUT" | "PATCH" | "GET" | "DELETE";
  headers?: Record<string, string>;
  /** Kept sealed and never shown. What is left out stays while the URL's origin does; null takes it away. */
  secretHeaders?: Record<string, Secret>;
  timeout?: string;
  /** Signs each call (Standard Webhooks); `next` beside `current` while the receiver changes over. */
  secret?: Secret | { current?: Secret; next?: Secret };
}
/** The text itself, what is shown in its place (and keeps it), or none. */
export type Secret = string | { set: true; fingerprint: string } | null;

export type Overlap = "skip" | "buffer_one" | "buffer_all" | "cancel_other" | "terminate_other" | "allow";
export type CatchUpPolicy = "skip" | "latest" | "all";

export interface CatchUp {
  policy: CatchUpPolicy;
  limit: number;
  window: string | null;
  grace: string;
  rate: number;
}
export interface Retry {
  maxAttempts: number;
  initial: string;
  factor: number;
  max: string;
  jitter: number;
  maxElapsed: string;
  untilNextSlot: boolean;
}
export interface Timeouts {
  start: string;
  lease: string;
  run: string;
  cancel: string;
}
export interface Alerts {
  noSuccessFor: string | null;
  queueWait: string | null;
}

/** With every default filled in, as the scheduler shows it. */
export interface CompleteDefinition {
  description: string | null;
  tags: string[];
  managedBy: string | null;
  trigger: Trigger | Trigger[];
  exclude: Exclusion[];
  startAt: string | null;
  endAt: string | null;
  maxOccurrences: number | null;
  jitter: string;
  target: Target;
  payload: Json;
  tracked: boolean;
  overlap: Overlap;
  maxConcurrent: number | null;
  maxBuffered: number;
  maxContinuations: number;
  catchUp: CatchUp;
  retry: Retry;
  timeouts: Timeouts;
  pauseAfterFailures: number | null;
  afterCompletion: "keep" | "delete";
  retention: string;
  alerts: Alerts;
}

type Groups = "catchUp" | "retry" | "timeouts" | "alerts";
type Required = "trigger" | "target";

export type Definition = Pick<CompleteDefinition, Required> &
  Partial<Omit<CompleteDefinition, Required | Groups>> & {
    [G in Groups]?: Partial<CompleteDefinition[G]>;
  } & {
    /** On creation only: afterwards `pause` and `resume` say. */
    paused?: boolean;
  };

/** Null restores a default; but a null payload is a value, and trigger and target have no default. */
export type DefinitionPatch = Partial<Pick<CompleteDefinition, Required | "payload">> & {
  [F in keyof Omit<CompleteDefinition, Required | Groups | "payload">]?: CompleteDefinition[F] | null;
} & {
  [G in Groups]?: { [F in keyof CompleteDefinition[G]]?: CompleteDefinition[G][F] | null } | null;
};

export type NamedDefinition = { name: string } & Definition;
