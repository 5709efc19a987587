/** The ledger is away for a minute: no slot is late for it, and it is complete half a minute after it is back. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import type { DefinitionInput } from "../../src/core/schedule.ts";
import { addressOf, createBell, type Bell } from "./bell.ts";
import { START } from "./start.ts";
import { alerts, pass } from "./watch.ts";

const SECOND = 1_000;
const EVERY = 5 * SECOND;
const DOWN_FROM = START + 10 * SECOND;
const DOWN_TO = DOWN_FROM + 60 * SECOND;
const LEVEL_BY = DOWN_TO + 30 * SECOND;
const WAKES_MAX = 1_000;

/** Runs each alarm at the instant it is armed for, up to `until`; what leaves is noted with its lateness. */
async function live(bell: Bell, until: number, run: (bell: Bell) => Promise<void>): Promise<number[]> {
  const lateness: number[] = [];
  for (let wake = 0; wake < WAKES_MAX; wake++) {
    const armed = await runInDurableObject(bell.object, (_, state) => state.storage.getAlarm());
    if (armed === null || armed > until) return lateness;
    const sent = bell.sent.length;
    await bell.ring(Math.max(armed, Date.now()));
    for (const { scheduledFor } of bell.sent.slice(sent))
      lateness.push(Date.now() - Date.parse(scheduledFor));
    if (bell.sent.length > sent) await run(bell);
  }
  throw new Error("it wakes without end");
}

async function succeed(bell: Bell): Promise<void> {
  const message = bell.sent.at(-1)!;
  const at = addressOf(message);
  const started = await bell.stub.start(at, { attempt: message.attempt, worker: message.id });
  if (!started.ok) throw new Error(started.error.code);
  await bell.stub.complete(at, { token: started.value.token });
}

const CASES: { name: string; definition: Partial<DefinitionInput>; run: typeof succeed; state: string }[] = [
  { name: "untracked", definition: { tracked: false }, run: async () => {}, state: "dispatched" },
  { name: "tracked", definition: {}, run: succeed, state: "succeeded" },
];

it.each(CASES)(
  "$name: every slot on time, every row there",
  async ({ definition, run, state }) => {
    const bell = await createBell({ trigger: { every: "PT5S" }, ...definition });
    const lateness = await live(bell, DOWN_FROM, run);
    const down = vi.spyOn(env.LEDGER, "batch").mockRejectedValue(new Error("D1_ERROR: overloaded"));
    lateness.push(...(await live(bell, DOWN_TO, run)));
    down.mockRestore();
    const before = await bell.rows();
    expect(before.length).toBeLessThan(5);
    lateness.push(...(await live(bell, LEVEL_BY, run)));
    const slots = Array.from({ length: (LEVEL_BY - START) / EVERY }, (_, i) => START + (i + 1) * EVERY);
    expect(lateness).toEqual(slots.map(() => 0));
    await expect.poll(() => bell.rows()).toMatchObject(slots.map((slot) => ({ slot, state })));
    await pass(LEVEL_BY + 20 * SECOND);
    expect(await alerts()).toEqual([]);
  },
  60_000,
);
