import { describe, expect, it } from "vitest";
import { DEFINITION, world } from "./world.ts";

const range = { from: "2026-12-01T00:00:00Z", until: "2026-12-01T01:00:00Z" };

describe("POST /v1/simulate", () => {
  it("answers with the timeline, gap rows and counts, and touches no object", async () => {
    const { send, calls } = world();
    const body = {
      definition: DEFINITION,
      ...range,
      downtime: [{ from: "2026-12-01T00:10:00Z", to: "2026-12-01T00:46:00Z" }],
      run: { duration: "90s" },
    };
    expect(await send("POST", "/v1/simulate", body)).toMatchObject({
      status: 200,
      body: {
        occurrences: [
          { scheduledFor: "2026-12-01T00:45:00Z", state: "succeeded", latenessMs: 60_000 },
          { scheduledFor: "2026-12-01T01:00:00Z", state: "running" },
        ],
        gaps: [
          {
            kind: "gap",
            from: "2026-12-01T00:15:00Z",
            to: "2026-12-01T00:30:00Z",
            count: 2,
            reason: "coalesced",
          },
        ],
        counts: { succeeded: 1, running: 1, skipped: 2, coalesced: 2 },
        reached: "2026-12-01T01:00:00Z",
        truncated: false,
      },
    });
    expect(calls).toEqual([]);
  });

  it.each([
    { why: "a range that ends before it begins", more: { until: range.from }, code: "invalid_field" },
    {
      why: "a definition that PUT would refuse",
      more: { definition: { trigger: {} } },
      code: "invalid_field",
    },
    { why: "a field that it does not know", more: { speed: 2 }, code: "unknown_field" },
    { why: "an empty list of durations", more: { run: { durations: [] } }, code: "invalid_field" },
  ])("refuses $why", async ({ more, code }) => {
    const { body, status } = await world().send("POST", "/v1/simulate", {
      definition: DEFINITION,
      ...range,
      ...more,
    });
    expect({ status, code: body.code }).toEqual({
      status: 422,
      code: expect.stringMatching(code === "invalid_field" ? /invalid_/ : code),
    });
  });
});
