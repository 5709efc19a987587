/** Reasons and notes as half sentences. A word that a later version writes is shown as it is. */

const REASONS: { [reason: string]: string } = {
  overlap: "another run was still going",
  buffer_full: "as many as may wait were waiting already",
  superseded: "a later one took its place",
  missed: "it was missed, and missed slots are not made up",
  coalesced: "it was missed, and one run covered all that were",
  catch_up_window: "it had grown too old to be worth a run",
  catch_up_limit: "more were missed than are made up",
  paused: "the schedule was paused",
  never_started: "no worker started it",
  never_dispatched: "its message could not be sent in time",
  max_elapsed: "its time for retries was over",
  lease_expired: "its worker fell silent",
  run_timeout: "it ran for too long",
  terminated: "a later one ended it",
  unknown_queue: "its queue is not there any more",
  max_attempts: "its attempts were used up",
  dead_lettered: "the queue gave it up",
  work_remaining: "more work remained than continuations are allowed",
  deleted: "the schedule was deleted",
  non_retryable: "its worker said that trying again is no use",
};

export function reasonWords(reason: string | null): string {
  return reason === null ? "" : (REASONS[reason] ?? reason.replaceAll("_", " "));
}

const NOTES: { [note: string]: string } = {
  dst_gap_next: "Its local time is left out by the clock, so it comes at the first instant after",
  dst_gap_shift: "Its local time is left out by the clock, so it comes as much later",
  dst_fold_first: "The clock shows this time twice; this is the first",
  dst_fold_second: "The clock shows this time twice; this is the second",
  month_day_clamped: "The month is shorter than the day, so it comes on the last one",
  jittered: "Spread by jitter",
};

export function noteWords(note: string): string {
  return NOTES[note] ?? note.replaceAll("_", " ");
}

export function suppressedWords(reason: "dst_gap" | "excluded"): string {
  return reason === "dst_gap" ? "The clock leaves this time out: no slot" : "Excluded: no slot";
}
