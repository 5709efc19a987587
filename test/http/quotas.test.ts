/** What QUOTAS bounds, and for whom. */
import { describe, expect, it } from "vitest";
import { configOf, quotaFor } from "../../src/config.ts";
import { fail } from "../../src/core/errors.ts";
import { DEFINITION, world } from "./world.ts";

const PATH = "/v1/schedules/nightly";
const QUOTAS = '{ "*": { "schedules": 2, "interval": "1m", "payload": 20 }, "ci": { "interval": "1s" } }';
const cron = (pattern: string) => ({ cron: pattern, timezone: "UTC" });

describe("the interval", () => {
  it.each([
    { trigger: { every: "59s" }, found: "PT59S" },
    { trigger: { after: "30s" }, found: "PT30S" },
    { trigger: cron("*/20 * * * * *"), found: "PT20S" },
    { trigger: [cron("0 9 * * *"), cron("30 0 9 * * *")], found: "PT30S" },
  ])("$trigger is too close: 403 with what was found", async ({ trigger, found }) => {
    const { send, calls } = world({ QUOTAS });
    for (const [method, body] of [
      ["PUT", { ...DEFINITION, trigger }],
      ["PATCH", { trigger }],
    ] as const) {
      expect(await send(method, PATH, body)).toMatchObject({
        status: 403,
        body: { code: "quota_exceeded", quota: "interval", limit: "PT1M", found, pointer: "/trigger" },
      });
    }
    expect(calls).toEqual([]);
  });

  it.each([
    { every: "1m" },
    { after: "1m" },
    cron("* * * * *"),
    { in: "5s" },
    { at: "2026-12-24T18:00:00Z" },
  ])("%j is far enough", async (trigger) => {
    expect((await world({ QUOTAS }).send("PUT", PATH, { ...DEFINITION, trigger })).status).toBe(201);
  });

  it("is another where a namespace has one of its own, which keeps the rest of *", async () => {
    const { send } = world({ QUOTAS });
    const headers = { "carillon-namespace": "ci" };
    const definition = { ...DEFINITION, trigger: { every: "1s" } };
    expect((await send("PUT", PATH, definition, headers)).status).toBe(201);
    const large = { ...definition, payload: "x".repeat(30) };
    expect((await send("PUT", PATH, large, headers)).body).toMatchObject({ quota: "payload" });
  });
});

describe("the payload", () => {
  it("is measured as JSON in bytes, of a definition and of a run by hand", async () => {
    const { send } = world({ QUOTAS });
    const answer = { status: 403, body: { quota: "payload", limit: 20, found: 21, pointer: "/payload" } };
    const payload = "é".repeat(9) + "x"; // 19 bytes, and two quotes
    expect(await send("PUT", PATH, { ...DEFINITION, payload })).toMatchObject(answer);
    expect(await send("PATCH", PATH, { payload })).toMatchObject(answer);
    expect(await send("POST", `${PATH}/trigger`, { payload })).toMatchObject(answer);
    expect((await send("POST", `${PATH}/trigger`, { payload: "é".repeat(9) })).status).toBe(201);
  });
});

describe("the number of schedules", () => {
  it("bounds what is created, and nothing that is there", async () => {
    const { send, stub, ledger } = world({ QUOTAS });
    ledger.count = () => Promise.resolve(2);
    expect((await send("PUT", PATH, DEFINITION)).status).toBe(201); // the object says that it is there
    stub.read = () => Promise.resolve(fail("not_found", "There is no such schedule."));
    expect(await send("PUT", PATH, DEFINITION)).toMatchObject({
      status: 403,
      body: { code: "quota_exceeded", quota: "schedules", limit: 2, hint: expect.stringContaining("2") },
    });
    ledger.count = () => Promise.resolve(1);
    expect((await send("PUT", PATH, DEFINITION)).status).toBe(201);
  });

  it("is not counted where no quota is set", async () => {
    const { send, calls } = world();
    await send("PUT", PATH, DEFINITION);
    expect(calls.map(({ name }) => name)).toEqual(["put"]);
  });
});

describe("QUOTAS", () => {
  it.each([
    "{",
    "[]",
    '{ "*": 3 }',
    '{ "*": { "schedule": 1 } }',
    '{ "*": { "interval": "often" } }',
    '{ "*": { "payload": -1 } }',
  ])("%s closes the API instead of being guessed", async (value) => {
    expect(await world({ QUOTAS: value }).send("GET", PATH)).toMatchObject({
      status: 503,
      body: { code: "not_configured", detail: expect.stringContaining("QUOTAS") },
    });
  });

  it("null lifts a limit", () => {
    const config = configOf({
      ADMIN_TOKEN: "t".repeat(16),
      QUOTAS: '{ "*": { "schedules": 1 }, "ci": { "schedules": null } }',
    });
    expect([quotaFor(config, "ci").schedules, quotaFor(config, "other").schedules]).toEqual([null, 1]);
  });
});
