/**
 * What a step did to occurrences, as lines for the log: read off the worlds before and after it, so that no decision
 * has to remember to speak. Names, instants and numbers only: no payload, no result, no error text.
 */
import { occurrenceId } from "../core/occurrence.ts";
import { formatInstant } from "../core/time.ts";
import { occurrenceKey } from "./rows.ts";
import { scheduleKey, type Open, type ScheduleState, type World } from "./state.ts";

export interface Line {
  event: "claimed" | "dispatched" | "started" | "finished" | "skipped" | "lease_lost";
  schedule: string;
  occurrence: string;
  slot: string;
  attempt: number | null;
  state?: string;
  reason?: string | null;
  /** Of a run of skipped slots. */
  count?: number;
}

export function linesOf(before: World, after: World): Line[] {
  const known = new Map(before.state.open.map((open) => [occurrenceKey(open), open]));
  return [
    ...after.state.open.flatMap((open) => movesOf(after.state, known.get(occurrenceKey(open)), open)),
    ...endsOf(before.state, after.state),
    ...skipsOf(before.state, after.state),
  ];
}

function movesOf(state: ScheduleState, before: Open | undefined, open: Open): Line[] {
  const lines: Line[] = [];
  const add = (event: Line["event"], attempt = open.attempt) =>
    lines.push({ event, ...subject(state, open), attempt });
  if (!before) add("claimed");
  if (before?.state === open.state) return lines;
  if (open.state === "dispatched") add("dispatched");
  if (open.state === "running") add("started");
  if (open.state === "retrying" && open.attempts.at(-1)?.outcome === "lease_expired")
    add("lease_lost", open.attempt - 1);
  return lines;
}

/** Where nobody reports, leaving is the end of it. */
function endsOf(before: ScheduleState, after: ScheduleState): Line[] {
  const known = new Set(before.finals.map(({ slot, variant, version }) => `${slot}${variant} ${version}`));
  const attempts = new Map(before.open.map((open) => [occurrenceKey(open), open.attempt]));
  return after.finals
    .filter(({ slot, variant, version }) => !known.has(`${slot}${variant} ${version}`))
    .map((final) => ({
      event: final.state === "dispatched" ? "dispatched" : "finished",
      ...subject(after, final),
      attempt: attempts.get(occurrenceKey(final)) ?? null,
      state: final.state,
      reason: final.reason,
    }));
}

function skipsOf(before: ScheduleState, after: ScheduleState): Line[] {
  const known = new Set(before.rows.map(({ key, version }) => `${key} ${version}`));
  return after.rows
    .filter(({ key, version }) => !known.has(`${key} ${version}`))
    .flatMap((pending): Line[] => {
      if (pending.table === "gaps") {
        const { from_at: slot, reason, count } = pending.row;
        return [{ event: "skipped", ...subject(after, { slot, variant: "" }), attempt: null, reason, count }];
      }
      if (pending.table !== "occurrences" || pending.row.state !== "skipped") return [];
      const { reason } = pending.row;
      return [{ event: "skipped", ...subject(after, pending.row), attempt: null, reason }];
    });
}

function subject(state: ScheduleState, { slot, variant }: { slot: number; variant: string }) {
  return {
    schedule: scheduleKey(state),
    occurrence: occurrenceId(state.name, slot, variant),
    slot: formatInstant(slot),
  };
}
