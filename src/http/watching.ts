/** What looks after the schedules, asked: a pass of the sweep on demand, and the alerts. */
import { Hono } from "hono";
import * as v from "valibot";
import { formatInstant } from "../core/time.ts";
import { ALERT_KINDS, type Alert } from "../ledger/alerts.ts";
import { splitKey } from "../ledger/row.ts";
import type { AppEnv, Deps } from "./context.ts";
import { cursorOf } from "./cursor.ts";
import * as examples from "./examples.ts";
import { shown } from "./fields.ts";
import { operation } from "./operation.ts";
import { refuse } from "./problem.ts";
import { alertsQuery } from "./requests.ts";
import { accept } from "./validate.ts";
import * as views from "./views.ts";

const summary = shown(
  v.object({
    poked: v.number(),
    redispatched: v.number(),
    expired: v.number(),
    alerts: v.number(),
  }),
  examples.SWEEP,
);

const alert = views.named(
  "Alert",
  v.object({
    namespace: v.string(),
    schedule: v.string(),
    kind: v.picklist(ALERT_KINDS),
    state: v.picklist(["open", "resolved"]),
    raisedAt: v.string(),
    resolvedAt: v.nullable(v.string()),
    message: v.string(),
    occurrence: v.nullable(v.string()),
  }),
  examples.ALERT,
);

export function watching(deps: Deps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();

  app.post(
    "/v1/sweep",
    operation({
      id: "sweep",
      tag: "Service",
      scope: "admin",
      takesKey: true,
      summary: "One pass of the sweep, now: for deployments whose cron is elsewhere",
      description:
        "Looks at the next page of schedules, of all namespaces, so it takes a token that reaches them all. Of two passes at once one goes on, and the other finds nothing to do.",
      answers: {
        200: {
          description: "Objects woken, messages sent again, occurrences expired, alerts raised",
          schema: summary,
        },
      },
    }),
    async (c) => {
      const { namespaces, schedules } = c.var.principal;
      if (namespaces !== "*" || schedules !== null) {
        const message = "The sweep looks at all namespaces, so the token must reach them all.";
        return refuse(c, { code: "forbidden", message });
      }
      const { poked, redispatched, expired, alerts } = await deps.sweep(c.var.now);
      return c.json({ poked, redispatched, expired, alerts });
    },
  );

  app.get(
    "/v1/alerts",
    operation({
      id: "listAlerts",
      tag: "Service",
      scope: "read",
      summary: "Alerts of a namespace, newest first",
      answers: { 200: { description: "A page", schema: views.page(alert) } },
    }),
    accept("query", alertsQuery),
    async (c) => c.json(await alertsOf(deps, c.var, c.req.valid("query"))),
  );

  return app;
}

/** A page of what `GET /v1/alerts` lists. */
export async function alertsOf(
  deps: Deps,
  { namespace, principal: { schedules } }: AppEnv["Variables"],
  query: v.InferOutput<typeof alertsQuery>,
) {
  const { state = null, schedule = null, cursor = null, limit } = query;
  const found = await deps.ledger.alerts({ namespace, schedules, state, schedule, before: cursor, limit });
  const shown = found.slice(0, limit);
  const last = found.length > limit ? shown.at(-1) : undefined;
  const { raisedAt = 0, schedule: key = "", kind = "" } = last ?? {};
  return {
    items: shown.map(viewOf),
    nextCursor: cursorOf(last ? { raisedAt, schedule: key, kind } : null),
  };
}

export type AlertView = ReturnType<typeof viewOf>;

function viewOf({ schedule, kind, raisedAt, resolvedAt, message, occurrence }: Alert) {
  const { namespace, name } = splitKey(schedule);
  return {
    namespace,
    schedule: name,
    kind,
    state: resolvedAt === null ? "open" : "resolved",
    raisedAt: formatInstant(raisedAt),
    resolvedAt: resolvedAt === null ? null : formatInstant(resolvedAt),
    message,
    occurrence,
  };
}
