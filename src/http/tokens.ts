/** `/v1/tokens`: who else may call. Nobody grants more than they have, or sees a token that reaches beyond what they see. */
import { Hono } from "hono";
import * as v from "valibot";
import { instantOrNull } from "../core/present.ts";
import { formatInstant } from "../core/time.ts";
import { SCOPES, type Token } from "../ledger/tokens.ts";
import type { AppEnv, Deps } from "./context.ts";
import { cursorOf } from "./cursor.ts";
import * as examples from "./examples.ts";
import { BODY, operation } from "./operation.ts";
import type { Principal } from "./principal.ts";
import { refuse, type Refusal } from "./problem.ts";
import { tokenBody, tokenPath, tokensQuery } from "./requests.ts";
import { hashOf, newToken } from "./secret.ts";
import { accept } from "./validate.ts";
import * as views from "./views.ts";

/** What a token may do, and where. */
export const bounds = {
  scopes: v.array(v.picklist(SCOPES)),
  namespaces: v.array(v.string()),
  queues: v.nullable(v.array(v.string())),
  schedules: v.nullable(v.array(v.string())),
};
const entries = {
  id: v.string(),
  name: v.string(),
  ...bounds,
  createdAt: views.instant,
  createdBy: v.string(),
  expiresAt: views.maybeInstant,
  lastUsedAt: v.pipe(views.maybeInstant, v.description("To the minute")),
};
const token = views.named("Token", v.object(entries), examples.TOKEN);
const made = views.named(
  "NewToken",
  v.object({ ...entries, token: v.pipe(v.string(), v.description("Shown now and never again")) }),
  { ...examples.TOKEN, token: "carillon_…" },
);

export function tokens(deps: Deps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();

  app.post(
    "/v1/tokens",
    operation({
      id: "createToken",
      tag: "Service",
      scope: "admin",
      takesKey: true,
      summary: "Make a token; it is shown this once",
      description:
        'No scope implies another. `namespaces: ["*"]` is all of them. `schedules` bounds all that the token sees, reads as well as writes; ' +
        "`queues` bounds what it may work on and name as a target; null is all. " +
        "Nothing may reach beyond what the maker's own token reaches, its expiry included.",
      answers: { 201: { description: "The token", schema: made, headers: ["Location"] } },
      refuses: [...BODY, "invalid_instant"],
    }),
    accept("json", tokenBody),
    async (c) => {
      const { principal, now } = c.var;
      const asked = c.req.valid("json");
      const beyond = refuseBeyond(principal, asked) ?? refusePast(asked.expiresAt, now);
      if (beyond) return refuse(c, beyond);
      const { id, secret, text } = newToken();
      const hash = await hashOf(secret);
      const token = { ...asked, id, hash, createdAt: now, createdBy: principal.who, lastUsedAt: null };
      await deps.tokens.create(token);
      c.header("location", `/v1/tokens/${id}`);
      return c.json({ ...show(token), token: text }, 201);
    },
  );

  app.get(
    "/v1/tokens",
    operation({
      id: "listTokens",
      tag: "Service",
      scope: "admin",
      summary: "The tokens that stay within what yours may see, newest first; never their secrets",
      answers: { 200: { description: "A page", schema: views.page(token) } },
    }),
    accept("query", tokensQuery),
    async (c) => {
      const { limit, cursor = null } = c.req.valid("query");
      const { namespaces, queues, schedules } = c.var.principal;
      const found = await deps.tokens.list({
        namespaces: namespaces === "*" ? null : [...namespaces],
        queues,
        schedules,
        before: cursor,
        limit,
      });
      const last = found.length > limit ? found[limit - 1]! : null;
      const nextCursor = cursorOf(last && { createdAt: last.createdAt, id: last.id });
      return c.json({ items: found.slice(0, limit).map(show), nextCursor });
    },
  );

  app.delete(
    "/v1/tokens/:id",
    operation({
      id: "revokeToken",
      tag: "Service",
      scope: "admin",
      summary: "Revoke a token: from the next request on it opens nothing",
      answers: { 200: { description: "The token that was", schema: token } },
    }),
    accept("param", tokenPath),
    async (c) => {
      const { id } = c.req.valid("param");
      const { principal, now } = c.var;
      const found = await deps.tokens.find(id);
      const isOurs = found !== null && REACH.every((bound) => isWithin(principal[bound], found[bound]));
      if (isOurs && (await deps.tokens.revoke(found, principal.who, now))) return c.json(show(found));
      return refuse(c, { code: "not_found", message: `There is no token ${id} here.` });
    },
  );

  return app;
}

const REACH = ["namespaces", "queues", "schedules"] as const;
type Grant = Pick<Token, "scopes" | "namespaces" | "queues" | "schedules" | "expiresAt">;

/** `"*"` and null are all. */
function isWithin(own: readonly string[] | "*" | null, asked: readonly string[] | null): boolean {
  return own === "*" || own === null || (asked !== null && asked.every((one) => own.includes(one)));
}

function refuseBeyond(principal: Principal, asked: Grant): Refusal | null {
  const field = (["scopes", ...REACH] as const).find((it) => !isWithin(principal[it], asked[it]));
  if (field !== undefined) return beyond(field, [principal[field] ?? []].flat().join(", ") || "none");
  const { expiresAt } = principal;
  const outlives = expiresAt !== null && (asked.expiresAt === null || asked.expiresAt > expiresAt);
  return outlives ? beyond("expiresAt", `at most ${formatInstant(expiresAt)}`) : null;
}

function beyond(field: keyof Grant, own: string): Refusal {
  return {
    code: "forbidden",
    message: `No token can grant more than it has itself: ${field} reaches beyond that.`,
    pointer: `/${field}`,
    hint: `Yours has: ${own}.`,
  };
}

function refusePast(expiresAt: number | null, now: number): Refusal | null {
  if (expiresAt === null || expiresAt > now) return null;
  return { code: "invalid_field", message: "expiresAt must lie ahead.", pointer: "/expiresAt" };
}

/** All but the hash. */
function show(token: Token) {
  return {
    id: token.id,
    name: token.name,
    scopes: token.scopes,
    namespaces: token.namespaces,
    queues: token.queues,
    schedules: token.schedules,
    createdAt: formatInstant(token.createdAt),
    createdBy: token.createdBy,
    expiresAt: instantOrNull(token.expiresAt),
    lastUsedAt: instantOrNull(token.lastUsedAt),
  };
}
