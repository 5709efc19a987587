/** `GET /v1/schedules/{name}/revisions`: every definition that the schedule ever had. None of them changes any more. */
import { Hono } from "hono";
import { presentDefinition } from "../core/present.ts";
import { complete } from "../core/schedule.ts";
import { formatInstant } from "../core/time.ts";
import type { Change } from "../core/eras.ts";
import type { AppEnv, Deps } from "./context.ts";
import { cursorOf } from "./cursor.ts";
import { operation } from "./operation.ts";
import { revisionsQuery } from "./past-requests.ts";
import * as past from "./past-views.ts";
import { refuse } from "./problem.ts";
import { namePath } from "./requests.ts";
import { accept } from "./validate.ts";
import * as views from "./views.ts";

export function revisions(deps: Deps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();

  app.get(
    "/v1/schedules/:name/revisions",
    operation({
      id: "listRevisions",
      tag: "Schedules",
      scope: "read",
      summary: "Every definition that the schedule has had, newest first, with who made it and when",
      answers: { 200: { description: "A page", schema: views.page(past.revision) } },
    }),
    accept("param", namePath),
    accept("query", revisionsQuery),
    async (c) => {
      const { name } = c.req.valid("param");
      const { limit, cursor } = c.req.valid("query");
      const before = cursor?.version ?? null;
      const changes = await deps.ledger.revisions(c.var.namespace, name, { before, limit });
      if (changes.length === 0 && before === null) {
        const message = `There is no schedule ${name} here, and there never was.`;
        return refuse(c, { code: "not_found", message });
      }
      const last = changes.length > limit ? changes[limit - 1]! : null;
      const items = changes.slice(0, limit).flatMap(show);
      return c.json({ items, nextCursor: cursorOf(last && { version: last.version }) });
    },
  );

  return app;
}

function show({ revision, at, action, who, note, definition: input }: Change) {
  const definition = input && complete(input);
  if (!definition?.ok) return [];
  return {
    revision,
    at: formatInstant(at),
    action,
    who,
    note,
    definition: presentDefinition(definition.value),
  };
}
