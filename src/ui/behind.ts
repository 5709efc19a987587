/** The day behind a namespace, in half hours: outcomes and lateness. */
import type { State } from "../core/occurrence.ts";
import type { Bucket, SkippedStretch } from "../ledger/overview.ts";
import { BUCKET_ROWS_MAX } from "../ledger/overview.ts";

export const BUCKET_MS = 30 * 60_000;
export const BUCKETS = 48;

/** In ms: from what is punctual here to what nobody would call so. Percentiles are told as "at most" one of them. */
export const LATE_BOUNDS = [
  10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000,
] as const;

export interface Stretch {
  from: number;
  /** Slots in gap rows among the skipped ones. */
  byState: Partial<Record<State, number>>;
  late: Late;
  /** It held more than was read. */
  isCut: boolean;
}

/** In ms; null where nothing was measured, Infinity beyond the last bound. */
export interface Late {
  p50: number | null;
  p99: number | null;
}

export interface Behind {
  from: number;
  to: number;
  stretches: Stretch[];
  byState: Partial<Record<State, number>>;
  late: Late;
}

/** The half hour that is under way is the last one. */
export function behindFrom(now: number): number {
  return (Math.floor(now / BUCKET_MS) - BUCKETS + 1) * BUCKET_MS;
}

export function behindOf(from: number, buckets: Bucket[], gaps: SkippedStretch[]): Behind {
  const stretches = buckets.map((bucket, i) => {
    const begin = from + i * BUCKET_MS;
    const skipped = gaps.reduce((sum, gap) => sum + shareOf(gap, begin), 0);
    const byState = { ...bucket.byState, skipped: (bucket.byState.skipped ?? 0) + Math.round(skipped) };
    return { from: begin, byState, late: lateOf([bucket]), isCut: bucket.total >= BUCKET_ROWS_MAX };
  });
  return {
    from,
    to: from + BUCKETS * BUCKET_MS,
    stretches,
    byState: sumOf(stretches),
    late: lateOf(buckets),
  };
}

/** The slots of a gap row are taken to lie evenly between its ends. */
function shareOf({ from_at, to_at, count }: SkippedStretch, begin: number): number {
  const end = begin + BUCKET_MS;
  if (from_at === to_at) return from_at >= begin && from_at < end ? count : 0;
  const overlap = Math.min(end, to_at) - Math.max(begin, from_at);
  return overlap <= 0 ? 0 : (count * overlap) / (to_at - from_at);
}

function sumOf(stretches: Stretch[]): Partial<Record<State, number>> {
  const sums: Partial<Record<State, number>> = {};
  for (const { byState } of stretches) {
    for (const [state, count] of Object.entries(byState) as [State, number][])
      sums[state] = (sums[state] ?? 0) + count;
  }
  return sums;
}

function lateOf(buckets: Bucket[]): Late {
  const measured = buckets.reduce((sum, bucket) => sum + bucket.measured, 0);
  const atMost = LATE_BOUNDS.map((_, i) => buckets.reduce((sum, bucket) => sum + (bucket.atMost[i] ?? 0), 0));
  const at = (share: number) => {
    if (measured === 0) return null;
    const rank = Math.max(1, Math.ceil(measured * share));
    return LATE_BOUNDS[atMost.findIndex((count) => count >= rank)] ?? Infinity;
  };
  return { p50: at(0.5), p99: at(0.99) };
}
