/**
 * Answers are kept for a day, and one of them may hold a new token: so they lie in the ledger encrypted, under names
 * and fingerprints that need the same secret to be made. The key is ADMIN_TOKEN's; with a new one they are forgotten.
 */

export interface Sealer {
  /** Of the place, which it hides. */
  name: string;
  fingerprint(bytes: Uint8Array<ArrayBuffer>): Promise<string>;
  close(value: object): Promise<string>;
  /** Null: it was closed by another. */
  open(text: string): Promise<unknown>;
}

const IV_BYTES = 12;
const encoder = new TextEncoder();

/** For one place, which its parts name; none of them holds a line break. */
export async function sealer(secret: string, place: string[]): Promise<Sealer> {
  const root = await macKey(encoder.encode(`carillon/idempotency/${secret}`));
  const at = encoder.encode(place.join("\n"));
  const [name, own, sealing] = await Promise.all(
    ["name", "body", "seal"].map((use) => mac(root, join(encoder.encode(`${use}\n`), at))),
  );
  const bodyKey = await macKey(own!);
  const aes = await crypto.subtle.importKey("raw", sealing!, "AES-GCM", false, ["encrypt", "decrypt"]);
  return {
    name: toBase64(new Uint8Array(name!)),
    fingerprint: async (bytes) => toBase64(new Uint8Array(await mac(bodyKey, bytes))),
    async close(value) {
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      const text = encoder.encode(JSON.stringify(value));
      const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, aes, text);
      return toBase64(join(iv, new Uint8Array(sealed)));
    },
    async open(text) {
      const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
      const [iv, sealed] = [bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES)];
      const opened = await crypto.subtle.decrypt({ name: "AES-GCM", iv }, aes, sealed).catch(() => null);
      return opened && (JSON.parse(new TextDecoder().decode(opened)) as unknown);
    },
  };
}

function macKey(bytes: BufferSource): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
}

function mac(key: CryptoKey, bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  return crypto.subtle.sign("HMAC", key, bytes);
}

function join(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** Piece by piece: the arguments of one call have to fit on the stack. */
function toBase64(bytes: Uint8Array): string {
  const PIECE = 8_192;
  let text = "";
  for (let i = 0; i < bytes.length; i += PIECE) text += String.fromCharCode(...bytes.subarray(i, i + PIECE));
  return btoa(text);
}
