/** The API, composed. What it needs of the world comes in as `Deps`; it knows no binding. */
import { Hono, type Context } from "hono";
import { apply } from "./apply.ts";
import { audits } from "./audits.ts";
import { authenticate, requireConfiguration } from "./auth.ts";
import type { AppEnv, Deps } from "./context.ts";
import { changes } from "./changes.ts";
import { explanations } from "./explain.ts";
import { healthz } from "./health.ts";
import { histories } from "./history.ts";
import { idempotent } from "./idempotency.ts";
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
  changes,
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
  app.use(refuseOtherMethods(app));
  app.use("/v1/*", idempotent(deps));
  for (const resource of RESOURCES) app.route("/", resource(deps));
  app.route("/", pages);

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

/**
 * A path that exists answers 405 to a method it does not know, and says which it does. Of several patterns that fit,
 * the one with the fewest parameters is meant: /v1/occurrences/replay is no occurrence.
 */
function refuseOtherMethods(app: Hono<AppEnv>) {
  let known: Pattern[] | null = null;
  return async function refuseOtherMethods(c: Context<AppEnv>, next: () => Promise<void>) {
    known ??= patternsOf(app);
    const path = c.req.path.split("/");
    const meant = known.find(({ segments }) => fits(segments, path));
    if (!meant || meant.methods.has(c.req.method)) return next();
    const methods = [...meant.methods].join(", ");
    c.header("allow", methods);
    return refuse(c, { code: "method_not_allowed", message: `This resource knows ${methods}.` });
  };
}

interface Pattern {
  segments: string[];
  methods: Set<string>;
}

/** Fewest parameters first. Each GET answers HEAD as well. */
function patternsOf(app: Hono<AppEnv>): Pattern[] {
  const routes = app.routes.filter(({ method, path }) => method !== "ALL" && path !== "/*");
  const patterns = [...Map.groupBy(routes, ({ path }) => path)].map(([path, same]) => ({
    segments: path.split("/"),
    methods: new Set(same.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]))),
  }));
  const parameters = ({ segments }: Pattern) => segments.filter(isParameter).length;
  return patterns.toSorted((a, b) => parameters(a) - parameters(b));
}

function fits(segments: string[], path: string[]): boolean {
  return (
    segments.length === path.length &&
    segments.every((segment, i) => (isParameter(segment) ? path[i] !== "" : segment === path[i]))
  );
}

function isParameter(segment: string): boolean {
  return segment.startsWith(":");
}
