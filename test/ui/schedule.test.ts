import { describe, expect, it } from "vitest";
import { DEFINITION, NOW, occurrenceView, present, viewOf, world, type World } from "../http/world.ts";
import { look } from "./look.ts";
import { ok } from "../../src/core/errors.ts";
import type { HistoryItem } from "../../src/ledger/row.ts";
import type { ScheduleView } from "../../src/schedule/stub.ts";

function standing(over: Partial<ScheduleView>): World {
  const it = world();
  it.stub.read = () => Promise.resolve(ok({ ...viewOf("default", "nightly"), ...over }));
  return it;
}

function withHistory(items: HistoryItem[], over: Partial<ScheduleView> = {}): World {
  const it = standing(over);
  const at = (item: HistoryItem) => Date.parse(item.kind === "gap" ? item.to : item.scheduledFor);
  it.ledger.schedule = () => Promise.resolve({ namespace: "default", name: "nightly" } as never);
  it.ledger.history = () =>
    Promise.resolve({
      items: items.map((item) => ({
        at: { slot: at(item), schedule: "default/nightly", variant: "" },
        item,
      })),
      end: null,
    });
  return it;
}

const GAP = {
  kind: "gap",
  namespace: "default",
  schedule: "nightly",
  from: "2026-11-30T10:00:00Z",
  to: "2026-11-30T11:00:00Z",
  count: 1234,
  reason: "coalesced",
  revision: 3,
} as const;

describe("a schedule's page", () => {
  it("says in words what it does, and shows what comes next", async () => {
    const { status, text } = await look(standing({}), "/schedules/nightly");
    expect(status).toBe(200);
    expect(text).toContain("Every 15 minutes, counted from 1970-01-01T00:00:00Z.");
    expect(text).toContain("When a run is still going, the slot is skipped.");
    expect(text).toContain('<time datetime="2026-11-30T12:15:00Z"');
  });

  it("shows the last slots, oldest first, each with its state and reason in words", async () => {
    const failed = occurrenceView("default", "nightly", { state: "failed", reason: "max_attempts" });
    const { text } = await look(withHistory([failed, GAP]), "/schedules/nightly");
    const labels = [...text.matchAll(/<a href="[^"]*"[^>]*title="([^"]*)"/g)].map(([, label]) => label);
    expect(labels).toEqual([
      expect.stringMatching(/^1,234 slots, .* · skipped · it was missed, and one run covered all that were$/),
      expect.stringMatching(/ · failed · its attempts were used up$/),
    ]);
    expect(text).toContain("/schedules/nightly/explain?at=2026-11-30T11%3A00%3A00Z");
  });

  it("asks the object twice, and the ledger no more often than it has kinds of record", async () => {
    const it = withHistory([]);
    await look(it, "/schedules/nightly");
    const asked = (on: string) => it.calls.filter((call) => call.on === on).map(({ name }) => name);
    expect(asked("default/nightly").toSorted()).toEqual(["open", "read"]);
    expect(asked("ledger").toSorted()).toEqual(["history", "namespaces", "revisions", "schedule"]);
  });

  it("while paused says who, why, and how many slots have passed, and offers to resume", async () => {
    const { text } = await look(
      standing({
        state: "paused",
        cursor: "2026-11-30T10:00:00Z",
        pause: { from: "2026-11-30T10:01:00Z", until: null, note: "<b>moving</b>", who: "ci#1" },
      }),
      "/schedules/nightly",
    );
    expect(text).toContain("&lt;b&gt;moving&lt;/b&gt;");
    expect(text).toContain("8 slots have passed since it was paused");
    expect(text).toContain('data-api="POST /v1/schedules/nightly/resume"');
    expect(text).not.toContain('data-api="POST /v1/schedules/nightly/pause"');
  });

  it("has no button for what the token may not do", async () => {
    const it = standing({});
    const { authorization } = await present(it, { scopes: ["read"] });
    const { text } = await look(it, "/schedules/nightly", authorization.replace("Bearer ", ""));
    expect(text).toContain("What it does");
    expect(text).not.toContain("data-api");
    expect(text).not.toContain("data-open");
  });

  it("shows whatever is in a definition as text", async () => {
    const hostile = '<img src=x onerror=alert(1)>"</script>\u202e';
    const view = viewOf("default", "nightly");
    const definition = {
      ...view.definition,
      description: hostile,
      tags: [hostile],
      payload: { [hostile]: hostile },
    };
    const { text } = await look(standing({ definition }), "/schedules/nightly");
    expect(text).not.toContain("<img");
    expect(text).toContain("<bdi>&lt;img src=x onerror=alert(1)&gt;");
  });

  it("a name that nobody knows is told as such", async () => {
    const it = world();
    it.stub.read = () =>
      Promise.resolve({
        ok: false,
        error: { code: "not_found", message: "There is no schedule nightly here." },
      });
    const { status, text } = await look(it, "/schedules/nightly");
    expect(status).toBe(404);
    expect(text).toContain("There is no schedule nightly here.");
  });
});

describe("why", () => {
  const born = NOW - 86_400_000;
  const created = {
    version: born,
    at: born,
    action: "create",
    revision: 1,
    who: "admin",
    note: null,
    definition: { ...DEFINITION, trigger: { cron: "30 2 * * *", timezone: "Europe/Berlin" } },
    cursor: born,
    paused: false,
    until: null,
    catchUp: null,
    dueAt: null,
  } as const;

  it("is answered in sentences, with the slots beside it", async () => {
    const it = world();
    it.ledger.changes = () => Promise.resolve([created]);
    const { text } = await look(it, "/schedules/nightly/explain?at=2026-12-24T09:00");
    expect(text).toContain("09:00 on 2026-12-24 (Europe/Berlin) is no slot.");
    expect(text).toContain("at=2026-12-24T01%3A30%3A00Z");
  });

  it("asks back where a local time exists twice", async () => {
    const it = world();
    it.ledger.changes = () => Promise.resolve([created]);
    const { text } = await look(it, "/schedules/nightly/explain?at=2027-10-31T02:30");
    expect(text).toContain("exists twice in Europe/Berlin");
    expect(text).toContain("at=2027-10-31T02%3A30%3A00%2B02%3A00");
  });
});
