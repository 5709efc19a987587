/** What every release left behind stays readable, and goes on: its objects, its ledger, its messages. */
import { applyD1Migrations, evictDurableObject, reset, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { consume, type Delivery } from "../../src/consumer/index.ts";
import type { ScheduleObject } from "../../src/schedule/object.ts";
import type { ScheduleStub } from "../../src/schedule/stub.ts";
import first from "../releases/0.1.0.json" with { type: "json" };
import second from "../releases/0.2.0.json" with { type: "json" };
import third from "../releases/0.3.0.json" with { type: "json" };
import { HOUR, MINUTE, send } from "./api.ts";
import { moveAhead, START } from "./start.ts";
import type { Release } from "./release.ts";

const RELEASES = moveAhead([first, second, third]) as unknown as Release[];

const objectOf = (name: string) =>
  env.SCHEDULES.getByName(`default/${name}`) as DurableObjectStub<ScheduleObject>;
const stubOf = (name: string) => objectOf(name) as unknown as ScheduleStub;
const read = async (name: string) => (await send("GET", `/v1/schedules/${name}`)).body;

async function ring(name: string, at: number): Promise<void> {
  vi.setSystemTime(at);
  await runInDurableObject(objectOf(name), (object) => object.alarm());
}

/** As the release left it: its own migrations, its rows, then the migrations of today. */
async function restore({ objects, ledger, migrations, at }: Release): Promise<void> {
  await reset();
  const known = env.MIGRATIONS.filter(({ name }) => migrations.includes(name));
  expect(known.map(({ name }) => name)).toEqual(migrations);
  await applyD1Migrations(env.LEDGER, known);
  for (const [table, rows] of Object.entries(ledger)) {
    for (const row of rows) await insertion(env.LEDGER, table, row).run();
  }
  await applyD1Migrations(env.LEDGER, env.MIGRATIONS);
  vi.useFakeTimers({ now: at, toFake: ["Date"] });
  for (const [key, { made, rows }] of Object.entries(objects)) {
    const object = env.SCHEDULES.getByName(key);
    await runInDurableObject(object, async (_, { storage }) => {
      await storage.deleteAll();
      for (const sql of made) storage.sql.exec(sql);
      for (const [table, own] of Object.entries(rows))
        for (const row of own)
          storage.sql.exec(insertInto(table, row), ...(Object.values(row) as SqlStorageValue[]));
    });
    await evictDurableObject(object); // the next instance loads what is stored
  }
}

function insertion(database: D1Database, table: string, row: Record<string, unknown>): D1PreparedStatement {
  return database.prepare(insertInto(table, row)).bind(...Object.values(row));
}

function insertInto(table: string, row: Record<string, unknown>): string {
  const names = Object.keys(row);
  return `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
}

async function report(message: Release["messages"][number]): Promise<unknown[]> {
  const started: unknown[] = [];
  const runs = {
    start: async (key: string) => {
      started.push(key);
      return { ok: false as const, error: { code: "settled", message: "over" } };
    },
  } as never;
  const delivery: Delivery = {
    body: message,
    ack: () => started.push("ack"),
    retry: () => started.push("retry"),
  };
  await consume(() => undefined, { runs: () => runs })({ messages: [delivery] }, {});
  return started;
}

describe.each(RELEASES)("release $version", (release) => {
  beforeEach(() => restore(release));

  it("knows every schedule as it was", async () => {
    const states = await Promise.all(
      Object.keys(release.objects).map((key) => read(key.replace("default/", ""))),
    );
    expect(states.map(({ state, code }) => state ?? code)).toEqual([
      "active",
      "active",
      "active",
      "paused",
      "active",
      "active",
      "not_found", // deleted: the tombstone is what is left
      "active",
    ]);
  });

  it("lets the running run end under the token that it was given", async () => {
    const head = JSON.parse(String(release.objects["default/bell-0"]!.rows["head"]![0]!["state"])) as {
      open: { slot: number; variant: string; token: number }[];
    };
    const [open] = head.open;
    const done = await stubOf("bell-0").complete(open!, { token: open!.token, result: 1 });
    expect(done).toMatchObject({ ok: true, value: { state: "succeeded", result: 1 } });
    await ring("bell-0", START + 6 * HOUR);
    const { body } = await send("GET", "/v1/schedules/bell-0/occurrences");
    expect(body.items).toMatchObject([
      { state: "dispatched" },
      { state: "succeeded" },
      { kind: "gap", reason: "coalesced", count: 3 },
      { state: "succeeded", result: { rows: 120 } },
    ]);
  });

  it("makes the retry that was due, and lets run what waits", async () => {
    for (const name of ["bell-1", "bell-2"]) {
      await ring(name, START + 5 * HOUR + 30 * MINUTE);
      const { body } = await send("GET", `/v1/schedules/${name}/occurrences`);
      expect(body.items).toContainEqual(expect.objectContaining({ state: "dispatched", attempt: 2 }));
    }
    expect(await read("bell-2")).toMatchObject({ open: { buffered: 4 } });
  });

  it("resumes what was paused", async () => {
    vi.setSystemTime(START + 6 * HOUR + MINUTE);
    const { status } = await send("POST", "/v1/schedules/bell-3/resume", { catchUp: "latest" });
    expect(status).toBe(200);
    expect(await read("bell-3")).toMatchObject({ state: "active", open: { dispatched: 1 } });
  });

  it("continues the numbers of what was deleted", async () => {
    const again = { trigger: { every: "1h" }, target: { queue: "LIBRARY" } };
    const { status, body } = await send("PUT", "/v1/schedules/bell-6", again);
    expect(status).toBe(201);
    expect(body).toMatchObject({ revision: 2 });
  });

  it("accounts for every slot, before and after", async () => {
    for (const key of Object.keys(release.objects)) await ring(key.replace("default/", ""), START + 8 * HOUR);
    vi.setSystemTime(START + 8 * HOUR + MINUTE);
    const { body } = await send("GET", "/v1/audit?from=2093-12-01T00:00:00Z&to=2093-12-01T08:01:00Z");
    expect(body).toMatchObject({ discrepancies: [], nextCursor: null });
    expect(body.accounted).toBe(body.expected);
    expect(body.expected).toBeGreaterThan(30);
  });

  it("has messages that the kit takes", async () => {
    for (const message of release.messages) {
      const isTracked = message.tracked;
      expect(await report(message)).toEqual(isTracked ? [message.key, "ack"] : ["ack"]);
    }
  });
});
