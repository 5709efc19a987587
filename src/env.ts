/** The bindings of the scheduler Worker. Queue bindings have whatever names TARGETS lists. */
import type { Courier } from "./delivery/courier.ts";
import type { ScheduleObject } from "./schedule/object.ts";

export interface Env {
  LEDGER: D1Database;
  SCHEDULES: DurableObjectNamespace<ScheduleObject>;
  COURIERS: DurableObjectNamespace<Courier>;
  TARGETS: string;
  /** Secret. Without it the API refuses everything but /healthz. */
  ADMIN_TOKEN?: string;
  /** Optional JSON: namespace → how long history is kept where a schedule doesn't say, `*` for all others. */
  RETENTION?: string;
  /** Optional JSON: namespace → how many schedules it may have, how close their slots may be, how large a payload. */
  QUOTAS?: string;
  /** Optional limiters: requests of a token, failed sign-ins of an address. */
  RATE_REQUESTS?: RateLimit;
  RATE_SIGN_INS?: RateLimit;
  /** `events`: a line for each step of each occurrence. Otherwise only what goes wrong is logged. */
  LOG_LEVEL?: string;
  /** Optional: where alerts are posted, and the secret (`whsec_…`) that signs them. */
  ALERT_WEBHOOK_URL?: string;
  ALERT_WEBHOOK_SECRET?: string;
  /** Calls to URLs; consumed by this very Worker. */
  WEBHOOKS?: Queue;
  /** Secrets: 32 bytes in base64 that seal the secrets of URL targets, and while they are replaced the ones before. */
  SECRETS_KEY?: string;
  SECRETS_KEY_PREVIOUS?: string;
  /** `true`, for local development only: URLs may name private addresses. */
  ALLOW_PRIVATE_URLS?: string;
  [binding: string]: unknown;
}

export function queueOf(env: Env, binding: string): Queue | null {
  const queue = env[binding];
  return typeof queue === "object" && queue !== null && "sendBatch" in queue ? (queue as Queue) : null;
}

/** The D1 database of a shard; null when the binding is gone. */
export function ledgerOf(env: Env, shard: string): D1Database | null {
  const database = env[shard];
  return typeof database === "object" && database !== null && "prepare" in database
    ? (database as D1Database)
    : null;
}
