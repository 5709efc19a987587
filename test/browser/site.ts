/** A whole runtime with a dashboard, and people who look at it with a real browser. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import axe from "axe-core";
import { chromium, type Browser, type Page } from "playwright-core";
import { expect } from "vitest";
import type { Api } from "../../scripts/api.ts";
import { freePort, migrate, startRuntime } from "../../scripts/runtime.ts";
import { ROOT } from "../../scripts/wrangler.ts";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  existsSync,
);
/** Without a browser these tests are left out, but not where they have to run. */
export const isWithoutBrowser = CHROMIUM === undefined && !process.env["CI"];
if (isWithoutBrowser) console.warn("No Chromium is installed: the browser tests are left out.");

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
export const SCREENSHOTS = join(ROOT, ".screenshots");

export interface Site {
  api: Api;
  /** A browser of its own, signed in with the operator's token unless told otherwise. */
  visit(how?: Partial<Visit>): Promise<Visitor>;
  close(): Promise<void>;
}

export interface Visit {
  scheme: "light" | "dark";
  width: number;
  timezone: string;
  token: string | null;
}

export interface Visitor {
  page: Page;
  open(path: string): Promise<void>;
  /** Another look at the same page. */
  turn(scheme: Visit["scheme"], width: number): Promise<void>;
  /** No violation that axe-core knows of. */
  expectAccessible(): Promise<void>;
  /** Nothing has been printed as an error, and nothing has left for elsewhere. */
  expectQuiet(): void;
  /** Of the page as it is turned now. */
  screenshot(name: string): Promise<void>;
  leave(): Promise<void>;
}

/** `fill` finds the ledger's own database, before anything runs. */
export async function openSite(fill?: (ledger: DatabaseSync) => void): Promise<Site> {
  const stateDir = await mkdtemp(join(tmpdir(), "carillon-browser-"));
  await migrate(stateDir);
  if (fill) await fillLedger(stateDir, fill);
  const token = "token-of-the-browser-tests";
  const flags = ["--port", String(await freePort()), "--var", `ADMIN_TOKEN:${token}`];
  const runtime = await startRuntime({ stateDir, flags });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  await mkdir(SCREENSHOTS, { recursive: true });
  return {
    api: { url: runtime.url, token },
    visit: (how = {}) => visit(browser, runtime.url, { ...USUAL, token, ...how }),
    async close() {
      await browser.close();
      await runtime.stop();
      await rm(stateDir, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

const HEIGHT = 900;
const USUAL = { scheme: "light", width: 1440, timezone: "Europe/Berlin" } as const;

async function visit(browser: Browser, origin: string, how: Visit): Promise<Visitor> {
  const { scheme, width, timezone, token } = how;
  const context = await browser.newContext({
    baseURL: origin,
    colorScheme: scheme,
    viewport: { width, height: HEIGHT },
    timezoneId: timezone,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  let turned = `${scheme}-${width}`;
  const errors: string[] = [];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "data:" && url.origin !== origin) errors.push(`asked ${url.origin}`);
  });
  if (token !== null) {
    await page.goto("/sign-in");
    await page.getByLabel("Token").fill(token);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  }
  return {
    page,
    async open(path) {
      await page.goto(path);
    },
    async turn(scheme, width) {
      turned = `${scheme}-${width}`;
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: HEIGHT });
    },
    async expectAccessible() {
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate(() => (globalThis as unknown as AxeWindow).axe.run());
      const told = violations.map(({ id, nodes }) => ({
        id,
        at: nodes.map(({ html }) => html.slice(0, 200)),
      }));
      expect(told, page.url()).toEqual([]);
    },
    expectQuiet: () => expect(errors, page.url()).toEqual([]),
    async screenshot(name) {
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${turned}.png`), fullPage: true });
    },
    leave: () => context.close(),
  };
}

interface AxeWindow {
  axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
}

/** Several databases lie beside each other; the ledger is the one with schedules. */
async function fillLedger(stateDir: string, fill: (ledger: DatabaseSync) => void): Promise<void> {
  const folder = join(stateDir, "v3/d1/miniflare-D1DatabaseObject");
  const files = (await readdir(folder)).filter((name) => name.endsWith(".sqlite"));
  for (const name of files) {
    const database = new DatabaseSync(join(folder, name));
    const found = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'schedules'").get();
    if (found) fill(database);
    database.close();
  }
}
