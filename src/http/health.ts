/** `GET /healthz`: for whoever watches the scheduler, without a token. */
import { Hono } from "hono";
import * as v from "valibot";
import manifest from "../../package.json" with { type: "json" };
import { formatInstant } from "../core/time.ts";
import type { AppEnv, Deps } from "./context.ts";
import { operation } from "./operation.ts";

const health = v.object({
  status: v.literal("ok"),
  version: v.string(),
  /** False: the API refuses everything until the configuration is right. */
  configured: v.boolean(),
  ledger: v.picklist(["ok", "unavailable"]),
  sweep: v.nullable(v.object({ passedAt: v.string() })),
});

export function healthz(deps: Deps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();

  app.get(
    "/healthz",
    operation({
      id: "getHealth",
      tag: "Service",
      scope: null,
      summary: "Whether the scheduler answers, and when it last swept",
      answers: { 200: { description: "It answers", schema: health } },
    }),
    async (c) => {
      const sweep = await deps.ledger.lastSweep().catch(() => undefined);
      return c.json({
        status: "ok",
        version: manifest.version,
        configured: deps.config.faults.length === 0,
        ledger: sweep === undefined ? "unavailable" : "ok",
        sweep: sweep ? { passedAt: formatInstant(sweep.passedAt) } : null,
      });
    },
  );

  return app;
}
