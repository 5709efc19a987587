/** By whom an object sends: its Courier, or itself when that one is silent. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Message } from "../../src/core/message.ts";
import type { Env } from "../../src/env.ts";
import type { HandedOver } from "../../src/schedule/handover.ts";
import { Outbox } from "../../src/schedule/outbox.ts";

const SECOND = 1_000;
const OWED = { key: "1", attempt: 1, queue: "LIBRARY", message: { key: "default/bell@1" } as Message };
const BY_COURIER: HandedOver = {
  sent: [{ key: "1", attempt: 1, at: 7 }],
  unsent: [],
  recorded: [],
  unrecorded: false,
};

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(console, "log").mockReturnValue(undefined);
});
afterEach(() => vi.useRealTimers());

function handOver() {
  let answer: (outcome: HandedOver) => void = () => {};
  const queue = { send: vi.fn(async () => {}), sendBatch: vi.fn(async () => {}) };
  const courier = { handOver: () => new Promise<HandedOver>((resolve) => (answer = resolve)) };
  const env = { LIBRARY: queue, COURIERS: { getByName: () => courier } } as unknown as Env;
  const outcome = new Outbox(env).handOver({ messages: [OWED], rows: [] }, "default/bell", "LEDGER");
  return { outcome, queue, answer: () => answer(BY_COURIER) };
}

/** A second of a thread that has no time for its timers: when they ring, two have passed. */
async function busySecond(): Promise<void> {
  vi.setSystemTime(Date.now() + SECOND);
  await vi.advanceTimersByTimeAsync(SECOND);
}

it("sends by itself after three silent seconds, and not before", async () => {
  const { outcome, queue } = handOver();
  await vi.advanceTimersByTimeAsync(3 * SECOND - 1);
  expect(queue.send).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(queue.send).toHaveBeenCalledOnce();
  expect((await outcome).sent).toMatchObject([{ key: "1", attempt: 1 }]);
});

it("waits on while the thread itself is late: the Courier has not had its turn", async () => {
  const { outcome, queue, answer } = handOver();
  for (let second = 0; second < 10; second++) await busySecond();
  answer();
  expect(await outcome).toEqual(BY_COURIER);
  expect(queue.send).not.toHaveBeenCalled();
});

it("does not wait for ever, however busy", async () => {
  const { queue } = handOver();
  for (let second = 0; second < 14; second++) await busySecond();
  expect(queue.send).not.toHaveBeenCalled();
  await busySecond();
  expect(queue.send).toHaveBeenCalledOnce();
});
