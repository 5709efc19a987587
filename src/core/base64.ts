/** Bytes as text and back. */

export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Null where it is no base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  if (/\s/.test(text)) return null; // atob would read past it, others would not
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
