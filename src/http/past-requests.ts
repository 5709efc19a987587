/** What requests about the past carry, and those about a past that never was: recover, explain, audit, simulate. */
import * as v from "valibot";
import { fail, ok } from "../core/errors.ts";
import { BOUNDS, LIMITS } from "../core/limits.ts";
import { CATCH_UP_POLICIES } from "../core/schedule.ts";
import { TRAIL_ACTIONS } from "../ledger/trail.ts";
import { cursor } from "./cursor.ts";
import { definitionBody } from "./definition.ts";
import { choice, duration, fields, flag, instant, list, parsed, shown, text, whole } from "./fields.ts";
import { limit, maybeInstant, name, position, range, word } from "./requests.ts";

const BACKFILL = 100;
/** Each takes a look into the ledger and a call to an object. */
const BULK_MAX = 100;
const BULK = 50;
const SIMULATED_LIST_MAX = 100;

// ── run it again ────────────────────────────────────────────────────────────────────────────────

const BACKFILL_ID = /^b[1-9]\d{0,8}$/;
export const backfillPath = v.object({
  name,
  backfill: parsed(
    (input) =>
      BACKFILL_ID.test(String(input))
        ? ok(String(input))
        : fail("not_found", "A backfill is named by its number, such as b1."),
    { type: "string", pattern: BACKFILL_ID.source, examples: ["b1"] },
  ),
});

export const backfillBody = shown(
  fields({
    from: instant,
    to: instant,
    order: v.optional(choice(["oldest", "newest"]), "oldest"),
    limit: v.optional(whole(1, BOUNDS.BACKFILL_MAX), BACKFILL),
    rerun: v.optional(flag, false),
    dryRun: v.optional(flag, false),
  }),
  { from: "2026-11-01T00:00:00Z", to: "2026-11-08T00:00:00Z", order: "oldest", dryRun: true },
);

const revision = v.optional(choice(["current"]));
export const replayBody = shown(fields({ revision }), { revision: "current" });

/** Ended, and not well. Skipped slots are for a backfill: most of them stand in gap rows. */
const REPLAYED_STATES = ["failed", "expired", "cancelled"] as const;
export const bulkReplayBody = shown(
  fields({
    filter: fields({
      schedule: v.optional(name),
      state: v.optional(choice(REPLAYED_STATES), "failed"),
      reason: word,
      from: v.optional(instant),
      to: v.optional(instant),
    }),
    revision,
    limit: v.optional(whole(1, BULK_MAX), BULK),
    cursor: cursor(position),
  }),
  { filter: { state: "failed", from: "2026-11-30T00:00:00Z" }, limit: 20 },
);

// ── what was, and why ───────────────────────────────────────────────────────────────────────────

export const explainQuery = fields({
  at: v.pipe(
    text(64, 1),
    v.metadata({
      description: "An instant, or a local time on the clock of the schedule's zone",
      examples: ["2026-11-30T09:00:00+01:00", "2026-11-30T09:00"],
    }),
  ),
});

const place = v.strictObject({ revision: v.number(), after: v.number() });
export const auditQuery = fields({ ...range, cursor: cursor(place) });
export const auditsQuery = fields({
  ...range,
  cursor: cursor(v.strictObject({ name: v.string(), place: v.nullable(place) })),
});

export const changesQuery = fields({
  who: v.optional(text(LIMITS.WHO_CHARS_MAX, 1)),
  action: v.optional(choice(TRAIL_ACTIONS)),
  schedule: v.optional(name),
  limit,
  cursor: cursor(position),
});

export const revisionsQuery = fields({ limit, cursor: cursor(v.strictObject({ version: v.number() })) });

// ── what would be ───────────────────────────────────────────────────────────────────────────────

const stretch = { from: instant, to: instant };
const runMs = duration(0, LIMITS.TIMEOUT_MS_MAX);
const madeUpRun = fields({
  duration: v.optional(runMs, "PT0S"),
  durations: v.optional(v.pipe(list(runMs, SIMULATED_LIST_MAX), v.minLength(1, "must not be empty"))),
  failEvery: v.optional(v.nullable(whole(1, 1_000_000)), null),
});

export const simulateBody = shown(
  fields({
    definition: definitionBody,
    from: maybeInstant,
    until: maybeInstant,
    downtime: v.optional(list(fields(stretch), SIMULATED_LIST_MAX), []),
    pauses: v.optional(
      list(
        fields({ ...stretch, catchUp: v.optional(v.nullable(choice(CATCH_UP_POLICIES)), null) }),
        SIMULATED_LIST_MAX,
      ),
      [],
    ),
    run: v.optional(madeUpRun, {}),
  }),
  {
    definition: {
      trigger: { every: "10m" },
      target: { queue: "LIBRARY" },
      catchUp: { policy: "all", limit: 3 },
    },
    from: "2026-12-01T00:00:00Z",
    until: "2026-12-01T04:00:00Z",
    downtime: [{ from: "2026-12-01T01:00:00Z", to: "2026-12-01T02:00:00Z" }],
    pauses: [{ from: "2026-12-01T03:00:00Z", to: "2026-12-01T03:30:00Z", catchUp: "latest" }],
    run: { duration: "90s", failEvery: 3 },
  },
);
