/** The Worker: the one place where HTTP, schedules, delivery, ledger and sweep meet. */
import { configOf } from "./config.ts";
import { Courier } from "./delivery/courier.ts";
import { consumeDead } from "./delivery/dead.ts";
import { Runs } from "./delivery/runs.ts";
import { ledgerOf, type Env } from "./env.ts";
import { createApp } from "./http/app.ts";
import { openLedger } from "./ledger/reads.ts";
import { causeOf, log } from "./log.ts";
import { ScheduleObject } from "./schedule/object.ts";
import type { ScheduleStub } from "./schedule/stub.ts";
import { sweep } from "./watch/sweep.ts";

export { Courier, Runs, ScheduleObject };

/** The object of a schedule; the name is the address, so nothing is looked up. */
function scheduleOf(env: Env, namespace: string, name: string): ScheduleStub {
  return env.SCHEDULES.getByName(`${namespace}/${name}`) as unknown as ScheduleStub;
}

function ledgersOf(env: Env): Map<string, D1Database> {
  const bound = configOf(env).ledgers.map((name) => [name, ledgerOf(env, name)] as const);
  return new Map(bound.filter((entry): entry is [string, D1Database] => entry[1] !== null));
}

const apps = new WeakMap<Env, ReturnType<typeof createApp>>();

function appOf(env: Env): ReturnType<typeof createApp> {
  const known = apps.get(env);
  if (known) return known;
  const app = createApp({
    config: configOf(env),
    schedule: (namespace, name) => scheduleOf(env, namespace, name),
    ledger: openLedger(ledgersOf(env)),
    now: () => Date.now(),
    report: (fault, at) => log("request_failed", { ...at, cause: causeOf(fault) }),
  });
  apps.set(env, app);
  return app;
}

export default {
  fetch: (request, env) => appOf(env).fetch(request),
  queue: (batch, env) => consumeDead(batch, env),
  async scheduled(_, env) {
    try {
      await sweep(
        {
          directory: env.LEDGER,
          shard: (name) => ledgerOf(env, name),
          schedule: (namespace, name) => scheduleOf(env, namespace, name),
        },
        Date.now(),
      );
    } catch (error) {
      // The next pass is a minute away, and /healthz shows how old the last one is.
      log("sweep_failed", { cause: causeOf(error) });
    }
  },
} satisfies ExportedHandler<Env>;
