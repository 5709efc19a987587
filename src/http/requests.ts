/** What requests carry beside a definition: names, ids, preconditions, queries and the bodies of commands. */
import * as v from "valibot";
import { fail, ok, type Result } from "../core/errors.ts";
import { DEFAULTS, LIMITS } from "../core/limits.ts";
import { parseOccurrenceId, STATES } from "../core/occurrence.ts";
import { CATCH_UP_POLICIES, HEALTHS, OVERLAPS } from "../core/schedule.ts";
import { SCHEDULE_STATES } from "../ledger/directory.ts";
import { ITEM_KINDS } from "../ledger/reads.ts";
import { SCOPES } from "../ledger/tokens.ts";
import { cursor } from "./cursor.ts";
import {
  choice,
  count,
  duration,
  fields,
  flag,
  instant,
  json,
  list,
  cutText,
  parsed,
  shown,
  text,
  whole,
} from "./fields.ts";
import { exclude, trigger } from "./trigger.ts";

/** A quarter of the bytes: whatever the characters are, what is kept stays within the limit. */
const ERROR_CHARS_MAX = LIMITS.ERROR_BYTES_MAX / 4;
const TOKEN_MAX = Number.MAX_SAFE_INTEGER;
const note = v.optional(v.nullable(text(LIMITS.NOTE_CHARS_MAX)), null);
export const maybeInstant = v.optional(v.nullable(instant), null);
export const word = v.optional(text(LIMITS.TAG_CHARS_MAX, 1));

// ── in the path ─────────────────────────────────────────────────────────────────────────────────

const NAME = /^[a-z0-9][a-z0-9._-]{0,127}$/;
export const name = parsed(
  (input) =>
    typeof input === "string" && NAME.test(input)
      ? ok(input)
      : fail(
          "invalid_field",
          "A schedule's name is 1 to 128 of a-z, 0-9, dot, _ and -, and starts with a letter or digit.",
        ),
  { type: "string", pattern: NAME.source, examples: ["nightly-report"] },
);
export const namePath = v.object({ name });

const occurrenceId = parsed((input) => parseOccurrenceId(String(input)), {
  type: "string",
  description: "`<schedule>@<slot>`, and a suffix for what ran beside the plan",
  examples: ["nightly-report@2026-11-30T01:00:00Z"],
});
export const idPath = v.object({ id: occurrenceId });

// ── preconditions ───────────────────────────────────────────────────────────────────────────────

const ETAG = /^(?:W\/)?"(\d{1,15})"$/;

function parseEtag(input: unknown): Result<number | "*"> {
  if (input === "*") return ok("*");
  const revision = ETAG.exec(String(input))?.[1];
  return revision === undefined
    ? fail("invalid_field", 'If-Match is the ETag of one answer, such as "3", or *.')
    : ok(Number(revision));
}

const ifMatch = v.optional(
  parsed(parseEtag, {
    type: "string",
    description: "The ETag (revision) that the change is meant for",
    examples: ['"3"'],
  }),
);
const ifNoneMatch = v.optional(
  parsed<"*">(
    (input) =>
      input === "*" ? ok("*") : fail("invalid_field", "If-None-Match knows only *: create, never replace."),
    {
      const: "*",
      description: "Create, never replace",
    },
  ),
);
/** What is no tag of ours matches nothing, and is no reason to refuse a read. */
const ifNoneMatchAny = v.optional(
  parsed(
    (input) =>
      ok(
        String(input)
          .split(",")
          .map((tag) => parseEtag(tag.trim()))
          .flatMap((tag) => (tag.ok ? [tag.value] : [])),
      ),
    { type: "string", description: "ETags (revisions) that the caller has", examples: ['"3"'] },
  ),
);
export const getHeaders = v.object({ "if-none-match": ifNoneMatchAny });
export const ifMatchHeader = v.object({ "if-match": ifMatch });
export const putHeaders = v.object({ "if-match": ifMatch, "if-none-match": ifNoneMatch });

// ── queries ─────────────────────────────────────────────────────────────────────────────────────

export const limit = count(1, LIMITS.PAGE_MAX, DEFAULTS.PAGE);
export const range = { from: v.optional(instant), to: v.optional(instant) };
export const position = v.strictObject({ slot: v.number(), schedule: v.string(), variant: v.string() });

export const schedulesQuery = fields({
  state: v.optional(choice(SCHEDULE_STATES)),
  health: v.optional(choice(HEALTHS)),
  tag: word,
  managedBy: word,
  q: word,
  limit,
  cursor: cursor(v.strictObject({ createdAt: v.number(), name: v.string() })),
});

export const historyQuery = fields({ ...range, limit, cursor: cursor(position) });

export const occurrencesQuery = fields({
  state: v.optional(choice(STATES)),
  reason: word,
  kind: v.optional(choice(ITEM_KINDS)),
  schedule: v.optional(name),
  ...range,
  limit,
  cursor: cursor(position),
});

export const upcomingQuery = fields({
  from: v.optional(instant),
  count: count(1, LIMITS.PREVIEW_COUNT_MAX, 10),
});

export const workQuery = fields({ queue: text(100, 1), limit: count(1, LIMITS.WORK_MAX, 10) });

/** `[from, to)`, by slot. */
export const statsQuery = fields(range);

export const alertsQuery = fields({
  state: v.optional(choice(["open", "resolved"])),
  schedule: v.optional(name),
  limit,
  cursor: cursor(v.strictObject({ raisedAt: v.number(), schedule: v.string(), kind: v.string() })),
});

// ── commands ────────────────────────────────────────────────────────────────────────────────────

export const pauseBody = shown(fields({ note, until: maybeInstant }), {
  note: "the warehouse moves",
  until: "2026-12-01T06:00:00Z",
});

export const resumeBody = shown(
  fields({ note, catchUp: v.optional(v.nullable(choice(CATCH_UP_POLICIES)), null) }),
  { note: "moved", catchUp: "latest" },
);

export const triggerBody = shown(
  fields({ payload: v.optional(json(LIMITS.PAYLOAD_BYTES_MAX)), overlap: v.optional(choice(OVERLAPS)) }),
  { payload: { report: "daily", force: true } },
);

export const previewBody = shown(
  fields({
    trigger,
    exclude: v.optional(exclude, []),
    startAt: maybeInstant,
    endAt: maybeInstant,
    jitter: v.optional(duration(0, LIMITS.JITTER_MS_MAX), "PT0S"),
    from: maybeInstant,
    until: maybeInstant,
    count: v.optional(whole(1, LIMITS.PREVIEW_COUNT_MAX), 10),
  }),
  { trigger: { cron: "30 2 * * *", timezone: "Europe/Berlin" }, from: "2027-03-27T00:00:00Z", count: 3 },
);

// ── tokens ──────────────────────────────────────────────────────────────────────────────────────

export const NAMESPACE = /^[a-z0-9][a-z0-9-]{0,62}$/;
const TOKEN_ID = /^[0-9a-f]{16}$/;
const BOUND_MAX = 100;

/** People read it in the record of changes: one line, whatever the script. */
const tokenName = v.pipe(
  text(LIMITS.TAG_CHARS_MAX, 1),
  v.check((it) => !/\p{C}/u.test(it), "must be one line of visible characters"),
);
const tokenNamespace = parsed(
  (input) =>
    typeof input === "string" && (input === "*" || NAMESPACE.test(input))
      ? ok(input)
      : fail("invalid_field", 'must be the name of a namespace, or "*" for all'),
  { type: "string", pattern: `${NAMESPACE.source}|^\\*$`, examples: ["default"] },
);

export const tokenBody = shown(
  fields({
    name: tokenName,
    scopes: v.pipe(list(choice(SCOPES), SCOPES.length), v.minLength(1, "must not be empty")),
    namespaces: v.pipe(list(tokenNamespace, BOUND_MAX), v.minLength(1, "must not be empty")),
    queues: v.optional(v.nullable(list(text(100, 1), BOUND_MAX)), null),
    schedules: v.optional(v.nullable(list(name, BOUND_MAX)), null),
    expiresAt: maybeInstant,
  }),
  { name: "ci", scopes: ["read", "write"], namespaces: ["default"], expiresAt: "2027-11-30T00:00:00Z" },
);

export const tokenPath = v.object({
  id: parsed(
    (input) =>
      TOKEN_ID.test(String(input))
        ? ok(String(input))
        : fail("not_found", "A token is named by its id, the 16 characters after carillon_."),
    { type: "string", pattern: TOKEN_ID.source, examples: ["3f9a1c0b7d2e4a68"] },
  ),
});

export const tokensQuery = fields({
  limit,
  cursor: cursor(v.strictObject({ createdAt: v.number(), id: v.string() })),
});

// ── the worker protocol ─────────────────────────────────────────────────────────────────────────

const token = whole(1, TOKEN_MAX);

export const startBody = shown(fields({ attempt: whole(1, LIMITS.ATTEMPTS_MAX), worker: text(128, 1) }), {
  attempt: 1,
  worker: "b3f1c2",
});

export const heartbeatBody = shown(
  fields({
    token,
    progress: v.optional(v.nullable(v.number("must be a number"))),
    note: v.optional(v.nullable(cutText(LIMITS.NOTE_CHARS_MAX))),
  }),
  { token: 7, progress: 0.4, note: "batch 4" },
);

export const completeBody = shown(
  fields({ token, result: v.optional(json(LIMITS.RESULT_BYTES_MAX)), workRemaining: v.optional(flag) }),
  { token: 7, result: { rows: 120 } },
);

export const failBody = shown(
  fields({
    token,
    error: cutText(ERROR_CHARS_MAX),
    retryable: v.optional(flag),
    retryAfter: v.optional(v.nullable(duration(0, LIMITS.ELAPSED_MS_MAX))),
  }),
  { token: 7, error: "the warehouse did not answer", retryAfter: "30s" },
);

export const deferBody = shown(fields({ token, for: duration(0, LIMITS.ELAPSED_MS_MAX) }), {
  token: 7,
  for: "10m",
});
