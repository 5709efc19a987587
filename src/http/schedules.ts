/** `/v1/schedules`: what people define, read, change, remove and list. */
import { Hono } from "hono";
import type { Context } from "hono";
import type * as v from "valibot";
import { instantOrNull, presentTarget } from "../core/present.ts";
import { formatInstant } from "../core/time.ts";
import { compile } from "../core/trigger.ts";
import type { Entry } from "../ledger/directory.ts";
import type { ScheduleView } from "../schedule/stub.ts";
import type { AppEnv, Deps } from "./context.ts";
import { cursorOf } from "./cursor.ts";
import { patchSchedule, putSchedule, revisionMeant } from "./defining.ts";
import { definitionBody, patchBody } from "./definition.ts";
import { BODY, operation } from "./operation.ts";
import { refuse, type ProblemCode } from "./problem.ts";
import { getHeaders, ifMatchHeader, namePath, putHeaders, schedulesQuery } from "./requests.ts";
import { accept } from "./validate.ts";
import * as views from "./views.ts";

/** What a definition may be refused for. */
export const DEFINITION: ProblemCode[] = [
  ...BODY,
  "invalid_trigger",
  "never_fires",
  "too_sparse",
  "too_expensive",
  "invalid_duration",
  "invalid_instant",
  "unknown_queue",
  "limit_exceeded",
  "quota_exceeded",
  "use_pause_or_resume",
  "precondition_failed",
];

export function schedules(deps: Deps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();

  app.put(
    "/v1/schedules/:name",
    operation({
      id: "putSchedule",
      tag: "Schedules",
      scope: "write",
      summary: "Create or replace a schedule",
      description:
        "An identical definition is 200 and changes nothing; that is looked at first, whatever `paused` or `If-Match` say. To replace another one, send `If-Match`.",
      answers: {
        200: { description: "Replaced, or unchanged", schema: views.schedule, headers: ["ETag"] },
        201: { description: "Created", schema: views.schedule, headers: ["ETag", "Location"] },
      },
      refuses: [...DEFINITION, "precondition_required"],
    }),
    accept("param", namePath),
    accept("header", putHeaders),
    accept("json", definitionBody),
    async (c) => {
      const { name } = c.req.valid("param");
      const { "if-match": ifMatch, "if-none-match": ifNoneMatch } = c.req.valid("header");
      const preconditions = { ifMatch, createOnly: ifNoneMatch === "*" };
      const reply = await putSchedule(deps, c.var, name, c.req.valid("json"), preconditions);
      if (!reply.ok) return refuse(c, reply.error);
      const { outcome, schedule } = reply.value;
      if (outcome === "created") c.header("location", `/v1/schedules/${name}`);
      return show(c, schedule, outcome === "created" ? 201 : 200);
    },
  );

  app.get(
    "/v1/schedules/:name",
    operation({
      id: "getSchedule",
      tag: "Schedules",
      scope: "read",
      summary: "Read a schedule: its definition with defaults filled in, its state and health",
      description:
        "The ETag is the revision. So 304 says that the definition is the one that you have; state and health are no part of it.",
      answers: {
        200: { description: "The schedule", schema: views.schedule, headers: ["ETag"] },
        304: { description: "The revision is one that If-None-Match names", schema: null, headers: ["ETag"] },
      },
    }),
    accept("param", namePath),
    accept("header", getHeaders),
    async (c) => {
      const reply = await deps.schedule(c.var.namespace, c.req.valid("param").name).read();
      if (!reply.ok) return refuse(c, reply.error);
      const known = c.req.valid("header")["if-none-match"] ?? [];
      if (!known.includes("*") && !known.includes(reply.value.revision)) return show(c, reply.value);
      c.header("etag", etagOf(reply.value));
      return c.body(null, 304);
    },
  );

  app.patch(
    "/v1/schedules/:name",
    operation({
      id: "patchSchedule",
      tag: "Schedules",
      scope: "write",
      summary: "Change some fields of a schedule (merge patch)",
      description:
        "By top-level field; `catchUp`, `retry`, `timeouts` and `alerts` merge one level deep. " +
        "Null restores the default, but `payload: null` is a value.",
      answers: { 200: { description: "Changed, or unchanged", schema: views.schedule, headers: ["ETag"] } },
      refuses: DEFINITION,
    }),
    accept("param", namePath),
    accept("header", ifMatchHeader),
    accept("json", patchBody),
    async (c) => {
      const { name } = c.req.valid("param");
      const ifMatch = c.req.valid("header")["if-match"];
      const reply = await patchSchedule(deps, c.var, name, c.req.valid("json"), { ifMatch });
      return reply.ok ? show(c, reply.value.schedule) : refuse(c, reply.error);
    },
  );

  app.delete(
    "/v1/schedules/:name",
    operation({
      id: "deleteSchedule",
      tag: "Schedules",
      scope: "write",
      summary: "Remove a schedule: what has not started is cancelled, running work finishes, history stays",
      answers: {
        200: {
          description: "The schedule as it was, now deleted",
          schema: views.schedule,
          headers: ["ETag"],
        },
      },
      refuses: ["precondition_failed"],
    }),
    accept("param", namePath),
    accept("header", ifMatchHeader),
    async (c) => {
      const stub = deps.schedule(c.var.namespace, c.req.valid("param").name);
      const ifMatch = await revisionMeant(stub, c.req.valid("header")["if-match"]);
      if (!ifMatch.ok) return refuse(c, ifMatch.error);
      const reply = await stub.remove({ ifMatch: ifMatch.value, who: c.var.principal.who });
      return reply.ok ? show(c, reply.value) : refuse(c, reply.error);
    },
  );

  app.get(
    "/v1/schedules",
    operation({
      id: "listSchedules",
      tag: "Schedules",
      scope: "read",
      summary: "List the schedules of a namespace, newest first",
      description:
        "`q` looks in names, descriptions and tags. Deleted ones are listed only for `state=deleted`.",
      answers: { 200: { description: "A page", schema: views.page(views.listed) } },
    }),
    accept("query", schedulesQuery),
    async (c) => {
      const { entries, nextCursor } = await entriesOf(deps, c.var, c.req.valid("query"));
      return c.json({ items: entries.map((entry) => list(entry, c.var.now)), nextCursor });
    },
  );

  return app;
}

/** A page of what `GET /v1/schedules` lists. */
export async function entriesOf(
  deps: Deps,
  { namespace, principal: { schedules } }: AppEnv["Variables"],
  query: v.InferOutput<typeof schedulesQuery>,
): Promise<{ entries: Entry[]; nextCursor: string | null }> {
  const { state = null, health = null, tag = null, managedBy = null, q = null, limit, cursor = null } = query;
  const filter = { namespace, schedules, state, health, tag, managedBy, q };
  const found = await deps.ledger.schedules({ ...filter, before: cursor, limit });
  const last = found.length > limit ? found[limit - 1]! : null;
  const nextCursor = cursorOf(last && { createdAt: last.createdAt, name: last.name });
  return { entries: found.slice(0, limit), nextCursor };
}

function etagOf({ revision }: ScheduleView): string {
  return `"${revision}"`;
}

/** The definition's fields stand at the top, with the state beside them. */
export function show(c: Context<AppEnv>, view: ScheduleView, status: 200 | 201 = 200): Response {
  const { namespace, name, definition, ...state } = view;
  c.header("etag", etagOf(view));
  return c.json({ namespace, name, ...definition, ...state }, status);
}

function list(entry: Entry, now: number) {
  const { shard: _, definition, createdAt, updatedAt, ...same } = entry;
  const { trigger, target, exclude = [], startAt = null, endAt = null } = definition;
  const timetable = entry.state === "active" ? compile({ trigger, exclude, startAt, endAt }) : null;
  return {
    ...same,
    trigger,
    target: presentTarget(target),
    nextSlot: timetable?.ok ? instantOrNull(timetable.value.next(now)) : null,
    createdAt: formatInstant(createdAt),
    updatedAt: formatInstant(updatedAt),
  };
}
