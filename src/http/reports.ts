/**
 * The worker protocol of contract §5, for workers in any language. A report may come long after the object
 * has forgotten the occurrence; the ledger keeps the token that settled it, so that the worker still gets the
 * answer it missed, and everybody else learns that the lease is lost.
 */
import { Hono, type Context } from "hono";
import type { Result } from "../core/errors.ts";
import type { Recorded } from "../ledger/reads.ts";
import type { Address, ScheduleStub } from "../schedule/stub.ts";
import type { AppEnv, Deps } from "./context.ts";
import { hasEnded, recall } from "./occurrences.ts";
import { BODY, operation } from "./operation.ts";
import { refuse, type ProblemCode } from "./problem.ts";
import { completeBody, deferBody, failBody, heartbeatBody, idPath, startBody } from "./requests.ts";
import { accept } from "./validate.ts";
import * as views from "./views.ts";

const REPORT: ProblemCode[] = [...BODY, "lease_lost"];
const ended = { 200: { description: "The occurrence", schema: views.occurrence } };

export function reports(deps: Deps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();

  app.post(
    "/v1/occurrences/:id/start",
    operation({
      id: "startOccurrence",
      tag: "Work",
      scope: "work",
      takesKey: true,
      summary: "Take the lease of an attempt",
      description: "`worker` is a random id for each invocation; the same one gets the same token again.",
      answers: { 200: { description: "The lease", schema: views.startGrant } },
      refuses: [...BODY, "busy", "settled", "superseded", "cancelled", "not_due"],
    }),
    accept("param", idPath),
    accept("json", startBody),
    async (c) => {
      const { name, ...address } = c.req.valid("param").id;
      const { namespace } = c.var;
      const reply = await deps.schedule(namespace, name).start(within(c, address), c.req.valid("json"));
      if (reply.ok) return c.json(reply.value);
      const recorded = await recallOwn(c, { namespace, name, ...address }, reply.error);
      return refuse(c, recorded?.isFinal ? hasEnded(recorded) : reply.error);
    },
  );

  app.post(
    "/v1/occurrences/:id/heartbeat",
    operation({
      id: "heartbeatOccurrence",
      tag: "Work",
      scope: "work",
      takesKey: true,
      summary: "Renew the lease, tell of progress, learn of a cancellation",
      answers: { 200: { description: "The lease", schema: views.heartbeatGrant } },
      refuses: REPORT,
    }),
    accept("param", idPath),
    accept("json", heartbeatBody),
    (c) => {
      const body = c.req.valid("json");
      return settle(c, c.req.valid("param").id, null, (stub, address) => stub.heartbeat(address, body));
    },
  );

  app.post(
    "/v1/occurrences/:id/complete",
    operation({
      id: "completeOccurrence",
      tag: "Work",
      scope: "work",
      takesKey: true,
      summary: "The run succeeded",
      description: "`workRemaining` starts a continuation at once.",
      answers: ended,
      refuses: [...REPORT, "limit_exceeded"],
    }),
    accept("param", idPath),
    accept("json", completeBody),
    (c) => {
      const body = c.req.valid("json");
      return settle(c, c.req.valid("param").id, body.token, (stub, address) => stub.complete(address, body));
    },
  );

  app.post(
    "/v1/occurrences/:id/fail",
    operation({
      id: "failOccurrence",
      tag: "Work",
      scope: "work",
      takesKey: true,
      summary: "The attempt failed; it is tried again unless `retryable` is false or no attempt is left",
      answers: ended,
      refuses: [...REPORT, "invalid_duration"],
    }),
    accept("param", idPath),
    accept("json", failBody),
    (c) => {
      const { retryAfter, ...body } = c.req.valid("json");
      const report = { ...body, retryAfterMs: retryAfter };
      return settle(c, c.req.valid("param").id, body.token, (stub, address) => stub.fail(address, report));
    },
  );

  app.post(
    "/v1/occurrences/:id/defer",
    operation({
      id: "deferOccurrence",
      tag: "Work",
      scope: "work",
      takesKey: true,
      summary: "Put the attempt off, without using one up",
      answers: ended,
      refuses: [...REPORT, "invalid_duration"],
    }),
    accept("param", idPath),
    accept("json", deferBody),
    (c) => {
      const { token, for: forMs } = c.req.valid("json");
      return settle(c, c.req.valid("param").id, token, (stub, address) =>
        stub.defer(address, { token, forMs }),
      );
    },
  );

  /** A repeated report that settled the occurrence gets its answer again; `settlingToken` null: this one settles nothing. */
  async function settle<T extends object>(
    c: Context<AppEnv>,
    { name, ...address }: Address & { name: string },
    settlingToken: number | null,
    report: (stub: ScheduleStub, address: Address) => Promise<Result<T>>,
  ): Promise<Response> {
    const { namespace } = c.var;
    const reply = await report(deps.schedule(namespace, name), within(c, address));
    if (reply.ok) return c.json(reply.value);
    const recorded = await recallOwn(c, { namespace, name, ...address }, reply.error);
    if (!recorded?.isFinal) return refuse(c, reply.error);
    if (settlingToken !== null && recorded.token === settlingToken) return c.json(recorded.occurrence);
    const { state } = recorded.occurrence;
    const message = `The token holds this lease no longer; the occurrence has ended: ${state}.`;
    return refuse(c, { code: "lease_lost", message, data: { state } });
  }

  /** What other queues had is not there for a token that is bound to some. */
  async function recallOwn(c: Context<AppEnv>, ...asked: Recalled): Promise<Recorded | null> {
    const recorded = await recall(deps, ...asked);
    const { queues } = c.var.principal;
    return queues === null || queues.includes(recorded?.queue ?? "") ? recorded : null;
  }

  return app;
}

type Recalled = Parameters<typeof recall> extends [Deps, ...infer Rest] ? Rest : never;

function within(c: Context<AppEnv>, address: Address): Address {
  const { queues } = c.var.principal;
  return queues === null ? address : { ...address, queues };
}
