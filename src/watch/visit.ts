/**
 * A suspicion is taken to the schedule's object: what only it can mend it is poked for, and what only it knows it
 * is asked. What it does not answer stays unknown: such an alert is neither raised nor resolved.
 */
import type { Failure, Result } from "../core/errors.ts";
import { BOUNDS } from "../core/limits.ts";
import { withDeadline } from "../deadline.ts";
import { causeOf, log } from "../log.ts";
import type { OccurrenceView, PokeReply, ScheduleStub, ScheduleView } from "../schedule/stub.ts";
import type { Sighting } from "./evidence.ts";
import type { Suspicion } from "./suspicion.ts";

const CALL_MS_MAX = 10_000;

/** What became of each suspicion. `absent`: the ledger has to be looked at once more. */
type Verdict = "true" | "false" | "unknown" | "absent";

export interface Visit {
  sighting: Sighting;
  verdicts: { suspicion: Suspicion; verdict: Verdict }[];
  /** Null: there was no need. */
  poked: PokeReply | "failed" | null;
}

export const ASKS_NOBODY: ReadonlySet<Suspicion["kind"]> = new Set(["auto_paused"]);
const MENDED: ReadonlySet<Suspicion["kind"]> = new Set([
  "missing_occurrence",
  "claimed_without_dispatch",
  "stale_lease",
  "not_moving",
]);
/** Told by what is open. */
const SEEN_OPEN: ReadonlySet<Suspicion["kind"]> = new Set([
  "claimed_without_dispatch",
  "stale_lease",
  "queue_wait",
  "overdue_result",
]);
const SEEN_WHOLE: ReadonlySet<Suspicion["kind"]> = new Set(["no_success_for", "consecutive_failures"]);

export async function visit(
  stub: ScheduleStub,
  sighting: Sighting,
  suspicions: Suspicion[],
  now: number,
): Promise<Visit> {
  const has = (kinds: ReadonlySet<Suspicion["kind"]>) => suspicions.some(({ kind }) => kinds.has(kind));
  const ask = <T>(call: () => Promise<Result<T>>) => answerOf(sighting, call);
  let open = has(SEEN_OPEN) ? await ask(() => stub.open()) : null;
  const doubts = suspicions.filter((doubt) => MENDED.has(doubt.kind) && !isRefuted(doubt, open, now));
  const poked: Visit["poked"] =
    doubts.length > 0 ? ((await ask(() => stub.poke(commandOf(doubts)))) ?? "failed") : null;
  if (open && poked !== null && poked !== "failed") open = await ask(() => stub.open());
  const whole = has(SEEN_WHOLE) ? await ask(() => stub.read()) : null;
  const facts = { open, poked, whole, now, sighting };
  const verdicts = suspicions.map((suspicion) => ({ suspicion, verdict: judge(suspicion, facts) }));
  return { sighting, verdicts, poked };
}

/** One slot may be suspected for two reasons: it is asked for once. */
function commandOf(doubts: Suspicion[]): Parameters<ScheduleStub["poke"]>[0] {
  return { lacks: [...new Map(doubts.map(({ at }) => [`${at.slot}${at.variant}`, at])).values()] };
}

/** The ledger hears of a lease only once: that it was renewed since, its object knows. */
function isRefuted(doubt: Suspicion, open: OccurrenceView[] | null, now: number): boolean {
  return doubt.kind === "stale_lease" && open !== null && leaseEnd(find(open, doubt)) >= now;
}

interface Facts {
  sighting: Sighting;
  open: OccurrenceView[] | null;
  poked: Visit["poked"];
  whole: ScheduleView | null;
  now: number;
}

function judge(suspicion: Suspicion, facts: Facts): Verdict {
  const { open, poked, whole, now, sighting } = facts;
  const held = open && find(open, suspicion);
  switch (suspicion.kind) {
    case "auto_paused":
      return "true";
    case "missing_occurrence":
      return poked && poked !== "failed" && poked.waiting.includes(suspicion.at.slot) ? "false" : "absent";
    case "claimed_without_dispatch":
      return open ? truth(held?.state === "claimed") : "true";
    case "stale_lease":
      return open ? truth(leaseEnd(held) + BOUNDS.ALERT_LEASE_MS < now) : "true";
    case "queue_wait":
      return open ? truth(held?.state === "dispatched") : "unknown";
    case "overdue_result":
      return open ? truth(isOverdue(held, sighting, now)) : "unknown";
    case "no_success_for":
      return whole ? truth(isWithoutSuccess(whole, sighting, now)) : "unknown";
    case "consecutive_failures":
      return whole ? truth(whole.health.consecutiveFailures >= BOUNDS.ALERT_FAILURES) : "unknown";
    case "not_moving":
      return "false";
  }
}

function truth(holds: boolean): Verdict {
  return holds ? "true" : "false";
}

function find(open: OccurrenceView[], { occurrence }: Suspicion): OccurrenceView | undefined {
  return open.find(({ id }) => id === occurrence);
}

function leaseEnd(held: OccurrenceView | null | undefined): number {
  return held?.state === "running" && held.leaseUntil !== null ? Date.parse(held.leaseUntil) : Infinity;
}

/** Counted from its last attempt: what is retried within its rights is late, not overdue. */
function isOverdue(held: OccurrenceView | null | undefined, { definition }: Sighting, now: number): boolean {
  if (held?.state !== "dispatched" && held?.state !== "running") return false;
  const left = held.attempts.at(-1)?.dispatchedAt ?? held.dispatchedAt;
  const { startMs, runMs } = definition.timeouts;
  return left !== null && Date.parse(left) + startMs + runMs < now;
}

function isWithoutSuccess({ health, createdAt }: ScheduleView, sighting: Sighting, now: number): boolean {
  const { noSuccessForMs } = sighting.definition.alerts;
  const since = Math.max(Date.parse(health.lastSucceededAt ?? createdAt), sighting.chanceFrom);
  return noSuccessForMs !== null && since + noSuccessForMs < now;
}

async function answerOf<T>({ key }: Sighting, call: () => Promise<Result<T>>): Promise<T | null> {
  try {
    const answer = await withDeadline(call(), CALL_MS_MAX);
    if (answer?.ok) return answer.value;
    log("poke_failed", { schedule: key, cause: answer ? codeOf(answer.error) : "no answer" });
  } catch (error) {
    log("poke_failed", { schedule: key, cause: causeOf(error) });
  }
  return null;
}

function codeOf({ code, message }: Failure): string {
  return `${code}: ${message}`;
}
