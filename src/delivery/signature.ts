/**
 * Standard Webhooks (standardwebhooks.com), symmetric: `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>`.
 * The receiver checks it with any of that standard's libraries, and sorts out repeats by the id. While a secret is
 * being replaced there are two, each with its signature: the receiver takes whichever it knows.
 */
import { fromBase64, toBase64 } from "../core/base64.ts";

const PREFIX = "whsec_";
const KEY_BYTES_MIN = 24;
const KEY_BYTES_MAX = 64;

export interface SignedHeaders {
  "webhook-id": string;
  "webhook-timestamp": string;
  /** None where there is no secret. */
  "webhook-signature"?: string;
}

export async function sign(
  secrets: readonly string[],
  { id, at, body }: { id: string; at: number; body: string },
): Promise<SignedHeaders> {
  const timestamp = String(Math.floor(at / 1_000));
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signatures = await Promise.all(secrets.map((secret) => signatureOf(secret, signed)));
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    ...(signatures.length > 0 ? { "webhook-signature": signatures.join(" ") } : {}),
  };
}

async function signatureOf(secret: string, signed: Uint8Array): Promise<string> {
  const bytes = keyOf(secret);
  if (bytes === null) throw new Error("the webhook's secret is none: whsec_ and 24 to 64 bytes in base64");
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign"]);
  return `v1,${toBase64(new Uint8Array(await crypto.subtle.sign(algorithm.name, key, signed)))}`;
}

/** The bytes of a secret; null where it is none. */
export function keyOf(secret: string): Uint8Array<ArrayBuffer> | null {
  if (!secret.startsWith(PREFIX)) return null;
  const bytes = fromBase64(secret.slice(PREFIX.length));
  return bytes && bytes.length >= KEY_BYTES_MIN && bytes.length <= KEY_BYTES_MAX ? bytes : null;
}
