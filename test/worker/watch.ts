/** Passes of the sweep at an instant of one's choice, over real objects or made-up ones. */
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { ok } from "../../src/core/errors.ts";
import { ledgerOf } from "../../src/env.ts";
import { listAlerts } from "../../src/ledger/alerts.ts";
import type { ScheduleStub } from "../../src/schedule/stub.ts";
import { sweep, type Sweep, type SweepSummary } from "../../src/watch/sweep.ts";

export function watchOver(schedule: Sweep["schedule"] = objectOf): Sweep {
  return { directory: env.LEDGER, shard: (name) => ledgerOf(env, name), schedule };
}

function objectOf(namespace: string, name: string): ScheduleStub {
  return env.SCHEDULES.getByName(`${namespace}/${name}`) as unknown as ScheduleStub;
}

export async function pass(now: number, world = watchOver()): Promise<SweepSummary> {
  vi.useFakeTimers({ now, toFake: ["Date"] });
  return sweep(world, now);
}

/** An object with which all is well, and which does nothing. */
export function nobody(): ScheduleStub {
  return {
    poke: async () => ok({ waiting: [], redispatched: 0, expired: 0 }),
    open: async () => ok([]),
  } as Partial<ScheduleStub> as ScheduleStub;
}

/** Kind and state of all alerts, newest first. */
export async function alerts(): Promise<string[]> {
  const query = {
    namespace: "default",
    schedules: null,
    state: null,
    schedule: null,
    before: null,
    limit: 100,
  };
  const found = await listAlerts(env.LEDGER, query);
  return found.map(({ kind, resolvedAt }) => `${kind} ${resolvedAt === null ? "open" : "resolved"}`);
}
