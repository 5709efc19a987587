/** One JSON line an event, from a closed set of names. No payload, no result, no secret ever goes in. */

export type EventName =
  // Steps of an occurrence, with LOG_LEVEL=events.
  | "claimed"
  | "dispatched"
  | "started"
  | "finished"
  | "skipped"
  | "lease_lost"
  // What went wrong, and what was done about it.
  | "wake_failed"
  | "alarm_given_back"
  | "hand_over_failed"
  | "courier_silent"
  | "send_failed"
  | "record_failed"
  | "row_refused"
  | "restored"
  | "ledger_unavailable"
  | "dead_letter"
  | "dead_letter_failed"
  | "call_failed"
  | "poke_failed"
  | "sweep"
  | "watch_failed"
  | "pruned"
  | "alert_raised"
  | "alert_resolved"
  | "alert_untold"
  | "request_failed";

export function log(
  event: EventName,
  data: Record<string, string | number | boolean | null | undefined> = {},
): void {
  console.log(JSON.stringify({ event, ...data }));
}

/** An error as one bounded line. */
export function causeOf(error: unknown): string {
  return (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, 500);
}
