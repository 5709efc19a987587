/**
 * A URL target as people write it. What is secret is taken apart here and now, by field, so that whatever else handles
 * a definition never meets it among the headers.
 */
import * as v from "valibot";
import { fail, ok, type Result } from "../core/errors.ts";
import { LIMITS } from "../core/limits.ts";
import { headerField, NEXT_SECRET, SECRET } from "../core/secrets.ts";
import { headerFault, METHODS, type Said, type SecretsSaid, type TargetSaid } from "../core/target.ts";
import { keyOf } from "../delivery/signature.ts";
import { choice, duration, fields, isObject, type JsonSchema, parsed, text } from "./fields.ts";

const SHOWN: JsonSchema = {
  type: "object",
  description: "As it is shown: keeps the secret that has this fingerprint",
  properties: { set: { const: true }, fingerprint: { type: "string" } },
  required: ["set", "fingerprint"],
  additionalProperties: false,
};
const WHSEC: JsonSchema = { type: "string", pattern: "^whsec_", writeOnly: true };

const openHeaders = parsed(readHeaders, {
  type: "object",
  description: `At most ${LIMITS.HEADERS_MAX} headers, in ${LIMITS.HEADERS_BYTES_MAX} bytes; shown in lower case`,
  additionalProperties: { type: "string" },
  examples: [{ "x-tenant": "acme" }],
});

const secretHeaders = parsed(
  (input) =>
    eachHeader("secretHeaders", input, (value) => (typeof value === "string" ? ok(value) : readKept(value))),
  {
    type: "object",
    description:
      "Headers whose values are kept sealed and never shown. Each that is left out stays as it is while the URL's origin does; null takes it away.",
    additionalProperties: { oneOf: [{ type: "string", writeOnly: true }, SHOWN, { type: "null" }] },
    examples: [{ authorization: "Bearer …" }],
  },
);

const secret = parsed(readSecret, {
  description:
    "Signs each call (Standard Webhooks); kept sealed and never shown. Left out, it stays as it is while the URL's origin does; null takes it away. " +
    'To replace it: `{ "next": "whsec_…" }` signs with both, and once the receiver knows the new one, that one alone.',
  oneOf: [
    WHSEC,
    SHOWN,
    {
      type: "object",
      properties: {
        current: { oneOf: [WHSEC, SHOWN] },
        next: { oneOf: [WHSEC, SHOWN, { type: "null" }] },
      },
      additionalProperties: false,
    },
    { type: "null" },
  ],
});

export const urlTarget = v.pipe(
  fields({
    url: text(LIMITS.URL_CHARS_MAX, 1),
    method: v.optional(choice(METHODS)),
    headers: v.optional(openHeaders),
    secretHeaders: v.optional(secretHeaders),
    timeout: v.optional(duration(LIMITS.TIMEOUT_MS_MIN, LIMITS.CALL_MS_MAX)),
    secret: v.optional(secret),
  }),
  v.transform(({ secretHeaders = {}, secret = {}, timeout, ...target }): TargetSaid => {
    const hidden = Object.entries(secretHeaders).map(([name, it]) => [headerField(name), it] as const);
    const secrets = { ...secret, ...Object.fromEntries(hidden) };
    return {
      ...target,
      ...(timeout === undefined ? {} : { timeoutMs: timeout }),
      ...(Object.keys(secrets).length > 0 ? { secrets } : {}),
    };
  }),
);

// ── headers ─────────────────────────────────────────────────────────────────────────────────────

function readHeaders(input: unknown): Result<Record<string, string>> {
  return eachHeader("headers", input, (value) =>
    typeof value === "string" ? ok(value) : refuse("must be a text"),
  );
}

/** Names in lower case, as they are compared. */
function eachHeader<T>(
  field: string,
  input: unknown,
  read: (value: unknown) => Result<T>,
): Result<Record<string, T>> {
  if (!isObject(input)) return refuse("must be an object of header names and values");
  const entries = Object.entries(input);
  if (entries.length > LIMITS.HEADERS_MAX) return refuse(`must have at most ${LIMITS.HEADERS_MAX} headers`);
  const headers = new Map<string, T>();
  let bytes = 0;
  for (const [name, said] of entries) {
    const value = read(said);
    const text = typeof said === "string" ? said : "-";
    const fault = headerFault(name, text);
    const lower = name.toLowerCase();
    const blame = (message: string) =>
      refuse(`${JSON.stringify(name.slice(0, 64))} ${message}.`, pointerTo(field, name));
    if (fault !== null) return blame(fault);
    if (!value.ok) return blame(value.error.message);
    if (headers.has(lower)) return blame("is there twice");
    headers.set(lower, value.value);
    bytes += name.length + text.length;
  }
  if (bytes > LIMITS.HEADERS_BYTES_MAX) return refuse(`must take at most ${LIMITS.HEADERS_BYTES_MAX} bytes`);
  return ok(Object.fromEntries(headers));
}

// ── secrets ─────────────────────────────────────────────────────────────────────────────────────

/** Alone it is the only one: a next one that was there is no more. */
function readSecret(input: unknown): Result<SecretsSaid<string>> {
  if (!isObject(input) || "fingerprint" in input || "set" in input) {
    const only = readKey(input);
    return only.ok ? ok({ [SECRET]: only.value, [NEXT_SECRET]: null }) : only;
  }
  const said: SecretsSaid<string> = {};
  for (const [name, value] of Object.entries(input)) {
    if (name !== "current" && name !== "next") {
      return refuse(`must have no ${JSON.stringify(name.slice(0, 64))}, only current and next`);
    }
    const key = readKey(value);
    if (!key.ok) return { ok: false, error: { ...key.error, pointer: pointerTo("secret", name) } };
    said[name === "current" ? SECRET : NEXT_SECRET] = key.value;
  }
  return ok(said);
}

function readKey(input: unknown): Result<Said<string>> {
  if (typeof input !== "string") return readKept(input);
  if (keyOf(input) !== null) return ok(input);
  // Never quoted: a secret that is wrong by one character is a secret.
  return refuse("must be whsec_ and 24 to 64 random bytes in base64");
}

/** Null, or what a GET has shown: it may be sent back as it is. */
function readKept(input: unknown): Result<Said<string>> {
  if (input === null) return ok(null);
  const { set, fingerprint } = (isObject(input) ? input : {}) as { set?: unknown; fingerprint?: unknown };
  if (set === true && typeof fingerprint === "string") return ok({ fingerprint: fingerprint.slice(0, 64) });
  return refuse("must be a text, null, or what is shown in its place");
}

function refuse(message: string, pointer?: string): Result<never> {
  return fail("invalid_field", message, pointer === undefined ? {} : { pointer });
}

/** From the target: a parsed value's pointers start at the object that holds it. */
function pointerTo(field: string, name: string): string {
  return `/${field}/${name.slice(0, 64).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
