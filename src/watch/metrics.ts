/**
 * `/metrics` in OpenMetrics text. Nothing is counted when a slot fires: what is shown is read from the ledger, over
 * the last hour and at most its newest 5,000 occurrences; so these are gauges, and the histograms gauge histograms.
 */
import { kindOfReason } from "../core/occurrence.ts";
import type { Numbers } from "../ledger/stats.ts";
import { splitKey } from "../ledger/row.ts";
import { BUCKETS, histogram, MEASURES, secondsOf, type Measure } from "./measures.ts";

export const METRICS_WINDOW_MS = 3_600_000;
export const METRICS_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/** Schedules with series of their own, those with most occurrences; the others together are `_other`. */
const SCHEDULES_SHOWN = 100;

export interface Metered extends Numbers {
  /** Null: it never passed. */
  sweepAgeMs: number | null;
}

type Labels = Record<string, string>;
type Sample = [suffix: string, labels: Labels, value: number];

export function renderMetrics(numbers: Metered): string {
  const { occurrences, gaps, schedules, alerts, sweepAgeMs, isCut } = numbers;
  const blocks = [
    ...(Object.keys(MEASURES) as Measure[]).map((measure) => renderMeasure(measure, numbers)),
    gauge(
      "occurrences",
      `Occurrences of the last hour by state and reason${WINDOW}`,
      countBy(
        occurrences.map(({ state, reason }) => ({
          state,
          reason: reason === null ? "" : kindOfReason(reason),
        })),
      ),
    ),
    gauge(
      "slots_skipped",
      `Slots of the last hour in gap rows, by reason${WINDOW}`,
      countBy(
        gaps.map(({ reason }) => ({ reason })),
        gaps.map(({ count }) => count),
      ),
    ),
    gauge(
      "schedule_occurrences",
      `Occurrences of the last hour by schedule and state, for ${SCHEDULES_SHOWN} schedules`,
      bySchedule(numbers),
    ),
    gauge(
      "schedules",
      "Schedules by state and health",
      countBy(
        schedules.map(({ namespace, state, health }) => ({ namespace, state, health })),
        schedules.map(({ count }) => count),
      ),
    ),
    gauge("overdue", "Schedules with a due slot that is not on record, or a result that has not come", [
      ["", {}, sumOf(alerts.filter(({ kind }) => OVERDUE.has(kind)).map(({ count }) => count))],
    ]),
    gauge(
      "alerts_open",
      "Open alerts by kind",
      countBy(
        alerts.map(({ namespace, kind }) => ({ namespace, kind })),
        alerts.map(({ count }) => count),
      ),
    ),
    gauge("window_cut", "1: the last hour held more than was read, its newest part is shown", [
      ["", {}, isCut ? 1 : 0],
    ]),
    ...(sweepAgeMs === null
      ? []
      : [gauge("sweep_age_seconds", "Since the last pass of the sweep", [["", {}, sweepAgeMs / 1_000]])]),
  ];
  return `${blocks.join("\n")}\n# EOF\n`;
}

const WINDOW = ", at most the newest 5000";
const OVERDUE: ReadonlySet<string> = new Set(["missing_occurrence", "overdue_result"]);

function renderMeasure(measure: Measure, { occurrences }: Metered): string {
  const seconds = occurrences.flatMap((row) => secondsOf(measure, row) ?? []);
  const { atMost, count, sum } = histogram(seconds);
  const samples: Sample[] = [
    ...BUCKETS.map((bound, i): Sample => ["_bucket", { le: decimal(bound) }, atMost[i] ?? 0]),
    ["_bucket", { le: "+Inf" }, count],
    ["_gcount", {}, count],
    ["_gsum", {}, sum],
  ];
  const help = `${MEASURES[measure]}: occurrences of the last hour${WINDOW}`;
  return family(`${measure}_seconds`, { type: "gaugehistogram", help, samples });
}

/** OpenMetrics wants bounds to look like numbers with a point. */
function decimal(bound: number): string {
  return Number.isInteger(bound) ? `${bound}.0` : String(bound);
}

function bySchedule({ occurrences }: Metered): Sample[] {
  const counts = new Map<string, number>();
  for (const { schedule } of occurrences) counts.set(schedule, (counts.get(schedule) ?? 0) + 1);
  const busiest = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, SCHEDULES_SHOWN);
  const shown = new Set(busiest.map(([schedule]) => schedule));
  return countBy(
    occurrences.map(({ schedule, state }) => {
      const { namespace, name } = splitKey(schedule);
      return { namespace, schedule: shown.has(schedule) ? name : "_other", state };
    }),
  );
}

/** One sample for each distinct set of labels. */
function countBy(labels: Labels[], counts?: number[]): Sample[] {
  const sums = new Map<string, { labels: Labels; value: number }>();
  for (const [i, own] of labels.entries()) {
    const key = JSON.stringify(own);
    const known = sums.get(key) ?? { labels: own, value: 0 };
    sums.set(key, { ...known, value: known.value + (counts?.[i] ?? 1) });
  }
  return [...sums.values()].map(({ labels, value }): Sample => ["", labels, value]);
}

function sumOf(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function gauge(name: string, help: string, samples: Sample[]): string {
  return family(name, { type: "gauge", help, samples });
}

function family(
  name: string,
  { type, help, samples }: { type: "gauge" | "gaugehistogram"; help: string; samples: Sample[] },
): string {
  const full = `carillon_${name}`;
  const unit = name.endsWith("_seconds") ? [`# UNIT ${full} seconds`] : [];
  const lines = samples.map(([suffix, labels, value]) => `${full}${suffix}${spell(labels)} ${value}`);
  return [`# TYPE ${full} ${type}`, ...unit, `# HELP ${full} ${help}`, ...lines].join("\n");
}

function spell(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escape(value)}"`);
  return pairs.length > 0 ? `{${pairs.join(",")}}` : "";
}

function escape(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
