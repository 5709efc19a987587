/** `GET /v1/work`: what waits for workers that poll a queue which no Worker consumes. */
import { Hono } from "hono";
import { callAll } from "../at-once.ts";
import type { Message } from "../core/message.ts";
import type { Position } from "../ledger/page.ts";
import { splitKey } from "../ledger/row.ts";
import type { AppEnv, Deps } from "./context.ts";
import { operation } from "./operation.ts";
import { coversQueue } from "./principal.ts";
import { refuse } from "./problem.ts";
import { workQuery } from "./requests.ts";
import { refuseQueue } from "./targets.ts";
import { accept } from "./validate.ts";
import * as views from "./views.ts";

export function work(deps: Deps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();

  app.get(
    "/v1/work",
    operation({
      id: "listWork",
      tag: "Work",
      scope: "work",
      summary: "Messages that wait for a worker to start them, oldest first",
      description:
        "Listing takes nothing: `start` does. A token bound to queues or schedules sees what those cover.",
      answers: { 200: { description: "The messages", schema: views.page(views.message) } },
      refuses: ["unknown_queue"],
    }),
    accept("query", workQuery),
    async (c) => {
      const { queue, limit } = c.req.valid("query");
      const { namespace, principal } = c.var;
      if (!coversQueue(principal, queue)) {
        return refuse(c, {
          code: "not_found",
          message: `This token sees no queue ${queue}.`,
          parameter: "queue",
        });
      }
      const unknown = refuseQueue(deps, c.var, queue, { parameter: "queue" });
      if (unknown) return refuse(c, unknown);
      const places = await deps.ledger.work({ namespace, schedules: principal.schedules, queue, limit });
      return c.json({ items: await messagesAt(deps, places), nextCursor: null });
    },
  );

  return app;
}

/** From the objects, which alone know whether it still waits. */
async function messagesAt(deps: Deps, places: Position[]): Promise<Message[]> {
  const replies = await callAll(places, ({ schedule, slot, variant }) => {
    const { namespace, name } = splitKey(schedule);
    return deps.schedule(namespace, name).message({ slot, variant });
  });
  return replies.flatMap((reply) => (reply.ok ? [reply.value] : []));
}
