/** `GET /v1/schedules/{name}/revisions`: every definition that the schedule ever had. None of them changes any more. */
import { Hono } from "hono";
import { presentDefinition } from "../core/present.ts";
import { complete } from "../core/schedule.ts";
import { formatInstant } from "../core/time.ts";
import type { Action, Change } from "../core/eras.ts";
import type { ScheduleView } from "../schedule/stub.ts";
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
      const { items, next } = await revisionsOf(deps, c.var.namespace, name, { before, limit });
      if (items.length === 0 && before === null) {
        const message = `There is no schedule ${name} here, and there never was.`;
        return refuse(c, { code: "not_found", message });
      }
      return c.json({ items, nextCursor: cursorOf(next) });
    },
  );

  return app;
}

export interface RevisionView {
  revision: number;
  at: string;
  action: Action;
  who: string;
  note: string | null;
  definition: ScheduleView["definition"];
}

/** A page of them, newest first, and where the next one begins. */
export async function revisionsOf(
  deps: Deps,
  namespace: string,
  name: string,
  { before, limit }: { before: number | null; limit: number },
): Promise<{ items: RevisionView[]; next: { version: number } | null }> {
  const changes = await deps.ledger.revisions(namespace, name, { before, limit });
  const last = changes.length > limit ? changes[limit - 1]! : null;
  return { items: changes.slice(0, limit).flatMap(show), next: last && { version: last.version } };
}

function show({ revision, at, action, who, note, definition: input }: Change): RevisionView[] {
  const definition = input && complete(input);
  if (!definition?.ok) return [];
  return [
    {
      revision,
      at: formatInstant(at),
      action,
      who,
      note,
      definition: presentDefinition(definition.value),
    },
  ];
}
