/**
 * Standard Webhooks (standardwebhooks.com), symmetric: `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>`.
 * The receiver checks it with any of that standard's libraries, and sorts out repeats by the id.
 */

const PREFIX = "whsec_";
const KEY_BYTES_MIN = 24;
const KEY_BYTES_MAX = 64;

export interface SignedHeaders {
  "webhook-id": string;
  "webhook-timestamp": string;
  "webhook-signature": string;
}

export async function sign(
  secret: string,
  { id, at, body }: { id: string; at: number; body: string },
): Promise<SignedHeaders> {
  const bytes = keyOf(secret);
  if (bytes === null) throw new Error("the webhook's secret is none: whsec_ and 24 to 64 bytes in base64");
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign"]);
  const timestamp = String(Math.floor(at / 1_000));
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signature = new Uint8Array(await crypto.subtle.sign(algorithm.name, key, signed));
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${btoa(String.fromCharCode(...signature))}`,
  };
}

/** The bytes of a secret; null where it is none. */
export function keyOf(secret: string): Uint8Array<ArrayBuffer> | null {
  if (!secret.startsWith(PREFIX)) return null;
  try {
    const bytes = Uint8Array.from(atob(secret.slice(PREFIX.length)), (character) => character.charCodeAt(0));
    return bytes.length >= KEY_BYTES_MIN && bytes.length <= KEY_BYTES_MAX ? bytes : null;
  } catch {
    return null;
  }
}
