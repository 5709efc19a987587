/**
 * Seals what must not be readable at rest: AES-GCM under the Worker's SECRETS_KEY. A box is bound to its place, so
 * that a copy under another schedule, field or host does not open.
 */
import { fromBase64, toBase64 } from "../core/base64.ts";
import type { Sealed } from "../core/secrets.ts";

const NONCE_BYTES = 12;
const FINGERPRINT_BYTES = 8;

export interface Place {
  /** Namespace and name. */
  schedule: string;
  /** Scheme, host and port that it is sent to. */
  origin: string;
  field: string;
}

interface Keys {
  box: CryptoKey;
  print: CryptoKey;
}

export class Vault {
  readonly #keys: Promise<Keys[]>;

  /** The key in force, then the one before it, which opens and no longer seals. */
  constructor(keys: readonly Uint8Array<ArrayBuffer>[]) {
    this.#keys = Promise.all(keys.map(derive));
  }

  async seal(place: Place, text: string): Promise<Sealed> {
    const [keys] = await this.#keys;
    if (!keys) throw new Error("a vault without a key seals nothing");
    const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const sealed = await crypto.subtle.encrypt(cipher(nonce, place), keys.box, encode(text));
    const print = await crypto.subtle.sign("HMAC", keys.print, encode(`${nameOf(place)}\n${text}`));
    return {
      field: place.field,
      fingerprint: toHex(new Uint8Array(print).subarray(0, FINGERPRINT_BYTES)),
      box: toBase64(new Uint8Array([...nonce, ...new Uint8Array(sealed)])),
    };
  }

  /** Null: none of the keys opens it here. `isOld`: not the one in force does. */
  async open(place: Place, { box }: Sealed): Promise<{ text: string; isOld: boolean } | null> {
    const bytes = fromBase64(box) ?? new Uint8Array();
    const [nonce, sealed] = [bytes.slice(0, NONCE_BYTES), bytes.slice(NONCE_BYTES)];
    for (const [age, keys] of (await this.#keys).entries()) {
      try {
        const text = await crypto.subtle.decrypt(cipher(nonce, place), keys.box, sealed);
        return { text: new TextDecoder().decode(text), isOld: age > 0 };
      } catch {
        // Sealed under another key, or for another place: the platform does not say which.
      }
    }
    return null;
  }
}

/** One key seals, another makes fingerprints: neither says anything of the other. */
async function derive(secret: Uint8Array<ArrayBuffer>): Promise<Keys> {
  const root = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveKey"]);
  const hkdf = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array() };
  const from = (info: string) => ({ ...hkdf, info: encode(info) });
  const [aes, hmac] = [
    { name: "AES-GCM", length: 256 },
    { name: "HMAC", hash: "SHA-256", length: 256 },
  ];
  const [box, print] = await Promise.all([
    crypto.subtle.deriveKey(from("carillon box"), root, aes, false, ["encrypt", "decrypt"]),
    crypto.subtle.deriveKey(from("carillon fingerprint"), root, hmac, false, ["sign"]),
  ]);
  return { box, print };
}

function cipher(iv: Uint8Array<ArrayBuffer>, place: Place) {
  return { name: "AES-GCM", iv, additionalData: encode(nameOf(place)) };
}

function nameOf({ schedule, origin, field }: Place): string {
  return JSON.stringify([schedule, origin, field]);
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function toHex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
