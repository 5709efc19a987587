/** What the pages load beside themselves, under an address that changes with the content. */
import { Hono } from "hono";
import { hashUnit } from "../core/time.ts";
import type { PageEnv } from "./viewer.ts";
import docs from "./browser/docs.browser.js";
import docsStyle from "./browser/docs.css";
import frame from "./browser/frame.browser.js";
import schedule from "./browser/schedule.browser.js";
import playground from "./browser/playground.browser.js";
import pages from "./browser/pages.css";
import style from "./browser/style.css";

const JS = "text/javascript; charset=utf-8";
const ASSETS: { [name: string]: { type: string; text: string } } = {
  "style.css": { type: "text/css; charset=utf-8", text: `${style}\n${pages}` },
  "frame.browser.js": { type: JS, text: frame },
  "docs.css": { type: "text/css; charset=utf-8", text: docsStyle },
  "docs.browser.js": { type: JS, text: docs },
  "playground.browser.js": { type: JS, text: playground },
  "schedule.browser.js": { type: JS, text: schedule },
};

/** One for all: modules import each other by their bare names. */
const version = Math.floor(
  hashUnit(
    Object.values(ASSETS)
      .map(({ text }) => text)
      .join("\n"),
  ) *
    2 ** 32,
).toString(36);

export function assetUrl(name: string): string {
  return `/assets/${version}/${name}`;
}

export function assets(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.get("/assets/:version/:name", (c) => {
    const asset = ASSETS[c.req.param("name")];
    if (!asset) return c.notFound();
    // A page of the version before still finds its way, but nobody keeps what it found.
    const isOurs = c.req.param("version") === version;
    return c.body(asset.text, 200, {
      "content-type": asset.type,
      "x-content-type-options": "nosniff",
      "cache-control": isOurs ? "public, max-age=31536000, immutable" : "no-cache",
    });
  });
  return app;
}
