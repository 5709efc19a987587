import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import worker from "../../src/index.ts";
import { addressOf, createBell } from "./bell.ts";
import { START } from "./start.ts";

const HOUR = 3_600_000;

async function deadLetter(...bodies: unknown[]) {
  const messages = bodies.map((body, n) => ({ id: `m${n}`, timestamp: new Date(), attempts: 1, body }));
  const batch = createMessageBatch("carillon-dead", messages);
  const context = createExecutionContext();
  await worker.queue(batch, env);
  return getQueueResult(batch, context);
}

describe("the dead-letter queue", () => {
  it("ends the attempt of a message that no consumer accepted, and the next one goes out", async () => {
    const bell = await createBell();
    await bell.ring(START + HOUR);
    const [first] = bell.sent;
    expect((await deadLetter(first)).explicitAcks).toEqual(["m0"]);
    const told = await bell.stub.occurrence(addressOf(first!));
    expect(told).toMatchObject({
      ok: true,
      value: { state: "retrying", attempts: [{ outcome: "dead_lettered" }] },
    });
    await bell.ring(START + HOUR + 60_000);
    expect(bell.sent.map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it("lets go of what is none of ours, and of what has moved on since", async () => {
    const bell = await createBell();
    await bell.ring(START + HOUR);
    const [first] = bell.sent;
    await bell.stub.start(addressOf(first!), { attempt: 1, worker: "w" });
    const result = await deadLetter("junk", null, { id: 7 }, { id: "a@b" }, first);
    expect(result.explicitAcks).toEqual(["m0", "m1", "m2", "m3", "m4"]);
    expect(await bell.stub.occurrence(addressOf(first!))).toMatchObject({
      ok: true,
      value: { state: "running" },
    });
  });
});
