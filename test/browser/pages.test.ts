import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, eventually, history } from "../../scripts/api.ts";
import { isWithoutBrowser, openSite, type Site } from "./site.ts";

const HOSTILE = `<img src=x onerror="document.title='owned'"> \u202Egnp.exe "'&</script>`;

/** Some that run, one that fails, one that nobody starts, one with hostile words. */
async function furnish({ api }: Site): Promise<void> {
  const put = (name: string, more: object) =>
    call(api, "PUT", `/v1/schedules/${name}`, { target: { queue: "EXTERNAL" }, ...more });
  await put("hourly-report", {
    description: "What the branches lent, by the hour",
    tags: ["reports"],
    trigger: { cron: "0 * * * *", timezone: "Europe/Berlin" },
    tracked: false,
  });
  await put("hostile", {
    description: HOSTILE,
    tags: [HOSTILE.slice(0, 64)],
    trigger: { every: "1h" },
    retry: { maxAttempts: 1 },
    timeouts: { lease: "10m" },
    payload: { text: HOSTILE.repeat(200) },
  });
  await put("sleeper", { trigger: { cron: "0 3 * * *", timezone: ["Asia/Tokyo", "UTC"] }, paused: true });
  await call(api, "POST", "/v1/schedules/hourly-report/trigger", {});
  const { id } = await call<{ id: string }>(api, "POST", "/v1/schedules/hostile/trigger", {});
  const path = `/v1/occurrences/${id}`;
  const { token } = await call<{ token: number }>(api, "POST", `${path}/start`, { attempt: 1, worker: "w" });
  await call(api, "POST", `${path}/fail`, { token, error: HOSTILE, retryable: false });
  const long = await call<{ id: string }>(api, "POST", "/v1/schedules/hostile/trigger", {});
  const grant = await call<{ token: number }>(api, "POST", `/v1/occurrences/${long.id}/start`, {
    attempt: 1,
    worker: "w",
  });
  const beat = { token: grant.token, progress: 0.4, note: HOSTILE };
  await call(api, "POST", `/v1/occurrences/${long.id}/heartbeat`, beat);
  await eventually("the ledger has both", 20_000, async () => {
    const { items } = await call<{ items: { state: string }[] }>(api, "GET", "/v1/occurrences?state=running");
    const all = await history(api, "hostile");
    return items.length > 0 && all.length > 1 ? true : null;
  });
}

const PAGES = [
  { name: "overview", path: "/" },
  { name: "schedules", path: "/schedules" },
  { name: "schedules-none", path: "/schedules?q=nothing-like-this" },
  { name: "occurrences", path: "/occurrences" },
  { name: "occurrences-refused", path: "/occurrences?state=wrong&limit=0" },
  { name: "alerts", path: "/alerts" },
  { name: "namespace-empty", path: "/?namespace=nobody" },
];

const LOOKS = [
  ["light", 1440],
  ["light", 390],
  ["dark", 390],
  ["dark", 1440],
] as const;

describe.skipIf(isWithoutBrowser)("the dashboard in a browser", () => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite();
    await furnish(site);
  });
  afterAll(() => site.close());

  it.each(PAGES)("$name is accessible, quiet and never wider than the screen", async ({ name, path }) => {
    const visitor = await site.visit();
    await visitor.open(path);
    for (const [scheme, width] of LOOKS) {
      await visitor.turn(scheme, width);
      await visitor.screenshot(name);
      await visitor.expectAccessible();
      const wide = await visitor.page.evaluate("document.documentElement.scrollWidth");
      expect(wide, `${scheme}, ${width} px`).toBeLessThanOrEqual(width);
    }
    visitor.expectQuiet();
    await visitor.leave();
  });

  it("is accessible before anybody has signed in, and says what is wrong with a token", async () => {
    for (const scheme of ["light", "dark"] as const) {
      const { page, ...visitor } = await site.visit({ token: null, scheme });
      await visitor.open("/alerts?state=open");
      await visitor.screenshot("sign-in");
      await visitor.expectAccessible();
      visitor.expectQuiet();
      await page.getByLabel("Token").fill("wrong");
      await page.keyboard.press("Enter");
      await page.getByRole("alert").waitFor();
      expect(await page.getByRole("alert").textContent()).toContain("No token like this is valid here.");
      await visitor.expectAccessible();
      await page.getByLabel("Token").fill(site.api.token);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Alerts" }).waitFor();
      expect(new URL(page.url()).search).toBe("?state=open");
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByLabel("Token").waitFor();
      await visitor.open("/");
      expect(new URL(page.url()).pathname).toBe("/sign-in");
      await visitor.leave();
    }
  });

  it("shows hostile words as text", async () => {
    const visitor = await site.visit();
    for (const path of ["/", "/schedules", "/occurrences", "/?namespace=nobody"]) {
      await visitor.open(path);
      expect(await visitor.page.title()).toContain("Carillon");
      expect(await visitor.page.locator("main img, main script").count()).toBe(0);
    }
    await visitor.open("/occurrences?state=failed");
    expect(await visitor.page.locator("main").textContent()).toContain(HOSTILE.slice(0, 40));
    visitor.expectQuiet();
    await visitor.leave();
  });

  it("shows progress without being loaded again", async () => {
    const visitor = await site.visit();
    const part = visitor.page.locator("#flight-list");
    expect(await part.textContent()).toContain("40 %");
    const [running] = (
      await call<{ items: { id: string }[] }>(site.api, "GET", "/v1/occurrences?state=running")
    ).items;
    const path = `/v1/occurrences/${running!.id}`;
    const { token } = await call<{ token: number }>(site.api, "POST", `${path}/start`, {
      attempt: 1,
      worker: "w",
    });
    await call(site.api, "POST", `${path}/heartbeat`, { token, progress: 0.8, note: "batch 8" });
    await call(site.api, "POST", `${path}/complete`, { token });
    await visitor.page.getByText("No long run is under way.").waitFor();
    visitor.expectQuiet();
    await visitor.leave();
  });

  it("tells times on the visitor's clock, with its offset", async () => {
    const visitor = await site.visit({ timezone: "Australia/Adelaide" });
    await visitor.open("/schedules?q=hourly");
    expect(await visitor.page.locator("footer").textContent()).toContain("Australia/Adelaide");
    expect(await visitor.page.locator("tbody time").last().textContent()).not.toBe("");
    expect(await visitor.page.locator("tbody").textContent()).toContain("+10:30");
    await visitor.leave();
  });

  it("finds its way without a mouse: the skip link first, then the menu", async () => {
    const { page, ...visitor } = await site.visit();
    await visitor.open("/schedules");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("content");
    await visitor.leave();
  });

  it("shows a reader no button that would be refused", async () => {
    const made = await call<{ token: string }>(site.api, "POST", "/v1/tokens", {
      name: "reader",
      scopes: ["read"],
      namespaces: ["default"],
    });
    const visitor = await site.visit({ token: made.token });
    await visitor.open("/schedules");
    expect(await visitor.page.getByRole("link", { name: "New schedule" }).count()).toBe(0);
    await visitor.open("/?namespace=other");
    expect(await visitor.page.getByRole("alert").textContent()).toContain(
      "This token sees no such namespace.",
    );
    await visitor.leave();
  });
});
