/** Pages as strings: over an object and a ledger that say what a test tells them to. */
import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/ledger/directory.ts";
import { NOW, occurrenceView, TOKEN, world, type World } from "../http/world.ts";

const BASE = "https://carillon.test";

async function open(of: World, path: string): Promise<{ status: number; text: string }> {
  const form = new URLSearchParams({ token: TOKEN }).toString();
  const headers = { authorization: "", "sec-fetch-site": "same-origin" };
  const answer = await of.send("POST", `${BASE}/sign-in`, form, headers);
  const cookie = (answer.headers.get("set-cookie") ?? "").split(";")[0]!;
  return of.send("GET", BASE + path, undefined, { authorization: "", cookie });
}

function entry(name: string, more: Partial<Entry> = {}): Entry {
  return {
    namespace: "default",
    name,
    shard: "LEDGER",
    state: "active",
    revision: 1,
    createdAt: NOW,
    updatedAt: NOW,
    description: null,
    tags: [],
    managedBy: null,
    health: "healthy",
    definition: { trigger: { every: "PT15M" }, target: { queue: "LIBRARY" } },
    ...more,
  };
}

const HOSTILE = `"><img src=x onerror=alert(1)>`;

describe("the overview", () => {
  it("says what to do where there is nothing yet", async () => {
    const { status, text } = await open(world(), "/");
    expect(status).toBe(200);
    expect(text).toContain("Nothing needs attention.");
    expect(text).toContain("There is no schedule in the namespace default yet.");
    expect(text).toContain("No active schedule.");
  });

  it("names what is ill, in a sentence and with a link, and no schedule twice", async () => {
    const it = world();
    it.ledger.alerts = () =>
      Promise.resolve([
        {
          schedule: "default/nightly",
          kind: "no_success_for",
          raisedAt: NOW - 60_000,
          resolvedAt: null,
          message: `No success for a day ${HOSTILE}`,
          occurrence: null,
        },
      ]);
    it.ledger.unwell = () =>
      Promise.resolve(["nightly", "hourly"].map((name) => ({ name, health: "failing", updatedAt: NOW })));
    const { text } = await open(it, "/");
    expect(text).toContain(`<a href="/schedules/nightly">nightly</a> No success for a day`);
    expect(text).not.toContain("<img");
    expect(text.match(/Its last runs failed or expired\./g)).toHaveLength(1);
    expect(text).toContain("1 min ago");
  });

  it("warns when nobody looks after the schedules", async () => {
    const it = world();
    it.ledger.hasActiveSince = () => Promise.resolve(true);
    expect((await open(it, "/")).text).toContain("The sweep does not pass.");
  });

  it("is a page also where the ledger does not answer", async () => {
    const it = world();
    it.ledger.standing = () => Promise.reject(new Error("D1_ERROR: secret"));
    const { status, text } = await open(it, "/");
    expect(status).toBe(503);
    expect(text).toContain("The ledger does not answer now. Try again.");
    expect(text).not.toContain("secret");
  });

  it("asks for the day once a minute, however many look", async () => {
    const it = world();
    await open(it, "/");
    await open(it, "/");
    expect(it.calls.filter(({ name }) => name === "dayBehind")).toHaveLength(1);
  });
});

describe("the schedules", () => {
  it("are listed with their rule in words, what became of the last slot, and the next one", async () => {
    const it = world();
    it.ledger.schedules = () => Promise.resolve([entry("nightly", { tags: [HOSTILE] })]);
    it.ledger.outcomes = () =>
      Promise.resolve(new Map([["nightly", { slot: NOW - 60_000, state: "failed" as const }]]));
    const { text } = await open(it, "/schedules");
    expect(text).toContain("Every 15 minutes, counted from 1970-01-01T00:00:00Z");
    expect(text).toMatch(/#cross.*failed/);
    expect(text).toContain(`datetime="2026-11-30T12:15:00Z"`);
    expect(text).not.toContain("<img");
  });

  it("go on in an address, and keep the filter and the namespace", async () => {
    const it = world();
    it.ledger.schedules = ({ limit }) =>
      Promise.resolve(Array.from({ length: limit + 1 }, (_, i) => entry(`s-${i}`)));
    const { text } = await open(it, "/schedules?state=active&namespace=billing");
    expect(text).toMatch(
      /rel="next" href="\/schedules\?state=active&amp;cursor=[^"&]+&amp;namespace=billing"/,
    );
    expect(it.calls.find(({ name }) => name === "schedules")?.args[0]).toMatchObject({
      namespace: "billing",
      state: "active",
    });
  });

  it("tell what of a question makes no sense, and answer the rest", async () => {
    const it = world();
    const { status, text } = await open(it, "/schedules?state=wrong&q=report");
    expect(status).toBe(200);
    expect(text).toContain("Left out: state: must be one of active, paused, completed, deleted");
    expect(it.calls.find(({ name }) => name === "schedules")?.args[0]).toMatchObject({
      q: "report",
      state: null,
    });
  });
});

describe("the occurrences", () => {
  it("are shown with gap rows, reasons and errors", async () => {
    const it = world();
    const at = { slot: NOW, schedule: "default/nightly", variant: "" };
    const failed = { state: "failed", reason: "max_attempts", error: HOSTILE, latenessMs: 12 } as const;
    const gap = {
      kind: "gap",
      namespace: "default",
      schedule: "nightly",
      from: "2026-11-30T10:00:00Z",
      to: "2026-11-30T11:00:00Z",
      count: 61,
      reason: "paused",
      revision: 1,
    } as const;
    it.ledger.occurrences = () =>
      Promise.resolve({
        items: [
          { at, item: occurrenceView("default", "nightly", failed) },
          { at, item: gap },
        ],
        end: null,
      });
    const { text } = await open(it, "/occurrences?state=failed");
    expect(text).toContain("max_attempts");
    expect(text).toContain("61 skipped");
    expect(text).toContain("12 ms");
    expect(text).not.toContain("<img");
  });

  it("take a form's times for those of the viewer's clock", async () => {
    const it = world();
    await open(it, "/occurrences?from=2026-11-30T10%3A00&to=2026-11-30T12%3A00%3A00%2B01%3A00");
    expect(it.calls.find(({ name }) => name === "occurrences")?.args[0]).toMatchObject({
      from: Date.parse("2026-11-30T10:00:00Z"),
      before: { slot: Date.parse("2026-11-30T11:00:00Z") },
    });
  });
});

describe("a namespace", () => {
  it("that is none is refused, before anything is asked", async () => {
    const it = world();
    const { status, text } = await open(it, "/?namespace=A%2FB");
    expect(status).toBe(404);
    expect(text).toContain("This token sees no such namespace.");
    expect(it.calls.some(({ name }) => name === "standing")).toBe(false);
  });
});
