/**
 * Every bound and default of the product, one a line, with its reason.
 * Durations in ms. `config.ts` adds what the environment decides.
 */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** What a definition may hold; anything beyond is refused at the door with the field's pointer. */
export const LIMITS = {
  PAYLOAD_BYTES_MAX: 64 * 1024, // a queue message holds 128 KB; the other half is ours and headroom
  BODY_BYTES_MAX: 256 * 1024, // a request body: a definition with a full payload, escaped, still fits
  JSON_DEPTH_MAX: 64, // JSON.stringify and structured clones recurse: a text of brackets only would exhaust their stack
  PAGE_MAX: 200, // items of a list: with full results some 3 MB
  WORK_MAX: 100, // messages that one poll finds: one Queue batch
  PREVIEW_COUNT_MAX: 1_000, // slots of one preview
  FORM_BYTES_MAX: 8 * 1024, // the dashboard's sign-in: a token, and an address to return to
  APPLY_SCHEDULES_MAX: 1_000, // two calls to an object each, of the 10,000 that one request may make
  APPLY_BODY_BYTES_MAX: 4 * 1024 * 1024,
  APPLY_KEPT_MAX: 10_000, // names that a prune leaves alone
  RESULT_BYTES_MAX: 16 * 1024, // kept in the ledger row, so it has to stay a row
  ERROR_BYTES_MAX: 16 * 1024,
  DESCRIPTION_CHARS_MAX: 1_000,
  TAGS_MAX: 32,
  TAG_CHARS_MAX: 64,
  TRIGGERS_MAX: 20, // a union is searched trigger by trigger
  TIMEZONES_MAX: 50, // of one trigger: 09:00 in every inhabited offset are 40
  SOURCES_MAX: 100, // triggers times their zones: each is asked for each slot
  EXCLUDE_MAX: 200,
  INTERVAL_MS_MIN: SECOND, // alarms are punctual to milliseconds, not below
  INTERVAL_MS_MAX: 400 * DAY,
  JITTER_MS_MAX: DAY,
  CATCH_UP_LIMIT_MAX: 1_000,
  CATCH_UP_RATE_MAX: 100,
  CONCURRENT_MAX: 100,
  BUFFERED_MAX: 1_000,
  CONTINUATIONS_MAX: 10_000,
  ATTEMPTS_MAX: 100,
  RETRY_MS_MAX: 24 * HOUR,
  ELAPSED_MS_MAX: 30 * DAY,
  TIMEOUT_MS_MIN: SECOND,
  TIMEOUT_MS_MAX: 7 * DAY,
  OCCURRENCES_MAX: 1_000_000_000,
  RETENTION_MS_MAX: 3_660 * DAY,
  WHO_CHARS_MAX: 100, // a token's name and its id
  NOTE_CHARS_MAX: 1_000,
  URL_CHARS_MAX: 2_048,
  HEADERS_MAX: 32, // of each kind, open and secret
  HEADERS_BYTES_MAX: 8 * 1024, // names and values of each kind: servers commonly take 8 to 16 KB in all
  CALL_MS_MAX: 10 * MINUTE, // a Queue consumer lives 15; what takes longer answers 202 and reports
  ANSWER_BYTES_MAX: 64 * 1024, // read of an answer; of that a result or an excerpt is kept
  EXCERPT_CHARS_MAX: 500, // of an answer that is an error
} as const;

/** What the object does in one go. Work beyond a bound is picked up by the next wake, never dropped. */
export const BOUNDS = {
  CALLS_AT_ONCE: 16, // to objects, from one request
  CLAIMS_PER_WAKE: 100, // one Queue batch
  SKIPS_PER_WAKE: 100, // single rows; longer runs of one reason become a gap row
  OPEN_MAX: 1_000, // open occurrences of one schedule; beyond it new slots wait, whatever the overlap policy
  FINALS_KEPT: 64, // last outcomes kept in the object to answer a repeated report
  TRIGGERS_KEPT: 16, // last runs by hand whose requests would be known again
  ATTEMPTS_KEPT: 20, // last attempts kept with an occurrence
  WAITING_MAX: 5_000, // waiting by hand: a delete records each of them
  BACKFILL_MAX: 1_000, // slots of one backfill: one look into the ledger, one answer
  BACKFILL_LOOK_MAX: 10_000, // slots that it looks at to find them
  ROWS_PER_HAND_OVER: 200, // pending ledger rows offered at once
  SWEPT_PER_PASS: 500, // schedules that one pass of the sweep looks at
  PASSES_A_MINUTE: 10, // 5,000 schedules a minute, within the 1,000 statements that an invocation may make
  CALLS_PER_PASS: 200, // objects that it asks or wakes; a page with more of them ends early
  SWEEP_SETTLE_MS: 15 * SECOND, // what is due more recently may still be on its way to the ledger
  SWEEP_STALE_MS: 5 * MINUTE, // a pass is due every minute: five missing ones are no accident
  ALERT_UNSENT_MS: MINUTE, // a claim whose message has not left by then
  ALERT_LEASE_MS: MINUTE, // a lease that ended that long ago, and nothing has come of it
  ALERT_FAILURES: 3, // in a row: one may be an accident, two a coincidence
  TOLD_PER_PASS: 100, // alerts that one pass delivers
  RETENTION_MS_LEAST: HOUR, // younger rows are not looked at when pruning: whoever keeps less keeps this
  PRUNED_AT_ONCE: 10_000, // rows looked at by one statement; D1 counts each row deleted as one written
  PRUNES_PER_PASS: 64, // of those, over all databases: what runs all day has to be able to go within the day
  ANSWERS_KEPT_MS: DAY, // to a request with an Idempotency-Key: longer than any client tries again
  ANSWER_CHARS_MAX: 256 * 1024, // encrypted and in base64 it still fits into a row of 2 MB, whatever its characters
  RESERVED_MS: MINUTE, // no request takes as long: whoever reserved its answer and gave none has died
  QUOTA_SLOTS: 10_000, // the next so many are held against a quota's interval: what is closer only later is no flood
  ASKED_STEPS_MAX: 15_000_000, // of search for slots, for a preview or a simulation: a second's worth (core/effort.ts)
  APPLIED_STEPS_MAX: 30_000_000, // for all the new schedules of one apply: 30,000 each of a thousand
  DEFINED_STEPS_MAX: 1_000_000, // and to find out whether a definition makes any
  TRIED_SLOTS: 100, // the next so many of a new definition are looked for, since every wake will
  TRIED_STEPS_MAX: 500_000, // for which it may take so many: a quarter of a millisecond each
  PRUNED_SCHEDULES_PER_PASS: 200, // whose gap rows and changes it looks at
} as const;

export const TIMES = {
  WAKE_MS_MAX: DAY, // no alarm further away than this: nothing depends on an alarm's longest horizon
  HAND_OVER_RETRY_MS: 2 * SECOND, // first retry of a failed hand-over, doubled each time
  HAND_OVER_RETRY_MS_MAX: 15 * SECOND, // a ledger that was down is level within 30 s of coming back
  ROWS_GUARD_MS: 5 * MINUTE, // rows alone can wait for a wake that is armed this soon
  UNKNOWN_QUEUE_MS: HOUR, // how long a missing queue binding may be a redeploy's accident
  LATE_MS: MINUTE, // documented failover delay of alarms; beyond it a slot counts as late
} as const;

export const DEFAULTS = {
  JITTER_MS: 0,
  MAX_CONCURRENT: 1,
  MAX_BUFFERED: 100,
  MAX_CONTINUATIONS: 100,
  CATCH_UP: { policy: "latest", limit: 10, windowMs: null, graceMs: 5 * MINUTE, rate: 10 },
  RETRY: {
    maxAttempts: 4,
    initialMs: 10 * SECOND,
    factor: 2,
    maxMs: 15 * MINUTE,
    jitter: 0.2,
    maxElapsedMs: 6 * HOUR,
    untilNextSlot: false,
  },
  TIMEOUTS: { startMs: 15 * MINUTE, leaseMs: MINUTE, runMs: 15 * MINUTE, cancelMs: MINUTE },
  RETENTION_MS: 90 * DAY,
  CALL_MS: 30 * SECOND,
  PAGE: 50,
} as const;

/** The shipped binding that no Worker consumes: what is dispatched to it is found by those who poll for work. */
export const POLLED_QUEUE = "EXTERNAL";

/** Our own queue of calls to URLs, which our own consumer makes. No schedule may name it. */
export const WEBHOOKS_QUEUE = "WEBHOOKS";
