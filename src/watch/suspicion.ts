/** From the ledger alone: what may be wrong with a schedule. Pure; its object, or a second look, has the last word. */
import { BOUNDS } from "../core/limits.ts";
import { occurrenceId } from "../core/occurrence.ts";
import { formatDuration, formatInstant } from "../core/time.ts";
import type { AlertKind } from "../ledger/alerts.ts";
import type { Seen } from "../ledger/watched.ts";
import type { Sighting } from "./evidence.ts";

export interface Suspicion {
  /** `not_moving`: to be mended, and no alert by itself. */
  kind: AlertKind | "not_moving";
  /** The row that it rests on, or the slot that has none. */
  at: Pick<Seen, "slot" | "variant"> & { state: Seen["state"] | null };
  /** The alert's words, should it prove true. */
  message: string;
  occurrence: string | null;
}

const NO_SLOT = { slot: 0, variant: "", state: null };

export function suspect(sighting: Sighting, now: number): Suspicion[] {
  return [
    ...ofSchedule(sighting, now),
    ...sighting.absent.map((slot) => missing(sighting, slot)),
    ...sighting.unsettled.map((row) => unsettled(sighting, row, now)),
    ...sighting.rows.flatMap((row) => undone(sighting, row, now)),
  ];
}

function ofSchedule({ watched, definition, rows, chanceFrom }: Sighting, now: number): Suspicion[] {
  const { pause } = watched.stateBody;
  if (watched.state === "paused") {
    return pause?.who === "carillon" && pause.until === null
      ? [{ kind: "auto_paused", at: NO_SLOT, message: pause.note ?? "It was paused.", occurrence: null }]
      : [];
  }
  if (watched.state !== "active") return [];
  const found: Suspicion[] = [];
  if (watched.health === "failing") {
    const message = `At least ${BOUNDS.ALERT_FAILURES} occurrences in a row have failed.`;
    found.push({ kind: "consecutive_failures", at: NO_SLOT, message, occurrence: null });
  }
  const { noSuccessForMs } = definition.alerts;
  if (noSuccessForMs === null) return found;
  // Where nobody reports, to be on its way is all the success there is.
  const known = rows.map((row) =>
    row.state === "succeeded" ? row.finished_at : definition.tracked ? null : row.dispatched_at,
  );
  const since = Math.max(chanceFrom, ...known.map((at) => at ?? 0));
  if (since + noSuccessForMs < now) {
    const message = `No occurrence has succeeded for ${formatDuration(noSuccessForMs)}.`;
    found.push({ kind: "no_success_for", at: NO_SLOT, message, occurrence: null });
  }
  return found;
}

function missing({ watched }: Sighting, slot: number): Suspicion {
  const message = `The slot of ${formatInstant(slot)} is neither an occurrence nor in a gap row.`;
  const at = { slot, variant: "", state: null };
  return { kind: "missing_occurrence", at, message, occurrence: occurrenceId(watched.name, slot) };
}

/** Rows that say themselves when something should have happened. */
function unsettled(sighting: Sighting, row: Seen, now: number): Suspicion {
  switch (row.state) {
    case "claimed": {
      const isOld = (row.claimed_at ?? now) + BOUNDS.ALERT_UNSENT_MS < now;
      const message = "It was claimed, and its message has not been sent.";
      return about(sighting, row, isOld ? "claimed_without_dispatch" : "not_moving", message);
    }
    case "running":
      return about(
        sighting,
        row,
        "stale_lease",
        "Its lease is over, and neither a report nor a retry has come.",
      );
    default:
      return about(sighting, row, "not_moving", "");
  }
}

/** Rows of the happy path say nothing until they end: too long without an end is what can be seen. */
function undone(sighting: Sighting, row: Seen, now: number): Suspicion[] {
  const { watched, definition } = sighting;
  const { timeouts, alerts, tracked } = definition;
  if (row.state !== "dispatched" || !tracked || row.dispatched_at === null) return [];
  const age = now - row.dispatched_at - BOUNDS.SWEEP_SETTLE_MS;
  const { queueWaitMs } = alerts;
  const found: Suspicion[] = [];
  // Where nobody has ever reported, its object rightly sends nothing again.
  if (age > timeouts.startMs && watched.health !== "stalled")
    found.push(about(sighting, row, "not_moving", ""));
  if (queueWaitMs !== null && age > queueWaitMs) {
    const message = `It has waited for a start for more than ${formatDuration(queueWaitMs)}.`;
    found.push(about(sighting, row, "queue_wait", message));
  }
  if (age > timeouts.startMs + timeouts.runMs) {
    const message = `It was dispatched at ${formatInstant(row.dispatched_at)}, and no result has come.`;
    found.push(about(sighting, row, "overdue_result", message));
  }
  return found;
}

function about({ watched }: Sighting, row: Seen, kind: Suspicion["kind"], message: string): Suspicion {
  const { slot, variant, state } = row;
  const occurrence = occurrenceId(watched.name, slot, variant);
  return { kind, at: { slot, variant, state }, message, occurrence };
}
