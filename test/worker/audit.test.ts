/** The proof over the real ledger: nothing is missing, or exactly what is; and what a ledger that lost everything does. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { ledgerOf } from "../../src/env.ts";
import type { ScheduleStub } from "../../src/schedule/stub.ts";
import { sweep } from "../../src/watch/sweep.ts";
import { HOUR, MINUTE, ring, runOccurrence, send } from "./api.ts";
import { START } from "./start.ts";

const PATH = "/v1/schedules/nightly";
const HOURLY = { trigger: { every: "1h" }, target: { queue: "EXTERNAL" }, tracked: false };
const iso = (at: number) => new Date(at).toISOString().replace(".000Z", "Z");

beforeEach(() => {
  vi.useFakeTimers({ now: START, toFake: ["Date"] });
});

/** Two hours on time, three missed, an edit, a pause of two hours, and one more. */
async function live(name = "nightly"): Promise<void> {
  const path = `/v1/schedules/${name}`;
  await send("PUT", path, HOURLY);
  for (const hour of [1, 2, 6]) await ring(START + hour * HOUR, name);
  await send("PATCH", path, { trigger: { every: "30m" } });
  await ring(START + 6.5 * HOUR, name);
  await send("POST", `${path}/pause`);
  vi.setSystemTime(START + 8.6 * HOUR);
  await send("POST", `${path}/resume`);
  await ring(START + 9 * HOUR, name);
  vi.setSystemTime(START + 9 * HOUR + MINUTE);
}

const audit = async (path = `${PATH}/audit`) => (await send("GET", path)).body;

describe("the audit of a schedule", () => {
  it("says that nothing is missing: 0 discrepancies", async () => {
    await live();
    await expect
      .poll(() => audit())
      .toEqual({ expected: 12, accounted: 12, discrepancies: [], prunedBefore: null, nextCursor: null });
    expect(
      await audit(`${PATH}/audit?from=${iso(START + 2 * HOUR)}&to=${iso(START + 4 * HOUR)}`),
    ).toMatchObject({ expected: 2, accounted: 2 });
  });

  it("does not judge what may still be on its way, and knows what the object holds", async () => {
    await send("PUT", PATH, { ...HOURLY, tracked: true, overlap: "buffer_all" });
    const down = vi.spyOn(env.LEDGER, "batch").mockRejectedValue(new Error("D1_ERROR: overloaded"));
    for (const hour of [1, 2, 3]) await ring(START + hour * HOUR);
    vi.setSystemTime(START + 3 * HOUR + 5_000);
    expect(await audit()).toMatchObject({ expected: 2, accounted: 2, discrepancies: [] });
    vi.setSystemTime(START + 3 * HOUR + MINUTE);
    expect(await audit()).toMatchObject({ expected: 3, accounted: 3, discrepancies: [] });
    down.mockRestore();
  });

  it("names the row that is gone, the gap row that miscounts, and the row that nothing names", async () => {
    await live();
    const schedule = "default/nightly";
    await env.LEDGER.prepare("DELETE FROM occurrences WHERE schedule = ?1 AND slot = ?2")
      .bind(schedule, START + 2 * HOUR)
      .run();
    await env.LEDGER.prepare("UPDATE gaps SET count = 2 WHERE schedule = ?1 AND reason = 'coalesced'")
      .bind(schedule)
      .run();
    await env.LEDGER.prepare("UPDATE occurrences SET slot = slot + 7 WHERE schedule = ?1 AND slot = ?2")
      .bind(schedule, START + 9 * HOUR)
      .run();
    expect(await audit()).toMatchObject({
      expected: 12,
      accounted: 10,
      discrepancies: [
        { schedule: "nightly", kind: "miscounted", slot: iso(START + 3 * HOUR) },
        { kind: "missing", slot: iso(START + 2 * HOUR), found: "nothing" },
        { kind: "missing", slot: iso(START + 9 * HOUR) },
        { kind: "unnamed", slot: "2093-12-01T09:00:00.007Z" },
      ],
    });
  });

  it("judges nothing beyond the retention, and says so", async () => {
    await send("PUT", PATH, { ...HOURLY, retention: "2h" });
    for (let hour = 1; hour <= 5; hour++) await ring(START + hour * HOUR);
    vi.setSystemTime(START + 5 * HOUR + MINUTE);
    await env.LEDGER.prepare("DELETE FROM occurrences WHERE slot < ?1")
      .bind(START + 3 * HOUR)
      .run();
    expect(await audit()).toMatchObject({
      expected: 2,
      discrepancies: [],
      prunedBefore: iso(START + 3 * HOUR + MINUTE),
    });
  });

  it("follows the chain of a fixed delay", async () => {
    await send("PUT", PATH, { trigger: { after: "10m" }, target: { queue: "EXTERNAL" } });
    let due = START + 10 * MINUTE;
    for (let n = 0; n < 3; n++) {
      await ring(due);
      vi.setSystemTime(due + MINUTE);
      await runOccurrence(`nightly@${iso(due)}`);
      due += 11 * MINUTE;
    }
    await expect.poll(() => audit()).toMatchObject({ expected: 3, accounted: 3, discrepancies: [] });
    await env.LEDGER.prepare("DELETE FROM occurrences WHERE slot = ?1")
      .bind(START + 21 * MINUTE)
      .run();
    expect(await audit()).toMatchObject({
      discrepancies: [{ kind: "broken_chain", slot: iso(START + 21 * MINUTE) }],
    });
  });

  it("is 404 where nobody was ever", async () => {
    expect(await audit("/v1/schedules/nobody/audit")).toMatchObject({ code: "not_found" });
  });
});

describe("the audit of a namespace", () => {
  it("adds up all schedules, deleted ones included, page by page", async () => {
    for (let n = 0; n < 18; n++) {
      vi.setSystemTime(START);
      await send("PUT", `/v1/schedules/s${n}`, HOURLY);
      await ring(START + HOUR, `s${n}`);
    }
    await send("DELETE", "/v1/schedules/s3");
    vi.setSystemTime(START + HOUR + MINUTE);
    await env.LEDGER.prepare("DELETE FROM occurrences WHERE schedule = 'default/s5'").run();
    const first = await audit("/v1/audit");
    expect(first).toMatchObject({ expected: 16, nextCursor: expect.any(String) });
    const second = await audit(`/v1/audit?cursor=${String(first.nextCursor)}`);
    expect(second).toMatchObject({ expected: 2, nextCursor: null });
    expect([...(first.discrepancies as object[]), ...(second.discrepancies as object[])]).toMatchObject([
      { schedule: "s5", kind: "missing", slot: iso(START + HOUR) },
    ]);
  });

  it("reads rows by key, and scans none", async () => {
    const plan = async (sql: string, ...values: unknown[]) => {
      const { results } = await env.LEDGER.prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .bind(...values)
        .all<{ detail: string }>();
      return results
        .map(({ detail }) => detail)
        .filter((detail) => detail.startsWith("SCAN") && !/named|asked|json_each|subquery/.test(detail));
    };
    const seen: { sql: string; values: unknown[] }[] = [];
    const prepare = env.LEDGER.prepare.bind(env.LEDGER);
    await live();
    vi.spyOn(env.LEDGER, "prepare").mockImplementation((sql) => {
      const statement = prepare(sql);
      const bind = statement.bind.bind(statement);
      statement.bind = (...values) => {
        if (/^\s*SELECT/.test(sql)) seen.push({ sql, values });
        return bind(...values);
      };
      return statement;
    });
    await audit("/v1/audit");
    await audit();
    await send("GET", `${PATH}/explain?at=${iso(START + HOUR)}`);
    await send("POST", `${PATH}/backfill`, { from: iso(START), to: iso(START + HOUR + 1), dryRun: true });
    await send("GET", `${PATH}/revisions`);
    vi.restoreAllMocks();
    expect(seen.length).toBeGreaterThan(10);
    for (const { sql, values } of seen) expect(await plan(sql, ...values), sql).toEqual([]);
  });
});

describe("a ledger that lost everything, an object that lost everything", () => {
  const LIBRARY = { ...HOURLY, target: { queue: "LIBRARY" } };
  const wake = () =>
    sweep(
      {
        directory: env.LEDGER,
        shard: (name) => ledgerOf(env, name),
        schedule: (namespace, name) =>
          env.SCHEDULES.getByName(`${namespace}/${name}`) as unknown as ScheduleStub,
      },
      Date.now(),
    );
  const sent: string[] = [];

  beforeEach(() => {
    sent.length = 0;
    const answer = { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } } as QueueSendBatchResponse;
    const note = (body: unknown) => sent.push((body as { id: string }).id);
    vi.spyOn(env.LIBRARY, "send").mockImplementation(async (body) => {
      note(body);
      return answer;
    });
    vi.spyOn(env.LIBRARY, "sendBatch").mockImplementation(async (batch) => {
      for (const { body } of batch) note(body);
      return answer;
    });
  });

  const slots = (...hours: number[]) => hours.map((hour) => `nightly@${iso(START + hour * HOUR)}`);

  it.each([
    { name: "its occurrences and gap rows", tables: ["occurrences", "gaps"] },
    { name: "every row of the schedule", tables: ["occurrences", "gaps", "changes", "schedules"] },
  ])("rows: without $name, sweeping and poking runs no slot twice", async ({ tables }) => {
    await send("PUT", PATH, LIBRARY);
    for (const hour of [1, 2]) await ring(START + hour * HOUR);
    await expect.poll(() => sent).toEqual(slots(1, 2));
    for (const table of tables) await env.LEDGER.prepare(`DELETE FROM ${table}`).run();
    await evictDurableObject(env.SCHEDULES.getByName("default/nightly"));
    vi.setSystemTime(START + 2 * HOUR + 10 * MINUTE);
    await wake();
    await env.SCHEDULES.getByName("default/nightly").poke();
    await wake();
    expect(sent).toEqual(slots(1, 2));
    await ring(START + 3 * HOUR);
    expect(sent).toEqual(slots(1, 2, 3));
  });

  it("storage: an empty object continues after what the ledger knows", async () => {
    await send("PUT", PATH, LIBRARY);
    for (const hour of [1, 2]) await ring(START + hour * HOUR);
    await expect.poll(() => sent).toEqual(slots(1, 2));
    await runInDurableObject(env.SCHEDULES.getByName("default/nightly"), (_, state) =>
      state.storage.deleteAll(),
    );
    await evictDurableObject(env.SCHEDULES.getByName("default/nightly"));
    vi.setSystemTime(START + 2 * HOUR + 10 * MINUTE);
    await wake();
    await env.SCHEDULES.getByName("default/nightly").poke();
    expect(new Set(sent)).toEqual(new Set(slots(1, 2)));
    await ring(START + 3 * HOUR);
    expect(sent.filter((id) => id === slots(3)[0])).toHaveLength(1);
    await expect.poll(async () => (await audit()).discrepancies).toEqual([]);
  });
});
