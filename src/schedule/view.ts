/** How a schedule shows itself: its definition, its state, its health in one word and one sentence. */
import { TIMES } from "../core/limits.ts";
import type { State } from "../core/occurrence.ts";
import { nextEffective, type Firing, type Waiting } from "../core/plan.ts";
import { instantOrNull, presentDefinition, presentOccurrence } from "../core/present.ts";
import { warningsOf } from "../core/schedule.ts";
import { formatInstant } from "../core/time.ts";
import { ruleInForce, ruleOf, type Draft } from "./draft.ts";
import { drawUp } from "./settle.ts";
import { scheduleKey, type World } from "./state.ts";
import type { HealthView, OccurrenceView, ScheduleView } from "./stub.ts";

export function viewSchedule(draft: Draft): ScheduleView {
  const { state, now } = draft;
  const { definition, timetable } = ruleInForce(draft);
  const { maxOccurrences } = definition;
  const next =
    state.status === "active" || state.status === "paused"
      ? timetable.next(Math.max(state.cursor, state.status === "paused" ? now : 0))
      : null;
  const open: Partial<Record<State, number>> = {};
  for (const { state: s } of state.open) open[s] = (open[s] ?? 0) + 1;
  const waiting = state.waiting.reduce((sum, range) => sum + range.count, 0);
  if (waiting > 0) open.buffered = waiting;
  const { pause } = state;
  return {
    namespace: state.namespace,
    name: state.name,
    revision: state.revision,
    state: state.status,
    definition: presentDefinition(definition, state.secrets),
    pause: pause && {
      from: formatInstant(pause.from),
      until: instantOrNull(pause.until),
      note: pause.note,
      who: pause.who,
    },
    health: viewHealth(draft),
    nextSlot: instantOrNull(next),
    remaining: maxOccurrences === null ? null : Math.max(0, maxOccurrences - state.claimed),
    cursor: formatInstant(state.cursor),
    createdAt: formatInstant(state.createdAt),
    updatedAt: formatInstant(state.updatedAt),
    open,
    warnings: warningsOf(definition, timetable, now),
  };
}

function viewHealth(draft: Draft): HealthView {
  const { health } = draft.state;
  const { status, message } = healthOf(draft, draft.now);
  return {
    status,
    message,
    lastStartedAt: instantOrNull(health.lastStartedAt),
    lastSucceededAt: instantOrNull(health.lastSucceededAt),
    lastFailedAt: instantOrNull(health.lastFailedAt),
    lastDurationMs: health.lastDurationMs,
    lastError: health.lastError,
    consecutiveFailures: health.consecutiveFailures + health.consecutiveExpiries,
    counts: health.counts,
  };
}

/** One derived status: the worst that holds. */
export function healthOf(world: World, now: number): Pick<HealthView, "status" | "message"> {
  const { state } = world;
  if (state.status === "paused") return { status: "paused", message: state.pause?.note ?? null };
  if (state.status === "completed" || state.status === "deleted")
    return { status: "completed", message: null };
  const { consecutiveFailures, consecutiveExpiries, lastError } = state.health;
  const isUnstarted = state.open.some(
    (o) => o.state === "dispatched" && o.tracked && o.startBy !== null && o.startBy <= now,
  );
  if (!state.everStarted && (isUnstarted || consecutiveExpiries > 0)) {
    const message =
      "The consumer does not report: use the kit, or tracked: false. Until it has called start once, nothing is sent again.";
    return { status: "stalled", message };
  }
  const inARow = consecutiveFailures + consecutiveExpiries;
  if (inARow > 0) {
    return {
      status: "failing",
      message: `${inARow} failed or expired in a row; last error: ${lastError ?? "none"}`,
    };
  }
  const next = nextEffective(ruleInForce(world), scheduleKey(state), state.cursor);
  if (next !== null && now - next > TIMES.LATE_MS) {
    return { status: "late", message: `The slot due at ${formatInstant(next)} has not been handled yet.` };
  }
  if (state.waiting.some((range) => range.notBefore === null)) {
    return { status: "waiting", message: "Occurrences wait for the one that is running." };
  }
  return { status: "healthy", message: null };
}

/** More than can be open, buffered, caught up and backfilled at once: a list that ended early would lie. */
const OPEN_SHOWN = 10_000;

/** Open and waiting occurrences, oldest first. */
export function viewOpen(world: World): OccurrenceView[] {
  const { state } = world;
  const waiting = state.waiting.flatMap((range) => firingsOf(world, range, OPEN_SHOWN)).slice(0, OPEN_SHOWN);
  return [...state.open, ...waiting.map((firing) => drawUp(world, firing))]
    .toSorted((a, b) => a.slot - b.slot)
    .slice(0, OPEN_SHOWN)
    .map((occurrence) => presentOccurrence(state.namespace, state.name, occurrence));
}

/** The first `limit` firings that wait in a range. */
export function firingsOf(world: World, range: Waiting, limit: number): Firing[] {
  const { timetable } = ruleOf(world, range.revision);
  const { kind, revision, variant, payload, replayOf } = range;
  const firings: Firing[] = [];
  let slot: number | null =
    range.count === 1 && !range.newestFirst ? range.upTo : timetable.next(range.after);
  for (let n = 0; n < Math.min(range.count, limit) && slot !== null; n++) {
    firings.push({ slot, kind, revision, variant, payload, replayOf });
    slot = timetable.next(slot);
  }
  return firings;
}
