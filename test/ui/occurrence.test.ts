import { describe, expect, it } from "vitest";
import type { Occurrence } from "../../src/core/occurrence.ts";
import { DEFINITION, NOW, present, world, type World } from "../http/world.ts";
import { look } from "./look.ts";

const HOSTILE = '<img src=x onerror=alert(1)>"\u202e';
const SLOT = NOW - 3_600_000;
const ID = "nightly@2026-11-30T11:00:00Z";

const FAILED: Occurrence = {
  slot: SLOT,
  variant: "",
  kind: "scheduled",
  revision: 1,
  effectiveAt: SLOT,
  localTime: "2026-11-30T11:00:00+00:00",
  timezones: ["UTC"],
  locals: [{ timezone: "UTC", localTime: "2026-11-30T11:00:00+00:00", businessDate: "2026-11-30" }],
  businessDate: "2026-11-30",
  state: "failed",
  reason: "max_attempts",
  tracked: true,
  claimedAt: SLOT,
  dispatchedAt: SLOT + 20,
  startedAt: SLOT + 400,
  finishedAt: SLOT + 5_000,
  attempt: 2,
  attempts: [
    attempt(1, SLOT + 20, SLOT + 400, SLOT + 1_000),
    attempt(2, SLOT + 2_000, SLOT + 2_300, SLOT + 5_000),
  ],
  leaseUntil: null,
  progress: null,
  result: null,
  error: HOSTILE,
  replayOf: null,
};

function attempt(number: number, dispatchedAt: number, startedAt: number, endedAt: number) {
  return {
    attempt: number,
    token: number,
    dispatchedAt,
    startedAt,
    endedAt,
    outcome: "failed",
    error: HOSTILE,
  };
}

/** A ledger that knows the schedule, and these at the slot. */
function knowing(...occurrences: Occurrence[]): World {
  const it = world();
  const at = SLOT - 86_400_000;
  const definition = { ...DEFINITION, payload: { html: HOSTILE } };
  it.ledger.schedule = () => Promise.resolve({ namespace: "default", name: "nightly" } as never);
  it.ledger.changes = () =>
    Promise.resolve([
      {
        version: at,
        at,
        action: "create",
        revision: 1,
        who: "admin",
        note: null,
        definition,
        cursor: at,
        paused: false,
        until: null,
        catchUp: null,
        dueAt: null,
      },
    ]);
  it.ledger.evidence = () => Promise.resolve({ occurrences, gap: null, earlier: [] });
  return it;
}

describe("an occurrence's page", () => {
  it("explains it in sentences, and draws each attempt with its words", async () => {
    const { status, text } = await look(knowing(FAILED), `/occurrences/${ID}`);
    expect(status).toBe(200);
    expect(text).toContain("The slot of 11:00 on 2026-11-30 (UTC) ran and failed (max_attempts).");
    expect(text).toContain("waited 380 ms, ran 600 ms, failed");
    expect(text.match(/class="lane"/g)).toHaveLength(2);
  });

  it("shows error and payload as text, and no mark that turns the text around", async () => {
    const { text } = await look(knowing(FAILED), `/occurrences/${ID}`);
    expect(text).not.toContain("<img");
    expect(text).toContain("&lt;img src=x onerror=alert(1)&gt;\\&quot;\\u202e");
    expect(text).toContain("<bdi>&lt;img src=x onerror=alert(1)&gt;&quot;\u202e</bdi>");
  });

  it("links what ran at the same slot, and a replay to its original", async () => {
    const replay = { ...FAILED, variant: "~r1", kind: "replay", state: "succeeded", replayOf: ID } as const;
    const original = await look(knowing(FAILED, replay), `/occurrences/${ID}`);
    expect(original.text).toContain(`href="/occurrences/${ID}~r1"`);
    const { text } = await look(knowing(FAILED, replay), `/occurrences/${ID}~r1`);
    expect(text).toContain(`A replay of <a href="/occurrences/${ID}">`);
  });

  it("offers to replay what has ended, and to cancel what has not", async () => {
    const ended = await look(knowing(FAILED), `/occurrences/${ID}`);
    expect(ended.text).toContain(`data-api="POST /v1/occurrences/${ID}/replay"`);
    expect(ended.text).not.toContain("data-live");
    const running = { ...FAILED, state: "running", finishedAt: null, leaseUntil: NOW + 30_000 } as const;
    const open = await look(knowing(running), `/occurrences/${ID}`);
    expect(open.text).toContain(`data-api="POST /v1/occurrences/${ID}/cancel"`);
    expect(open.text).toContain(`data-live="/occurrences/${ID}/now"`);
  });

  it("has no button for who may only read", async () => {
    const it = knowing(FAILED);
    const { authorization } = await present(it, { scopes: ["read"] });
    const { text } = await look(it, `/occurrences/${ID}`, authorization.replace("Bearer ", ""));
    expect(text).toContain("ran and failed");
    expect(text).not.toContain("data-api");
  });

  it("of an id that nothing stands behind, tells why there is nothing", async () => {
    const { status, headers } = await look(knowing(), `/occurrences/${ID}`);
    expect(status).toBe(303);
    expect(headers.get("location")).toBe("/schedules/nightly/explain?at=2026-11-30T11%3A00%3A00Z");
    expect((await look(knowing(), "/occurrences/nonsense")).status).toBe(404);
  });
});
