/** The shipped Worker with a meter at every place where Cloudflare has one. */
import worker, * as shipped from "../../../src/index.ts";
import type { Env } from "../../../src/env.ts";
import type { Bill } from "../../contender.ts";

let bill: Bill = {};
const count = (unit: string, by = 1) => {
  bill[unit] = (bill[unit] ?? 0) + by;
};

type Method = (this: object, ...args: unknown[]) => unknown;

/** Puts `around` in the place of a method, for all instances; once. */
function wrap(prototype: object, name: string, around: (method: Method) => Method): void {
  const methods = prototype as { [name: string]: Method & { isMetered?: true } };
  const method = methods[name]!;
  if (method.isMetered) return;
  methods[name] = Object.assign(around(method), { isMetered: true as const });
}

/** Every call of an object is a request, and while any is under way its time is billed. */
function meterCalls(prototype: object): void {
  const busy = new WeakMap<object, { calls: number; since: number }>();
  for (const name of Object.getOwnPropertyNames(prototype).filter((name) => name !== "constructor")) {
    wrap(
      prototype,
      name,
      (method) =>
        async function metered(this: object, ...args: unknown[]) {
          count("objectRequests");
          const state = busy.get(this) ?? { calls: 0, since: 0 };
          busy.set(this, state);
          if (state.calls++ === 0) state.since = Date.now();
          try {
            return await method.apply(this, args);
          } finally {
            if (--state.calls === 0) count("objectMs", Date.now() - state.since);
          }
        },
    );
  }
}

function meterStorage(storage: DurableObjectStorage): void {
  wrap(
    Object.getPrototypeOf(storage.sql) as object,
    "exec",
    (exec) =>
      function metered(this: object, ...args) {
        const cursor = exec.apply(this, args) as SqlStorageCursor<Record<string, SqlStorageValue>>;
        if (/^\s*SELECT/i.test(String(args[0]))) return cursor;
        cursor.toArray();
        count("objectRows", cursor.rowsWritten);
        return cursor;
      },
  );
  wrap(
    Object.getPrototypeOf(storage) as object,
    "setAlarm",
    (setAlarm) =>
      function metered(this: object, ...args) {
        count("objectRows");
        return setAlarm.apply(this, args);
      },
  );
}

function meterBindings(env: Env): void {
  const ledger = Object.getPrototypeOf(env.LEDGER) as object;
  const queue = Object.getPrototypeOf(env["LIBRARY"]) as object;
  wrap(
    ledger,
    "batch",
    (batch) =>
      async function metered(this: object, ...args) {
        const results = (await batch.apply(this, args)) as D1Result[];
        for (const { meta } of results) count("ledgerRows", meta.rows_written);
        return results;
      },
  );
  wrap(
    queue,
    "send",
    (send) =>
      function metered(this: object, ...args) {
        count("messages");
        return send.apply(this, args);
      },
  );
  wrap(
    queue,
    "sendBatch",
    (sendBatch) =>
      function metered(this: object, ...args) {
        count("messages", (args[0] as unknown[]).length);
        return sendBatch.apply(this, args);
      },
  );
}

meterCalls(shipped.ScheduleObject.prototype);
meterCalls(shipped.Courier.prototype);

export class ScheduleObject extends shipped.ScheduleObject {
  constructor(state: DurableObjectState, env: Env) {
    meterStorage(state.storage);
    meterBindings(env);
    super(state, env);
  }
}

export class Courier extends shipped.Courier {
  constructor(state: DurableObjectState, env: Env) {
    meterBindings(env);
    super(state, env);
  }
}

export { Runs } from "../../../src/index.ts";

export default {
  ...worker,
  fetch(request, env) {
    if (new URL(request.url).pathname !== "/bench/bill") return worker.fetch(request, env);
    const told = bill;
    bill = {};
    return Response.json(told);
  },
} satisfies ExportedHandler<Env>;
