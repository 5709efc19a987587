/** Metrics that a scraper can read, and statistics that add up. */
import { describe, expect, it } from "vitest";
import type { Measured, Numbers } from "../../src/ledger/stats.ts";
import { percentile } from "../../src/watch/measures.ts";
import { NOW, world } from "./world.ts";

const occurrence = (more: Partial<Measured> = {}): Measured => ({
  slot: NOW,
  schedule: "default/nightly",
  variant: "",
  state: "succeeded",
  reason: null,
  effective_at: NOW,
  dispatched_at: NOW + 40,
  left_at: NOW + 40,
  started_at: NOW + 340,
  finished_at: NOW + 20_340,
  ...more,
});

const NUMBERS: Numbers = {
  occurrences: [
    occurrence(),
    occurrence({
      dispatched_at: NOW + 2_000,
      left_at: NOW + 2_000,
      started_at: NOW + 2_100,
      finished_at: NOW + 2_200,
    }),
    occurrence({ state: "skipped", reason: "overlap", dispatched_at: null, left_at: null, started_at: null }),
    occurrence({
      variant: "~m1",
      dispatched_at: NOW + 900_000,
      left_at: null,
      started_at: null,
      state: "dispatched",
    }),
  ],
  gaps: [{ schedule: "default/nightly", reason: "missed", count: 12 }],
  schedules: [
    { namespace: "default", state: "active", health: "healthy", count: 3 },
    { namespace: "default", state: "active", health: "failing", count: 1 },
  ],
  alerts: [{ namespace: "default", kind: "missing_occurrence", count: 2 }],
  isCut: false,
};

interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}
interface Family {
  type: string;
  help: string;
  samples: Sample[];
}

/** Strict where OpenMetrics is: metadata before samples, families not interleaved, one EOF, at the end. */
function parse(text: string): Map<string, Family> {
  const lines = text.split("\n");
  expect(lines.slice(-2)).toEqual(["# EOF", ""]);
  const families = new Map<string, Family>();
  let current = "";
  for (const line of lines.slice(0, -2)) {
    const [, word, name, rest] = /^# (TYPE|HELP|UNIT) (\S+) (.+)$/.exec(line) ?? [];
    if (word === "TYPE") {
      expect(families.has(name!)).toBe(false);
      families.set(name!, { type: rest!, help: "", samples: [] });
      current = name!;
    } else if (word !== undefined) {
      expect(name).toBe(current);
      if (word === "UNIT") expect(name!.endsWith(`_${rest}`)).toBe(true);
      else families.get(current)!.help = rest!;
    } else {
      const sample = parseSample(line);
      expect(sample.name.startsWith(current)).toBe(true);
      families.get(current)!.samples.push(sample);
    }
  }
  return families;
}

function parseSample(line: string): Sample {
  const [, name, labels = "", value] = /^([a-z_]+)(?:\{(.*)\})? (-?[\d.e+]+)$/.exec(line) ?? [];
  expect(name, line).toBeDefined();
  const pairs = [...labels.matchAll(/([a-z]+)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/g)];
  expect(pairs.map(([pair]) => pair).join("")).toBe(labels);
  return {
    name: name!,
    labels: Object.fromEntries(pairs.map(([, key, text]) => [key!, text!])),
    value: Number(value),
  };
}

async function scrape(found: Numbers = NUMBERS) {
  const { send, ledger } = world();
  ledger.numbers = () => Promise.resolve(found);
  ledger.lastSweep = () => Promise.resolve({ position: "", passedAt: NOW - 30_000, summary: {} });
  return { answer: await send("GET", "/metrics") };
}

describe("GET /metrics", () => {
  it("is OpenMetrics, whatever is in it", async () => {
    const { answer } = await scrape();
    expect(answer.headers.get("content-type")).toBe(
      "application/openmetrics-text; version=1.0.0; charset=utf-8",
    );
    const families = parse(answer.text);
    expect([...families.keys()]).toEqual([
      "carillon_lateness_seconds",
      "carillon_queue_wait_seconds",
      "carillon_duration_seconds",
      "carillon_occurrences",
      "carillon_slots_skipped",
      "carillon_schedule_occurrences",
      "carillon_schedules",
      "carillon_overdue",
      "carillon_alerts_open",
      "carillon_window_cut",
      "carillon_sweep_age_seconds",
    ]);
    for (const { help } of families.values()) expect(help).toMatch(/\w/);
  });

  it("has histograms that count up to all, and leave out what has no slot", async () => {
    const { answer } = await scrape();
    const { type, samples } = parse(answer.text).get("carillon_lateness_seconds")!;
    expect(type).toBe("gaugehistogram");
    const buckets = samples.filter(({ name }) => name.endsWith("_bucket"));
    const values = buckets.map(({ value }) => value);
    expect(values).toEqual(values.toSorted((a, b) => a - b));
    expect(buckets.find(({ labels }) => labels["le"] === "0.05")?.value).toBe(1);
    expect(buckets.at(-1)).toMatchObject({ labels: { le: "+Inf" }, value: 2 });
    expect(samples.find(({ name }) => name.endsWith("_gcount"))?.value).toBe(2);
    expect(samples.find(({ name }) => name.endsWith("_gsum"))?.value).toBeCloseTo(2.04);
  });

  it("shows series of a hundred schedules, and the others together", async () => {
    const many = Array.from({ length: 300 }, (_, i) => occurrence({ schedule: `default/s-${i}` }));
    const { answer } = await scrape({ ...NUMBERS, occurrences: [...many, ...many.slice(0, 50)] });
    const { samples } = parse(answer.text).get("carillon_schedule_occurrences")!;
    expect(samples).toHaveLength(101);
    expect(samples.find(({ labels }) => labels["schedule"] === "_other")?.value).toBe(200);
    expect(samples.reduce((sum, { value }) => sum + value, 0)).toBe(350);
  });

  it("reads an hour of all namespaces that the token sees, or of the one that is named", async () => {
    const { send, calls } = world();
    await send("GET", "/metrics");
    await send("GET", "/metrics", undefined, { "carillon-namespace": "billing" });
    const asked = calls.filter(({ name }) => name === "numbers").map(({ args }) => args[0]);
    expect(asked).toEqual([
      { namespaces: null, schedules: null, from: NOW - 3_600_000, to: NOW },
      { namespaces: ["billing"], schedules: null, from: NOW - 3_600_000, to: NOW },
    ]);
  });

  it("needs a token", async () => {
    const { send } = world();
    expect((await send("GET", "/metrics", undefined, { authorization: "Bearer no" })).status).toBe(401);
  });
});

describe("GET /v1/stats", () => {
  it("counts the last day of the namespace", async () => {
    const { send, ledger, calls } = world();
    ledger.numbers = () => Promise.resolve(NUMBERS);
    expect((await send("GET", "/v1/stats")).body).toEqual({
      from: "2026-11-29T12:00:00Z",
      to: "2026-11-30T12:00:00Z",
      truncated: false,
      occurrences: {
        total: 16,
        byState: { succeeded: 2, skipped: 13, dispatched: 1 },
        byReason: { overlap: 1, missed: 12 },
      },
      lateness: { count: 2, p50: 0.04, p95: 2, p99: 2, max: 2 },
      queueWait: { count: 2, p50: 0.1, p95: 0.3, p99: 0.3, max: 0.3 },
      duration: { count: 2, p50: 0.1, p95: 20, p99: 20, max: 20 },
      schedules: { total: 4, byState: { active: 4 }, byHealth: { healthy: 3, failing: 1 } },
      alerts: { missing_occurrence: 2 },
    });
    expect(calls.find(({ name }) => name === "numbers")?.args).toEqual([
      { namespaces: ["default"], schedules: null, from: NOW - 86_400_000, to: NOW - 1 },
    ]);
  });
});

describe("a percentile", () => {
  const hundred = Array.from({ length: 100 }, (_, i) => i + 1);
  it.each([
    { of: hundred, share: 0.5, is: 50 },
    { of: hundred, share: 0.99, is: 99 },
    { of: hundred, share: 1, is: 100 },
    { of: [7], share: 0.5, is: 7 },
    { of: [], share: 0.5, is: null },
  ])("$share is $is", ({ of, share, is }) => {
    expect(percentile(of, share)).toBe(is);
  });
});
