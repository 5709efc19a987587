/** A token's text: `carillon_<id>_<secret>`, which secret scanners recognise. The secret is 256 random bits, so one hash hides it. */

const TEXT = /^carillon_([0-9a-f]{16})_([0-9a-f]{64})$/;

export function newToken(): { id: string; secret: string; text: string } {
  const [id, secret] = [random(8), random(32)];
  return { id, secret, text: `carillon_${id}_${secret}` };
}

export function readToken(text: string): { id: string; secret: string } | null {
  const [, id, secret] = TEXT.exec(text) ?? [];
  return id !== undefined && secret !== undefined ? { id, secret } : null;
}

export async function hashOf(secret: string): Promise<string> {
  return toHex(new Uint8Array(await digest(secret)));
}

/** Digests have one length whatever was sent, so the comparison tells nothing of the secret's. */
export async function isSame(a: string, b: string): Promise<boolean> {
  const [first, second] = await Promise.all([digest(a), digest(b)]);
  return crypto.subtle.timingSafeEqual(first, second);
}

function digest(text: string): Promise<ArrayBuffer> {
  return crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
}

function random(bytes: number): string {
  return toHex(crypto.getRandomValues(new Uint8Array(bytes)));
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
