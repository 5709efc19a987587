/**
 * A few random lives of a schedule in the real runtime: real storage, ledger and Courier, crashes by abort, evictions,
 * a ledger and a queue that fail for a while. The model test of the machine lives a thousand of them in memory; here
 * the same faults meet the engine. A failure prints its seed; CARILLON_LIVES=50 is the long mode.
 */
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { expect, it, vi } from "vitest";
import type { Message } from "../../src/core/message.ts";
import type { Point } from "../../src/schedule/signals.ts";
import { addressOf, crash, createBell, revive, type Bell } from "./bell.ts";

const LIVES = Number(env.CARILLON_LIVES ?? 8);
const STEPS = 40;
const SECOND = 1_000;
const EVERY_MS = 10 * SECOND;

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("ring" as const), ms: fc.integer({ min: 0, max: 15 * SECOND }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("sleep" as const), ms: fc.constant(10 * 60 * SECOND) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("work" as const),
      end: fc.constantFrom("complete", "fail", "vanish"),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("crash" as const),
      point: fc.constantFrom<Point>("before_T1", "T1", "sent", "T2"),
      ms: fc.integer({ min: 0, max: 12 * SECOND }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("evict" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("fault" as const),
      what: fc.constantFrom("ledger", "queue", "none"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("pause" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("resume" as const),
      catchUp: fc.constantFrom("latest", "all", null),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("edit" as const), seconds: fc.constantFrom(7, 10, 13) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("trigger" as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const faults = { ledger: false, queue: false };

async function live(bell: Bell, one: Step): Promise<void> {
  switch (one.do) {
    case "ring":
    case "sleep":
      return bell.ring(Date.now() + one.ms);
    case "work":
      return work(bell, bell.sent.at(-1), one.end);
    case "crash":
      return void (await crash(bell, one.point, Date.now() + one.ms));
    case "evict":
      await bell.stub.read(); // only what runs can be evicted
      await evictDurableObject(bell.object);
      return revive(bell);
    case "fault":
      Object.assign(faults, { ledger: one.what === "ledger", queue: one.what === "queue" });
      return;
    case "pause":
      return void (await bell.stub.pause({ who: "test", note: null, until: null }));
    case "resume":
      return void (await bell.stub.resume({
        who: "test",
        note: null,
        catchUp: one.catchUp as "latest" | "all" | null,
      }));
    case "edit":
      return void (await bell.stub.patch({
        who: "test",
        patch: { trigger: { every: `PT${one.seconds}S` } },
      }));
    case "trigger":
      return void (await bell.stub.trigger({ who: "test" }));
  }
}

async function work(bell: Bell, message: Message | undefined, end: string): Promise<void> {
  if (!message) return;
  const at = addressOf(message);
  const grant = await bell.stub.start(at, { attempt: message.attempt, worker: `w${Date.now()}` });
  if (!grant.ok) return;
  const { token } = grant.value;
  if (end === "complete") expect(await bell.stub.complete(at, { token })).toMatchObject({ ok: true });
  if (end === "fail") expect(await bell.stub.fail(at, { token, error: "x" })).toMatchObject({ ok: true });
}

/** Faults end, every run is finished, and the alarm rings until nothing is pending. */
async function finish(bell: Bell): Promise<void> {
  Object.assign(faults, { ledger: false, queue: false });
  await bell.stub.resume({ who: "test", note: null, catchUp: null });
  await bell.stub.pause({ who: "test", note: null, until: null });
  for (let turn = 0; turn < 30; turn++) {
    await bell.ring(Date.now() + 20 * SECOND);
    for (const message of bell.sent.slice(-5)) await work(bell, message, "complete");
  }
}

/** Each slot up to the cursor is exactly one row, or lies in exactly one gap, or waits or runs in the object. */
async function account(bell: Bell): Promise<number> {
  const read = await bell.stub.read();
  const open = await bell.stub.open();
  if (!read.ok || !open.ok) throw new Error("the schedule is gone");
  const key = bell.object.name;
  const rows = (await bell.rows()).filter(({ variant }) => variant === "");
  const { results: gaps } = await env.LEDGER.prepare(
    "SELECT from_at, to_at, count FROM gaps WHERE schedule = ?1",
  )
    .bind(key)
    .all<{ from_at: number; to_at: number; count: number }>();
  const { results: edits } = await env.LEDGER.prepare(
    "SELECT at, body FROM changes WHERE schedule = ?1 AND action IN ('create', 'edit') ORDER BY version",
  )
    .bind(key)
    .all<{ at: number; body: string }>();
  const rules = edits.map(({ at, body }) => ({
    at,
    ms:
      Number(
        /PT(\d+)S/.exec(
          (JSON.parse(body) as { definition: { trigger: { every: string } } }).definition.trigger.every,
        )?.[1],
      ) * SECOND,
  }));
  const waiting = open.value
    .filter(({ kind }) => kind !== "manual")
    .map(({ scheduledFor }) => Date.parse(scheduledFor));
  const cursor = Date.parse(read.value.cursor);
  let slots = 0;
  rules.forEach(({ at, ms }, n) => {
    const end = Math.min(rules[n + 1]?.at ?? cursor, cursor);
    for (let slot = Math.floor(at / ms) * ms + ms; slot <= end; slot += ms) {
      const told =
        rows.filter((row) => row.slot === slot).length +
        gaps.filter((gap) => gap.from_at <= slot && slot <= gap.to_at).length;
      slots++;
      const waits = waiting.includes(slot) && told === 0 ? 1 : 0;
      expect({ slot: new Date(slot).toISOString(), told: told + waits }).toEqual({
        slot: new Date(slot).toISOString(),
        told: 1,
      });
    }
  });
  return slots;
}

it(`accounts for every slot of ${LIVES} random lives in the real runtime`, { timeout: 600_000 }, async () => {
  let sent = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: STEPS, maxLength: STEPS }), async (steps) => {
      vi.restoreAllMocks(); // the faults of the life before
      const bell = await createBell({
        trigger: { every: `PT${EVERY_MS / SECOND}S` },
        retry: { initialMs: SECOND },
        catchUp: { graceMs: SECOND },
      });
      failWhileFaulty();
      for (const one of steps) await live(bell, one);
      await finish(bell);
      expect(await account(bell)).toBeGreaterThan(0);
      sent += bell.sent.length;
    }),
    {
      numRuns: LIVES,
      ...(env.CARILLON_SEED ? { seed: Number(env.CARILLON_SEED) } : { seed: 20261130 }),
      endOnFailure: true,
    },
  );
  expect(sent).toBeGreaterThan(LIVES); // messages did leave, so there was something to run
});

function failWhileFaulty(): void {
  const batch = env.LEDGER.batch.bind(env.LEDGER);
  vi.spyOn(env.LEDGER, "batch").mockImplementation((statements) =>
    faults.ledger ? Promise.reject(new Error("D1_ERROR: Network connection lost.")) : batch(statements),
  );
  for (const method of ["send", "sendBatch"] as const) {
    // The bell listens there already: a second spy would be the first, and call itself.
    const spy = vi.mocked(env.LIBRARY[method]);
    const accept = spy.getMockImplementation() as (...args: unknown[]) => Promise<QueueSendResponse>;
    spy.mockImplementation((...args: unknown[]) =>
      faults.queue ? Promise.reject(new Error("Queue is overloaded (10250)")) : accept(...args),
    );
  }
}
