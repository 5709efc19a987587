/**
 * A schedule's definition as people write it. The bounds come from core/limits.ts; what no single field
 * can know is checked by core/schedule.ts when the object completes the definition.
 */
import * as v from "valibot";
import { DEFAULTS, LIMITS } from "../core/limits.ts";
import { CATCH_UP_POLICIES, OVERLAPS } from "../core/schedule.ts";
import {
  choice,
  decimal,
  duration,
  either,
  fields,
  flag,
  instant,
  isObject,
  json,
  list,
  rename,
  type Renamed,
  text,
  whole,
} from "./fields.ts";
import { name } from "./requests.ts";
import { exclude, trigger } from "./trigger.ts";
import { urlTarget } from "./url-target.ts";

const SECOND = LIMITS.INTERVAL_MS_MIN;
const span = duration(SECOND, LIMITS.INTERVAL_MS_MAX);
const timeout = duration(LIMITS.TIMEOUT_MS_MIN, LIMITS.TIMEOUT_MS_MAX);
const backoff = duration(0, LIMITS.RETRY_MS_MAX);

const queueTarget = fields({ queue: text(100, 1) });
const target = either((input) => isObject(input) && "url" in input, urlTarget, queueTarget);

const catchUp = {
  policy: choice(CATCH_UP_POLICIES),
  limit: whole(1, LIMITS.CATCH_UP_LIMIT_MAX),
  window: v.nullable(span),
  grace: duration(0, LIMITS.INTERVAL_MS_MAX),
  rate: whole(1, LIMITS.CATCH_UP_RATE_MAX),
};
const retry = {
  maxAttempts: whole(1, LIMITS.ATTEMPTS_MAX),
  initial: backoff,
  factor: decimal(1, 100),
  max: backoff,
  jitter: decimal(0, 1),
  maxElapsed: duration(SECOND, LIMITS.ELAPSED_MS_MAX),
  untilNextSlot: flag,
};
const timeouts = { start: timeout, lease: timeout, run: timeout, cancel: timeout };
const alerts = { noSuccessFor: v.nullable(span), queueWait: v.nullable(span) };

const simple = {
  description: v.nullable(text(LIMITS.DESCRIPTION_CHARS_MAX)),
  tags: list(text(LIMITS.TAG_CHARS_MAX, 1), LIMITS.TAGS_MAX),
  managedBy: v.nullable(text(LIMITS.TAG_CHARS_MAX, 1)),
  exclude,
  startAt: v.nullable(instant),
  endAt: v.nullable(instant),
  maxOccurrences: v.nullable(whole(1, LIMITS.OCCURRENCES_MAX)),
  jitter: duration(0, LIMITS.JITTER_MS_MAX),
  tracked: flag,
  overlap: choice(OVERLAPS),
  maxConcurrent: v.nullable(whole(1, LIMITS.CONCURRENT_MAX)),
  maxBuffered: whole(0, LIMITS.BUFFERED_MAX),
  maxContinuations: whole(0, LIMITS.CONTINUATIONS_MAX),
  pauseAfterFailures: v.nullable(whole(1, 1_000)),
  afterCompletion: choice(["keep", "delete"]),
  retention: duration(SECOND, LIMITS.RETENTION_MS_MAX),
};
const payload = json(LIMITS.PAYLOAD_BYTES_MAX);
const names = { jitter: "jitterMs", retention: "retentionMs" } as const;

/** The groups that a patch merges one level deep. */
const groups = {
  catchUp: group(catchUp, { window: "windowMs", grace: "graceMs" }, DEFAULTS.CATCH_UP),
  retry: group(retry, { initial: "initialMs", max: "maxMs", maxElapsed: "maxElapsedMs" }, DEFAULTS.RETRY),
  timeouts: group(
    timeouts,
    { start: "startMs", lease: "leaseMs", run: "runMs", cancel: "cancelMs" },
    DEFAULTS.TIMEOUTS,
  ),
  alerts: group(alerts, { noSuccessFor: "noSuccessForMs", queueWait: "queueWaitMs" }, {}),
};

/** Every field of a definition, complete: what an answer shows. */
export const definitionFields = {
  ...simple,
  trigger,
  target,
  payload,
  catchUp: fields(catchUp),
  retry: fields(retry),
  timeouts: fields(timeouts),
  alerts: fields(alerts),
};

/** `paused` is state, not definition, and travels beside it. */
const said = {
  trigger,
  target,
  ...optional(simple),
  payload: v.optional(payload),
  catchUp: v.optional(groups.catchUp.said),
  retry: v.optional(groups.retry.said),
  timeouts: v.optional(groups.timeouts.said),
  alerts: v.optional(groups.alerts.said),
  paused: v.optional(flag),
};

/** The body of PUT. */
export const definitionBody = v.pipe(
  fields(said),
  v.metadata({
    ref: "Definition",
    examples: [
      {
        trigger: { cron: "0 2 * * *", timezone: "Europe/Berlin" },
        target: { queue: "LIBRARY" },
        payload: { report: "daily" },
        catchUp: { policy: "latest", grace: "5m" },
      },
    ],
  }),
  rename(names),
);

/** One entry of `POST /v1/apply`. */
export const namedDefinition = v.pipe(
  fields({ name, ...said }),
  v.metadata({ ref: "NamedDefinition" }),
  rename(names),
);

/** The body of PATCH: null restores a default, but `payload: null` is a value, and trigger and target have no default. */
export const patchBody = v.pipe(
  fields({
    trigger: v.optional(trigger),
    target: v.optional(target),
    ...nullable(simple),
    payload: v.optional(payload),
    catchUp: v.optional(v.nullable(groups.catchUp.patch)),
    retry: v.optional(v.nullable(groups.retry.patch)),
    timeouts: v.optional(v.nullable(groups.timeouts.patch)),
    alerts: v.optional(v.nullable(groups.alerts.patch)),
    paused: v.optional(flag),
  }),
  v.metadata({
    ref: "DefinitionPatch",
    examples: [{ jitter: "30s", retry: { maxAttempts: 8 }, description: null }],
  }),
  rename(names),
);

export type Definition = v.InferOutput<typeof definitionBody>;
export type DefinitionPatch = v.InferOutput<typeof patchBody>;

type Optional<E> = { [K in keyof E]: v.OptionalSchema<E[K] & v.GenericSchema, undefined> };
type Nullable<E> = {
  [K in keyof E]: v.OptionalSchema<v.NullableSchema<E[K] & v.GenericSchema, undefined>, undefined>;
};

function optional<E extends v.ObjectEntries>(entries: E) {
  return each(entries, (entry) => v.optional(entry)) as Optional<E>;
}

function nullable<E extends v.ObjectEntries>(entries: E) {
  return each(entries, (entry) => v.optional(v.nullable(entry))) as Nullable<E>;
}

function each(entries: v.ObjectEntries, wrap: (entry: v.GenericSchema) => v.GenericSchema) {
  return Object.fromEntries(
    Object.entries(entries).map(([name, entry]) => [name, wrap(entry as v.GenericSchema)]),
  );
}

function group<E extends v.ObjectEntries, const N extends { [K in keyof E]?: string }>(
  entries: E,
  names: N,
  defaults: object,
) {
  const said = fields(optional(entries));
  type Said = Renamed<v.InferOutput<typeof said>, N>;
  /** A null inside a group of a patch restores that field's default, as one at the top does. */
  const restore = (value: object): Said => {
    const renamed = Object.entries(value).map(([name, it]) => [names[name] ?? name, it]);
    const standard = new Map<string, unknown>(Object.entries(defaults));
    return Object.fromEntries(renamed.map(([name, it]) => [name, it ?? standard.get(name) ?? null]));
  };
  return {
    said: v.pipe(said, rename<v.InferOutput<typeof said>, N>(names)),
    patch: v.pipe(fields(nullable(entries)) as v.GenericSchema<object>, v.transform(restore)),
  };
}
