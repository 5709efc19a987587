/**
 * How much of it is too much: requests of one token, and failed sign-ins of one address, a minute, by the platform's
 * limiters. They count for each of its locations and only about right, which is all that a flood needs; a limiter that
 * is not bound, or does not answer, limits nothing. A right token is never refused for what its neighbours at an
 * address present: secrets of 256 bits need no lock against guessing, and strangers could close such a lock.
 */
import type { Deps } from "./context.ts";
import type { Principal } from "./principal.ts";
import type { Refusal } from "./problem.ts";

/** The platform's. */
export interface Limiter {
  limit(of: { key: string }): Promise<{ success: boolean }>;
}

export interface Limiters {
  requests: Limiter | null;
  signIns: Limiter | null;
}

/** The operator's own hand is never tied. */
export async function refuseFlood(deps: Deps, { id }: Principal): Promise<Refusal | null> {
  if (id === "admin" || !(await isOver(deps, "requests", id))) return null;
  return tooMuch("This token has made too many requests in the last minute.");
}

/** After a sign-in that failed; an address that is not known counts with all others that are not. */
export async function refuseGuessing(deps: Deps, address: string | undefined): Promise<Refusal | null> {
  if (!(await isOver(deps, "signIns", address ?? ""))) return null;
  return tooMuch("Too many sign-ins from this address have failed in the last minute.");
}

async function isOver(deps: Deps, what: keyof Limiters, key: string): Promise<boolean> {
  try {
    return (await deps.limiters[what]?.limit({ key }))?.success === false;
  } catch (error) {
    deps.report(error, { method: "limit", path: what, code: "rate_limited" });
    return false;
  }
}

function tooMuch(message: string): Refusal {
  return { code: "rate_limited", message, hint: "Wait for as long as Retry-After says." };
}
