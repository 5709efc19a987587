/** The API, composed. What it needs of the world comes in as `Deps`; it knows no binding. */
import { Hono } from "hono";
import { apply } from "./apply.ts";
import { audits } from "./audits.ts";
import { authenticate, requireConfiguration } from "./auth.ts";
import type { AppEnv, Deps } from "./context.ts";
import { explanations } from "./explain.ts";
import { healthz } from "./health.ts";
import { histories } from "./history.ts";
import { numbers } from "./numbers.ts";
import { occurrences } from "./occurrences.ts";
import { serveDocument } from "./openapi.ts";
import { previews } from "./preview.ts";
import { fromThrown, refuse } from "./problem.ts";
import { recovery } from "./recovery.ts";
import { bulkReplay } from "./bulk-replay.ts";
import { revisions } from "./revisions.ts";
import { reports } from "./reports.ts";
import { schedules } from "./schedules.ts";
import { simulations } from "./simulations.ts";
import { steering } from "./steering.ts";
import { tokens } from "./tokens.ts";
import { watching } from "./watching.ts";
import { work } from "./work.ts";

const RESOURCES = [
  schedules,
  apply,
  steering,
  recovery,
  histories,
  revisions,
  explanations,
  audits,
  previews,
  simulations,
  occurrences,
  bulkReplay,
  reports,
  work,
  watching,
  numbers,
  tokens,
];

/** `pages` are for people, and come after what is for programs. */
export function createApp<Pages extends AppEnv>(deps: Deps, pages: Hono<Pages>): Hono<AppEnv> {
  const app = new Hono<AppEnv>();

  app.use(async function readClock(c, next) {
    c.set("now", deps.now());
    await next();
  });
  app.route("/", healthz(deps));
  app.use(requireConfiguration(deps));
  serveDocument(app);
  for (const path of ["/v1/*", "/metrics"]) app.use(path, authenticate(deps));
  for (const resource of RESOURCES) app.route("/", resource(deps));
  app.route("/", pages);
  refuseOtherMethods(app);

  app.notFound((c) =>
    refuse(c, { code: "not_found", message: "There is no such resource.", hint: "See /openapi.json." }),
  );
  app.onError((error, c) => {
    const refusal = fromThrown(error);
    deps.report(error, { method: c.req.method, path: c.req.path.slice(0, 200), code: refusal.code });
    return refuse(c, refusal);
  });
  return app;
}

/** A path that exists answers 405 to a method it does not know, and says which it does. */
function refuseOtherMethods(app: Hono<AppEnv>): void {
  const routes = app.routes.filter(({ method, path }) => method !== "ALL" && path !== "/*");
  for (const [path, same] of Map.groupBy(routes, (route) => route.path)) {
    const methods = [...new Set(same.map(({ method }) => method))].join(", ");
    app.all(path, (c) => {
      c.header("allow", methods);
      return refuse(c, { code: "method_not_allowed", message: `This resource knows ${methods}.` });
    });
  }
}
