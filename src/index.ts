/** The Worker: the one place where HTTP, schedules, delivery, ledger and sweep meet. */
import { waitUntil } from "cloudflare:workers";
import { configOf } from "./config.ts";
import { Courier } from "./delivery/courier.ts";
import { consumeDead } from "./delivery/dead.ts";
import { Runs } from "./delivery/runs.ts";
import { consumeCalls } from "./delivery/webhook.ts";
import { ledgerOf, queueOf, type Env } from "./env.ts";
import { createApp } from "./http/app.ts";
import type { Deps } from "./http/context.ts";
import { openIdempotency } from "./ledger/idempotency.ts";
import { openLedger } from "./ledger/reads.ts";
import { openTokens } from "./ledger/tokens.ts";
import { causeOf, log } from "./log.ts";
import { ScheduleObject } from "./schedule/object.ts";
import type { ScheduleStub } from "./schedule/stub.ts";
import { dashboard } from "./ui/dashboard.ts";
import { lookAfter, type Watch } from "./watch/pass.ts";
import { sweep } from "./watch/sweep.ts";
import { queueChannel, tellAlerts, webhookChannel } from "./watch/tell.ts";

export { Courier, Runs, ScheduleObject };

/** The object of a schedule; the name is the address, so nothing is looked up. */
function scheduleOf(env: Env, namespace: string, name: string): ScheduleStub {
  return env.SCHEDULES.getByName(`${namespace}/${name}`) as unknown as ScheduleStub;
}

function ledgersOf(env: Env): Map<string, D1Database> {
  const bound = configOf(env).ledgers.map((name) => [name, ledgerOf(env, name)] as const);
  return new Map(bound.filter((entry): entry is [string, D1Database] => entry[1] !== null));
}

function watchOf(env: Env): Watch {
  const alerts = queueOf(env, "ALERTS");
  const { alertWebhook } = configOf(env);
  return {
    directory: env.LEDGER,
    shard: (name) => ledgerOf(env, name),
    shards: ledgersOf(env),
    schedule: (namespace, name) => scheduleOf(env, namespace, name),
    channels: {
      queue: alerts && queueChannel(alerts),
      webhook: alertWebhook && webhookChannel(alertWebhook, () => Date.now()),
    },
  };
}

const apps = new WeakMap<Env, ReturnType<typeof createApp>>();

function appOf(env: Env): ReturnType<typeof createApp> {
  const known = apps.get(env);
  if (known) return known;
  const deps: Deps = {
    config: configOf(env),
    schedule: (namespace, name) => scheduleOf(env, namespace, name),
    ledger: openLedger(ledgersOf(env)),
    tokens: openTokens(env.LEDGER),
    idempotency: openIdempotency(env.LEDGER),
    limiters: { requests: env.RATE_REQUESTS ?? null, signIns: env.RATE_SIGN_INS ?? null },
    async sweep(now) {
      const watch = watchOf(env);
      const summary = await sweep(watch, now);
      await tellAlerts(watch.directory, watch.channels);
      return summary;
    },
    later: (work) => waitUntil(work),
    now: () => Date.now(),
    report: (fault, at) => log("request_failed", { ...at, cause: causeOf(fault) }),
  };
  const app = createApp(deps, dashboard(deps));
  apps.set(env, app);
  return app;
}

/** By the names in wrangler.toml. Of a queue that is none of these nothing is acknowledged. */
const CONSUMERS = new Map([
  ["carillon-webhooks", consumeCalls],
  ["carillon-dead", consumeDead],
]);

function consumerOf(queue: string) {
  const consumer = CONSUMERS.get(queue);
  if (!consumer) throw new Error(`nobody here consumes the queue ${queue}`);
  return consumer;
}

export default {
  fetch: (request, env) => appOf(env).fetch(request),
  queue: (batch, env) => consumerOf(batch.queue)(batch, env),
  scheduled: (_, env) => lookAfter(watchOf(env), Date.now()),
} satisfies ExportedHandler<Env>;
