/** What occurrences took: lateness, wait, duration; as histograms and as percentiles. Pure. */
import type { Measured } from "../ledger/stats.ts";

export const MEASURES = {
  lateness: "From the effective instant to the first dispatch, in seconds",
  queue_wait: "From the dispatch of the last attempt to its start, in seconds",
  duration: "From the start of the last attempt to the end, in seconds",
} as const;
export type Measure = keyof typeof MEASURES;

/** Null where it does not apply, or is not known yet. */
export function secondsOf(measure: Measure, row: Measured): number | null {
  switch (measure) {
    case "lateness":
      return row.variant === "" ? between(row.effective_at, row.dispatched_at) : null;
    case "queue_wait":
      return between(row.left_at ?? row.dispatched_at, row.started_at);
    case "duration":
      return row.started_at === null ? null : between(row.started_at, row.finished_at);
  }
}

function between(from: number | null, to: number | null): number | null {
  return from === null || to === null ? null : Math.max(0, to - from) / 1_000;
}

/** Upper bounds in seconds: from what is punctual here to what nobody would call so. */
export const BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600] as const;

export interface Histogram {
  /** How many were at most as long as each bound, and all of them. */
  atMost: number[];
  count: number;
  sum: number;
}

export function histogram(seconds: number[]): Histogram {
  return {
    atMost: BUCKETS.map((bound) => seconds.filter((value) => value <= bound).length),
    count: seconds.length,
    sum: seconds.reduce((sum, value) => sum + value, 0),
  };
}

/** Nearest rank. Null of none. */
export function percentile(seconds: number[], share: number): number | null {
  const sorted = seconds.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}
