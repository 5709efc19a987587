/** The document around every page: head, navigation, the marks that pages refer to. */
import { raw } from "hono/html";
import type { PropsWithChildren } from "hono/jsx";
import manifest from "../../package.json" with { type: "json" };
import { assetUrl } from "./assets.ts";
import { Defs } from "./marks.tsx";
import type { Page } from "./page.tsx";
import type { Viewer } from "./viewer.ts";

const SECTIONS = {
  overview: { name: "Overview", path: "/" },
  schedules: { name: "Schedules", path: "/schedules" },
  occurrences: { name: "Occurrences", path: "/occurrences" },
  alerts: { name: "Alerts", path: "/alerts" },
  playground: { name: "Playground", path: "/playground" },
} as const;
export type Section = keyof typeof SECTIONS;

const ICON =
  "data:image/svg+xml," +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#0a6b62" d="M8 1a4 4 0 0 0-4 4c0 4-1 5-2 6v1h12v-1c-1-1-2-2-2-6a4 4 0 0 0-4-4z"/><circle cx="8" cy="13.5" r="1.5" fill="#0a6b62"/></svg>',
  );

type Props = PropsWithChildren<{ page: Page; viewer: Viewer | null; zone: string }>;

export function Layout({ page, viewer, zone, children }: Props) {
  const { title, section, scripts = [] } = page;
  return (
    <>
      {raw("<!DOCTYPE html>")}
      <html lang="en" data-zone={zone}>
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          {viewer && <meta name="carillon-csrf" content={viewer.csrf} />}
          {viewer && <meta name="carillon-namespace" content={viewer.namespace} />}
          <title>{`${title} · Carillon`}</title>
          <link rel="icon" href={ICON} />
          <link rel="stylesheet" href={assetUrl("style.css")} />
          {["frame.browser.js", ...scripts].map((name) => (
            <script type="module" src={assetUrl(name)}></script>
          ))}
        </head>
        <body>
          <a class="skip" href="#content">
            Skip to the content
          </a>
          <Defs />
          {viewer && <Head viewer={viewer} section={section} />}
          <main id="content" tabindex={-1}>
            {children}
          </main>
          {viewer && (
            <footer class="foot">
              <span>
                Times in <b>{zone}</b>, your browser's zone, unless another one is named
              </span>
              <span>Carillon {manifest.version}</span>
            </footer>
          )}
        </body>
      </html>
    </>
  );
}

function Head({ viewer, section }: { viewer: Viewer; section: Section | undefined }) {
  return (
    <header class="head">
      <a class="brand" href={viewer.link("/")}>
        <svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true">
          <use href="#bell" />
        </svg>
        Carillon
      </a>
      <nav aria-label="Sections">
        {(Object.keys(SECTIONS) as Section[]).map((key) => (
          <a href={viewer.link(SECTIONS[key].path)} aria-current={key === section ? "page" : undefined}>
            {SECTIONS[key].name}
          </a>
        ))}
        <a href="/docs">API</a>
      </nav>
      <div class="who">
        <Namespaces viewer={viewer} />
        <form method="post" action="/sign-out">
          <input type="hidden" name="csrf" value={viewer.csrf} />
          <span class="muted wide">{viewer.who}</span>
          <button class="quiet">Sign out</button>
        </form>
      </div>
    </header>
  );
}

function Namespaces({ viewer: { namespace, namespaces } }: { viewer: Viewer }) {
  if (namespaces.length < 2) return <span class="muted wide">{namespace}</span>;
  return (
    <details class="menu">
      <summary>
        <span class="hidden">Namespace: </span>
        {namespace}
      </summary>
      <ul>
        {namespaces.map((one) => (
          <li>
            <a href={`/?namespace=${one}`} aria-current={one === namespace ? "true" : undefined}>
              {one}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}
