/** `POST /v1/occurrences/replay`: what ended badly, by filter, once more; each with an answer of its own. */
import { Hono } from "hono";
import { callAll } from "../at-once.ts";
import { fail, type Result } from "../core/errors.ts";
import { parseOccurrenceId } from "../core/occurrence.ts";
import type { OccurrenceView } from "../schedule/stub.ts";
import type { AppEnv, Deps } from "./context.ts";
import { cursorOf } from "./cursor.ts";
import { BODY, operation } from "./operation.ts";
import { bulkReplayBody } from "./past-requests.ts";
import * as past from "./past-views.ts";
import { replayOf } from "./recovery.ts";
import { accept } from "./validate.ts";
import * as views from "./views.ts";

interface Replayed {
  id: string;
  replay: string | null;
  error: { code: string; message: string } | null;
}

export function bulkReplay(deps: Deps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();

  app.post(
    "/v1/occurrences/replay",
    operation({
      id: "replayOccurrences",
      tag: "Occurrences",
      scope: "trigger",
      takesKey: true,
      summary: "Run again what ended badly: by schedule, state, reason and range, newest first",
      description:
        "An occurrence whose slot has succeeded since, or that a replay is under way for, is left out. `nextCursor` goes on with older ones.",
      answers: { 200: { description: "What became of each", schema: views.page(past.replayed) } },
      refuses: [...BODY, "invalid_instant"],
    }),
    accept("json", bulkReplayBody),
    async (c) => {
      const { filter, revision, limit, cursor } = c.req.valid("json");
      const { schedule, state, reason = null, from = 0, to = c.var.now } = filter;
      const { namespace, principal } = c.var;
      const { items, end } = await deps.ledger.occurrences({
        namespace,
        schedules: principal.schedules,
        state,
        reason,
        kind: null,
        from,
        before: cursor ?? { slot: to, schedule: "", variant: "" },
        limit,
      });
      const ended = items
        .map(({ item }) => item)
        .filter((item) => item.kind !== "gap")
        .filter((item) => schedule === undefined || item.schedule === schedule);
      const again = (item: OccurrenceView) =>
        runAgain(deps, { namespace, item, revision, who: principal.who });
      return c.json({ items: await callAll(ended, again), nextCursor: cursorOf(end) });
    },
  );

  return app;
}

interface Order {
  namespace: string;
  item: OccurrenceView;
  revision: "current" | undefined;
  who: string;
}

async function runAgain(deps: Deps, order: Order): Promise<Replayed> {
  const reply = await replay(deps, order);
  const { id } = order.item;
  if (reply.ok) return { id, replay: reply.value.id, error: null };
  return { id, replay: null, error: { code: reply.error.code, message: reply.error.message } };
}

async function replay(
  deps: Deps,
  { namespace, item, revision, who }: Order,
): Promise<Result<OccurrenceView>> {
  const address = parseOccurrenceId(item.id);
  if (!address.ok) return address;
  const { name, slot, variant } = address.value;
  const entry = await deps.ledger.schedule(namespace, name);
  const recorded = entry && (await deps.ledger.occurrence(namespace, name, { slot, variant }));
  if (!entry || !recorded?.isFinal) return fail("not_final", `${item.id} has not ended yet.`);
  if ((await deps.ledger.succeeded(entry, [slot])).length > 0)
    return fail("superseded", "A later run of this slot has succeeded.");
  const command = await replayOf(deps, namespace, recorded, revision);
  if (!command.ok) return command;
  return deps.schedule(namespace, name).replay({ ...command.value, once: true, who });
}
