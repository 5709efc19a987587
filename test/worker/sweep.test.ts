/** The sweep over a real ledger and real objects: what it finds, mends, leaves alone, and how far one pass goes. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { BOUNDS } from "../../src/core/limits.ts";
import type { ScheduleStub } from "../../src/schedule/stub.ts";
import { hasActiveSince } from "../../src/ledger/sweep.ts";
import { lookAfter } from "../../src/watch/pass.ts";
import { addressOf, createBell, type Bell } from "./bell.ts";
import { START } from "./start.ts";
import { record, schedule } from "./rows.ts";
import { alerts, pass, nobody, watchOver } from "./watch.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DUE = START + HOUR;

const dropAlarm = (bell: Bell) => runInDurableObject(bell.object, (_, state) => state.storage.deleteAlarm());

async function run(bell: Bell): Promise<void> {
  const at = addressOf(bell.sent.at(-1)!);
  const started = await bell.stub.start(at, { attempt: 1, worker: "w" });
  if (!started.ok) throw new Error(started.error.code);
  await bell.stub.complete(at, { token: started.value.token });
  await expect.poll(() => bell.rows().then((rows) => rows.at(-1))).toMatchObject({ state: "succeeded" });
}

describe("a pass", () => {
  it("leaves alone what is well, and writes one row", async () => {
    const bell = await createBell();
    await bell.ring(DUE);
    await run(bell);
    const written = vi.spyOn(env.LEDGER, "prepare");
    expect(await pass(DUE + MINUTE)).toEqual({
      looked: 1,
      poked: 0,
      failed: 0,
      redispatched: 0,
      expired: 0,
      alerts: 0,
    });
    const writes = written.mock.calls.map(([sql]) => sql).filter((sql) => /^\s*(INSERT|DELETE)/.test(sql));
    expect(writes).toHaveLength(1);
    expect(await alerts()).toEqual([]);
  });

  it("finds the slot of a fixed delay that its chain announced, and its object slept through", async () => {
    const bell = await createBell({ trigger: { after: "PT1H" } });
    await bell.ring(DUE);
    await run(bell);
    await dropAlarm(bell);
    await evictDurableObject(bell.object);
    expect(await pass(DUE + 30 * MINUTE)).toMatchObject({ poked: 0 });
    expect(await pass(DUE + HOUR + MINUTE)).toMatchObject({ poked: 1 });
    expect(bell.sent).toHaveLength(2);
    expect(await pass(DUE + HOUR + MINUTE)).toMatchObject({ poked: 0 });
  });

  it("looks after a one-off until its run has ended, though nothing lies ahead of it", async () => {
    const bell = await createBell({ trigger: { at: new Date(DUE).toISOString() } });
    await bell.ring(DUE);
    expect(await bell.stub.read()).toMatchObject({ value: { state: "completed" } });
    await dropAlarm(bell);
    await evictDurableObject(bell.object);
    expect(await hasActiveSince(env.LEDGER, DUE)).toBe(true); // so a late sweep shows in /healthz
    expect(await pass(DUE + 10 * MINUTE)).toMatchObject({ looked: 1, poked: 0 });
    expect(await pass(DUE + HOUR)).toMatchObject({ poked: 1, alerts: 1 });
    expect(bell.sent).toHaveLength(1); // nobody has ever reported: its health says so, and nothing is sent again
    expect(await alerts()).toEqual(["overdue_result open"]);
    await run(bell);
    expect(await pass(DUE + HOUR + MINUTE)).toMatchObject({ looked: 0 });
    expect(await hasActiveSince(env.LEDGER, DUE)).toBe(false);
    expect(await alerts()).toEqual(["overdue_result resolved"]);
  });

  it("looks after what was deleted until its runs have ended: a retry is not owed, its lease ends", async () => {
    const bell = await createBell();
    await bell.ring(DUE);
    const started = await bell.stub.start(addressOf(bell.sent.at(-1)!), { attempt: 1, worker: "w" });
    expect(started.ok).toBe(true);
    await bell.stub.remove({ who: "test" });
    await dropAlarm(bell);
    await evictDurableObject(bell.object);
    expect(await pass(DUE + HOUR)).toMatchObject({ looked: 1, poked: 1 });
    await expect.poll(() => bell.rows()).toMatchObject([{ slot: DUE, state: "failed" }]);
    expect(await pass(DUE + HOUR + MINUTE)).toMatchObject({ looked: 0, poked: 0 });
  });

  it("finds the first slot of a fixed delay by the schedule's own row", async () => {
    const bell = await createBell({ trigger: { after: "PT1H" } });
    await dropAlarm(bell);
    await evictDurableObject(bell.object);
    expect(await pass(DUE + MINUTE)).toMatchObject({ poked: 1 });
    expect(bell.sent).toHaveLength(1);
  });

  it("finds a retry that nobody made", async () => {
    const bell = await createBell({ retry: { initialMs: 10_000, jitter: 0 } });
    await bell.ring(DUE);
    const at = addressOf(bell.sent[0]!);
    const started = await bell.stub.start(at, { attempt: 1, worker: "w" });
    if (!started.ok) throw new Error(started.error.code);
    await bell.stub.fail(at, { token: started.value.token, error: "no" });
    await expect.poll(() => bell.rows()).toMatchObject([{ state: "retrying" }]);
    await dropAlarm(bell);
    await evictDurableObject(bell.object);
    expect(await pass(DUE + MINUTE)).toMatchObject({ poked: 1, redispatched: 1 });
    expect(bell.sent.map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it("has a message sent again that nobody started in time", async () => {
    const bell = await createBell({ trigger: { every: "PT2H" }, timeouts: { startMs: 5 * MINUTE } });
    await bell.ring(START + 2 * HOUR);
    await run(bell);
    await bell.ring(START + 4 * HOUR);
    await dropAlarm(bell);
    await evictDurableObject(bell.object);
    expect(await pass(START + 4 * HOUR + 6 * MINUTE)).toMatchObject({ poked: 1, redispatched: 1 });
    expect(bell.sent).toHaveLength(3);
  });

  it("leaves a long run alone whose lease was renewed", async () => {
    const bell = await createBell({ timeouts: { runMs: HOUR, startMs: HOUR } });
    await bell.ring(DUE);
    const at = addressOf(bell.sent[0]!);
    const started = await bell.stub.start(at, { attempt: 1, worker: "w" });
    if (!started.ok) throw new Error(started.error.code);
    const { token } = started.value;
    for (let beat = 1; beat <= 4; beat++) {
      vi.setSystemTime(DUE + beat * 50_000);
      await bell.stub.heartbeat(at, { token });
    }
    await expect.poll(() => bell.rows()).toMatchObject([{ state: "running" }]);
    expect(await pass(DUE + 200_000)).toMatchObject({ poked: 0, alerts: 0 });
  });

  it("takes a slot that waits for a seat for what it is", async () => {
    const bell = await createBell({ overlap: "buffer_all", timeouts: { startMs: 10 * HOUR } });
    await bell.ring(DUE);
    await bell.ring(DUE + HOUR);
    expect(await pass(DUE + HOUR + MINUTE)).toMatchObject({ poked: 1, alerts: 0 });
    expect(bell.sent).toHaveLength(1);
  });
});

describe("a ledger that lost rows", () => {
  it("all of a schedule: no slot runs twice, and they are back within two passes", async () => {
    const bell = await createBell();
    await bell.ring(DUE);
    await run(bell);
    await env.LEDGER.prepare("DELETE FROM occurrences").run();
    await pass(DUE + MINUTE);
    await pass(DUE + 2 * MINUTE);
    expect(await bell.rows()).toMatchObject([{ slot: DUE, state: "succeeded" }]);
    expect(bell.sent).toHaveLength(1);
    expect(await alerts()).toEqual([]);
  });

  it("and the object its storage: restored, and no slot runs twice", async () => {
    const bell = await createBell();
    await bell.ring(DUE);
    await run(bell);
    await runInDurableObject(bell.object, (_, state) => state.storage.deleteAll());
    await evictDurableObject(bell.object);
    bell.object = env.SCHEDULES.getByName(bell.object.name ?? "");
    expect(await pass(DUE + HOUR + MINUTE)).toMatchObject({ poked: 1 });
    expect(bell.sent.map(({ scheduledFor }) => scheduledFor)).toEqual([
      "2093-12-01T01:00:00Z",
      "2093-12-01T02:00:00Z",
    ]);
  });

  it("is told the end of what it has as dispatched", async () => {
    const bell = await createBell({ trigger: { every: "PT2H" }, timeouts: { startMs: 5 * MINUTE } });
    await bell.ring(START + 2 * HOUR);
    const { results: early } = await env.LEDGER.prepare("SELECT version FROM occurrences").all();
    await run(bell);
    await env.LEDGER.prepare("UPDATE occurrences SET state = 'dispatched', version = ?1")
      .bind(early[0]!["version"])
      .run();
    await pass(START + 2 * HOUR + 30 * MINUTE);
    expect(await bell.rows()).toMatchObject([{ state: "succeeded" }]);
  });
});

describe("many schedules", () => {
  const names = Array.from({ length: 450 }, (_, i) => `s-${String(i).padStart(3, "0")}`);

  it("are all called in turn, at most so many in one pass, however often passes double", async () => {
    await record(...names.map((name) => schedule(name)));
    const calls: string[] = [];
    const world = watchOver((_, name) => {
      calls.push(name);
      return nobody();
    });
    await pass(START, world);
    expect(calls).toHaveLength(BOUNDS.CALLS_PER_PASS);
    await Promise.all([pass(START + MINUTE, world), pass(START + MINUTE, world)]);
    await pass(START + 2 * MINUTE, world);
    expect(calls.toSorted()).toEqual(names);
    await pass(START + 3 * MINUTE, world);
    expect(calls).toHaveLength(names.length + BOUNDS.CALLS_PER_PASS);
  });

  it("are looked at page after page within the same minute, until a short page was the last", async () => {
    const many = Array.from(
      { length: BOUNDS.SWEPT_PER_PASS * 2 + 1 },
      (_, i) => `s-${String(i).padStart(4, "0")}`,
    );
    await record(...many.map((name) => schedule(name, { state: "paused" })));
    const channels = { queue: null, webhook: null };
    const pages = vi.spyOn(console, "log");
    await lookAfter({ ...watchOver(nobody), shards: new Map([["LEDGER", env.LEDGER]]), channels }, START);
    const looked = pages.mock.calls.flatMap(
      ([line]) => /"event":"sweep","looked":(\d+)/.exec(String(line))?.[1] ?? [],
    );
    expect(looked.map(Number)).toEqual([BOUNDS.SWEPT_PER_PASS, BOUNDS.SWEPT_PER_PASS, 1]);
  });

  it("of which one object hangs or throws hold nobody up", async () => {
    await record(schedule("a"), schedule("b"));
    const broken = { ...nobody(), poke: () => Promise.reject(new Error("reset")) } as ScheduleStub;
    const poked: string[] = [];
    const world = watchOver((_, name) => {
      if (name === "a") return broken;
      poked.push(name);
      return nobody();
    });
    expect(await pass(START, world)).toMatchObject({ poked: 1, failed: 1 });
    expect(poked).toEqual(["b"]);
  });

  it("are not poked while the ledger takes no writes", async () => {
    await record(schedule("a"));
    const poked = vi.fn(nobody);
    const prepare = env.LEDGER.prepare.bind(env.LEDGER);
    vi.spyOn(env.LEDGER, "prepare").mockImplementation((sql) => {
      if (/^\s*INSERT/.test(sql)) throw new Error("D1_ERROR: overloaded");
      return prepare(sql);
    });
    await expect(pass(START, watchOver(poked))).rejects.toThrow("overloaded");
    expect(poked).not.toHaveBeenCalled();
  });
});
