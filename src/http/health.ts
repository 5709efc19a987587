/** `GET /healthz`: for whoever watches the scheduler, without a token. Red when nobody looks after it any more. */
import { Hono } from "hono";
import * as v from "valibot";
import manifest from "../../package.json" with { type: "json" };
import { BOUNDS } from "../core/limits.ts";
import { formatInstant } from "../core/time.ts";
import type { AppEnv, Deps } from "./context.ts";
import * as examples from "./examples.ts";
import { shown } from "./fields.ts";
import { operation } from "./operation.ts";

const health = shown(
  v.object({
    status: v.picklist(["ok", "stale"]),
    version: v.string(),
    /** False: the API refuses everything until the configuration is right. */
    configured: v.boolean(),
    ledger: v.picklist(["ok", "unavailable"]),
    sweep: v.nullable(v.object({ passedAt: v.string() })),
  }),
  examples.HEALTH,
);

export function healthz(deps: Deps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();

  app.get(
    "/healthz",
    operation({
      id: "getHealth",
      tag: "Service",
      scope: null,
      summary: "Whether the scheduler answers, and when it last swept",
      description:
        "Red (503, `stale`) when the last pass of the sweep is minutes old and there are schedules to look after.",
      answers: {
        200: { description: "It answers", schema: health },
        503: { description: "The sweep does not pass", schema: health },
      },
    }),
    async (c) => {
      const sweep = await deps.ledger.lastSweep().catch(() => undefined);
      const isStale = sweep !== undefined && (await isOverdue(deps, sweep?.passedAt ?? 0, c.var.now));
      const answer = {
        status: isStale ? "stale" : "ok",
        version: manifest.version,
        configured: deps.config.faults.length === 0,
        ledger: sweep === undefined ? "unavailable" : "ok",
        sweep: sweep ? { passedAt: formatInstant(sweep.passedAt) } : null,
      };
      return c.json(answer, isStale ? 503 : 200);
    },
  );

  return app;
}

/** Without a schedule that has been there for as long, there was nothing to sweep. */
async function isOverdue({ ledger }: Deps, passedAt: number, now: number): Promise<boolean> {
  const bound = now - BOUNDS.SWEEP_STALE_MS;
  return passedAt < bound && (await ledger.hasActiveSince(bound).catch(() => false));
}
