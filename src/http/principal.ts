/**
 * Who asks: the operator, with ADMIN_TOKEN, or the holder of a token that the ledger knows. A token is looked up for
 * each request, so one that was revoked opens nothing from the next request on. Where the ledger does not answer,
 * tokens open nothing; ADMIN_TOKEN needs no ledger.
 */
import { ok } from "../core/errors.ts";
import { withDeadline } from "../deadline.ts";
import { SCOPES, type Scope, type Token } from "../ledger/tokens.ts";
import type { Deps } from "./context.ts";
import type { Outcome } from "./problem.ts";
import { hashOf, isSame, readToken } from "./secret.ts";

export interface Principal {
  /** Of the token; `admin` for the operator. */
  id: string;
  /** For the record of changes: a token's name and id, never the token. */
  who: string;
  /** None implies another. */
  scopes: readonly Scope[];
  namespaces: readonly string[] | "*";
  /** What it may work on, and name as a target; null: all. */
  queues: string[] | null;
  /** What it sees at all; null: all. */
  schedules: string[] | null;
  expiresAt: number | null;
}

const OPERATOR: Principal = {
  id: "admin",
  who: "admin",
  scopes: SCOPES,
  namespaces: "*",
  queues: null,
  schedules: null,
  expiresAt: null,
};

const LOOK_MS_MAX = 5_000;
const TOUCH_MS = 60_000;

/** Who presents this text; null: nobody we know. */
export async function identify(deps: Deps, text: string, now: number): Promise<Outcome<Principal | null>> {
  const { adminToken } = deps.config;
  if (adminToken === null) return ok(null);
  if (await isSame(text, adminToken)) return ok(OPERATOR);
  const presented = readToken(text);
  if (!presented) return ok(null);
  const found = await find(deps, presented.id);
  if (!found.ok || found.value === null) return found as Outcome<null>;
  const isRight = await isSame(await hashOf(presented.secret), found.value.hash);
  return ok(isRight ? admit(deps, found.value, now) : null);
}

/** The same again by its id, for whoever has proved before who they are; null: it is there no longer. */
export async function principalOf(deps: Deps, id: string, now: number): Promise<Outcome<Principal | null>> {
  if (id === OPERATOR.id) return ok(deps.config.adminToken === null ? null : OPERATOR);
  const found = await find(deps, id);
  return found.ok ? ok(found.value && admit(deps, found.value, now)) : found;
}

export function coversSchedule({ schedules }: Principal, name: string): boolean {
  return schedules === null || schedules.includes(name);
}

export function coversQueue({ queues }: Principal, queue: string): boolean {
  return queues === null || queues.includes(queue);
}

async function find(deps: Deps, id: string): Promise<Outcome<Token | null>> {
  try {
    const answer = await withDeadline(
      deps.tokens.find(id).then((token) => ({ token })),
      LOOK_MS_MAX,
    );
    if (answer) return ok(answer.token);
    deps.report(new Error("no answer"), { method: "find", path: "tokens", code: "ledger_unavailable" });
  } catch (error) {
    deps.report(error, { method: "find", path: "tokens", code: "ledger_unavailable" });
  }
  const message = "The ledger does not answer, so the token cannot be looked up. Try again.";
  return { ok: false, error: { code: "ledger_unavailable", message } };
}

/** Whether its time is over is all that is left to ask. That it was used is noted at most once a minute, behind the answer. */
function admit(deps: Deps, token: Token, now: number): Principal | null {
  const { id, name, scopes, namespaces, queues, schedules, expiresAt, lastUsedAt } = token;
  if (expiresAt !== null && expiresAt <= now) return null;
  if (lastUsedAt === null || lastUsedAt < now - TOUCH_MS) {
    // Lost with the ledger, it is noted with the next request.
    deps.later(deps.tokens.touch(id, now, now - TOUCH_MS).catch(() => null));
  }
  return {
    id,
    who: `${name}#${id}`,
    scopes,
    namespaces: namespaces.includes("*") ? "*" : namespaces,
    queues,
    schedules,
    expiresAt,
  };
}
