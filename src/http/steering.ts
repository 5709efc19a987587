/** What people do to a schedule by hand: pause, resume, trigger. */
import { Hono } from "hono";
import type { AppEnv, Deps } from "./context.ts";
import { BODY, operation } from "./operation.ts";
import { refuse } from "./problem.ts";
import { refusePayload } from "./quota.ts";
import { namePath, pauseBody, resumeBody, triggerBody } from "./requests.ts";
import { show } from "./schedules.ts";
import { accept } from "./validate.ts";
import * as views from "./views.ts";

export function steering(deps: Deps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();

  app.post(
    "/v1/schedules/:name/pause",
    operation({
      id: "pauseSchedule",
      tag: "Schedules",
      scope: "write",
      takesKey: true,
      summary: "Stop new slots; open occurrences go on",
      answers: { 200: { description: "The schedule, paused", schema: views.schedule, headers: ["ETag"] } },
      refuses: [...BODY, "invalid_instant", "settled"],
    }),
    accept("param", namePath),
    accept("json", pauseBody),
    async (c) => {
      const stub = deps.schedule(c.var.namespace, c.req.valid("param").name);
      const reply = await stub.pause({ ...c.req.valid("json"), who: c.var.principal.who });
      return reply.ok ? show(c, reply.value) : refuse(c, reply.error);
    },
  );

  app.post(
    "/v1/schedules/:name/resume",
    operation({
      id: "resumeSchedule",
      tag: "Schedules",
      scope: "write",
      takesKey: true,
      summary: "Go on; what passed is recorded as paused, or by the catch-up policy that is named",
      answers: { 200: { description: "The schedule, active", schema: views.schedule, headers: ["ETag"] } },
      refuses: [...BODY, "not_paused"],
    }),
    accept("param", namePath),
    accept("json", resumeBody),
    async (c) => {
      const stub = deps.schedule(c.var.namespace, c.req.valid("param").name);
      const reply = await stub.resume({ ...c.req.valid("json"), who: c.var.principal.who });
      return reply.ok ? show(c, reply.value) : refuse(c, reply.error);
    },
  );

  app.post(
    "/v1/schedules/:name/trigger",
    operation({
      id: "triggerSchedule",
      tag: "Schedules",
      scope: "trigger",
      takesKey: true,
      summary: "Run now, beside the plan: also while paused, and without moving the cursor",
      answers: { 201: { description: "The occurrence", schema: views.occurrence, headers: ["Location"] } },
      refuses: [...BODY, "busy", "settled", "limit_exceeded", "quota_exceeded"],
    }),
    accept("param", namePath),
    accept("json", triggerBody),
    async (c) => {
      const body = c.req.valid("json");
      const beyond = refusePayload(deps, c.var, body.payload ?? null);
      if (beyond) return refuse(c, beyond);
      const stub = deps.schedule(c.var.namespace, c.req.valid("param").name);
      const reply = await stub.trigger({ ...body, key: c.var.idempotencyKey, who: c.var.principal.who });
      if (!reply.ok) return refuse(c, reply.error);
      c.header("location", `/v1/occurrences/${reply.value.id}`);
      return c.json(reply.value, 201);
    },
  );

  return app;
}
