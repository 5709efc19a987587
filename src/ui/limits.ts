/** The table of limits, from where they are enforced: a limit without words here does not compile. */
import { LIMITS } from "../core/limits.ts";
import { formatDuration } from "../core/time.ts";

const WORDS: Record<keyof typeof LIMITS, string> = {
  PAYLOAD_BYTES_MAX: "A payload, as JSON",
  BODY_BYTES_MAX: "The body of a request",
  JSON_DEPTH_MAX: "JSON, how deep",
  PAGE_MAX: "`limit`, items of a page",
  WORK_MAX: "`limit`, messages that a poll finds",
  PREVIEW_COUNT_MAX: "`count`, slots of a preview",
  APPLY_SCHEDULES_MAX: "Schedules in one call of `apply`",
  APPLY_BODY_BYTES_MAX: "The body of `apply`",
  APPLY_KEPT_MAX: "Names that one `apply` keeps beside its list",
  FORM_BYTES_MAX: "The form of the dashboard's sign-in",
  RESULT_BYTES_MAX: "The result that a worker reports",
  ERROR_BYTES_MAX: "The error that a worker reports: what is longer is cut",
  DESCRIPTION_CHARS_MAX: "`description`",
  TAGS_MAX: "`tags`, how many",
  TAG_CHARS_MAX: "A tag; `managedBy`",
  TRIGGERS_MAX: "Triggers in a list",
  TIMEZONES_MAX: "Time zones of a trigger",
  SOURCES_MAX: "Triggers counted by zone",
  EXCLUDE_MAX: "Entries of `exclude`",
  INTERVAL_MS_MIN: "The smallest distance of slots",
  INTERVAL_MS_MAX: "The largest `every` or `after`",
  JITTER_MS_MAX: "`jitter`",
  CATCH_UP_LIMIT_MAX: "`catchUp.limit`",
  CATCH_UP_RATE_MAX: "`catchUp.rate`, a second",
  CONCURRENT_MAX: "`maxConcurrent`",
  BUFFERED_MAX: "`maxBuffered`",
  CONTINUATIONS_MAX: "`maxContinuations`",
  ATTEMPTS_MAX: "`retry.maxAttempts`",
  RETRY_MS_MAX: "`retry.initial` and `retry.max`",
  ELAPSED_MS_MAX: "`retry.maxElapsed`; how far a worker may defer",
  TIMEOUT_MS_MIN: "The shortest of `timeouts`",
  TIMEOUT_MS_MAX: "The longest of `timeouts`",
  OCCURRENCES_MAX: "`maxOccurrences`",
  RETENTION_MS_MAX: "`retention`",
  WHO_CHARS_MAX: "the name and id of a token, in the query for changes",
  NOTE_CHARS_MAX: "A note of a pause, a resume or a heartbeat",
  URL_CHARS_MAX: "The address of a URL target",
  HEADERS_MAX: "Headers of a URL target, open and secret each",
  HEADERS_BYTES_MAX: "Their names and values, open and secret each",
  CALL_MS_MAX: "The timeout of a URL target",
  ANSWER_BYTES_MAX: "What is read of a URL target's answer",
  EXCERPT_CHARS_MAX: "What is kept of an answer that is an error",
};

/** As people read it; the unit is in the name. */
export function limitOf(name: keyof typeof LIMITS): string {
  const value = LIMITS[name];
  if (name.includes("_MS_")) return formatDuration(value);
  if (name.includes("_BYTES_")) return `${value / 1024} KB`;
  return value.toLocaleString("en") + (name.includes("_CHARS_") ? " characters" : "");
}

export const limits = Object.entries(WORDS).map(([name, words]) => ({
  name,
  words,
  value: limitOf(name as keyof typeof LIMITS),
}));
