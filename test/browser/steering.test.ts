import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, eventually, history, occurrences } from "../../scripts/api.ts";
import { isWithoutBrowser, openSite, type Site, type Visitor } from "./site.ts";

const HOSTILE = `<img src=x onerror="document.title='owned'"> \u202Egnp.exe "'&</script>`;
const LONG = "W".repeat(10_000);
const WAIT_MS = 30_000;

const LOOKS = [
  ["light", 1440],
  ["light", 390],
  ["dark", 390],
  ["dark", 1440],
] as const;

/** Of every kind of page, in both schemes and widths: no violation, no error, no sideways scrolling. */
async function inspect(visitor: Visitor, name: string): Promise<void> {
  for (const [scheme, width] of LOOKS) {
    await visitor.turn(scheme, width);
    await visitor.screenshot(name);
    await visitor.expectAccessible();
    const wide = await visitor.page.evaluate("document.documentElement.scrollWidth");
    expect(wide, `${name}, ${scheme}, ${width} px`).toBeLessThanOrEqual(width);
  }
  visitor.expectQuiet();
}

/** A run that has failed, of a schedule whose every word is hostile. */
async function furnish({ api }: Site): Promise<string> {
  await call(api, "PUT", "/v1/schedules/hostile", {
    description: HOSTILE,
    tags: [HOSTILE.slice(0, 64)],
    trigger: { cron: "30 2 * * *", timezone: ["Europe/Berlin", "Asia/Tokyo"] },
    target: { queue: "EXTERNAL" },
    payload: { [HOSTILE]: HOSTILE, long: LONG },
  });
  const patch = { jitter: "30s", retry: { maxAttempts: 2 } };
  await call(api, "PATCH", "/v1/schedules/hostile", patch);
  const { id } = await call<{ id: string }>(api, "POST", "/v1/schedules/hostile/trigger", {});
  const { token } = await call<{ token: number }>(api, "POST", `/v1/occurrences/${id}/start`, {
    attempt: 1,
    worker: "w",
  });
  await call(api, "POST", `/v1/occurrences/${id}/fail`, { token, error: HOSTILE + LONG, retryable: false });
  await eventually("the ledger has the failure", WAIT_MS, async () =>
    occurrences(await history(api, "hostile")).some(({ state }) => state === "failed") ? true : null,
  );
  return id;
}

describe.skipIf(isWithoutBrowser)("a schedule under somebody's hands", () => {
  let site: Site;
  let failed: string;
  beforeAll(async () => {
    site = await openSite();
    failed = await furnish(site);
  });
  afterAll(() => site.close());

  it("is created in the playground, fires, is paused, and resumed with catch-up", async () => {
    const visitor = await site.visit();
    const { page } = visitor;
    await visitor.open("/playground");
    await page.getByLabel("Trigger", { exact: true }).selectOption("every");
    await page.getByLabel("Every", { exact: true }).fill("1s");
    await page.getByRole("heading", { name: "Every second" }).waitFor();
    await page.getByRole("button", { name: "Create it…" }).click();
    await page.getByLabel("Name").fill("pulse");
    await page.getByLabel("Payload, as JSON").fill('{ "job": "inventory-summary" }');
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "pulse" }).waitFor();

    // The page is never loaded again: the strip grows by itself.
    await page.locator(".strip a.good").nth(2).waitFor({ timeout: WAIT_MS });

    await page.getByRole("button", { name: "Pause…" }).click();
    await page.getByLabel("Why (everybody will read it)").fill("the shelves are moved");
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await page.getByText("the shelves are moved").waitFor();
    // One alone would be caught up without covering any other.
    await page.getByText(/([3-9]|\d\d) slots have passed\./).waitFor({ timeout: WAIT_MS });

    await page.reload();
    await page.getByRole("button", { name: "Resume…" }).click();
    expect(await page.getByRole("dialog").textContent()).toMatch(
      /\d+ slots? (has|have) passed since it was paused/,
    );
    await page.getByLabel("Run once for all of them").check();
    await page.getByRole("button", { name: "Resume", exact: true }).click();
    await page.getByRole("button", { name: "Pause…" }).waitFor();
    const covered = await eventually("one run has covered the others", WAIT_MS, async () => {
      const all = await history(site.api, "pulse");
      return all.find(({ reason }) => reason === "coalesced") ?? null;
    });
    const at = covered.kind === "gap" ? covered.to : covered.scheduledFor;
    await visitor.open(`/schedules/pulse/explain?at=${at}`);
    await page.getByText("catchUp.policy latest runs one slot for all that were missed").waitFor();
    visitor.expectQuiet();
    await call(site.api, "POST", "/v1/schedules/pulse/pause", {});
    await visitor.leave();
  });

  it("has a failure explained and replayed", async () => {
    const visitor = await site.visit();
    const { page } = visitor;
    await visitor.open(`/occurrences/${failed}`);
    expect(await page.locator(".sentences").textContent()).toContain("ran and failed");
    await page.getByRole("button", { name: "Replay…" }).click();
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    await page.getByText("A replay of").waitFor();
    expect(page.url()).toContain("~r1");
    await page.getByRole("button", { name: "Cancel…" }).click();
    await page.getByRole("button", { name: "Cancel the run" }).click();
    await page.getByRole("button", { name: "Replay…" }).waitFor();
    visitor.expectQuiet();
    await visitor.leave();
  });

  it("is asked why it did not run then", async () => {
    const visitor = await site.visit();
    const { page } = visitor;
    await visitor.open("/schedules/hostile");
    await page.getByLabel("Why did it run, or not, at").fill("2027-10-31T02:30");
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByRole("alert").getByRole("link").first().click();
    await page.locator(".sentences").waitFor();
    expect(await page.locator(".sentences").textContent()).toContain("will run");
    await inspect(visitor, "explain");
    await visitor.leave();
  });

  it("shows what a backfill would run before it runs it", async () => {
    const visitor = await site.visit();
    const { page } = visitor;
    await visitor.open("/schedules/hostile");
    await page.getByRole("button", { name: "Backfill…" }).click();
    await page.getByLabel("From (Europe/Berlin)").fill("2026-01-10T00:00");
    await page.getByLabel("Up to, that one left out").fill("2026-01-11T00:00");
    await page.getByRole("button", { name: "See what would run" }).click();
    await page.getByText("2 slots would run, in this order:").waitFor();
    const before = occurrences(await history(site.api, "hostile")).length;
    expect(await page.getByRole("button", { name: "Run these 2" }).isVisible()).toBe(true);
    await page.getByLabel("Up to, that one left out").fill("2026-01-10T12:00");
    expect(await page.getByRole("button", { name: "Run these 2" }).isVisible()).toBe(false);
    expect(occurrences(await history(site.api, "hostile"))).toHaveLength(before);
    await visitor.expectAccessible();
    visitor.expectQuiet();
    await visitor.leave();
  });

  it("can be played with by keyboard and pointer", async () => {
    const visitor = await site.visit();
    const { page } = visitor;
    await visitor.open("/playground?begin=2027-03-20&span=7d");
    await page.getByLabel("Cron expression").fill("0/15 * * * *");
    await page.getByText("Did you mean 0-59/15 * * * * ?").waitFor();
    await visitor.expectAccessible();
    await page.getByLabel("Cron expression").fill("0 * * * *");
    await page
      .getByRole("heading", { name: "Every hour" })
      .or(page.getByText("At minute 0"))
      .first()
      .waitFor();
    await page.getByLabel("and stays away for").focus();
    for (let i = 0; i < 20; i++) await page.keyboard.press("ArrowRight");
    await page.locator(".simulated .down").waitFor();
    const drawn = page.locator(".simulated .down[x='500']");
    expect(await drawn.count()).toBe(0);
    const box = (await page.locator(".simulated").boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.75, box.y + 20);
    await page.mouse.up();
    await drawn.waitFor();
    await page.getByText(/coalesced: it was missed/).waitFor();
    await inspect(visitor, "playground");
    await visitor.leave();
  });

  it("is walked through slot by slot with the arrow keys", async () => {
    const visitor = await site.visit();
    const { page } = visitor;
    await visitor.open("/schedules/pulse");
    await page.locator(".strip a").last().focus();
    await page.keyboard.press("ArrowLeft");
    const focused = await page.evaluate("document.activeElement.title");
    expect(await page.locator("[data-readout]").textContent()).toBe(focused);
    await page.keyboard.press("Enter");
    await page.locator(".sentences").waitFor();
    await visitor.leave();
  });

  it.each(["/schedules/pulse", "/schedules/hostile"])("%s is fit to be seen", async (path) => {
    const visitor = await site.visit();
    await visitor.open(path);
    expect(await visitor.page.title()).toContain("Carillon");
    expect(await visitor.page.locator("main img, main script").count()).toBe(0);
    await inspect(visitor, path.slice(1).replace("/", "-"));
    await visitor.leave();
  });

  it("an occurrence is fit to be seen, hostile as it may be", async () => {
    const visitor = await site.visit();
    await visitor.open(`/occurrences/${failed}`);
    expect(await visitor.page.locator("main").textContent()).toContain(HOSTILE.slice(0, 40));
    expect(await visitor.page.locator("main img, main script").count()).toBe(0);
    await inspect(visitor, "occurrence");
    await visitor.leave();
  });

  it("shows a reader what there is, and no button", async () => {
    const made = await call<{ token: string }>(site.api, "POST", "/v1/tokens", {
      name: "reader",
      scopes: ["read"],
      namespaces: ["default"],
    });
    const visitor = await site.visit({ token: made.token });
    for (const path of ["/schedules/hostile", `/occurrences/${failed}`, "/playground"]) {
      await visitor.open(path);
      expect(await visitor.page.locator("main [data-open]").count(), path).toBe(0);
    }
    visitor.expectQuiet();
    await visitor.leave();
  });
});
