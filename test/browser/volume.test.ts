import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fillDay } from "./rows.ts";
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
    const visitor = await site.visit();
    const { page } = visitor;
    const response = await page.goto("/");
    const { responseStart, requestStart } = response!.request().timing();
    const bytes = (await response!.body()).length;
    console.log(`overview: first byte after ${Math.round(responseStart - requestStart)} ms, ${bytes} bytes`);
    expect(bytes).toBeLessThanOrEqual(BYTES_MAX);
    expect(await page.getByText("3,000", { exact: true }).count()).toBe(1);
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
