/** What the API answers, as schemas for the OpenAPI document. The types are held to those of the object's views. */
import * as v from "valibot";
import { KINDS, SKIP_REASONS, STATES } from "../core/occurrence.ts";
import type { PreviewResponse } from "../core/preview.ts";
import type { Message } from "../core/message.ts";
import { HEALTHS, type Json } from "../core/schedule.ts";
import { SCHEDULE_STATES } from "../ledger/directory.ts";
import type { GapView } from "../ledger/row.ts";
import type { HeartbeatGrant, HealthView, OccurrenceView, StartGrant } from "../schedule/stub.ts";
import { definitionFields } from "./definition.ts";
import * as examples from "./examples.ts";
import { shown } from "./fields.ts";
import { PROBLEMS, typeOf } from "./problem.ts";

export const instant = v.pipe(v.string(), v.isoTimestamp());
export const maybeInstant = v.nullable(instant);
export const maybeText = v.nullable(v.string());
export const maybeNumber = v.nullable(v.number());
export const json = v.unknown() as v.GenericSchema<unknown, Json>;

export function named<S extends v.GenericSchema>(ref: string, schema: S, example: object) {
  return v.pipe(schema, v.metadata({ ref, examples: [example] }));
}

export const warnings = v.array(v.object({ code: v.string(), message: v.string() }));

const health = v.object({
  status: v.picklist(HEALTHS),
  message: maybeText,
  lastStartedAt: maybeInstant,
  lastSucceededAt: maybeInstant,
  lastFailedAt: maybeInstant,
  lastDurationMs: maybeNumber,
  lastError: maybeText,
  consecutiveFailures: v.number(),
  counts: v.record(v.string(), v.number()),
}) satisfies v.GenericSchema<unknown, HealthView>;

export const schedule = named(
  "Schedule",
  v.object({
    namespace: v.string(),
    name: v.string(),
    ...definitionFields,
    revision: v.number(),
    state: v.picklist(SCHEDULE_STATES),
    pause: v.nullable(v.object({ from: instant, until: maybeInstant, note: maybeText, who: v.string() })),
    health,
    nextSlot: maybeInstant,
    remaining: maybeNumber,
    cursor: instant,
    createdAt: instant,
    updatedAt: instant,
    open: v.record(v.string(), v.number()),
    warnings,
  }),
  examples.SCHEDULE,
);

/** A schedule in a list: as the ledger knows it. */
export const listed = named(
  "ListedSchedule",
  v.object({
    namespace: v.string(),
    name: v.string(),
    state: v.picklist(SCHEDULE_STATES),
    revision: v.number(),
    description: maybeText,
    tags: v.array(v.string()),
    managedBy: maybeText,
    trigger: definitionFields.trigger,
    target: definitionFields.target,
    health: v.string(),
    nextSlot: maybeInstant,
    createdAt: instant,
    updatedAt: instant,
  }),
  examples.LISTED,
);

export const occurrence = named(
  "Occurrence",
  v.object({
    id: v.string(),
    key: v.string(),
    namespace: v.string(),
    schedule: v.string(),
    revision: v.number(),
    kind: v.picklist(KINDS),
    scheduledFor: instant,
    effectiveAt: instant,
    localTime: v.string(),
    timezones: v.array(v.string()),
    locals: v.array(v.object({ timezone: v.string(), localTime: v.string(), businessDate: v.string() })),
    businessDate: v.string(),
    state: v.picklist(STATES),
    reason: maybeText,
    claimedAt: maybeInstant,
    dispatchedAt: maybeInstant,
    startedAt: maybeInstant,
    finishedAt: maybeInstant,
    attempt: v.number(),
    attempts: v.array(
      v.object({
        attempt: v.number(),
        dispatchedAt: maybeInstant,
        startedAt: maybeInstant,
        endedAt: maybeInstant,
        outcome: maybeText,
        error: maybeText,
      }),
    ),
    leaseUntil: maybeInstant,
    progress: v.nullable(v.object({ value: maybeNumber, note: maybeText, at: instant })),
    result: json,
    error: maybeText,
    replayOf: maybeText,
    latenessMs: maybeNumber,
    queueWaitMs: maybeNumber,
    durationMs: maybeNumber,
  }),
  examples.OCCURRENCE,
) satisfies v.GenericSchema<unknown, OccurrenceView>;

export const gap = named(
  "Gap",
  v.object({
    kind: v.literal("gap"),
    namespace: v.string(),
    schedule: v.string(),
    from: instant,
    to: instant,
    count: v.number(),
    reason: v.picklist(SKIP_REASONS),
    revision: v.number(),
  }),
  examples.GAP,
) satisfies v.GenericSchema<unknown, GapView>;

export const message = named(
  "Message",
  v.object({
    v: v.literal(1),
    id: v.string(),
    key: v.string(),
    namespace: v.string(),
    schedule: v.string(),
    revision: v.number(),
    kind: v.picklist(KINDS),
    scheduledFor: instant,
    localTime: v.string(),
    timezones: v.array(v.string()),
    businessDate: v.string(),
    attempt: v.number(),
    tracked: v.boolean(),
    startBy: maybeInstant,
    previous: v.nullable(v.object({ scheduledFor: instant, state: v.picklist(STATES), result: json })),
    payload: json,
  }),
  examples.MESSAGE,
) satisfies v.GenericSchema<unknown, Message>;

export const startGrant = shown(
  v.object({
    token: v.number(),
    attempt: v.number(),
    leaseUntil: instant,
    deadline: instant,
    newerSucceeded: maybeText,
    message,
  }),
  examples.START_GRANT,
) satisfies v.GenericSchema<unknown, StartGrant>;

export const heartbeatGrant = shown(
  v.object({ leaseUntil: instant, cancel: v.boolean(), newerSucceeded: maybeText }),
  examples.HEARTBEAT_GRANT,
) satisfies v.GenericSchema<unknown, HeartbeatGrant>;

export const preview = named(
  "Preview",
  v.object({
    slots: v.array(
      v.object({
        scheduledFor: instant,
        effectiveAt: instant,
        localTime: v.string(),
        timezones: v.array(v.string()),
        notes: v.array(v.string()),
      }),
    ),
    suppressed: v.array(
      v.object({ localTime: v.string(), timezone: v.string(), reason: v.picklist(["dst_gap", "excluded"]) }),
    ),
    description: v.string(),
    warnings,
    exhausted: v.boolean(),
  }),
  examples.PREVIEW,
) satisfies v.GenericSchema<unknown, { [K in keyof PreviewResponse]: unknown }>;

const blame = {
  pointer: v.pipe(
    v.optional(v.string()),
    v.description("JSON pointer to the field of the body that is to blame"),
  ),
  parameter: v.pipe(
    v.optional(v.string()),
    v.description("Query, path or header parameter that is to blame"),
  ),
  hint: v.pipe(v.optional(v.string()), v.description("What was probably meant, or what can be done")),
};
const code = v.picklist(Object.keys(PROBLEMS));

/** Data members beside these depend on the code: `allowed`, `state`, `leaseUntil`, `candidates` … */
export const problem = named(
  "Problem",
  v.looseObject({
    type: v.string(),
    title: v.string(),
    status: v.number(),
    detail: v.string(),
    code,
    ...blame,
    errors: v.pipe(
      v.optional(v.array(v.object({ detail: v.string(), code, ...blame }))),
      v.description("Where several fields are wrong: each of them"),
    ),
  }),
  {
    type: typeOf("unknown_field"),
    title: PROBLEMS.unknown_field.title,
    status: 422,
    detail: "overlpa is not known here.",
    code: "unknown_field",
    pointer: "/overlpa",
    hint: 'Did you mean "overlap"?',
  },
);

/** Of items of one kind, or of several. */
export function page<S extends v.GenericSchema[]>(...items: S) {
  const item = items.length > 1 ? v.union(items) : items[0]!;
  const shownItems = items.flatMap((one) => v.getExamples(one));
  return shown(v.object({ items: v.array(item), nextCursor: maybeText }), {
    items: shownItems,
    nextCursor: null,
  });
}
