import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fillDay } from "./rows.ts";
import type { Response } from "playwright-core";
import { isWithoutBrowser, openSite, type Site } from "./site.ts";

const SCHEDULES = 3_000;
const OCCURRENCES = 100_000;
const BYTES_MAX = 150_000;

describe.skipIf(isWithoutBrowser)(`${SCHEDULES} schedules and ${OCCURRENCES} occurrences`, () => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite((ledger) =>
      fillDay(ledger, { schedules: SCHEDULES, occurrences: OCCURRENCES, now: Date.now() }),
    );
  });
  afterAll(() => site.close());

  it("fit into one overview", async () => {
    const visitor = await site.visit({ token: null });
    const { page } = visitor;
    await page.goto("/sign-in");
    await page.getByLabel("Token").fill(site.api.token);
    // Nobody has looked before: nothing is kept yet.
    const arriving = page.waitForResponse((it) => new URL(it.url()).pathname === "/");
    await page.getByRole("button", { name: "Sign in" }).click();
    const first = await arriving;
    await first.finished();
    const response = await page.goto("/");
    const bytes = (await response!.body()).length;
    console.log(
      `overview: first byte after ${firstByteOf(first)} ms, then ${firstByteOf(response!)} ms; ${bytes} bytes`,
    );
    expect(bytes).toBeLessThanOrEqual(BYTES_MAX);
    expect(await page.locator(".tiles").textContent()).toContain("Schedules3,000");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(1440);
    expect(await page.locator(".chart").count()).toBe(3);
    await visitor.screenshot("overview-3000");
    await visitor.expectAccessible();
    visitor.expectQuiet();
    await page.getByRole("link", { name: "Older" }).click();
    await page.getByRole("heading", { level: 1, name: "Schedules" }).waitFor();
    expect(await page.locator("tbody tr").count()).toBe(25);
    await visitor.leave();
  });
});

function firstByteOf(response: Response): number {
  const { responseStart, requestStart } = response.request().timing();
  return Math.round(responseStart - requestStart);
}
