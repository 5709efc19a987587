/** Lists and history over a large ledger: what each call reads, how it is looked up, and how long it takes. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { gather } from "../../src/watch/evidence.ts";
import { watchedAfter } from "../../src/ledger/watched.ts";
import { openLedger } from "../../src/ledger/reads.ts";
import { changeTo, MINUTE, NOW, record, schedule } from "./rows.ts";

const SCHEDULES = 100;
/** CARILLON_ROWS=1000000: a million takes ten seconds to fill. */
const ROWS = Number(env.CARILLON_ROWS ?? 50_000);
const CHUNK = 50_000;
const READ_MAX = 500;
const RUNS = 5;

/** Every minute a hundred schedules: one in a hundred failed, one in fifty was skipped, a gap row now and then. */
async function fill(): Promise<void> {
  const definition = { trigger: { every: "PT1M" }, target: { queue: "LIBRARY" } };
  const names = Array.from({ length: SCHEDULES }, (_, i) => `s-${i}`);
  await record(...names.map((name) => schedule(name, { definition, cursor: 1 })));
  await record(...names.map((name) => changeTo(0, definition, { cursor: 0 }, name)));
  for (let from = 0; from < ROWS; from += CHUNK) {
    await env.LEDGER.prepare(
      `INSERT INTO occurrences (slot, schedule, variant, version, kind, revision, state, reason, effective_at, claimed_at,
         dispatched_at, started_at, finished_at, attempt, attention, computed, body)
       WITH RECURSIVE series(n) AS (SELECT CAST(?1 AS INTEGER) UNION ALL SELECT n + 1 FROM series WHERE n < ?2 - 1)
       SELECT ?3 - (n / 100) * 60000, 'default/s-' || (n % 100), '', n + 1, 'scheduled', 1,
         CASE WHEN n % 101 = 0 THEN 'failed' WHEN n % 53 = 0 THEN 'skipped' ELSE 'succeeded' END,
         CASE WHEN n % 101 = 0 THEN 'max_attempts' WHEN n % 53 = 0 THEN 'overlap' END,
         0, 0, 0, 0, 0, 1, n % 101 = 0 OR n % 53 = 0, 1, ?4 FROM series`,
    )
      .bind(from, Math.min(from + CHUNK, ROWS), NOW, BODY)
      .run();
  }
  await env.LEDGER.prepare(
    `INSERT INTO gaps (schedule, from_at, to_at, count, reason, revision, version)
     WITH RECURSIVE series(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM series WHERE n < ?1 - 1)
     SELECT 'default/s-' || (n % 100), ?2 - n * 60000 - 30000, ?2 - n * 60000 - 29000, 2, 'missed', 1, 1 FROM series`,
  )
    .bind(Math.floor(ROWS / 100), NOW)
    .run();
}

const BODY = JSON.stringify({
  localTime: "2093-12-01T00:00:00+00:00",
  timezones: ["UTC"],
  locals: [{ timezone: "UTC", localTime: "2093-12-01T00:00:00+00:00", businessDate: "2093-12-01" }],
  businessDate: "2093-12-01",
  tracked: true,
  attempts: [],
  progress: null,
  result: { rows: 120 },
  error: null,
  replayOf: null,
  leaseUntil: null,
});

interface Statement {
  sql: string;
  binds: unknown[];
}

/** The database, and what it is asked. */
function watched(asked: Statement[]): D1Database {
  return new Proxy(env.LEDGER, {
    get(target, name) {
      if (name !== "prepare") return Reflect.get(target, name) as unknown;
      return (sql: string) => {
        const statement = target.prepare(sql);
        const bind = statement.bind.bind(statement);
        statement.bind = (...binds) => {
          asked.push({ sql, binds });
          return bind(...binds);
        };
        return statement;
      };
    },
  });
}

/** What all statements of a call read together, how they find it, and how long the call takes. */
async function measure(call: (db: D1Database) => Promise<unknown>) {
  const asked: Statement[] = [];
  await call(watched(asked));
  let read = 0;
  const scans: string[] = [];
  for (const { sql, binds } of asked) {
    const { meta } = await env.LEDGER.prepare(sql)
      .bind(...binds)
      .all();
    read += meta.rows_read;
    const { results } = await env.LEDGER.prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .bind(...binds)
      .all<{ detail: string }>();
    scans.push(
      ...results
        .map(({ detail }) => detail)
        .filter((detail) => /^SCAN (occurrences|o|gaps|g)\b/.test(detail)),
    );
  }
  return { read, scans, ms: await quickest(() => call(env.LEDGER)) };
}

/** The best of a few: what else the machine does at the time is not the ledger's. */
async function quickest(call: () => Promise<unknown>): Promise<number> {
  let best = Infinity;
  for (let i = 0; i < RUNS; i++) {
    const startedAt = performance.now();
    await call();
    best = Math.min(best, performance.now() - startedAt);
  }
  return best;
}

const page = {
  namespace: "default",
  schedules: null,
  from: 0,
  limit: 50,
  state: null,
  reason: null,
  kind: null,
} as const;
const deep = NOW - Math.floor(ROWS / 200) * MINUTE;
const start = { slot: NOW + MINUTE, schedule: "", variant: "" };
const middle = { slot: deep, schedule: "default/s-50", variant: "" };
const open = (db: D1Database) => openLedger(new Map([["LEDGER", db]]));

async function history(db: D1Database, before: typeof middle | null) {
  const ledger = open(db);
  const entry = await ledger.schedule("default", "s-7");
  return ledger.history(entry!, { from: 0, to: NOW + 1, before, limit: 50 });
}

const CALLS: { name: string; call: (db: D1Database) => Promise<unknown> }[] = [
  { name: "all schedules, newest", call: (db) => open(db).occurrences({ ...page, before: start }) },
  { name: "all schedules, from the middle", call: (db) => open(db).occurrences({ ...page, before: middle }) },
  { name: "failed ones", call: (db) => open(db).occurrences({ ...page, state: "failed", before: middle }) },
  { name: "skipped ones", call: (db) => open(db).occurrences({ ...page, state: "skipped", before: middle }) },
  {
    name: "succeeded ones",
    call: (db) => open(db).occurrences({ ...page, state: "succeeded", before: start }),
  },
  { name: "by reason", call: (db) => open(db).occurrences({ ...page, reason: "overlap", before: middle }) },
  { name: "gap rows alone", call: (db) => open(db).occurrences({ ...page, kind: "gap", before: middle }) },
  { name: "one schedule's history, newest", call: (db) => history(db, null) },
  {
    name: "one schedule's history, from the middle",
    call: (db) => history(db, { ...middle, schedule: "default/s-7" }),
  },
  {
    name: "one occurrence",
    call: (db) => open(db).occurrence("default", "s-7", { slot: deep, variant: "" }),
  },
];

describe(`a ledger of ${ROWS} occurrences`, () => {
  beforeEach(fill, 120_000);

  it("is read by the page, whichever list is asked for", async () => {
    for (const { name, call } of CALLS) {
      const { read, scans, ms } = await measure(call);
      console.log(`${name.padEnd(42)} ${String(read).padStart(6)} rows ${ms.toFixed(1).padStart(7)} ms`);
      expect(
        scans.filter((detail) => !detail.includes("USING")),
        name,
      ).toEqual([]);
      expect(read, name).toBeLessThanOrEqual(READ_MAX);
    }
    const sweep = await measure(async (db) => {
      const shard = () => db;
      await gather(await watchedAfter(db, "", 500), { directory: db, shard }, NOW);
    });
    console.log(
      `${"a pass over 100 schedules".padEnd(42)} ${String(sweep.read).padStart(6)} rows ${sweep.ms.toFixed(1).padStart(7)} ms`,
    );
    expect(sweep.scans).toEqual([]);
    expect(sweep.read).toBeLessThanOrEqual(20 * SCHEDULES);
  });
});
