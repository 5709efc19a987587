/**
 * What the environment decides, read once for each environment. A value that cannot be understood closes
 * the API (`faults`) instead of being replaced by a guess.
 */

import { fromBase64 } from "./core/base64.ts";
import { WEBHOOKS_QUEUE } from "./core/limits.ts";
import { parseDuration } from "./core/time.ts";
import { keyOf } from "./delivery/signature.ts";

export interface Config {
  /** Null: nobody may do anything. */
  adminToken: string | null;
  /** Queue binding → the namespaces that may name it, `*` for all. Only queues that are bound. */
  targets: ReadonlyMap<string, readonly string[]>;
  /** Bindings of the databases that keep occurrences; the first is the directory as well. */
  ledgers: readonly string[];
  /** Those of them that take new schedules. */
  openLedgers: readonly string[];
  /** Target → the queue bindings that share its messages; a target that is not named has its own queue alone. */
  lanes: ReadonlyMap<string, readonly string[]>;
  /** Namespace → how long its schedules keep their history where they don't say themselves; `*` for the others. */
  retentions: ReadonlyMap<string, number>;
  /** Namespace → what its schedules may take; `*` for the others, and for what a namespace's own leaves out. */
  quotas: ReadonlyMap<string, Partial<Quota>>;
  /** Where alerts are posted, signed; null: nowhere. */
  alertWebhook: AlertWebhook | null;
  /** 32 bytes that seal the secrets of URL targets: the key in force, and the one before it. None: no secrets. */
  secretsKeys: readonly Uint8Array<ArrayBuffer>[];
  /** For local development: URL targets may name addresses that are not public. */
  allowPrivateUrls: boolean;
  /** The queue of calls to URLs is bound. */
  callsUrls: boolean;
  /** Why the API is closed, for the operator who reads the answer. */
  faults: readonly string[];
}

/** Null: no bound beside those of core/limits.ts. */
export interface Quota {
  /** How many there may be. */
  schedules: number | null;
  /** The least distance between two slots. */
  intervalMs: number | null;
  payloadBytes: number | null;
}

export interface AlertWebhook {
  url: string;
  /** `whsec_…`: the key in base64, as Standard Webhooks has it. */
  secret: string;
}

/** Drawn at random they hold 96 bits; what people think up is shorter. */
const ADMIN_TOKEN_CHARS_MIN = 16;

const known = new WeakMap<object, Config>();

export function configOf(env: object): Config {
  const before = known.get(env);
  if (before) return before;
  const config = readConfig(env as Record<string, unknown>);
  known.set(env, config);
  return config;
}

function readConfig(env: Record<string, unknown>): Config {
  const faults: string[] = [];
  const { ADMIN_TOKEN: token, TARGETS: targets } = env;
  const adminToken = readAdminToken(token, faults);
  const read = readTargets(targets);
  if (read === null) {
    faults.push('TARGETS must be a JSON object of queue binding → namespaces, such as { "LIBRARY": ["*"] }.');
  }
  const ledgers = Object.keys(env)
    .filter((name) => /^LEDGER(_\w+)?$/.test(name) && isBinding(env[name], "prepare"))
    .toSorted();
  if (read?.has(WEBHOOKS_QUEUE)) {
    faults.push(`TARGETS lists ${WEBHOOKS_QUEUE}, which is internal: leave it out.`);
  }
  const openLedgers = readOpenLedgers(env["OPEN_LEDGERS"], ledgers, faults);
  const bound = [...(read ?? [])].filter(([name]) => isBinding(env[name], "sendBatch"));
  const lanes = readLanes(env, faults);
  const retentions = readRetentions(env["RETENTION"], faults);
  const quotas = readQuotas(env["QUOTAS"], faults);
  const alertWebhook = readWebhook(env, faults);
  const secretsKeys = readKeys(env, faults);
  return {
    adminToken,
    targets: new Map(bound),
    ledgers,
    openLedgers,
    lanes,
    retentions,
    quotas,
    alertWebhook,
    secretsKeys,
    allowPrivateUrls: readFlag(env, "ALLOW_PRIVATE_URLS", faults),
    callsUrls: isBinding(env[WEBHOOKS_QUEUE], "sendBatch"),
    faults,
  };
}

function readAdminToken(value: unknown, faults: string[]): string | null {
  if (typeof value !== "string" || value === "") {
    faults.push("No ADMIN_TOKEN is set: set it with `wrangler secret put ADMIN_TOKEN`, or in .dev.vars.");
    return null;
  }
  if (value.length >= ADMIN_TOKEN_CHARS_MIN) return value;
  faults.push(
    `ADMIN_TOKEN can be guessed: set one of at least ${ADMIN_TOKEN_CHARS_MIN} characters, such as what \`openssl rand -base64 24\` prints.`,
  );
  return null;
}

function readRetentions(value: unknown, faults: string[]): Map<string, number> {
  const entries = entriesOf(value);
  const read = entries?.map(([namespace, text]) => [namespace, parseDuration(String(text))] as const);
  const retentions = read?.flatMap(([namespace, ms]) => (ms.ok ? [[namespace, ms.value] as const] : []));
  if (!retentions || retentions.length < entries!.length) {
    faults.push(
      'RETENTION must be a JSON object of namespace → duration, such as { "*": "90d", "ci": "7d" }.',
    );
  }
  return new Map(retentions);
}

/** Undefined: the default of all. It is written into the definition, which says from then on what holds. */
export function retentionFor({ retentions }: Config, namespace: string): number | undefined {
  return retentions.get(namespace) ?? retentions.get("*");
}

const QUOTA_FAULT =
  'QUOTAS must be a JSON object of namespace → limits, such as { "*": { "schedules": 5000, "interval": "1m", "payload": 16384 } }.';

function readQuotas(value: unknown, faults: string[]): Map<string, Partial<Quota>> {
  const read = entriesOf(value)?.map(([namespace, limits]) => [namespace, readQuota(limits)] as const);
  const quotas = read?.flatMap(([namespace, quota]) => (quota ? [[namespace, quota] as const] : []));
  if (!quotas || quotas.length < read!.length) faults.push(QUOTA_FAULT);
  return new Map(quotas);
}

/** Null: it cannot be understood. */
function readQuota(limits: unknown): Partial<Quota> | null {
  if (typeof limits !== "object" || limits === null) return null;
  const quota: Partial<Quota> = {};
  for (const [name, said] of Object.entries(limits) as [string, unknown][]) {
    const duration = typeof said === "string" ? parseDuration(said) : null;
    const isCount = said === null || (Number.isSafeInteger(said) && Number(said) >= 0);
    if (name === "interval" && (said === null || duration?.ok))
      quota.intervalMs = duration?.ok ? duration.value : null;
    else if (name === "schedules" && isCount) quota.schedules = said as number | null;
    else if (name === "payload" && isCount) quota.payloadBytes = said as number | null;
    else return null;
  }
  return quota;
}

/** What holds for a namespace, limit by limit. */
export function quotaFor({ quotas }: Config, namespace: string): Quota {
  const none = { schedules: null, intervalMs: null, payloadBytes: null };
  return { ...none, ...quotas.get("*"), ...quotas.get(namespace) };
}

function readWebhook(env: Record<string, unknown>, faults: string[]): AlertWebhook | null {
  const { ALERT_WEBHOOK_URL: url = "", ALERT_WEBHOOK_SECRET: secret = "" } = env;
  if (url === "") return null;
  if (typeof url !== "string" || !isSafe(url)) {
    faults.push("ALERT_WEBHOOK_URL must be an https address (or http on localhost, to try it out).");
    return null;
  }
  if (typeof secret !== "string" || keyOf(secret) === null) {
    faults.push(
      "ALERT_WEBHOOK_SECRET must be whsec_ and 24 to 64 bytes in base64: set it with `wrangler secret put`.",
    );
    return null;
  }
  return { url, secret };
}

function readFlag(env: Record<string, unknown>, name: string, faults: string[]): boolean {
  const value = env[name] ?? "";
  if (value !== "" && value !== "true" && value !== "false")
    faults.push(`${name} must be "true" or "false".`);
  return value === "true";
}

const KEY_BYTES = 32;

function readKeys(env: Record<string, unknown>, faults: string[]): Uint8Array<ArrayBuffer>[] {
  if (env["SECRETS_KEY_PREVIOUS"] && !env["SECRETS_KEY"]) {
    faults.push("SECRETS_KEY_PREVIOUS is set and SECRETS_KEY is not: the key in force is missing.");
  }
  return ["SECRETS_KEY", "SECRETS_KEY_PREVIOUS"].flatMap((name) => {
    const text = env[name] ?? "";
    if (text === "") return [];
    const key = typeof text === "string" ? fromBase64(text.trim()) : null;
    if (key?.length === KEY_BYTES) return [key];
    faults.push(
      `${name} must be ${KEY_BYTES} random bytes in base64, such as \`openssl rand -base64 32\` makes.`,
    );
    return [];
  });
}

function isSafe(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" || (protocol === "http:" && ["localhost", "127.0.0.1"].includes(hostname));
}

/** A D1 database prepares, a queue sends batches. */
function isBinding(binding: unknown, method: "prepare" | "sendBatch"): boolean {
  return typeof binding === "object" && binding !== null && method in binding;
}

function readOpenLedgers(value: unknown, ledgers: string[], faults: string[]): string[] {
  if (value === undefined || value === "") return ledgers;
  const given = typeof value === "string" ? parseOrNull(value) : value;
  const isSound = Array.isArray(given) && given.length > 0 && given.every((name) => ledgers.includes(name));
  if (isSound) return given as string[];
  faults.push(
    `OPEN_LEDGERS must be a JSON array of the databases that take new schedules; bound are ${ledgers.join(", ")}.`,
  );
  return ledgers;
}

function readLanes(env: Record<string, unknown>, faults: string[]): Map<string, string[]> {
  const { LANES: value } = env;
  if (value === undefined || value === "") return new Map();
  const lanes = readTargets(value);
  const named = [...(lanes?.values() ?? [])];
  const isSound = named.every(
    (queues) => queues.length > 0 && queues.every((it) => isBinding(env[it], "sendBatch")),
  );
  if (lanes === null || !isSound) {
    faults.push(
      'LANES must be a JSON object of target → bound queues, such as { "LIBRARY": ["LIBRARY", "LIBRARY_2"] }.',
    );
  }
  return lanes ?? new Map();
}

function readTargets(value: unknown): Map<string, string[]> | null {
  const given = typeof value === "string" ? parseOrNull(value) : (value ?? {});
  if (typeof given !== "object" || given === null || Array.isArray(given)) return null;
  const entries = Object.entries(given);
  return entries.every(isTarget) ? new Map(entries) : null;
}

function isTarget(entry: [string, unknown]): entry is [string, string[]] {
  const namespaces = entry[1];
  return Array.isArray(namespaces) && namespaces.every((namespace) => typeof namespace === "string");
}

/** Of a variable that holds a JSON object; none where it is not set, null where it holds anything else. */
function entriesOf(value: unknown): [string, unknown][] | null {
  const given = typeof value === "string" && value !== "" ? parseOrNull(value) : value || {};
  const isObject = typeof given === "object" && given !== null && !Array.isArray(given);
  return isObject ? Object.entries(given) : null;
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The queues that schedules of this namespace may name. */
export function queuesFor(config: Config, namespace: string): string[] {
  return [...config.targets.keys()].filter((queue) => {
    const namespaces = config.targets.get(queue) ?? [];
    return namespaces.includes("*") || namespaces.includes(namespace);
  });
}
