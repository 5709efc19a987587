/** Retention: what goes, what stays, how far one pass goes, and what is on record of it. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { BOUNDS } from "../../src/core/limits.ts";
import { prunedBefore } from "../../src/ledger/prune.ts";
import { prune } from "../../src/watch/prune.ts";
import { change, changeTo, gap, HOUR, ledger, MINUTE, NOW, occurrence, record, schedule } from "./rows.ts";

const DAY = 24 * HOUR;
const world = { directory: env.LEDGER, shards: new Map([["LEDGER", env.LEDGER]]) };
const pass = () => prune(world, NOW);

const keeping = (name: string, retentionMs?: number) =>
  schedule(name, {
    definition: {
      trigger: { every: "PT1H" },
      target: { queue: "LIBRARY" },
      ...(retentionMs === undefined ? {} : { retentionMs }),
    },
  });

async function slotsOf(name: string): Promise<number[]> {
  const { results } = await env.LEDGER.prepare(
    "SELECT slot FROM occurrences WHERE schedule = ?1 ORDER BY slot",
  )
    .bind(`default/${name}`)
    .all<{ slot: number }>();
  return results.map(({ slot }) => (slot - NOW) / DAY);
}

const daysOf = (name: string, ...days: number[]) =>
  record(...days.map((day) => occurrence(NOW + day * DAY, { schedule: `default/${name}` })));

describe("occurrences", () => {
  it("go by their schedule's retention, or after 90 days", async () => {
    await record(keeping("nightly"), keeping("brief", 2 * DAY), keeping("long", 365 * DAY));
    for (const name of ["nightly", "brief", "long"]) await daysOf(name, -400, -100, -91, -90, -3, -2, -1);
    expect(await pass()).toEqual({ occurrences: 3 + 5 + 1, gaps: 0, changes: 0, alerts: 0, answers: 0 });
    expect(await slotsOf("nightly")).toEqual([-90, -3, -2, -1]);
    expect(await slotsOf("brief")).toEqual([-2, -1]);
    expect(await slotsOf("long")).toEqual([-100, -91, -90, -3, -2, -1]);
    expect(await prunedBefore(env.LEDGER, "default/brief")).toBe(NOW - 2 * DAY);
    expect(await prunedBefore(env.LEDGER, "default/nightly")).toBe(NOW - 90 * DAY);
  });

  it("stay while they are open, and count from their end: a backfill runs old slots today", async () => {
    await record(keeping("nightly", DAY));
    const old = (days: number, more: object) =>
      occurrence(NOW - days * DAY, { schedule: "default/nightly", variant: "~b1", ...more });
    await record(
      old(40, { state: "dispatched", finished_at: null }),
      old(39, { state: "succeeded", finished_at: NOW - MINUTE }),
      old(38, { state: "buffered", finished_at: null }),
      old(37, { state: "succeeded", finished_at: NOW - 2 * DAY }),
    );
    expect(await pass()).toMatchObject({ occurrences: 1 });
    expect(await slotsOf("nightly")).toEqual([-40, -39, -38]);
  });

  it("that have gone are not missed, though their schedule keeps more now than it did", async () => {
    const hourly = { trigger: { every: "PT24H" }, target: { queue: "LIBRARY" } };
    await record(keeping("nightly", DAY), changeTo(NOW - 10 * DAY, hourly, { cursor: NOW - 10 * DAY }));
    await daysOf("nightly", -9, -8, -7, -6, -5, -4, -3, -2, -1, 0);
    expect(await pass()).toMatchObject({ occurrences: 8 });
    await record(keeping("nightly", 365 * DAY));
    const entry = await ledger.schedule("default", "nightly");
    const query = {
      from: 0,
      upTo: NOW,
      now: NOW,
      settledAt: NOW,
      knowledge: null,
      place: null,
      limit: 100,
      strays: false,
    };
    expect(await ledger.audit(entry!, query)).toMatchObject({
      expected: 2,
      accounted: 2,
      discrepancies: [],
      prunedBefore: NOW - DAY,
    });
  });

  it("of which none has gone are on record as complete", async () => {
    await record(keeping("nightly"));
    await daysOf("nightly", -3, -2);
    expect(await pass()).toMatchObject({ occurrences: 0 });
    expect(await prunedBefore(env.LEDGER, "default/nightly")).toBeNull();
  });

  it("stay while they have not ended, and while the directory does not know whose they are", async () => {
    await record(
      keeping("nightly", DAY),
      occurrence(NOW - 5 * DAY, { state: "running" }),
      occurrence(NOW - 4 * DAY, { schedule: "default/stranger" }),
    );
    expect(await pass()).toMatchObject({ occurrences: 0 });
  });

  it("go in bounded stretches while there are any to go, and the walk goes round among those that stay", async () => {
    await record(keeping("nightly", 365 * DAY), keeping("brief", DAY));
    const count = 2 * BOUNDS.PRUNED_AT_ONCE + 50;
    await env.LEDGER.prepare(
      `INSERT INTO occurrences (slot, schedule, variant, version, kind, revision, state, effective_at, attempt, attention,
         computed, body)
       WITH RECURSIVE series(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM series WHERE n < ?2 - 1)
       SELECT ?1 + n * ?3, CASE WHEN n >= ?4 AND n % 2 THEN 'default/brief' ELSE 'default/nightly' END, '', 1,
         'scheduled', 1, 'succeeded', 0, 1, 0, 1, '{}' FROM series`,
    )
      .bind(NOW - 100 * DAY, count, MINUTE, BOUNDS.PRUNED_AT_ONCE)
      .run();
    // Of the first stretch none goes, so the pass ends there; the next two are taken in one.
    expect(await pass()).toMatchObject({ occurrences: 0 });
    expect(await pass()).toMatchObject({ occurrences: BOUNDS.PRUNED_AT_ONCE / 2 + 25 });
    expect(await slotsOf("brief")).toEqual([]);
    expect(await slotsOf("nightly")).toHaveLength(count - BOUNDS.PRUNED_AT_ONCE / 2 - 25);
  });

  it("cost nothing where none is old", async () => {
    await record(keeping("nightly"));
    await daysOf("nightly", -0.01);
    await pass();
    const { results } = await env.LEDGER.prepare("SELECT * FROM prune_state").all();
    expect(results).toEqual([]);
  });
});

describe("what stands beside them", () => {
  it("gap rows go when their last slot is too old", async () => {
    await record(
      keeping("nightly", 10 * DAY),
      gap(NOW - 30 * DAY, NOW - 20 * DAY),
      gap(NOW - 12 * DAY, NOW - 9 * DAY),
      gap(NOW - 5 * DAY, NOW - 4 * DAY),
    );
    expect(await pass()).toMatchObject({ gaps: 1 });
    expect(await prunedBefore(env.LEDGER, "default/nightly")).toBe(NOW - 10 * DAY);
  });

  it("changes stay as far back as they say what was in force within the retention", async () => {
    await record(
      keeping("nightly", 10 * DAY),
      change(NOW - 40 * DAY, "PT1H"),
      change(NOW - 30 * DAY, "PT2H"),
      change(NOW - 20 * DAY, "PT3H"),
      change(NOW - 5 * DAY, "PT4H"),
    );
    expect(await pass()).toMatchObject({ changes: 2 });
    const { results } = await env.LEDGER.prepare("SELECT at FROM changes ORDER BY at").all<{ at: number }>();
    expect(results.map(({ at }) => (at - NOW) / DAY)).toEqual([-20, -5]);
  });

  it("alerts go 90 days after they were resolved; open ones stay", async () => {
    const insert = env.LEDGER.prepare(
      "INSERT INTO alerts (schedule, kind, raised_at, resolved_at, message) VALUES ('default/a', ?1, ?2, ?3, '')",
    );
    await insert.bind("queue_wait", NOW - 200 * DAY, NOW - 100 * DAY).run();
    await insert.bind("stale_lease", NOW - 200 * DAY, NOW - 10 * DAY).run();
    await insert.bind("auto_paused", NOW - 200 * DAY, null).run();
    expect(await pass()).toMatchObject({ alerts: 1 });
  });
});
