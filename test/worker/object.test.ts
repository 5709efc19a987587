import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import type { ScheduleStub } from "../../src/schedule/stub.ts";
import { addressOf, createBell } from "./bell.ts";
import { START } from "./start.ts";

const HOUR = 3_600_000;

describe("the object", () => {
  it("stays empty when what it should become is refused", async () => {
    const object = env.SCHEDULES.getByName("default/impossible");
    const stub = object as unknown as ScheduleStub;
    const trigger = { cron: "0 0 30 2 *", timezone: "UTC" };
    const refused = await stub.put({
      namespace: "default",
      name: "impossible",
      who: "test",
      input: { trigger, target: { queue: "LIBRARY" } },
    });
    expect(refused).toMatchObject({ ok: false, error: { code: "never_fires" } });
    expect(await stub.read()).toMatchObject({ ok: false, error: { code: "not_found" } });
    const tables = await runInDurableObject(object, (_, state) =>
      state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'head'").toArray(),
    );
    expect(tables).toEqual([]);
  });

  it("keeps large payloads and many open occurrences out of its head row, and finds them again", async () => {
    const bell = await createBell({ overlap: "allow" });
    const payload = { text: "x".repeat(6_000) };
    for (let n = 0; n < 40; n++) await bell.stub.trigger({ who: "test", payload: { ...payload, n } });
    const head = await runInDurableObject(bell.object, (_, state) =>
      state.storage.sql.exec<{ size: number }>("SELECT length(state) AS size FROM head").one(),
    );
    expect(head.size).toBeLessThan(10_000);
    expect(bell.sent.map(({ payload: sent }) => (sent as { n: number }).n)).toEqual(
      Array.from({ length: 40 }, (_, n) => n),
    );
    const { token } = await granted(bell.stub.start(addressOf(bell.sent[39]!), { attempt: 1, worker: "w" }));
    const done = await bell.stub.complete(addressOf(bell.sent[39]!), { token });
    expect(done).toMatchObject({ ok: true, value: { state: "succeeded", kind: "manual" } });
  });

  it("lets fifty racers for one occurrence have exactly one lease", async () => {
    const bell = await createBell();
    await bell.ring(START + HOUR);
    const at = addressOf(bell.sent[0]!);
    const racers = Array.from({ length: 50 }, (_, n) => bell.stub.start(at, { attempt: 1, worker: `w${n}` }));
    const answers = await Promise.all(racers);
    expect(answers.filter((answer) => answer.ok)).toHaveLength(1);
    expect(answers.filter((answer) => !answer.ok && answer.error.code === "busy")).toHaveLength(49);
  });

  it("gets its alarm back when the platform has lost it under a live object that has something open", async () => {
    const bell = await createBell();
    await bell.ring(START + HOUR);
    const alarm = () => runInDurableObject(bell.object, (_, state) => state.storage.getAlarm());
    expect(await alarm()).not.toBeNull();
    await runInDurableObject(bell.object, (_, state) => state.storage.deleteAlarm());
    vi.setSystemTime(START + HOUR + 60_000);
    expect(await bell.stub.poke({ lacks: [] })).toMatchObject({ ok: true });
    expect(await alarm()).not.toBeNull();
  });

  it("acts for a caller only within the caller's queues", async () => {
    const bell = await createBell();
    await bell.ring(START + HOUR);
    const at = { ...addressOf(bell.sent[0]!), queues: ["OTHER"] };
    expect(await bell.stub.start(at, { attempt: 1, worker: "w" })).toMatchObject({
      ok: false,
      error: { code: "not_found" },
    });
  });

  it("creates nothing while it can't know what existed before", async () => {
    const object = env.SCHEDULES.getByName("default/unknowable");
    const stub = object as unknown as ScheduleStub;
    const down = vi.spyOn(env.LEDGER, "prepare").mockImplementation(() => {
      throw new Error("D1_ERROR: Network connection lost.");
    });
    const input = { trigger: { every: "PT1H" }, target: { queue: "LIBRARY" } };
    const put = () => stub.put({ namespace: "default", name: "unknowable", who: "test", input });
    expect(await put()).toMatchObject({ ok: false, error: { code: "ledger_unavailable" } });
    down.mockRestore();
    expect(await put()).toMatchObject({ ok: true, value: { outcome: "created" } });
  });
});

async function granted<T>(
  answer: Promise<{ ok: true; value: T } | { ok: false; error: { code: string } }>,
): Promise<T> {
  const result = await answer;
  if (!result.ok) throw new Error(result.error.code);
  return result.value;
}
