/** Each alert: what makes it happen, what ends it, and the silence while all is well. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import type { DefinitionInput } from "../../src/core/schedule.ts";
import type { ScheduleStub } from "../../src/schedule/stub.ts";
import { addressOf, createBell, type Bell } from "./bell.ts";
import { START } from "./start.ts";
import { alerts, pass, watchOver } from "./watch.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DUE = START + HOUR;

async function start(bell: Bell) {
  const message = bell.sent.at(-1)!;
  const at = addressOf(message);
  const started = await bell.stub.start(at, { attempt: message.attempt, worker: `w${Date.now()}` });
  if (!started.ok) throw new Error(started.error.code);
  return { at, token: started.value.token };
}

async function succeed(bell: Bell): Promise<void> {
  const { at, token } = await start(bell);
  await bell.stub.complete(at, { token });
  await expect.poll(() => bell.rows().then((rows) => rows.at(-1)?.state)).toBe("succeeded");
}

async function failOnce(bell: Bell): Promise<void> {
  const { at, token } = await start(bell);
  await bell.stub.fail(at, { token, error: "no", retryable: false });
  await expect.poll(() => bell.rows().then((rows) => rows.at(-1)?.state)).toBe("failed");
}

/** Every call fails, as where an object is overloaded or its code is broken. */
const broken = new Proxy({} as ScheduleStub, {
  get: () => () => Promise.reject(new Error("Durable Object is overloaded")),
});
const unreachable = watchOver(() => broken);

const hourly = (more: Partial<DefinitionInput> = {}) =>
  createBell({
    retry: { maxAttempts: 1 },
    alerts: { noSuccessForMs: 3 * HOUR, queueWaitMs: 5 * MINUTE },
    ...more,
  });

it("all is well for a day: nothing is raised", async () => {
  const bell = await hourly();
  for (let hour = 1; hour <= 24; hour++) {
    await bell.ring(START + hour * HOUR);
    expect(await pass(START + hour * HOUR + 2 * MINUTE)).toMatchObject({ alerts: 0 });
    await succeed(bell);
    expect(await pass(START + hour * HOUR + 30 * MINUTE)).toMatchObject({ poked: 0, alerts: 0 });
  }
  expect(await alerts()).toEqual([]);
});

describe("no_success_for", () => {
  it("is raised once nothing has succeeded for that long, and resolved by the next success", async () => {
    const bell = await hourly({ alerts: { noSuccessForMs: 150 * MINUTE } });
    await bell.ring(DUE);
    await succeed(bell);
    await bell.ring(DUE + HOUR);
    await failOnce(bell);
    await bell.ring(DUE + 2 * HOUR);
    await failOnce(bell);
    await pass(DUE + 2 * HOUR + 20 * MINUTE);
    expect(await alerts()).toEqual([]);
    await pass(DUE + 2 * HOUR + 40 * MINUTE);
    await pass(DUE + 2 * HOUR + 41 * MINUTE);
    expect(await alerts()).toEqual(["no_success_for open"]);
    await bell.ring(DUE + 3 * HOUR);
    await succeed(bell);
    await pass(DUE + 3 * HOUR + MINUTE);
    expect(await alerts()).toEqual(["no_success_for resolved"]);
  });

  it("counts from the first slot where there was none before", async () => {
    await createBell({ trigger: { every: "P1D" }, alerts: { noSuccessForMs: HOUR } });
    await pass(START + 10 * HOUR);
    expect(await alerts()).toEqual([]);
  });

  it("takes a dispatch for success where nobody reports", async () => {
    const bell = await createBell({ tracked: false, alerts: { noSuccessForMs: 90 * MINUTE } });
    await bell.ring(DUE);
    await pass(DUE + 30 * MINUTE);
    expect(await alerts()).toEqual([]);
  });
});

describe("missing_occurrence", () => {
  it("is raised where a due slot is not on record and its object does not mend it, and resolved when it does", async () => {
    const bell = await hourly();
    await pass(DUE + MINUTE, unreachable);
    expect(await alerts()).toEqual(["missing_occurrence open"]);
    await pass(DUE + 2 * MINUTE);
    expect(bell.sent).toHaveLength(1);
    expect(await alerts()).toEqual(["missing_occurrence resolved"]);
  });

  it("stays silent where the object was woken in time, and where a gap row covers the slot", async () => {
    const bell = await createBell({ tracked: false, catchUp: { policy: "skip", graceMs: MINUTE } });
    await pass(DUE + MINUTE);
    await bell.ring(DUE + 3 * HOUR + 30 * MINUTE);
    await pass(DUE + 3 * HOUR + 31 * MINUTE);
    expect(await alerts()).toEqual([]);
  });
});

describe("claimed_without_dispatch", () => {
  it("is raised while the message does not leave, and resolved once it has", async () => {
    const bell = await hourly();
    const down = [
      vi.spyOn(env.LIBRARY, "send").mockRejectedValue(new Error("queue is down")),
      vi.spyOn(env.LIBRARY, "sendBatch").mockRejectedValue(new Error("queue is down")),
    ];
    await bell.ring(DUE);
    await bell.ring(DUE + 1);
    expect(await bell.rows()).toMatchObject([{ state: "claimed" }]);
    await pass(DUE + 30_000);
    expect(await alerts()).toEqual([]);
    await pass(DUE + 2 * MINUTE);
    expect(await alerts()).toEqual(["claimed_without_dispatch open"]);
    for (const spy of down) spy.mockResolvedValue({} as QueueSendBatchResponse);
    await bell.ring(DUE + 3 * MINUTE);
    await pass(DUE + 3 * MINUTE + 30_000);
    expect(await alerts()).toEqual(["claimed_without_dispatch resolved"]);
  });
});

describe("queue_wait", () => {
  it("is raised where nobody starts for longer than alerts.queueWait, and resolved by the start", async () => {
    const bell = await hourly();
    await bell.ring(DUE);
    await pass(DUE + 4 * MINUTE);
    expect(await alerts()).toEqual([]);
    await pass(DUE + 6 * MINUTE);
    expect(await alerts()).toEqual(["queue_wait open"]);
    await succeed(bell);
    await pass(DUE + 7 * MINUTE);
    expect(await alerts()).toEqual(["queue_wait resolved"]);
  });

  it("knows a run that has started from one that waits, though the ledger does not", async () => {
    const bell = await hourly({ timeouts: { leaseMs: 30 * MINUTE, runMs: HOUR } });
    await bell.ring(DUE);
    await start(bell);
    await pass(DUE + 10 * MINUTE);
    expect(await bell.rows()).toMatchObject([{ state: "dispatched" }]);
    expect(await alerts()).toEqual([]);
  });
});

describe("stale_lease", () => {
  async function running(): Promise<Bell> {
    const bell = await hourly({ retry: { maxAttempts: 2 } });
    await bell.ring(DUE);
    const { at, token } = await start(bell);
    vi.setSystemTime(DUE + 30_000);
    await bell.stub.heartbeat(at, { token });
    await expect.poll(() => bell.rows()).toMatchObject([{ state: "running" }]);
    return bell;
  }

  it("is raised where the object does nothing about it, and resolved when it does", async () => {
    const bell = await running();
    await pass(DUE + 5 * MINUTE, unreachable);
    expect(await alerts()).toEqual(["stale_lease open"]);
    await pass(DUE + 6 * MINUTE);
    expect(await bell.rows()).toMatchObject([{ state: "retrying" }]);
    await pass(DUE + 7 * MINUTE);
    expect(await alerts()).toEqual(["stale_lease resolved"]);
  });

  it("stays silent where the poke was all it took", async () => {
    await running();
    await pass(DUE + 5 * MINUTE);
    expect(await alerts()).toEqual([]);
  });
});

describe("overdue_result", () => {
  it("is raised where no result has come after the time to start and the time to run, and resolved by one", async () => {
    const bell = await hourly({
      trigger: { every: "PT6H" },
      timeouts: { startMs: 10 * MINUTE, runMs: 20 * MINUTE },
      alerts: {},
    });
    await bell.ring(START + 6 * HOUR);
    await pass(START + 6 * HOUR + 25 * MINUTE);
    expect(await alerts()).toEqual([]);
    await pass(START + 6 * HOUR + 35 * MINUTE);
    expect(await alerts()).toEqual(["overdue_result open"]);
    await succeed(bell);
    await pass(START + 6 * HOUR + 40 * MINUTE);
    expect(await alerts()).toEqual(["overdue_result resolved"]);
  });
});

describe("consecutive_failures", () => {
  it("is raised with the third in a row, and resolved by a success", async () => {
    const bell = await hourly({ alerts: {} });
    for (let hour = 1; hour <= 3; hour++) {
      expect(await alerts()).toEqual([]);
      await bell.ring(START + hour * HOUR);
      await failOnce(bell);
      await pass(START + hour * HOUR + MINUTE);
    }
    expect(await alerts()).toEqual(["consecutive_failures open"]);
    await bell.ring(START + 4 * HOUR);
    await succeed(bell);
    await pass(START + 4 * HOUR + MINUTE);
    expect(await alerts()).toEqual(["consecutive_failures resolved"]);
  });
});

describe("auto_paused", () => {
  it("is raised where pauseAfterFailures stopped it, and resolved by resume", async () => {
    const bell = await hourly({ pauseAfterFailures: 2, alerts: {} });
    for (let hour = 1; hour <= 2; hour++) {
      await bell.ring(START + hour * HOUR);
      await failOnce(bell);
    }
    await pass(START + 2 * HOUR + MINUTE);
    expect(await alerts()).toEqual(["auto_paused open"]);
    await bell.stub.resume({ who: "ann", note: null, catchUp: null });
    await bell.ring(START + 3 * HOUR);
    await succeed(bell);
    await pass(START + 3 * HOUR + MINUTE);
    expect(await alerts()).toEqual(["auto_paused resolved"]);
  });

  it("stays silent where a person paused it", async () => {
    const bell = await hourly();
    await bell.stub.pause({ who: "ann", note: null, until: null });
    await pass(START + 10 * HOUR);
    expect(await alerts()).toEqual([]);
  });
});

it("a schedule that is deleted has nothing to alert of any more", async () => {
  const bell = await hourly();
  await pass(DUE + MINUTE, unreachable);
  await bell.stub.remove({ who: "ann" });
  await pass(DUE + 2 * MINUTE);
  expect(await alerts()).toEqual(["missing_occurrence resolved"]);
});
