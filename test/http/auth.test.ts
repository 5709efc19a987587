import { describe, expect, it } from "vitest";
import { DEFINITION, TOKEN, NOW, world } from "./world.ts";

const PATH = "/v1/schedules/nightly";

describe("without a right token nothing happens", () => {
  it.each([
    { name: "none", authorization: "" },
    { name: "a wrong one", authorization: "Bearer wrong" },
    { name: "a prefix", authorization: `Bearer ${TOKEN.slice(0, -1)}` },
    { name: "more than it", authorization: `Bearer ${TOKEN}x` },
    { name: "another scheme", authorization: `Basic ${TOKEN}` },
    { name: "two", authorization: `Bearer ${TOKEN} ${TOKEN}` },
  ])("$name: 401", async ({ authorization }) => {
    const { send, calls } = world();
    const answer = await send("PUT", PATH, DEFINITION, { authorization });
    expect(answer).toMatchObject({ status: 401, body: { code: "unauthorized" } });
    expect(answer.headers.get("www-authenticate")).toContain("Bearer");
    expect(answer.text).not.toContain(TOKEN);
    expect(calls).toEqual([]);
  });

  it("asks for the token before it reads a body or says whether a path exists", async () => {
    const { send } = world();
    const headers = { authorization: "" };
    expect((await send("PUT", PATH, "no JSON", headers)).status).toBe(401);
    expect((await send("GET", "/v1/nothing", undefined, headers)).status).toBe(401);
  });

  it("leaves /healthz and /openapi.json open", async () => {
    const { send } = world();
    const headers = { authorization: "" };
    expect((await send("GET", "/healthz", undefined, headers)).status).toBe(200);
    expect((await send("GET", "/openapi.json", undefined, headers)).status).toBe(200);
  });
});

describe("a scheduler that is not configured refuses everything but /healthz", () => {
  it.each([
    { name: "no token", env: { ADMIN_TOKEN: undefined }, says: "ADMIN_TOKEN" },
    { name: "an empty token", env: { ADMIN_TOKEN: "" }, says: "ADMIN_TOKEN" },
    { name: "a token to guess", env: { ADMIN_TOKEN: "fifteen-letters" }, says: "at least 16 characters" },
    { name: "TARGETS that is no JSON", env: { TARGETS: "{LIBRARY" }, says: "TARGETS" },
    { name: "TARGETS of another shape", env: { TARGETS: '{ "LIBRARY": "*" }' }, says: "TARGETS" },
    { name: "TARGETS that is a list", env: { TARGETS: "[]" }, says: "TARGETS" },
  ])("$name: 503 not_configured", async ({ env, says }) => {
    const { send, calls } = world(env);
    for (const [method, path] of [
      ["GET", PATH],
      ["PUT", PATH],
      ["GET", "/openapi.json"],
      ["GET", "/v1/work?queue=LIBRARY"],
    ] as const) {
      const answer = await send(method, path, method === "PUT" ? DEFINITION : undefined, {
        authorization: "Bearer undefined",
      });
      expect(answer).toMatchObject({
        status: 503,
        body: { code: "not_configured", detail: expect.stringContaining(says) },
      });
    }
    expect(calls).toEqual([]);
    expect(await send("GET", "/healthz")).toMatchObject({
      status: 200,
      body: { status: "ok", configured: false },
    });
  });

  it("no TARGETS at all: everything works, and no queue may be named", async () => {
    const { send } = world({ TARGETS: undefined });
    expect((await send("GET", PATH)).status).toBe(200);
    expect(await send("PUT", PATH, DEFINITION)).toMatchObject({
      status: 422,
      body: { code: "unknown_queue", allowed: [] },
    });
  });
});

describe("the namespace", () => {
  it("is the default one, or the one that the header names", async () => {
    const { send, calls } = world();
    await send("GET", PATH);
    await send("GET", PATH, undefined, { "carillon-namespace": "billing" });
    expect(calls.map(({ on }) => on)).toEqual(["default/nightly", "billing/nightly"]);
  });

  it.each(["Billing", "a/b", "", "-x", "x".repeat(64)])("%j is refused by name", async (namespace) => {
    const { send, calls } = world();
    const answer = await send("GET", PATH, undefined, { "carillon-namespace": namespace });
    expect(answer).toMatchObject({ status: 422, body: { parameter: "carillon-namespace" } });
    expect(calls).toEqual([]);
  });

  it("may name other queues", async () => {
    const { send } = world();
    const definition = { ...DEFINITION, target: { queue: "BILLING" } };
    expect((await send("PUT", PATH, definition, { "carillon-namespace": "billing" })).status).toBe(201);
  });
});

describe("GET /healthz", () => {
  it("tells the version and the last pass of the sweep", async () => {
    const { send, ledger } = world();
    ledger.lastSweep = () => Promise.resolve({ position: "", passedAt: 0, summary: {} });
    expect((await send("GET", "/healthz")).body).toEqual({
      status: "ok",
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      configured: true,
      ledger: "ok",
      sweep: { passedAt: "1970-01-01T00:00:00Z" },
    });
  });

  it("turns red when schedules are there and no pass has been for minutes, and green again with the next", async () => {
    const { send, ledger } = world();
    const passed = (passedAt: number) => () => Promise.resolve({ position: "", passedAt, summary: {} });
    ledger.hasActiveSince = () => Promise.resolve(true);
    ledger.lastSweep = passed(NOW - 5 * 60_000 - 1);
    expect(await send("GET", "/healthz")).toMatchObject({ status: 503, body: { status: "stale" } });
    ledger.lastSweep = () => Promise.resolve(null);
    expect(await send("GET", "/healthz")).toMatchObject({ status: 503, body: { status: "stale" } });
    ledger.lastSweep = passed(NOW - 5 * 60_000);
    expect(await send("GET", "/healthz")).toMatchObject({ status: 200, body: { status: "ok" } });
  });

  it("answers while the ledger does not", async () => {
    const { send, ledger } = world();
    ledger.lastSweep = () => Promise.reject(new Error("D1_ERROR"));
    expect(await send("GET", "/healthz")).toMatchObject({
      status: 200,
      body: { ledger: "unavailable", sweep: null },
    });
  });
});
