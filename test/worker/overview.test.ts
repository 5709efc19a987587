/** What the dashboard's first page reads: right, by index, and bounded. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/ledger/directory.ts";
import { dayBehind, unwellSchedules } from "../../src/ledger/overview.ts";
import { beside, gap, HOUR, ledger, MINUTE, NOW, occurrence, record, schedule } from "./rows.ts";

const PART = { namespace: "default", schedules: null };
const DAY = { ...PART, from: NOW - 2 * HOUR, bucketMs: HOUR, buckets: 2, bounds: [50, 1_000] };
const of = (name: string, namespace = "default") => ({ schedule: `${namespace}/${name}` });

describe("the day behind", () => {
  it("is summed by bucket: by state, and by how late its slots left", async () => {
    const late = (slot: number, ms: number, more: object = {}) =>
      occurrence(slot, { dispatched_at: slot + ms, ...more });
    await record(
      late(NOW - 2 * HOUR, 20, of("a")),
      late(NOW - 90 * MINUTE, 900, { ...of("b"), state: "failed" }),
      late(NOW - HOUR, 5_000, of("a")),
      occurrence(NOW - 30 * MINUTE, { ...of("a"), state: "skipped", dispatched_at: null }),
      beside(NOW - 20 * MINUTE, "~m1"),
      // none of these
      late(NOW - 2 * HOUR - 1, 20, of("a")),
      late(NOW, 20, of("a")),
      late(NOW - HOUR, 20, of("a", "default-2")),
    );
    const { buckets } = await ledger.dayBehind(DAY);
    expect(buckets).toMatchObject([
      { total: 2, byState: { succeeded: 1, failed: 1, skipped: 0 }, measured: 2, atMost: [1, 2] },
      { total: 3, byState: { succeeded: 2, failed: 0, skipped: 1 }, measured: 1, atMost: [0, 0] },
    ]);
    const [first] = (await ledger.dayBehind({ ...DAY, schedules: ["b"] })).buckets;
    expect(first).toMatchObject({ total: 1, byState: { succeeded: 0, failed: 1 } });
  });

  it("has the gap rows that reach into it", async () => {
    await record(
      gap(NOW - 10 * HOUR, NOW - HOUR, { count: 7 }),
      gap(NOW - 10 * HOUR, NOW - 9 * HOUR, of("old")),
      gap(NOW - HOUR, NOW, of("a", "billing")),
    );
    const { gaps } = await ledger.dayBehind(DAY);
    expect(gaps).toMatchObject([{ from_at: NOW - 10 * HOUR, to_at: NOW - HOUR, count: 7 }]);
  });

  it("is found in the order in which rows stand: nothing is scanned or sorted", async () => {
    const plans = await planOf((db) => dayBehind(db, DAY));
    expect(
      plans.some((plan) => /SEARCH occurrences USING PRIMARY KEY \(slot>\? AND slot<\?\)/.test(plan)),
    ).toBe(true);
    expect(plans.filter((plan) => /SCAN occurrences|TEMP B-TREE/.test(plan))).toEqual([]);
  });
});

describe("the ill", () => {
  it("are found among many by an index of their own, those changed last first", async () => {
    await record(
      schedule("a", { health: "failing", updated_at: 1 }),
      schedule("b", { health: "late", updated_at: 2 }),
      schedule("c", { health: "healthy" }),
      schedule("d", { health: "failing", state: "paused" }),
    );
    const found = await ledger.unwell({ ...PART, limit: 10 });
    expect(found.map(({ name }) => name)).toEqual(["b", "a"]);
    expect(await ledger.unwell({ ...PART, schedules: ["a"], limit: 10 })).toHaveLength(1);
    const plans = await planOf((db) => unwellSchedules(db, { ...PART, limit: 10 }));
    expect(plans).toContainEqual(expect.stringContaining("USING INDEX unwell (namespace=?)"));
    expect(plans).not.toContainEqual(expect.stringContaining("TEMP B-TREE"));
  });
});

describe("rules, runs and outcomes", () => {
  it("rules are counted over the schedules that share them", async () => {
    const definition = { trigger: { every: "PT1H" }, target: { queue: "LIBRARY" } };
    await record(
      schedule("a", { definition }),
      schedule("b", { definition: { ...definition, payload: 1 } }),
      schedule("c", { definition: { ...definition, jitterMs: 60_000, startAt: 5 } }),
      schedule("d", { definition, state: "paused" }),
    );
    expect(await ledger.rulesAhead(PART)).toEqual([
      { trigger: { every: "PT1H" }, exclude: [], startAt: null, endAt: null, jitterMs: 0, count: 2 },
      { trigger: { every: "PT1H" }, exclude: [], startAt: 5, endAt: null, jitterMs: 60_000, count: 1 },
    ]);
  });

  it("what is under way is what the ledger has heard of", async () => {
    await record(
      occurrence(NOW - 1, { state: "running" }),
      occurrence(NOW - 2, { state: "retrying" }),
      occurrence(NOW - 3, { state: "failed" }),
      occurrence(NOW - 4, { state: "running", ...of("a", "billing") }),
    );
    const runs = await ledger.inFlight({ ...PART, limit: 10 });
    expect(runs.map(({ state }) => state)).toEqual(["running", "retrying"]);
  });

  it("a slot's outcome is its row, or the gap row that it lies in", async () => {
    await record(occurrence(NOW, of("a")), gap(NOW - HOUR, NOW, of("b")));
    const wanted = ["a", "b", "c"].map((name) => ({
      entry: { namespace: "default", name, shard: "LEDGER" } as Entry,
      slot: NOW,
    }));
    expect([...(await ledger.outcomes(wanted))]).toEqual([
      ["b", { slot: NOW, state: "skipped" }],
      ["a", { slot: NOW, state: "succeeded" }],
    ]);
  });

  it("namespaces are those that have a schedule", async () => {
    expect(await ledger.namespaces()).toEqual([]);
    await record(schedule("a"), schedule("b"), schedule("a", { namespace: "billing" }));
    expect(await ledger.namespaces()).toEqual(["billing", "default"]);
  });
});

/** How the database goes about what a call asks. */
async function planOf(call: (db: D1Database) => Promise<unknown>): Promise<string[]> {
  const plans: string[] = [];
  const watched = new Proxy(env.LEDGER, {
    get(target, name) {
      if (name !== "prepare") return Reflect.get(target, name) as unknown;
      return (sql: string) => ({
        bind: (...binds: unknown[]) => ({
          async all() {
            const { results } = await target
              .prepare(`EXPLAIN QUERY PLAN ${sql}`)
              .bind(...binds)
              .all<{ detail: string }>();
            plans.push(...results.map(({ detail }) => detail));
            return { results: [] };
          },
        }),
      });
    },
  });
  await call(watched);
  return plans;
}
