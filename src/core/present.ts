/** Inside, instants and durations are numbers; outside, RFC 3339 and ISO 8601. This is the way out. */
import { occurrenceId, type Occurrence } from "./occurrence.ts";
import { DEFAULTS } from "./limits.ts";
import type { Definition, Json } from "./schedule.ts";
import { showSecrets, type Sealed } from "./secrets.ts";
import type { Target } from "./target.ts";
import { formatDuration, formatInstant } from "./time.ts";

export function instantOrNull(at: number | null): string | null {
  return at === null ? null : formatInstant(at);
}

function durationOrNull(ms: number | null): string | null {
  return ms === null ? null : formatDuration(ms);
}

/** `secrets`: of the definition in force. Of an old revision nobody knows which it had. */
export function presentDefinition(
  definition: Definition,
  secrets: readonly Sealed[] | null = null,
): { [field: string]: Json } {
  const {
    startAt,
    endAt,
    jitterMs,
    retentionMs,
    catchUp,
    retry,
    timeouts,
    alerts,
    trigger,
    exclude,
    target,
    ...same
  } = definition;
  return {
    ...same,
    trigger: trigger as unknown as Json,
    exclude: exclude as unknown as Json,
    startAt: instantOrNull(startAt),
    endAt: instantOrNull(endAt),
    jitter: formatDuration(jitterMs),
    target: presentTarget(target, secrets),
    catchUp: {
      policy: catchUp.policy,
      limit: catchUp.limit,
      window: durationOrNull(catchUp.windowMs),
      grace: formatDuration(catchUp.graceMs),
      rate: catchUp.rate,
    },
    retry: {
      maxAttempts: retry.maxAttempts,
      initial: formatDuration(retry.initialMs),
      factor: retry.factor,
      max: formatDuration(retry.maxMs),
      jitter: retry.jitter,
      maxElapsed: formatDuration(retry.maxElapsedMs),
      untilNextSlot: retry.untilNextSlot,
    },
    timeouts: {
      start: formatDuration(timeouts.startMs),
      lease: formatDuration(timeouts.leaseMs),
      run: formatDuration(timeouts.runMs),
      cancel: formatDuration(timeouts.cancelMs),
    },
    retention: formatDuration(retentionMs),
    alerts: {
      noSuccessFor: durationOrNull(alerts.noSuccessForMs),
      queueWait: durationOrNull(alerts.queueWaitMs),
    },
  };
}

export function presentTarget(target: Target, secrets: readonly Sealed[] | null = null): Json {
  if ("queue" in target) return { queue: target.queue };
  const { url, method = "POST", headers = {}, timeoutMs = DEFAULTS.CALL_MS } = target;
  const shown = secrets === null ? {} : showSecrets(secrets);
  return { url, method, headers, timeout: formatDuration(timeoutMs), ...(shown as object) };
}

/** Contract §3: the record of an occurrence as JSON. */
export function presentOccurrence(namespace: string, schedule: string, occurrence: Occurrence) {
  const { dispatchedAt, effectiveAt, startedAt, finishedAt, progress } = occurrence;
  const last = occurrence.attempts.at(-1);
  const id = occurrenceId(schedule, occurrence.slot, occurrence.variant);
  return {
    id,
    key: `${namespace}/${id}`,
    namespace,
    schedule,
    revision: occurrence.revision,
    kind: occurrence.kind,
    scheduledFor: formatInstant(occurrence.slot),
    effectiveAt: formatInstant(effectiveAt),
    localTime: occurrence.localTime,
    timezones: occurrence.timezones,
    locals: occurrence.locals,
    businessDate: occurrence.businessDate,
    state: occurrence.state,
    reason: occurrence.reason,
    claimedAt: instantOrNull(occurrence.claimedAt),
    dispatchedAt: instantOrNull(dispatchedAt),
    startedAt: instantOrNull(startedAt),
    finishedAt: instantOrNull(finishedAt),
    attempt: occurrence.attempt,
    attempts: occurrence.attempts.map((a) => ({
      attempt: a.attempt,
      dispatchedAt: instantOrNull(a.dispatchedAt),
      startedAt: instantOrNull(a.startedAt),
      endedAt: instantOrNull(a.endedAt),
      outcome: a.outcome,
      error: a.error,
    })),
    leaseUntil: instantOrNull(occurrence.leaseUntil),
    progress: progress && { value: progress.value, note: progress.note, at: formatInstant(progress.at) },
    result: occurrence.result,
    error: occurrence.error,
    replayOf: occurrence.replayOf,
    latenessMs: dispatchedAt === null ? null : dispatchedAt - effectiveAt,
    queueWaitMs: last?.startedAt && last.dispatchedAt ? last.startedAt - last.dispatchedAt : null,
    durationMs: last?.startedAt && finishedAt !== null ? finishedAt - last.startedAt : null,
  };
}
