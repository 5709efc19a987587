/** What people run again: a range of past slots, or an occurrence that has ended. */
import { Hono } from "hono";
import { fail, ok, type Result } from "../core/errors.ts";
import { BOUNDS } from "../core/limits.ts";
import { compile, within } from "../core/trigger.ts";
import { parseOccurrenceId } from "../core/occurrence.ts";
import type { Recorded } from "../ledger/reads.ts";
import type { ReplayCommand } from "../schedule/stub.ts";
import type { AppEnv, Deps } from "./context.ts";
import { recall } from "./occurrences.ts";
import { BODY, operation } from "./operation.ts";
import { backfillBody, backfillPath, replayBody } from "./past-requests.ts";
import * as past from "./past-views.ts";
import { timeRule } from "./preview.ts";
import { refuse } from "./problem.ts";
import { idPath, namePath } from "./requests.ts";
import { accept } from "./validate.ts";
import * as views from "./views.ts";

export function recovery(deps: Deps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();

  app.post(
    "/v1/schedules/:name/backfill",
    operation({
      id: "backfillSchedule",
      tag: "Schedules",
      scope: "trigger",
      takesKey: true,
      summary: "Run the slots of a past range, behind what is scheduled",
      description:
        "`[from, to)`, at most up to now, under the current revision, also while paused. Slots that succeeded or are open are left out " +
        "unless `rerun`. `dryRun` shows what would run, and runs nothing.",
      answers: {
        200: { description: "The dry run, or nothing to run", schema: past.backfill },
        202: { description: "Queued", schema: past.backfill },
      },
      refuses: [...BODY, "invalid_instant", "limit_exceeded", "precondition_failed"],
    }),
    accept("param", namePath),
    accept("json", backfillBody),
    async (c) => {
      const { name } = c.req.valid("param");
      const body = c.req.valid("json");
      const { namespace, principal } = c.var;
      const stub = deps.schedule(namespace, name);
      const current = await stub.read();
      if (!current.ok) return refuse(c, current.error);
      const compiled = compile(timeRule(current.value).rule);
      if (!compiled.ok) return refuse(c, compiled.error);
      const slots = within(compiled.value, { ...body, limit: BOUNDS.BACKFILL_LOOK_MAX });
      const entry = body.rerun || slots.length === 0 ? null : await deps.ledger.schedule(namespace, name);
      const succeeded = entry ? await deps.ledger.succeeded(entry, slots) : [];
      const { revision } = current.value;
      const reply = await stub.backfill({ ...body, revision, succeeded, who: principal.who });
      if (!reply.ok) return refuse(c, reply.error);
      return c.json(reply.value, reply.value.id === null ? 200 : 202);
    },
  );

  app.delete(
    "/v1/schedules/:name/backfill/:backfill",
    operation({
      id: "cancelBackfill",
      tag: "Schedules",
      scope: "trigger",
      summary: "Call a backfill off: what waits is cancelled, what runs is asked to stop",
      answers: { 200: { description: "How many", schema: past.backfillEnd } },
    }),
    accept("param", backfillPath),
    async (c) => {
      const { name, backfill } = c.req.valid("param");
      const { namespace, principal } = c.var;
      const stub = deps.schedule(namespace, name);
      const reply = await stub.cancelBackfill({ id: backfill, who: principal.who });
      return reply.ok ? c.json(reply.value) : refuse(c, reply.error);
    },
  );

  app.post(
    "/v1/occurrences/:id/replay",
    operation({
      id: "replayOccurrence",
      tag: "Occurrences",
      scope: "trigger",
      takesKey: true,
      summary: "Run an ended occurrence again, under a new and linked identity",
      description:
        'Keeps payload and revision; `{ "revision": "current" }` takes the current ones. The original stays as it is.',
      answers: {
        201: { description: "The new occurrence", schema: views.occurrence, headers: ["Location"] },
      },
      refuses: [...BODY, "not_final", "limit_exceeded"],
    }),
    accept("param", idPath),
    accept("json", replayBody),
    async (c) => {
      const { namespace, principal } = c.var;
      const { revision } = c.req.valid("json");
      const found = await findEnded(deps, namespace, c.req.valid("param").id);
      if (!found.ok) return refuse(c, found.error);
      const command = await replayOf(deps, namespace, found.value, revision);
      if (!command.ok) return refuse(c, command.error);
      const { name } = c.req.valid("param").id;
      const reply = await deps.schedule(namespace, name).replay({ ...command.value, who: principal.who });
      if (!reply.ok) return refuse(c, reply.error);
      c.header("location", `/v1/occurrences/${reply.value.id}`);
      return c.json(reply.value, 201);
    },
  );

  return app;
}

/** The original as the ledger keeps it, which must have ended: in the ledger, and in its object. */
async function findEnded(
  deps: Deps,
  namespace: string,
  { name, slot, variant }: { name: string; slot: number; variant: string },
): Promise<Result<Recorded>> {
  const open = await deps.schedule(namespace, name).occurrence({ slot, variant });
  if (open.ok) return notFinal(open.value.id, open.value.state);
  const recorded = await recall(deps, { namespace, name, slot, variant }, open.error);
  if (!recorded) return open;
  const { id, state } = recorded.occurrence;
  return recorded.isFinal ? ok(recorded) : notFinal(id, state);
}

function notFinal(id: string, state: string) {
  return fail("not_final", `${id} is ${state}: it has not ended yet.`, {
    hint: "Wait for its end, or cancel it.",
    data: { state },
  });
}

/** Everything that the object needs to run it again, since it may have forgotten it. */
export async function replayOf(
  deps: Deps,
  namespace: string,
  { occurrence, payload }: Recorded,
  revision: "current" | undefined,
): Promise<Result<Omit<ReplayCommand, "who">>> {
  const address = parseOccurrenceId(occurrence.id);
  if (!address.ok) return address;
  const { slot, variant } = address.value;
  if (revision === "current") return ok({ slot, variant, original: null, payload });
  const definition = await deps.ledger.revision(namespace, occurrence.schedule, occurrence.revision);
  if (definition) {
    return ok({ slot, variant, original: { revision: occurrence.revision, definition }, payload });
  }
  return fail("not_found", `Revision ${occurrence.revision} of ${occurrence.schedule} is not on record.`, {
    hint: 'Run it under the current one: { "revision": "current" }.',
  });
}
