/** `/v1/occurrences/{id}`: one occurrence, and calling it off. */
import { Hono } from "hono";
import type { Failure } from "../core/errors.ts";
import type { Recorded } from "../ledger/reads.ts";
import type { Address } from "../schedule/stub.ts";
import type { AppEnv, Deps } from "./context.ts";
import { operation } from "./operation.ts";
import { refuse, type Refusal } from "./problem.ts";
import { idPath } from "./requests.ts";
import { accept } from "./validate.ts";
import * as views from "./views.ts";

export function occurrences(deps: Deps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();

  app.get(
    "/v1/occurrences/:id",
    operation({
      id: "getOccurrence",
      tag: "Occurrences",
      scope: "read",
      summary: "Read an occurrence",
      description: "Open ones as the schedule's object knows them now, ended ones from the ledger.",
      answers: { 200: { description: "The occurrence", schema: views.occurrence } },
    }),
    accept("param", idPath),
    async (c) => {
      const { name, ...address } = c.req.valid("param").id;
      const reply = await deps.schedule(c.var.namespace, name).occurrence(address);
      if (reply.ok) return c.json(reply.value);
      const recorded = await recall(deps, { namespace: c.var.namespace, name, ...address }, reply.error);
      return recorded ? c.json(recorded.occurrence) : refuse(c, reply.error);
    },
  );

  app.post(
    "/v1/occurrences/:id/cancel",
    operation({
      id: "cancelOccurrence",
      tag: "Occurrences",
      scope: "trigger",
      takesKey: true,
      summary: "Call an occurrence off",
      description:
        "Ends at once what is not running. A running one is marked, and its worker learns it from its next heartbeat.",
      answers: { 200: { description: "The occurrence", schema: views.occurrence } },
      refuses: ["settled"],
    }),
    accept("param", idPath),
    async (c) => {
      const { name, ...address } = c.req.valid("param").id;
      const { namespace, principal } = c.var;
      const reply = await deps.schedule(namespace, name).cancel({ ...address, who: principal.who });
      if (reply.ok) return c.json(reply.value);
      const recorded = await recall(deps, { namespace, name, ...address }, reply.error);
      return refuse(c, recorded?.isFinal ? hasEnded(recorded) : reply.error);
    },
  );

  return app;
}

/** What the ledger remembers of an occurrence that its object has let go. */
export async function recall(
  deps: Deps,
  { namespace, name, slot, variant }: Address & { namespace: string; name: string },
  failure: Failure,
): Promise<Recorded | null> {
  return failure.code === "not_found" ? deps.ledger.occurrence(namespace, name, { slot, variant }) : null;
}

export function hasEnded({ occurrence: { state } }: Recorded): Refusal {
  return { code: "settled", message: `The occurrence has ended: ${state}.`, data: { state } };
}
