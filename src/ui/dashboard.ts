/**
 * The dashboard, composed: what anybody may load, and the pages behind the sign-in.
 *
 * A page is a file that takes `Deps` and gives a Hono of its own, listed in PAGES: a GET route gathers what it
 * shows, through `deps` or a function that it shares with the endpoint in http/, and ends with `show(c, page,
 * content)`. `c.var.viewer` says who looks, and builds its links. What changes while it is looked at is a `Live`
 * part with a GET route of its own, ended by `showPart`. A command is a `<form data-api="POST /v1/…">`, shown
 * where `viewer.can` it: the browser sends it to the API.
 */
import { Hono } from "hono";
import type { Deps } from "../http/context.ts";
import { fromThrown } from "../http/problem.ts";
import { alerts } from "./alerts.tsx";
import { assets } from "./assets.ts";
import { docs } from "./docs.tsx";
import { requireViewer } from "./door.ts";
import { occurrencePage } from "./occurrence.tsx";
import { occurrences } from "./occurrences.tsx";
import { overview } from "./overview.tsx";
import { playground } from "./playground.tsx";
import { schedulePage } from "./schedule.tsx";
import { schedules } from "./schedules.tsx";
import { signIn } from "./sign-in.tsx";
import { lost, troubled } from "./trouble.tsx";
import type { PageEnv } from "./viewer.ts";

const PAGES: ((deps: Deps) => Hono<PageEnv>)[] = [
  overview,
  schedules,
  schedulePage,
  occurrences,
  occurrencePage,
  alerts,
  playground,
];

export function dashboard(deps: Deps): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.route("/", assets());
  app.route("/", docs());
  app.route("/", signIn(deps));
  for (const page of PAGES) {
    const pages = page(deps);
    for (const path of new Set(pages.routes.map((route) => route.path))) app.use(path, requireViewer(deps));
    app.route("/", pages);
  }
  app.get("*", (c, next) => {
    const isForPeople = c.req.header("accept")?.includes("text/html") && !c.req.path.startsWith("/v1/");
    return isForPeople ? lost(c, "There is no such page.") : next();
  });
  app.onError((error, c) => {
    const refusal = fromThrown(error);
    deps.report(error, { method: c.req.method, path: c.req.path.slice(0, 200), code: refusal.code });
    return troubled(c, refusal);
  });
  return app;
}
