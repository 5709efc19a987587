/** `GET /`: what needs attention, then the day behind and the day ahead. */
import { Hono } from "hono";
import type { Deps } from "../http/context.ts";
import { show } from "./page.tsx";
import { Heading, Since } from "./parts.tsx";
import type { PageEnv } from "./viewer.ts";

export function overview(deps: Deps): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.get("/", async (c) => {
    const sweep = await deps.ledger.lastSweep();
    return show(
      c,
      { title: "Overview", section: "overview" },
      <Heading title="Overview" lead={sweep ? <Since at={sweep.passedAt} viewer={c.var.viewer} /> : null} />,
    );
  });
  return app;
}
