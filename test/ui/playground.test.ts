import { describe, expect, it } from "vitest";
import { ok } from "../../src/core/errors.ts";
import { present, viewOf, world } from "../http/world.ts";
import { look } from "./look.ts";

const at = (parameters: Record<string, string>) =>
  `/playground?${new URLSearchParams(parameters).toString()}`;
const SPRING = { cron: "30 2 * * *", timezone: "Europe/Berlin", begin: "2027-03-25" };

describe("the playground", () => {
  it("says what a trigger does, and marks the day on which the clock is changed", async () => {
    const { status, text } = await look(world(), at(SPRING));
    expect(status).toBe(200);
    expect(text).toContain("At 02:30 every day (Europe/Berlin)");
    expect(text).toContain("Its local time is left out by the clock, so it comes at the first instant after");
    expect(text).toMatch(/class="has change" title="03:00; the clock goes from \+01:00 to \+02:00"/);
  });

  it("shows the local times that make no slot, and why", async () => {
    const { text } = await look(world(), at({ ...SPRING, gap: "skip", exclude: "2027-03-26" }));
    expect(text).toContain("The clock leaves this time out: no slot");
    expect(text).toContain("Excluded: no slot");
  });

  it.each([
    ["cron", { cron: "0/15 * * * *" }, "Did you mean 0-59/15 * * * * ?"],
    ["timezone", { timezone: "Europe/Berlim" }, "Europe/Berlin"],
    ["exclude", { exclude: "2027-13-01" }, "2027-13-01"],
    ["every", { kind: "every", every: "15" }, "Write 15s, 15m or 15h."],
    ["jitter", { jitter: "1 month" }, "months and years have no fixed length"],
    ["limit", { limit: "lots" }, "catchUp.limit"],
    ["trigger", { kind: "trigger", trigger: "{" }, "This is no JSON"],
    ["run", { run: "soon" }, "is no duration"],
  ])("says what is wrong at the field: %s", async (field, parameters: Record<string, string>, says) => {
    const { status, text } = await look(world(), at(parameters));
    expect(status).toBe(200);
    const [, trouble = ""] = new RegExp(`id="${field}-trouble"[^>]*>(.*?)</p>`).exec(text) ?? [];
    expect(trouble).toContain(says);
    expect(text).toMatch(new RegExp(`id="${field}"[^>]*aria-invalid="true"`));
  });

  it("shows what would run while the scheduler is away, by the code that runs, and touches no schedule", async () => {
    const it = world();
    const away = { kind: "every", every: "1h", begin: "2026-12-01", downFrom: "25", downFor: "25" };
    const { text } = await look(it, at({ ...away, catchUp: "latest" }));
    expect(text).toContain("coalesced: it was missed, and one run covered all that were");
    expect(text).toMatch(/<rect class="down" x="250" width="250"/);
    expect(it.calls.filter(({ on }) => on !== "ledger")).toEqual([]);
  });

  it("puts all of it into one curl, quoted for a shell", async () => {
    const { text } = await look(world(), at({ ...SPRING, more: `{"description":"it's"}` }));
    expect(text).toContain("v1/simulate");
    expect(text).toContain("it&#39;\\&#39;&#39;s");
  });

  it("takes a schedule that exists as a draft", async () => {
    const it = world();
    it.stub.read = () => Promise.resolve(ok(viewOf("default", "nightly")));
    const { text } = await look(it, "/playground?schedule=nightly");
    expect(text).toContain("Every 15 minutes, counted from 1970-01-01T00:00:00Z");
    expect(text).toContain("&quot;maxBuffered&quot;: 100");
  });

  it("creates nothing for who may not write, and shows hostile input as text", async () => {
    const it = world();
    const { authorization } = await present(it, { scopes: ["read"] });
    const hostile = { cron: '"><img src=x onerror=alert(1)>', more: "</textarea><script>alert(1)</script>" };
    const { text } = await look(it, at(hostile), authorization.replace("Bearer ", ""));
    expect(text).not.toContain("data-create");
    expect(text).not.toContain("<img");
    expect(text).not.toContain("<script>");
  });
});
