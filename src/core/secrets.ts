/**
 * Secrets of a URL target, as everything but the vault knows them: sealed, named by field, told apart by a
 * fingerprint. They stand beside the definitions, so that no revision, change or diff can hold one.
 */
import { fail, ok, type Result } from "./errors.ts";
import { LIMITS } from "./limits.ts";
import { originOf, type SecretsSaid, type Target } from "./target.ts";

/** `secret`, `secret/next` or `secretHeaders/<name>`: also the way to it inside the target. */
export const SECRET = "secret";
export const NEXT_SECRET = "secret/next";
const HEADER = "secretHeaders/";

export interface Sealed {
  field: string;
  /** Keyed digest of the text: tells whether it is the same, and nothing else. */
  fingerprint: string;
  /** Nonce and ciphertext, base64. */
  box: string;
}

export function headerField(name: string): string {
  return HEADER + name;
}

/** The name of the header whose value this is; null for what signs. */
export function headerOf(field: string): string | null {
  return field.startsWith(HEADER) ? field.slice(HEADER.length) : null;
}

/**
 * The secrets after an edit. What is not spoken of stays while the URL's origin does; whatever was given for
 * another host is never sent to this one.
 */
export function secretsAfter(
  before: { target: Target | undefined; secrets: readonly Sealed[] },
  target: Target,
  said: SecretsSaid<Sealed> = {},
): Result<Sealed[]> {
  const stays = originOf(before.target) === originOf(target);
  const after = new Map((stays ? before.secrets : []).map((sealed) => [sealed.field, sealed]));
  for (const [field, it] of Object.entries(said)) {
    if (it === null) after.delete(field);
    else if ("box" in it) {
      // The same text once more keeps the box that it has: sealing is never twice the same.
      if (after.get(field)?.fingerprint !== it.fingerprint) after.set(field, it);
    } else if (after.get(field)?.fingerprint !== it.fingerprint) return notTheOne(field, stays);
  }
  if (after.has(NEXT_SECRET) && !after.has(SECRET)) {
    return fail("invalid_field", "There is no secret yet that a next one could follow.", {
      pointer: pointerTo(NEXT_SECRET),
      hint: 'Say "secret": "whsec_…".',
    });
  }
  return checkHeaders([...after.values()], target);
}

function notTheOne(field: string, stays: boolean): Result<never> {
  const why = stays
    ? "is not the one with this fingerprint"
    : "was given for another origin, and is not sent to this one";
  return fail("invalid_field", `The secret that is set ${why}.`, {
    pointer: pointerTo(field),
    hint: "Give the secret itself, or null for none.",
  });
}

function checkHeaders(secrets: Sealed[], target: Target): Result<Sealed[]> {
  const { headers = {} } = "url" in target ? target : {};
  const names = secrets.map(({ field }) => headerOf(field)).filter((name) => name !== null);
  const twice = names.find((name) => Object.hasOwn(headers, name));
  if (twice !== undefined) {
    const message = `${twice} is a secret header and an open one; only one of them can be sent.`;
    return fail("invalid_field", message, {
      pointer: pointerTo(headerField(twice)),
      hint: `Leave it out of headers, or say null for it in secretHeaders.`,
    });
  }
  if (names.length > LIMITS.HEADERS_MAX) {
    return fail("limit_exceeded", `A target has at most ${LIMITS.HEADERS_MAX} secret headers.`, {
      pointer: "/target/secretHeaders",
    });
  }
  return ok(secrets.toSorted((a, b) => (a.field < b.field ? -1 : 1)));
}

function pointerTo(field: string): string {
  return `/target/${field.replaceAll("~", "~0")}`;
}

// ── as they are shown ───────────────────────────────────────────────────────────────────────────

export interface Shown {
  set: true;
  fingerprint: string;
}

export function showSecrets(secrets: readonly Sealed[]) {
  const shown = new Map(
    secrets.map(({ field, fingerprint }) => [field, { set: true, fingerprint } as Shown]),
  );
  const [current = null, next] = [shown.get(SECRET), shown.get(NEXT_SECRET)];
  const headers = [...shown].flatMap(([field, it]) => {
    const name = headerOf(field);
    return name === null ? [] : [[name, it] as const];
  });
  return {
    secret: next ? { current, next } : current,
    secretHeaders: Object.fromEntries(headers),
  };
}
