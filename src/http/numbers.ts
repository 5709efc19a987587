/** Numbers: `/metrics` for a scraper, `/v1/stats` for people and the dashboard. */
import { Hono, type Context } from "hono";
import * as v from "valibot";
import { kindOfReason } from "../core/occurrence.ts";
import { formatInstant } from "../core/time.ts";
import type { Numbers } from "../ledger/stats.ts";
import { percentile, secondsOf, type Measure } from "../watch/measures.ts";
import { METRICS_TYPE, METRICS_WINDOW_MS, renderMetrics } from "../watch/metrics.ts";
import type { AppEnv, Deps } from "./context.ts";
import * as examples from "./examples.ts";
import { shown } from "./fields.ts";
import { operation } from "./operation.ts";
import { statsQuery } from "./requests.ts";
import { accept } from "./validate.ts";
import * as views from "./views.ts";

const text = shown(
  v.string(),
  '# TYPE carillon_schedules gauge\ncarillon_schedules{namespace="default",state="active",health="healthy"} 3\n# EOF\n',
);
const counts = v.record(v.string(), v.number());
const percentiles = v.object({
  count: v.number(),
  p50: v.nullable(v.number()),
  p95: v.nullable(v.number()),
  p99: v.nullable(v.number()),
  max: v.nullable(v.number()),
});
const stats = views.named(
  "Stats",
  v.object({
    from: v.string(),
    to: v.string(),
    truncated: v.boolean(),
    occurrences: v.object({ total: v.number(), byState: counts, byReason: counts }),
    lateness: percentiles,
    queueWait: percentiles,
    duration: percentiles,
    schedules: v.object({ total: v.number(), byState: counts, byHealth: counts }),
    alerts: counts,
  }),
  examples.STATS,
);

export function numbers(deps: Deps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();

  app.get(
    "/metrics",
    operation({
      id: "getMetrics",
      tag: "Service",
      scope: "read",
      summary: "OpenMetrics text: lateness, queue wait, duration, counts, alerts, the age of the sweep",
      description:
        "Over the last hour and at most the newest 5,000 occurrences, read from the ledger: gauges, not counters. A token for all namespaces sees all unless the header names one.",
      answers: { 200: { description: "The metrics, as text", schema: text, type: METRICS_TYPE } },
    }),
    async (c) => {
      const { now, principal } = c.var;
      const { schedules } = principal;
      const namespaces = visible(c);
      const [found, sweep] = await Promise.all([
        deps.ledger.numbers({ namespaces, schedules, from: now - METRICS_WINDOW_MS, to: now }),
        deps.ledger.lastSweep(),
      ]);
      const sweepAgeMs = sweep && now - sweep.passedAt;
      return c.body(renderMetrics({ ...found, sweepAgeMs }), 200, { "content-type": METRICS_TYPE });
    },
  );

  app.get(
    "/v1/stats",
    operation({
      id: "getStats",
      tag: "Service",
      scope: "read",
      summary: "A namespace in numbers: outcomes, lateness in seconds, schedules by health",
      description:
        "Of the slots in `[from, to)`, the last 24 hours unless told otherwise; at most the newest 5,000 (`truncated`).",
      answers: { 200: { description: "The numbers", schema: stats } },
      refuses: ["invalid_instant"],
    }),
    accept("query", statsQuery),
    async (c) => {
      const { to = c.var.now, from = to - DAY_MS } = c.req.valid("query");
      const { namespace, principal } = c.var;
      const whose = { namespaces: [namespace], schedules: principal.schedules };
      const found = await deps.ledger.numbers({ ...whose, from, to: to - 1 });
      return c.json({ from: formatInstant(from), to: formatInstant(to), ...summarize(found) });
    },
  );

  return app;
}

const DAY_MS = 86_400_000;

/** Null: all. */
function visible(c: Context<AppEnv>): string[] | null {
  const { principal, namespace } = c.var;
  const isNamed = c.req.header("carillon-namespace") !== undefined;
  if (isNamed) return [namespace];
  return principal.namespaces === "*" ? null : [...principal.namespaces];
}

function summarize({ occurrences, gaps, schedules, alerts, isCut }: Numbers) {
  const byReason = tally(
    occurrences.flatMap(({ reason }) => (reason === null ? [] : [[kindOfReason(reason), 1]])),
  );
  const skipped = tally(gaps.map(({ reason, count }) => [reason, count]));
  return {
    truncated: isCut,
    occurrences: {
      total: occurrences.length + Object.values(skipped).reduce((sum, count) => sum + count, 0),
      byState: tally([
        ...occurrences.map(({ state }): Entry => [state, 1]),
        ...Object.values(skipped).map((count): Entry => ["skipped", count]),
      ]),
      byReason: tally([...Object.entries(byReason), ...Object.entries(skipped)]),
    },
    lateness: spread("lateness", occurrences),
    queueWait: spread("queue_wait", occurrences),
    duration: spread("duration", occurrences),
    schedules: {
      total: schedules.reduce((sum, { count }) => sum + count, 0),
      byState: tally(schedules.map(({ state, count }) => [state, count])),
      byHealth: tally(schedules.map(({ health, count }) => [health, count])),
    },
    alerts: tally(alerts.map(({ kind, count }) => [kind, count])),
  };
}

type Entry = [name: string, count: number];

function tally(entries: Entry[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [name, count] of entries) counts[name] = (counts[name] ?? 0) + count;
  return counts;
}

function spread(measure: Measure, rows: Numbers["occurrences"]) {
  const seconds = rows.flatMap((row) => secondsOf(measure, row) ?? []);
  const at = (share: number) => percentile(seconds, share);
  return { count: seconds.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}
