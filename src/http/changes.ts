/** `GET /v1/changes`: who changed what. Schedules for everybody who reads; tokens for those who look after them. */
import { Hono } from "hono";
import * as v from "valibot";
import { ACTIONS } from "../core/eras.ts";
import { instantOrNull } from "../core/present.ts";
import { formatInstant } from "../core/time.ts";
import type { TrailItem } from "../ledger/trail.ts";
import type { AppEnv, Deps } from "./context.ts";
import { cursorOf } from "./cursor.ts";
import { operation } from "./operation.ts";
import { changesQuery } from "./past-requests.ts";
import { bounds } from "./tokens.ts";
import { accept } from "./validate.ts";
import * as views from "./views.ts";

const change = views.named(
  "Change",
  v.union([
    v.object({
      kind: v.literal("schedule"),
      at: views.instant,
      action: v.picklist(ACTIONS),
      who: v.string(),
      schedule: v.string(),
      revision: v.number(),
      note: v.nullable(v.string()),
    }),
    v.object({
      kind: v.literal("token"),
      at: views.instant,
      action: v.picklist(["create", "revoke"]),
      who: v.string(),
      token: v.object({ id: v.string(), name: v.string(), ...bounds, expiresAt: views.maybeInstant }),
    }),
  ]),
  {
    kind: "schedule",
    at: "2026-11-30T12:00:00Z",
    action: "edit",
    who: "ci#3f9a1c0b7d2e4a68",
    schedule: "nightly-report",
    revision: 3,
    note: null,
  },
);

/** The object's clock may be a little ahead of ours. */
const CLOCKS_DIFFER_MS = 60_000;

export function changes(deps: Deps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();

  app.get(
    "/v1/changes",
    operation({
      id: "listChanges",
      tag: "Service",
      scope: "read",
      summary: "The audit trail of a namespace, newest first: who changed what, and the revision it made",
      description:
        "Tokens are in it for a token that has the scope `admin` as well. A filter looks at a bounded stretch of time: a page may hold " +
        "fewer items than `limit`, even none, and still have a cursor. What `…/revisions` shows in full is named here by its number.",
      answers: { 200: { description: "A page", schema: views.page(change) } },
    }),
    accept("query", changesQuery),
    async (c) => {
      const { who = null, action = null, schedule = null, limit, cursor } = c.req.valid("query");
      const { namespace, principal, now } = c.var;
      const { schedules, queues } = principal;
      const namespaces = principal.namespaces === "*" ? null : [...principal.namespaces];
      const { items, end } = await deps.ledger.trail({
        namespace,
        schedules,
        who,
        action,
        schedule,
        tokens: principal.scopes.includes("admin") ? { namespaces, queues, schedules } : null,
        before: cursor ?? { slot: now + CLOCKS_DIFFER_MS, schedule: "", variant: "" },
        limit,
      });
      return c.json({ items: items.map(({ item }) => show(item)), nextCursor: cursorOf(end) });
    },
  );

  return app;
}

function show(item: TrailItem) {
  const at = formatInstant(item.at);
  if (item.kind === "schedule") return { ...item, at };
  const { token } = item;
  return { ...item, at, token: { ...token, expiresAt: instantOrNull(token.expiresAt) } };
}
