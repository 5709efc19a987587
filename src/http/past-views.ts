/** What the answers about the past look like: recover, explain, audit, simulate, and old definitions. */
import * as v from "valibot";
import { VERDICTS } from "../core/explain.ts";
import type { BackfillEnd, BackfillView } from "../schedule/stub.ts";
import { definitionFields } from "./definition.ts";
import * as examples from "./examples.ts";
import { shown } from "./fields.ts";
import { gap, instant, maybeInstant, maybeNumber, maybeText, named, occurrence } from "./views.ts";

export const backfill = named(
  "Backfill",
  v.object({
    id: v.pipe(maybeText, v.description("Names it, to call it off; null where nothing was queued")),
    dryRun: v.boolean(),
    revision: v.number(),
    count: v.number(),
    slots: v.array(instant),
    leftOut: v.object({ succeeded: v.number(), open: v.number() }),
    more: v.pipe(v.boolean(), v.description("The range goes on beyond what was chosen")),
  }),
  examples.BACKFILL,
) satisfies v.GenericSchema<unknown, BackfillView>;

export const backfillEnd = shown(
  v.object({ id: v.string(), cancelled: v.number(), stopping: v.number() }),
  examples.BACKFILL_END,
) satisfies v.GenericSchema<unknown, BackfillEnd>;

export const explanation = named(
  "Explanation",
  v.object({
    at: instant,
    verdict: v.picklist(VERDICTS),
    sentences: v.array(v.string()),
    occurrence: v.nullable(occurrence),
    gap: v.nullable(gap),
    evidence: v.pipe(
      v.looseObject({ revision: maybeNumber, policy: v.nullable(v.looseObject({})) }),
      v.description("What the verdict rests on: revision, rule, policy, local time, pause, runs beside it"),
    ),
    nearest: v.object({ previous: maybeInstant, next: maybeInstant }),
  }),
  examples.EXPLANATION,
);

export const audit = named(
  "Audit",
  v.object({
    expected: v.pipe(v.number(), v.description("Slots that the revisions in force named")),
    accounted: v.pipe(v.number(), v.description("Those that are an occurrence, or lie in a gap row")),
    discrepancies: v.array(
      v.object({
        schedule: v.string(),
        kind: v.picklist(["missing", "doubled", "unnamed", "miscounted", "overlapping", "broken_chain"]),
        slot: instant,
        expected: v.string(),
        found: v.string(),
      }),
    ),
    prunedBefore: v.pipe(
      maybeInstant,
      v.description("Older slots were not judged: their records may be pruned"),
    ),
    nextCursor: maybeText,
  }),
  examples.AUDIT,
);

export const simulation = named(
  "Simulation",
  v.object({
    occurrences: v.array(occurrence),
    gaps: v.array(gap),
    counts: v.pipe(
      v.record(v.string(), v.number()),
      v.description("Slots by state, and those that were skipped, cancelled or failed by reason as well"),
    ),
    reached: instant,
    truncated: v.boolean(),
  }),
  examples.SIMULATION,
);

/** What became of one occurrence that was to run again. */
export const replayed = named(
  "Replayed",
  v.object({
    id: v.string(),
    replay: v.pipe(maybeText, v.description("The id of the new occurrence")),
    error: v.nullable(v.object({ code: v.string(), message: v.string() })),
  }),
  examples.REPLAYED,
);

export const revision = named(
  "Revision",
  v.object({
    revision: v.number(),
    at: instant,
    action: v.picklist(["create", "edit"]),
    who: v.string(),
    note: maybeText,
    definition: v.object(definitionFields),
  }),
  examples.REVISION,
);
