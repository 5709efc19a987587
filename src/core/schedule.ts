/**
 * The definition of a schedule: what a user may say (`DefinitionInput`, only what was said), and what it
 * means with every default filled in (`Definition`). Stored is what was said, so that a default which
 * depends on another field (overlap on tracked) follows when that field is edited.
 */
import { fail, ok, type Result } from "./errors.ts";
import { DEFAULTS } from "./limits.ts";
import { backoff } from "./retry.ts";
import { hasBody, type Target, type TargetSaid } from "./target.ts";
import { formatDuration } from "./time.ts";
import { compile, type Exclusion, type Timetable, type Trigger } from "./trigger.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

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

export const HEALTHS = ["healthy", "late", "failing", "stalled", "waiting", "paused", "completed"] as const;
export type Health = (typeof HEALTHS)[number];

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

/** As it arrives: the secrets of its target are sealed before anything is done with it. */
export type DefinitionSaid = Omit<DefinitionInput, "target"> & { target: TargetSaid };

export interface Warning {
  code: string;
  message: string;
}

/** Fills the defaults in and checks what no single field can know. Errors name the field that has to change. */
export function complete(input: DefinitionInput): Result<Definition> {
  const tracked = input.tracked ?? true;
  const overlap = input.overlap ?? (tracked ? "skip" : "allow");
  const definition: Definition = {
    description: input.description ?? null,
    tags: input.tags ?? [],
    managedBy: input.managedBy ?? null,
    trigger: input.trigger,
    exclude: input.exclude ?? [],
    startAt: input.startAt ?? null,
    endAt: input.endAt ?? null,
    maxOccurrences: input.maxOccurrences ?? null,
    jitterMs: input.jitterMs ?? DEFAULTS.JITTER_MS,
    target: completeTarget(input.target),
    payload: input.payload ?? null,
    tracked,
    overlap,
    maxConcurrent: overlap === "allow" ? null : (input.maxConcurrent ?? DEFAULTS.MAX_CONCURRENT),
    maxBuffered: input.maxBuffered ?? DEFAULTS.MAX_BUFFERED,
    maxContinuations: input.maxContinuations ?? DEFAULTS.MAX_CONTINUATIONS,
    catchUp: { ...DEFAULTS.CATCH_UP, ...input.catchUp },
    retry: { ...DEFAULTS.RETRY, ...input.retry },
    timeouts: { ...DEFAULTS.TIMEOUTS, ...input.timeouts },
    pauseAfterFailures: input.pauseAfterFailures ?? null,
    afterCompletion: input.afterCompletion ?? "keep",
    retentionMs: input.retentionMs ?? DEFAULTS.RETENTION_MS,
    alerts: { noSuccessForMs: null, queueWaitMs: null, ...input.alerts },
  };
  const wrong = checkTogether(definition, input);
  if (wrong) return wrong;
  const timetable = compile(definition);
  return timetable.ok ? ok(definition) : timetable;
}

function completeTarget(target: Target): Target {
  if ("queue" in target) return target;
  const { url, method = "POST", headers = {}, timeoutMs = DEFAULTS.CALL_MS } = target;
  return { url, method, headers, timeoutMs };
}

function checkTogether(definition: Definition, input: DefinitionInput) {
  const { tracked, overlap, retry, timeouts, startAt, endAt, target } = definition;
  if (!tracked && overlap !== "allow") {
    return fail(
      "invalid_field",
      `overlap "${overlap}" needs tracked: true: nobody reports when a run ends.`,
      {
        pointer: "/overlap",
        hint: 'Leave overlap out, or say "allow".',
      },
    );
  }
  if (overlap === "allow" && input.maxConcurrent !== undefined && input.maxConcurrent !== null) {
    return fail("invalid_field", 'maxConcurrent has no meaning under overlap "allow", which has no limit.', {
      pointer: "/maxConcurrent",
      hint: 'Leave maxConcurrent out, or choose overlap "skip" or "buffer_all".',
    });
  }
  if (startAt !== null && endAt !== null && endAt < startAt) {
    return fail("never_fires", "endAt lies before startAt, so no slot lies between them.", {
      pointer: "/endAt",
    });
  }
  if (timeouts.leaseMs > timeouts.runMs) {
    return fail(
      "invalid_field",
      "timeouts.lease is longer than timeouts.run, so no lease could ever lapse.",
      {
        pointer: "/timeouts/lease",
      },
    );
  }
  if ("url" in target && tracked && (target.timeoutMs ?? 0) > timeouts.runMs) {
    return fail(
      "invalid_field",
      "target.timeout is longer than timeouts.run, which would cut the call off.",
      {
        pointer: "/target/timeout",
      },
    );
  }
  if (retry.initialMs > retry.maxMs) {
    return fail("invalid_field", "retry.initial is longer than retry.max.", { pointer: "/retry/initial" });
  }
  return isDelay(definition.trigger) ? checkDelay(definition) : null;
}

/** Fixed delay counts from the end of a run: it has to know that end, and there is only one run at a time. */
function checkDelay({ tracked, overlap, maxConcurrent, retry }: Definition) {
  const because = "The trigger `after` counts from the end of the last run";
  if (!tracked)
    return fail("invalid_field", `${because}, so it needs tracked: true.`, { pointer: "/tracked" });
  if (overlap === "allow" || maxConcurrent !== 1) {
    return fail("invalid_field", `${because}, so maxConcurrent is 1.`, {
      pointer: overlap === "allow" ? "/overlap" : "/maxConcurrent",
    });
  }
  if (retry.untilNextSlot) {
    return fail("invalid_field", `${because}: while a run retries there is no next slot to stop at.`, {
      pointer: "/retry/untilNextSlot",
    });
  }
  return null;
}

export function isDelay(trigger: Trigger | Trigger[]): trigger is Extract<Trigger, { after: string }> {
  return !Array.isArray(trigger) && "after" in trigger;
}

const CONSUMER_WALL_MS = 15 * 60_000; // a Queue consumer lives no longer

/** What is legal and probably not meant. `from`: where the next slots are looked at. */
export function warningsOf(definition: Definition, timetable: Timetable, from: number): Warning[] {
  const warnings: Warning[] = [...timetable.warnings];
  if ("queue" in definition.target && definition.tracked && definition.timeouts.runMs > CONSUMER_WALL_MS) {
    warnings.push({
      code: "consumer_wall_limit",
      message: `timeouts.run is ${formatDuration(definition.timeouts.runMs)}, but a Queue consumer is ended by the platform after PT15M.`,
    });
  }
  const { target, payload } = definition;
  if ("url" in target && !hasBody(target.method ?? "POST") && payload !== null) {
    warnings.push({
      code: "payload_not_sent",
      message: `A ${target.method} has no body, so the payload is not sent.`,
    });
  }
  const spacing = spacingAfter(timetable, from);
  const retrying = retryingMsMax(definition.retry);
  if (
    definition.tracked &&
    definition.overlap === "skip" &&
    spacing !== null &&
    retrying > spacing &&
    !definition.retry.untilNextSlot
  ) {
    warnings.push({
      code: "overlap_starves",
      message: `A failing run keeps its seat while it retries, up to ${formatDuration(retrying)}; slots are ${formatDuration(spacing)} apart, and those in between are skipped (overlap).`,
    });
  }
  return warnings;
}

function spacingAfter(timetable: Timetable, from: number): number | null {
  const first = timetable.next(from);
  const second = first === null ? null : timetable.next(first);
  return first === null || second === null ? null : second - first;
}

function retryingMsMax(retry: Retry): number {
  let total = 0;
  for (let attempt = 1; attempt < retry.maxAttempts && total < retry.maxElapsedMs; attempt++) {
    total += backoff(retry, attempt);
  }
  return Math.min(total, retry.maxElapsedMs);
}
