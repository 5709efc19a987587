/** What was seen of the runs, in numbers: how late they began and ended, which are missing, which came twice. */
import type { Stand } from "./field.ts";
import type { Run } from "./runs.ts";
import { percentile } from "./tables.ts";

const POLL_MS = 500;

export type Lateness = {
  runs: number;
  startP50: number;
  startP99: number;
  startMax: number;
  finishP50: number;
  finishP99: number;
  finishMax: number;
  missed: number;
  twice: number;
};

export function latenessOf(runs: Run[], expected: number): Lateness {
  const starts = runs.map(({ slot, startedAt }) => startedAt - slot);
  const finishes = runs.map(({ slot, finishedAt }) => (finishedAt ?? Number.NaN) - slot);
  const distinct = new Set(runs.map(({ schedule, slot }) => `${schedule} ${slot}`)).size;
  return {
    runs: runs.length,
    startP50: percentile(starts, 0.5),
    startP99: percentile(starts, 0.99),
    startMax: percentile(starts, 1),
    finishP50: percentile(finishes, 0.5),
    finishP99: percentile(finishes, 0.99),
    finishMax: percentile(finishes, 1),
    missed: Math.max(0, expected - distinct),
    twice: runs.length - distinct,
  };
}

/** Gathers runs until there are as many as expected, or none has come for a while; then once more, for doubles. */
export async function gather(stand: Stand, expected: number, patienceMs: number): Promise<Run[]> {
  const runs: Run[] = [];
  let heardAt = Date.now();
  while (runs.length < expected && Date.now() - heardAt < patienceMs) {
    await sleep(POLL_MS);
    const more = await stand.runs();
    runs.push(...more);
    if (more.length > 0) heardAt = Date.now();
  }
  await sleep(POLL_MS);
  return [...runs, ...(await stand.runs())];
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}

export function namesOf(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}-${i}`);
}
