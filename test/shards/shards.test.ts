/** Several databases: a schedule keeps its shard, lists merge, and a database that is down holds up nobody else. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { prune } from "../../src/watch/prune.ts";
import { HOUR, MINUTE, ring, runOccurrence, send } from "../worker/api.ts";
import { START } from "../worker/start.ts";

const NAMES = Array.from({ length: 12 }, (_, i) => `bell-${String(i).padStart(2, "0")}`);
const SHARDS = ["LEDGER", "LEDGER_1", "LEDGER_2"] as const;
const HOURLY = { trigger: { every: "1h" }, target: { queue: "EXTERNAL" } };

beforeEach(async () => {
  vi.useFakeTimers({ now: START, toFake: ["Date"] });
  for (const name of NAMES) await send("PUT", `/v1/schedules/${name}`, HOURLY);
});

async function schedulesIn(shard: (typeof SHARDS)[number]): Promise<string[]> {
  const { results } = await env[shard]
    .prepare("SELECT DISTINCT schedule FROM occurrences ORDER BY schedule")
    .all<{ schedule: string }>();
  return results.map(({ schedule }) => schedule.replace("default/", ""));
}

async function shardOf(name: string): Promise<(typeof SHARDS)[number]> {
  const row = await env.LEDGER.prepare("SELECT shard FROM schedules WHERE name = ?1")
    .bind(name)
    .first("shard");
  return row as (typeof SHARDS)[number];
}

async function countIn(shard: (typeof SHARDS)[number], table: string): Promise<number> {
  return Number(await env[shard].prepare(`SELECT count(*) AS n FROM ${table}`).first("n"));
}

describe("the shards of the ledger", () => {
  it("share the schedules among them, and each keeps the rows of its own", async () => {
    for (const name of NAMES) await ring(START + HOUR, name);
    const found = await Promise.all(SHARDS.map(schedulesIn));
    expect(found.flat().toSorted()).toEqual(NAMES);
    expect(found.every((names) => names.length > 0)).toBe(true);
    for (const [i, shard] of SHARDS.entries())
      for (const name of found[i]!) expect(await shardOf(name)).toBe(shard);
  });

  it("leave the directory in LEDGER", async () => {
    const counts = await Promise.all(SHARDS.map((shard) => countIn(shard, "schedules")));
    expect(counts).toEqual([NAMES.length, 0, 0]);
    expect(await Promise.all(SHARDS.map((shard) => countIn(shard, "changes")))).toEqual([NAMES.length, 0, 0]);
  });

  it("merge into one list, page by page, newest first", async () => {
    for (const hour of [1, 2]) for (const name of NAMES) await ring(START + hour * HOUR, name);
    const ids: string[] = [];
    let cursor: string | null = "";
    for (let page = 0; page < 10 && cursor !== null; page++) {
      const { body } = await send("GET", `/v1/occurrences?limit=5${cursor ? `&cursor=${cursor}` : ""}`);
      ids.push(...(body.items as { id: string }[]).map(({ id }) => id));
      cursor = body.nextCursor as string | null;
    }
    const slots = ["2093-12-01T02:00:00Z", "2093-12-01T01:00:00Z"];
    const newestFirst = NAMES.toReversed();
    expect(ids).toEqual(slots.flatMap((slot) => newestFirst.map((name) => `${name}@${slot}`)));
  });

  it("are asked for a schedule's history, audit, work and outcome, wherever it lies", async () => {
    for (const name of NAMES) {
      await ring(START + HOUR, name);
      await runOccurrence(`${name}@2093-12-01T01:00:00Z`);
      await ring(START + 3 * HOUR, name);
      vi.setSystemTime(START + 3 * HOUR + MINUTE);
      const path = `/v1/schedules/${name}`;
      const { body } = await send("GET", `${path}/occurrences`);
      expect(body.items).toMatchObject([
        { state: "dispatched" },
        { state: "skipped", reason: "coalesced" },
        { state: "succeeded" },
      ]);
      const range = "from=2093-12-01T00:30:00Z&to=2093-12-01T03:01:00Z";
      expect((await send("GET", `${path}/audit?${range}`)).body).toMatchObject({
        expected: 3,
        accounted: 3,
        discrepancies: [],
      });
      expect((await send("GET", `/v1/occurrences/${name}@2093-12-01T01:00:00Z`)).body).toMatchObject({
        state: "succeeded",
      });
    }
    const { body } = await send("GET", "/v1/work?queue=EXTERNAL&limit=100");
    expect((body.items as { schedule: string }[]).map(({ schedule }) => schedule).toSorted()).toEqual(NAMES);
  });

  it("bring an object back that lost its memory, from the shard that it had, though another takes new ones", async () => {
    const name = (await Promise.all(NAMES.map(async (name) => [name, await shardOf(name)] as const))).find(
      ([, shard]) => shard === "LEDGER_2",
    )![0];
    await ring(START + HOUR, name);
    await runInDurableObject(env.SCHEDULES.getByName(`default/${name}`), async (_, state) => {
      await state.storage.deleteAll();
      state.abort("lost");
    }).catch(() => null);
    vi.setSystemTime(START + HOUR + MINUTE);
    expect((await send("GET", `/v1/schedules/${name}`)).body).toMatchObject({
      cursor: "2093-12-01T01:00:00Z",
    });
    await ring(START + 2 * HOUR, name);
    const { results } = await env.LEDGER_2.prepare(
      "SELECT slot FROM occurrences WHERE schedule = ?1 ORDER BY slot",
    )
      .bind(`default/${name}`)
      .all<{ slot: number }>();
    expect(results.map(({ slot }) => (slot - START) / HOUR)).toEqual([1, 2]);
  });

  it("do not wait for one that is down: what it lacks comes later, and the sweep finds it", async () => {
    vi.spyOn(env.LEDGER_1, "batch").mockRejectedValue(new Error("D1_ERROR: down"));
    for (const name of NAMES) await ring(START + HOUR, name);
    expect(await schedulesIn("LEDGER_1")).toEqual([]);
    expect((await schedulesIn("LEDGER")).length + (await schedulesIn("LEDGER_2")).length).toBeGreaterThan(0);
    vi.restoreAllMocks();
    for (const name of NAMES) await ring(START + HOUR + MINUTE, name);
    expect((await Promise.all(SHARDS.map(schedulesIn))).flat().toSorted()).toEqual(NAMES);
  });

  it("are each pruned", async () => {
    for (const name of NAMES) {
      await ring(START + HOUR, name);
      await runOccurrence(`${name}@2093-12-01T01:00:00Z`);
    }
    const shards = new Map(SHARDS.map((name) => [name, env[name]]));
    await prune({ directory: env.LEDGER, shards }, START + 400 * 24 * HOUR);
    expect(await Promise.all(SHARDS.map((shard) => countIn(shard, "occurrences")))).toEqual([0, 0, 0]);
  });
});

describe("lanes of a target", () => {
  it("share its messages, and nobody may name them", async () => {
    const sent = { LIBRARY: 0, LIBRARY_2: 0 };
    for (const name of ["LIBRARY", "LIBRARY_2"] as const) {
      vi.spyOn(env[name], "send").mockImplementation(async () => {
        sent[name]++;
        return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } } as QueueSendBatchResponse;
      });
    }
    for (const name of NAMES) {
      const path = `/v1/schedules/laned-${name}`;
      await send("PUT", path, { ...HOURLY, target: { queue: "LIBRARY" } });
      await ring(START + HOUR, `laned-${name}`);
      vi.setSystemTime(START);
    }
    expect(sent.LIBRARY + sent.LIBRARY_2).toBe(NAMES.length);
    expect(Math.min(sent.LIBRARY, sent.LIBRARY_2)).toBeGreaterThan(0);
    const refused = await send("PUT", "/v1/schedules/other", { ...HOURLY, target: { queue: "LIBRARY_2" } });
    expect(refused).toMatchObject({ status: 422, body: { code: "unknown_queue" } });
  });
});
