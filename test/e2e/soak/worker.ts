/**
 * The scheduler as it is, with a ledger and queues that fail when told to: `POST /soak/faults?ledger&queue`. What is
 * told lives in memory, so a kill mends everything.
 */
import scheduler, {
  Courier as RealCourier,
  Runs,
  ScheduleObject as RealSchedule,
} from "../../../src/index.ts";
import type { Env } from "../../../src/env.ts";

export { Runs };

const faults = { ledger: false, queue: false };

export class ScheduleObject extends RealSchedule {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, failing(env));
  }
}

export class Courier extends RealCourier {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, failing(env));
  }
}

const wrapped = new WeakMap<Env, Env>();

/** One for each environment: the scheduler keeps what it derives from one by its identity. */
function failing(env: Env): Env {
  const known = wrapped.get(env);
  if (known) return known;
  const bindings = Object.entries(env).map(([name, binding]) => [name, failingBinding(binding)]);
  const made = Object.fromEntries(bindings) as Env;
  wrapped.set(env, made);
  return made;
}

const CALLS: { [call: string]: keyof typeof faults } = {
  prepare: "ledger",
  batch: "ledger",
  send: "queue",
  sendBatch: "queue",
};

function failingBinding(binding: unknown): unknown {
  if (typeof binding !== "object" || binding === null || !("prepare" in binding || "sendBatch" in binding)) {
    return binding;
  }
  return new Proxy(binding, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== "function") return value;
      const fault = CALLS[String(name)];
      return (...args: unknown[]) => {
        if (fault && faults[fault])
          throw new Error(fault === "ledger" ? "D1_ERROR: overloaded" : "queue is down");
        return (value as (...args: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}

export default {
  fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== "/soak/faults") return scheduler.fetch(request, failing(env));
    faults.ledger = searchParams.has("ledger");
    faults.queue = searchParams.has("queue");
    return Response.json(faults);
  },
  queue: (batch, env) => scheduler.queue(batch, failing(env)),
  scheduled: (controller, env) => scheduler.scheduled(controller, failing(env)),
} satisfies ExportedHandler<Env>;
