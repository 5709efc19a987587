import { describe, expect, it } from "vitest";
import type { Alert } from "../../src/ledger/alerts.ts";
import { NOW, world } from "./world.ts";

const alert = (more: Partial<Alert> = {}): Alert => ({
  schedule: "default/nightly",
  kind: "queue_wait",
  raisedAt: NOW,
  resolvedAt: null,
  message: "It has waited.",
  occurrence: "nightly@2026-11-30T11:00:00Z",
  ...more,
});

describe("POST /v1/sweep", () => {
  it("passes once and says what that did", async () => {
    const { send, calls } = world();
    expect(await send("POST", "/v1/sweep")).toMatchObject({
      status: 200,
      body: { poked: 3, redispatched: 2, expired: 1, alerts: 1 },
    });
    expect(calls.filter(({ on }) => on === "sweep")).toHaveLength(1);
  });
});

describe("GET /v1/alerts", () => {
  it("shows those of the namespace, page by page", async () => {
    const { send, ledger, calls } = world();
    ledger.alerts = ({ limit, before }) =>
      Promise.resolve(
        before ? [alert({ resolvedAt: NOW + 1 })] : Array.from({ length: limit + 1 }, () => alert()),
      );
    const first = await send("GET", "/v1/alerts?limit=1&state=open&schedule=nightly");
    expect(first.body).toEqual({
      items: [
        {
          namespace: "default",
          schedule: "nightly",
          kind: "queue_wait",
          state: "open",
          raisedAt: "2026-11-30T12:00:00Z",
          resolvedAt: null,
          message: "It has waited.",
          occurrence: "nightly@2026-11-30T11:00:00Z",
        },
      ],
      nextCursor: expect.any(String),
    });
    const second = await send("GET", `/v1/alerts?limit=1&cursor=${String(first.body["nextCursor"])}`);
    expect(second.body).toMatchObject({ items: [{ state: "resolved" }], nextCursor: null });
    expect(calls.filter(({ name }) => name === "alerts").map(({ args }) => args[0])).toEqual([
      { namespace: "default", schedules: null, state: "open", schedule: "nightly", before: null, limit: 1 },
      {
        namespace: "default",
        schedules: null,
        state: null,
        schedule: null,
        before: { raisedAt: NOW, schedule: "default/nightly", kind: "queue_wait" },
        limit: 1,
      },
    ]);
  });

  it("refuses a state that there is not", async () => {
    const { send } = world();
    expect(await send("GET", "/v1/alerts?state=opne")).toMatchObject({
      status: 422,
      body: { code: "invalid_field", hint: 'Did you mean "open"?' },
    });
  });
});
