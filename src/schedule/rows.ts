/** What the ledger will hold, made from what the object knows. Pure; the SQL is in ledger/. */
import { POLLED_QUEUE } from "../core/limits.ts";
import type { Occurrence } from "../core/occurrence.ts";
import type { Definition, DefinitionInput } from "../core/schedule.ts";
import { scheduleKey, type OccurrenceRow, type Open, type PendingRow, type ScheduleState } from "./state.ts";

type Recorded = Occurrence & Pick<Open, "token" | "settledBy" | "queue" | "payload" | "dueAt" | "computed">;

export function occurrenceKey(occurrence: Pick<Occurrence, "slot" | "variant">): string {
  return `${occurrence.slot}${occurrence.variant}`;
}

export function occurrenceRow(state: ScheduleState, o: Recorded, version: number): PendingRow {
  return {
    key: occurrenceKey(o),
    version,
    table: "occurrences",
    row: {
      slot: o.slot,
      schedule: scheduleKey(state),
      variant: o.variant,
      version,
      kind: o.kind,
      revision: o.revision,
      state: o.state,
      reason: o.reason,
      effective_at: o.effectiveAt,
      claimed_at: o.claimedAt,
      dispatched_at: o.dispatchedAt,
      started_at: o.startedAt,
      finished_at: o.finishedAt,
      attempt: o.attempt,
      token: o.settledBy === null ? null : o.token,
      queue: o.queue,
      attention: needsAttention(o) ? 1 : 0,
      computed: o.computed ? 1 : 0,
      due_at: o.dueAt ?? o.leaseUntil,
      body: {
        localTime: o.localTime,
        timezones: o.timezones,
        locals: o.locals,
        businessDate: o.businessDate,
        tracked: o.tracked,
        attempts: o.attempts,
        progress: o.progress,
        result: o.result,
        error: o.error,
        replayOf: o.replayOf,
        leaseUntil: o.leaseUntil,
        ...(o.payload ? { payload: o.payload } : {}),
      },
    },
  };
}

/** The way back: what a row tells of its occurrence. */
export function occurrenceOf(row: OccurrenceRow): Occurrence {
  const { payload: _, ...body } = row.body;
  return {
    ...body,
    slot: row.slot,
    variant: row.variant,
    kind: row.kind as Occurrence["kind"],
    revision: row.revision,
    effectiveAt: row.effective_at,
    state: row.state,
    reason: row.reason,
    claimedAt: row.claimed_at,
    dispatchedAt: row.dispatched_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    attempt: row.attempt,
  };
}

/** What an operator or a poller looks for: everything but the happy path. */
function needsAttention(o: Recorded): boolean {
  switch (o.state) {
    case "succeeded":
      return false;
    case "dispatched":
      return o.tracked && o.queue === POLLED_QUEUE;
    default:
      return true;
  }
}

/**
 * Over, with a run that has not ended: the sweep looks after it until then. One that nobody reports on ends with its
 * message, which travels with this row; it counts once that could not be sent.
 */
export function isUnfinished({ status, open }: ScheduleState): boolean {
  const isOver = status === "completed" || status === "deleted";
  return isOver && open.some(({ tracked, send }) => tracked || (send?.tries ?? 0) > 0);
}

export function scheduleRow(
  state: ScheduleState,
  input: DefinitionInput,
  definition: Definition,
  version: number,
): PendingRow {
  return {
    key: "schedule",
    version,
    table: "schedules",
    row: {
      namespace: state.namespace,
      name: state.name,
      version,
      shard: state.shard,
      state: state.status,
      revision: state.revision,
      cursor: state.cursor,
      created_at: state.createdAt,
      updated_at: state.updatedAt,
      description: definition.description,
      tags: definition.tags,
      managed_by: definition.managedBy,
      health: state.health.status,
      unfinished: isUnfinished(state) ? 1 : 0,
      definition: input,
      state_body: {
        counter: state.counter,
        claimed: state.claimed,
        series: state.series,
        pause: state.pause,
        delayDueAt: state.delayDueAt,
        ...(state.secrets.length > 0 ? { secrets: state.secrets } : {}),
      },
    },
  };
}
