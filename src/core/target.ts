/** Where the work of a schedule goes: onto a queue that another Worker consumes, or to a URL that is called. */

export type Target = QueueTarget | UrlTarget;
export interface QueueTarget {
  queue: string;
}
/** Secrets are no part of it: they live beside the definitions, sealed. */
export interface UrlTarget {
  url: string;
  method?: Method;
  /** Names in lower case. */
  headers?: Record<string, string>;
  timeoutMs?: number;
}
/** As it arrives, with what is never shown again. */
export type TargetSaid = QueueTarget | (UrlTarget & { secrets?: SecretsSaid<string> });

/** A new one, none, or the one that is set already. */
export type Said<T> = T | null | { fingerprint: string };
/** By field: `secret`, `secret/next`, `secretHeaders/<name>`. */
export type SecretsSaid<T> = { [field: string]: Said<T> };

export const METHODS = ["POST", "PUT", "PATCH", "GET", "DELETE"] as const;
export type Method = (typeof METHODS)[number];

/** GET and DELETE go without: what a body means with them nobody has said, and many a proxy drops it. */
export function hasBody(method: Method): boolean {
  return method !== "GET" && method !== "DELETE";
}

/** Scheme, host and port: what a secret was given for. Null for a queue. */
export function originOf(target: Target | undefined): string | null {
  return target && "url" in target && URL.canParse(target.url) ? new URL(target.url).origin : null;
}

// ── headers ─────────────────────────────────────────────────────────────────────────────────────

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
const VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/** Of the connection, not of the message (RFC 9110 §7.6.1), or set by whoever carries it. */
const NOT_OURS = new Set(
  `connection content-length expect host http2-settings keep-alive proxy-authenticate proxy-authorization
  proxy-connection te trailer transfer-encoding upgrade`.split(/\s+/),
);
const RESERVED = /^(?:webhook|carillon|cf)-/;

/** Why a header may not be sent; null: it may. The value is never quoted: it may be a secret. */
export function headerFault(name: string, value: string): string | null {
  if (!TOKEN.test(name)) return "is no name of a header: letters, digits and - make one";
  const lower = name.toLowerCase();
  if (NOT_OURS.has(lower)) return "belongs to the connection, not to the call";
  if (RESERVED.test(lower)) return "is one that the scheduler or its platform sets itself";
  if (!VALUE.test(value)) return "must be printable ASCII, without line breaks and space around it";
  return null;
}
