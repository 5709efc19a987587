/** The crash table of the architecture, line by line: dies after …, seen as …, repaired by …, double work or not. */
import { env } from "cloudflare:workers";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import { Courier } from "../../src/delivery/courier.ts";
import { signals } from "../../src/schedule/signals.ts";
import type { ScheduleStub } from "../../src/schedule/stub.ts";
import { ledgerOf } from "../../src/env.ts";
import { sweep } from "../../src/watch/sweep.ts";
import { addressOf, crash, createBell, revive, type Bell } from "./bell.ts";
import { START } from "./start.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DUE = START + HOUR;

const armedAt = (bell: Bell) => runInDurableObject(bell.object, (_, state) => state.storage.getAlarm());
const ids = (bell: Bell) => bell.sent.map(({ id, attempt }) => `${id} #${attempt}`);

async function start(bell: Bell, worker = "w") {
  const started = await bell.stub.start(addressOf(bell.sent.at(-1)!), { attempt: 1, worker });
  if (!started.ok) throw new Error(started.error.code);
  return started.value;
}

describe("the crash table", () => {
  it("machine, before T1: nothing happened, the alarm is run again", async () => {
    const bell = await createBell();
    expect(await crash(bell, "before_T1", DUE)).toBe("died");
    expect(bell.sent).toEqual([]);
    expect(await armedAt(bell)).not.toBeNull();
    await bell.ring(DUE + 2_000);
    expect(bell.sent).toHaveLength(1);
    expect(await bell.rows()).toMatchObject([{ slot: DUE, state: "dispatched" }]);
  });

  it("T1, killed inside alarm(): the alarm is still stored, and what is pending is sent", async () => {
    const bell = await createBell();
    expect(await crash(bell, "T1", DUE)).toBe("died");
    expect(bell.sent).toEqual([]);
    expect(await armedAt(bell)).not.toBeNull();
    await bell.ring(DUE + 2_000);
    expect(ids(bell)).toHaveLength(1);
    expect(await bell.rows()).toMatchObject([{ slot: DUE, state: "dispatched", attempt: 1 }]);
  });

  it("send, before T2: the message goes twice under one id and attempt, start grants once, the row is written once", async () => {
    const bell = await createBell();
    expect(await crash(bell, "sent", DUE)).toBe("died");
    await bell.ring(DUE + 2_000);
    expect(new Set(ids(bell)).size).toBe(1);
    expect(bell.sent).toHaveLength(2);
    const at = addressOf(bell.sent[0]!);
    const grants = [
      await bell.stub.start(at, { attempt: 1, worker: "a" }),
      await bell.stub.start(at, { attempt: 1, worker: "b" }),
    ];
    expect(grants.map((grant) => (grant.ok ? "granted" : grant.error.code))).toEqual(["granted", "busy"]);
    expect(await bell.rows()).toHaveLength(1);
  });

  it("T2 done: nothing is sent again", async () => {
    const bell = await createBell();
    expect(await crash(bell, "T2", DUE)).toBe("died");
    await bell.ring(DUE + 2_000);
    expect(bell.sent).toHaveLength(1);
  });

  it("Courier silent or evicted: the object sends directly, and the rows stay pending until one answers", async () => {
    const bell = await createBell();
    const courier = vi
      .spyOn(Courier.prototype, "handOver")
      .mockRejectedValue(new Error("Network connection lost."));
    await bell.ring(DUE);
    expect(bell.sent).toHaveLength(1);
    expect(await bell.rows()).toEqual([]);
    courier.mockRestore();
    await bell.ring(DUE + 20_000);
    expect(bell.sent).toHaveLength(1);
    expect(await bell.rows()).toMatchObject([{ slot: DUE, state: "dispatched" }]);
  });

  it("another call commits while alarm() awaits, then alarm() fails: that call armed the retry", async () => {
    const bell = await createBell({ overlap: "allow" });
    vi.setSystemTime(DUE);
    const dying = runInDurableObject(bell.object, async (instance, state) => {
      signals.reached = async (point) => {
        if (point !== "sent") return;
        signals.reached = null;
        // It waits for the drain that is about to die; its claim is committed all the same.
        void instance.trigger({ who: "someone" });
        await state.storage.getAlarm();
        await state.storage.sync();
        state.abort("crash");
      };
      await instance.alarm();
    });
    await expect(
      dying.then(
        () => "survived",
        () => "died",
      ),
    ).resolves.toBe("died");
    revive(bell);
    expect(await armedAt(bell)).toBeLessThanOrEqual(DUE + 2_000);
  });

  it("a report commits while alarm() awaits, then all dies: its retry is not late, nor is the next slot", async () => {
    const bell = await createBell({ retry: { initialMs: 10_000, jitter: 0 } });
    vi.setSystemTime(DUE);
    const dying = runInDurableObject(bell.object, async (instance, state) => {
      signals.reached = async (point) => {
        if (point !== "sent") return;
        signals.reached = null;
        const at = addressOf(bell.sent[0]!);
        const started = await instance.start(at, { attempt: 1, worker: "w" });
        if (started.ok) await instance.fail(at, { token: started.value.token, error: "no" });
        await state.storage.sync();
        state.abort("crash");
      };
      await instance.alarm();
    });
    await expect(dying).rejects.toThrow("crash");
    revive(bell);
    expect(await armedAt(bell)).toBe(DUE + 10_000);
  });

  it("the alarm is gone: the sweep finds the slot that nobody explained, within two passes", async () => {
    const bell = await createBell();
    await runInDurableObject(bell.object, (_, state) => state.storage.deleteAlarm());
    await evictDurableObject(bell.object);
    vi.setSystemTime(DUE + MINUTE);
    const pass = () =>
      sweep(
        {
          directory: env.LEDGER,
          shard: (name) => ledgerOf(env, name),
          schedule: (namespace, name) =>
            env.SCHEDULES.getByName(`${namespace}/${name}`) as unknown as ScheduleStub,
        },
        Date.now(),
      );
    expect(await pass()).toMatchObject({ poked: 1, failed: 0 });
    expect(bell.sent).toHaveLength(1);
    expect(await armedAt(bell)).not.toBeNull();
    expect(await pass()).toMatchObject({ poked: 0 });
  });

  it("the platform's retries run out: the object gives the alarm back armed, instead of losing it", async () => {
    const bell = await createBell();
    vi.setSystemTime(DUE);
    await runInDurableObject(bell.object, async (instance, state) => {
      await state.storage.deleteAlarm();
      await instance.alarm({ isRetry: true, retryCount: 4, scheduledTime: DUE });
    });
    expect(bell.sent).toEqual([]);
    expect(await armedAt(bell)).toBe(DUE + MINUTE);
  });

  it("the queue loses the message: not started in time, it is sent again under the same attempt", async () => {
    const bell = await createBell();
    await bell.ring(DUE);
    const { token } = await start(bell);
    await bell.stub.complete(addressOf(bell.sent[0]!), { token });
    await bell.ring(DUE + HOUR);
    await bell.ring(DUE + HOUR + 15 * MINUTE + 1);
    expect(ids(bell).slice(1)).toHaveLength(2);
    expect(new Set(ids(bell).slice(1)).size).toBe(1);
  });

  it("start answered, answer lost: the same worker gets the same token", async () => {
    const bell = await createBell();
    await bell.ring(DUE);
    const first = await start(bell);
    expect((await start(bell)).token).toBe(first.token);
  });

  it("start, and the worker dies: the lease lapses, the next attempt goes out with the same key", async () => {
    const bell = await createBell();
    await bell.ring(DUE);
    const { token } = await start(bell);
    await bell.ring(DUE + MINUTE + 1);
    await bell.ring(DUE + 2 * MINUTE);
    expect(bell.sent.map(({ key, attempt }) => [key, attempt])).toEqual([
      [bell.sent[0]!.key, 1],
      [bell.sent[0]!.key, 2],
    ]);
    const second = await start(bell, "x");
    expect(second.token).toBeGreaterThan(token);
    const late = await bell.stub.complete(addressOf(bell.sent[0]!), { token });
    expect(late).toMatchObject({ ok: false, error: { code: "lease_lost" } });
  });

  it("report committed, answer lost: the worker reports again and gets the same answer", async () => {
    const bell = await createBell();
    await bell.ring(DUE);
    const { token } = await start(bell);
    const at = addressOf(bell.sent[0]!);
    const answers = [
      await bell.stub.complete(at, { token, result: 7 }),
      await bell.stub.complete(at, { token, result: 7 }),
    ];
    expect(answers.map((answer) => answer.ok && answer.value.state)).toEqual(["succeeded", "succeeded"]);
  });

  it("D1 write unacknowledged: it is repeated by version and writes nothing", async () => {
    const bell = await createBell();
    const batch = env.LEDGER.batch.bind(env.LEDGER);
    const lost = vi.spyOn(env.LEDGER, "batch").mockImplementationOnce(async (statements) => {
      await batch(statements);
      throw new Error("D1_ERROR: Network connection lost.");
    });
    await bell.ring(DUE);
    const before = await bell.rows();
    expect(before).toHaveLength(1);
    lost.mockClear();
    await bell.ring(DUE + 20_000);
    const results = (await lost.mock.results[0]!.value) as D1Result[];
    expect(results.map(({ meta }) => meta.rows_written)).toEqual([0]);
    expect(await bell.rows()).toEqual(before);
  });

  it("D1 down: the slot goes out on time, and the ledger is level when it is back", async () => {
    const bell = await createBell();
    const down = vi.spyOn(env.LEDGER, "batch").mockRejectedValue(new Error("D1_ERROR: overloaded"));
    await bell.ring(DUE);
    expect(bell.sent).toHaveLength(1);
    const { token } = await start(bell);
    await bell.stub.complete(addressOf(bell.sent[0]!), { token });
    expect(await bell.rows()).toEqual([]);
    down.mockRestore();
    await bell.ring(DUE + 30_000);
    expect(await bell.rows()).toMatchObject([{ slot: DUE, state: "succeeded" }]);
  });

  it("object evicted with something pending: resent from alarm(), never by a reader", async () => {
    const bell = await createBell();
    expect(await crash(bell, "T1", DUE)).toBe("died");
    await bell.stub.read();
    await bell.stub.open();
    expect(bell.sent).toEqual([]);
    await bell.ring(DUE + 1_000);
    expect(bell.sent).toHaveLength(1);
  });

  it("object empty: restored from the ledger, no slot twice, no old token valid", async () => {
    const bell = await createBell();
    await bell.ring(DUE);
    const { token } = await start(bell);
    await bell.stub.complete(addressOf(bell.sent[0]!), { token });
    await expect.poll(() => bell.rows()).toMatchObject([{ state: "succeeded" }]);
    await runInDurableObject(bell.object, (_, state) => state.storage.deleteAll());
    await evictDurableObject(bell.object);
    revive(bell);
    vi.setSystemTime(DUE + MINUTE);
    expect(await bell.stub.poke()).toMatchObject({ ok: true });
    expect(await bell.stub.read()).toMatchObject({
      ok: true,
      value: { revision: 1, nextSlot: "2093-12-01T02:00:00Z" },
    });
    expect(bell.sent).toHaveLength(1);
    await bell.ring(DUE + HOUR);
    expect(bell.sent.map(({ scheduledFor }) => scheduledFor)).toEqual([
      "2093-12-01T01:00:00Z",
      "2093-12-01T02:00:00Z",
    ]);
    expect((await start(bell)).token).toBeGreaterThan(token);
  });

  it("object empty, and the clock behind what it had fired: the slot is not fired again", async () => {
    const bell = await createBell();
    await bell.ring(DUE);
    await expect.poll(() => bell.rows()).toHaveLength(1);
    await runInDurableObject(bell.object, (_, state) => state.storage.deleteAll());
    await evictDurableObject(bell.object);
    revive(bell);
    vi.setSystemTime(DUE - 5 * MINUTE);
    expect(await bell.stub.poke()).toMatchObject({ ok: true });
    await bell.ring(DUE);
    expect(bell.sent).toHaveLength(1);
  });

  it("alarms held back, then released: one bounded wake by the catch-up policy", async () => {
    const bell = await createBell({ trigger: { every: "PT1S" } });
    await bell.ring(START + 7 * 24 * HOUR);
    expect(bell.sent).toHaveLength(1);
    const { results } = await env.LEDGER.prepare("SELECT count, reason FROM gaps").all();
    expect(results).toEqual([{ count: 7 * 24 * 3600 - 1, reason: "coalesced" }]);
  });

  it("the clock steps back: nothing fires twice", async () => {
    const bell = await createBell();
    await bell.ring(DUE);
    await bell.ring(DUE - 10 * MINUTE);
    await bell.ring(DUE);
    expect(bell.sent).toHaveLength(1);
  });

  it("a row pruned, then held by a sleeper: past its retention it is not sent", async () => {
    const bell = await createBell({ retentionMs: 24 * HOUR });
    const down = vi.spyOn(env.LEDGER, "batch").mockRejectedValue(new Error("D1_ERROR: overloaded"));
    await bell.ring(DUE);
    const { token } = await start(bell);
    await bell.stub.complete(addressOf(bell.sent[0]!), { token });
    down.mockRestore();
    await bell.ring(DUE + 48 * HOUR);
    expect((await bell.rows()).map(({ slot }) => slot)).not.toContain(DUE);
  });
});
