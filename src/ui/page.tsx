/** How a page is put together and sent: one call, with the headers that keep it to itself. */
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { Layout, type Section } from "./layout.tsx";
import { zoneOf, type PageEnv, type Viewer } from "./viewer.ts";

const HEADERS = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cache-control": "no-store",
};

export interface Page {
  title: string;
  /** Where it stands in the navigation. */
  section?: Section;
  status?: ContentfulStatusCode;
  /** Modules of its own, beside the frame's. */
  scripts?: string[];
}

/** A whole page. Before anybody has signed in there is no viewer, and hence no navigation. */
export function show(c: Context<PageEnv>, page: Page, content: Child): Response | Promise<Response> {
  const viewer = c.get("viewer") as Viewer | undefined;
  return c.html(
    <Layout page={page} viewer={viewer ?? null} zone={viewer?.zone ?? zoneOf(c)}>
      {content}
    </Layout>,
    page.status ?? 200,
    HEADERS,
  );
}

/** A part of a page that is fetched again while it is looked at; see `Live`. */
export function showPart(c: Context<PageEnv>, content: Child): Response | Promise<Response> {
  return c.html(<>{content}</>, 200, HEADERS);
}
