/** A definition's policies in plain English: what becomes of a slot when something is in its way. */
import { describeSpan } from "./describe.ts";
import type { Definition, Overlap } from "./schedule.ts";
import { formatInstant } from "./time.ts";
import { plural } from "./words.ts";

export interface PolicySentence {
  /** The field that says so. */
  field: keyof Definition;
  text: string;
}

export function describePolicies(definition: Definition): PolicySentence[] {
  const told: [keyof Definition, string | null][] = [
    ["target", targetWords(definition)],
    ["startAt", boundWords(definition)],
    ["jitterMs", jitterWords(definition)],
    ["overlap", overlapWords(definition)],
    ["catchUp", catchUpWords(definition)],
    ["retry", retryWords(definition)],
    ["timeouts", timeoutWords(definition)],
    ["pauseAfterFailures", failureWords(definition)],
    ["alerts", alertWords(definition)],
    ["retentionMs", retentionWords(definition)],
  ];
  return told.flatMap(([field, text]) => (text === null ? [] : [{ field, text }]));
}

function targetWords({ target, tracked }: Definition): string {
  const to = "queue" in target ? `the queue ${target.queue}` : `${target.method ?? "POST"} ${target.url}`;
  return tracked
    ? `Each run is handed to ${to}, whose worker reports when it starts and ends.`
    : `Each run is handed to ${to}, and is done once it has been handed over: nobody reports its end.`;
}

function boundWords({ startAt, endAt, maxOccurrences }: Definition): string | null {
  const from = startAt === null ? [] : [`not before ${formatInstant(startAt)}`];
  const to = endAt === null ? [] : [`not after ${formatInstant(endAt)}`];
  const most = maxOccurrences === null ? [] : [`at most ${plural(maxOccurrences, "time")}`];
  const all = [...from, ...to, ...most];
  return all.length === 0 ? null : `It runs ${all.join(", ")}.`;
}

function jitterWords({ jitterMs }: Definition): string | null {
  return jitterMs === 0
    ? null
    : `Each slot starts up to ${describeSpan(jitterMs)} late on purpose, always by the same amount (jitter).`;
}

function overlapWords({ overlap, maxConcurrent, maxBuffered, tracked }: Definition): string {
  if (!tracked || overlap === "allow") return "Runs may overlap without limit.";
  const seats = maxConcurrent ?? 1;
  const going = seats === 1 ? "a run is still going" : `${seats} runs are still going`;
  const then: Record<Exclude<Overlap, "allow">, string> = {
    skip: "the slot is skipped",
    buffer_one: "one slot waits for its turn, and further ones are skipped",
    buffer_all: `up to ${plural(maxBuffered, "slot")} wait for their turn, and further ones are skipped`,
    cancel_other: "the oldest run is asked to stop, and the slot waits until it has",
    terminate_other: "the oldest run is ended at once, and the slot takes its place",
  };
  return `When ${going}, ${then[overlap]}.`;
}

function catchUpWords({ catchUp }: Definition): string {
  const { policy, limit, windowMs, graceMs } = catchUp;
  const missed = `Slots that were missed (more than ${describeSpan(graceMs)} late, or with a later one due)`;
  const worth = windowMs === null ? "" : ` None is run that is older than ${describeSpan(windowMs)}.`;
  switch (policy) {
    case "skip":
      return `${missed} are recorded and not made up.`;
    case "latest":
      return `${missed} are covered by one run.${worth}`;
    case "all":
      return `${missed} are made up one after another, the latest ${limit} of them.${worth}`;
  }
}

function retryWords({ retry, tracked }: Definition): string | null {
  if (!tracked) return null;
  const { maxAttempts, initialMs, factor, maxMs, maxElapsedMs, untilNextSlot } = retry;
  if (maxAttempts === 1) return "A run that fails is not tried again.";
  const growth =
    factor > 1 ? `, then after ${factor} times as long each time, up to ${describeSpan(maxMs)}` : "";
  const end = untilNextSlot ? ", until the next slot is due" : "";
  return `A run that fails is tried up to ${plural(maxAttempts, "time")} in all, first after ${describeSpan(initialMs)}${growth}, for at most ${describeSpan(maxElapsedMs)}${end}.`;
}

function timeoutWords({ timeouts, tracked }: Definition): string | null {
  if (!tracked) return null;
  const { startMs, leaseMs, runMs } = timeouts;
  return `It is sent again when no worker starts it within ${describeSpan(startMs)}; a worker that is silent for ${describeSpan(leaseMs)} may be replaced, and an attempt is over after ${describeSpan(runMs)}.`;
}

function failureWords({ pauseAfterFailures }: Definition): string | null {
  return pauseAfterFailures === null
    ? null
    : `It pauses itself after ${plural(pauseAfterFailures, "failed run")} in a row.`;
}

function alertWords({ alerts }: Definition): string | null {
  const { noSuccessForMs, queueWaitMs } = alerts;
  const success =
    noSuccessForMs === null ? [] : [`nothing has succeeded for ${describeSpan(noSuccessForMs)}`];
  const wait =
    queueWaitMs === null ? [] : [`a run waits in its queue for more than ${describeSpan(queueWaitMs)}`];
  const all = [...success, ...wait];
  return all.length === 0 ? null : `An alert is raised when ${all.join(", or ")}.`;
}

function retentionWords({ retentionMs }: Definition): string {
  return `History is kept for ${describeSpan(retentionMs)}.`;
}
