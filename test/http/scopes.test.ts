/** Who may do what: each scope against each operation of the document, and what the bounds of a token hide. */
import { describe, expect, it } from "vitest";
import { ok } from "../../src/core/errors.ts";
import type { Entry } from "../../src/ledger/directory.ts";
import { SCOPES, type Scope } from "../../src/ledger/tokens.ts";
import { DEFINITION, occurrenceView, present, world, type World } from "./world.ts";

const ID = "nightly@2026-11-30T12:00:00Z";
const TOKEN_ID = "0123456789abcdef";

/** What each operation needs. One that is new has to be decided here. */
const NEEDS: Record<Scope, string[]> = {
  read: [
    "getSchedule",
    "listSchedules",
    "listUpcoming",
    "listScheduleOccurrences",
    "listOccurrences",
    "getOccurrence",
    "listRevisions",
    "listChanges",
    "explain",
    "auditSchedule",
    "audit",
    "preview",
    "simulate",
    "listAlerts",
    "getStats",
    "getMetrics",
  ],
  write: ["apply", "putSchedule", "patchSchedule", "deleteSchedule", "pauseSchedule", "resumeSchedule"],
  trigger: [
    "triggerSchedule",
    "backfillSchedule",
    "cancelBackfill",
    "replayOccurrence",
    "replayOccurrences",
    "cancelOccurrence",
  ],
  work: [
    "listWork",
    "startOccurrence",
    "heartbeatOccurrence",
    "completeOccurrence",
    "failOccurrence",
    "deferOccurrence",
  ],
  admin: ["createToken", "listTokens", "revokeToken", "sweep"],
};

interface Operation {
  id: string;
  method: string;
  path: string;
  body: unknown;
}

interface Documented {
  operationId: string;
  security: object[];
  requestBody?: { content: Record<string, { schema: { $ref?: string; examples?: unknown[] } }> };
}

/** Every operation behind a token, with its own example for a body. */
async function operations({ send }: World): Promise<Operation[]> {
  const document = (await send("GET", "/openapi.json")).body as {
    paths: Record<string, Record<string, Documented>>;
    components: { schemas: Record<string, { examples?: unknown[] }> };
  };
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => security.length > 0)
      .map(([method, { operationId, requestBody }]) => {
        const schema = requestBody?.content["application/json"]?.schema;
        const named = document.components.schemas[schema?.$ref?.split("/").at(-1) ?? ""] ?? schema;
        const id = path.includes("tokens") ? TOKEN_ID : ID;
        const real = path.replace("{name}", "nightly").replace("{id}", id).replace("{backfill}", "b1");
        return { id: operationId, method: method.toUpperCase(), path: real, body: named?.examples?.[0] };
      }),
  );
}

describe("each scope opens its own operations, and no other", () => {
  it("knows them all", async () => {
    const ids = (await operations(world())).map(({ id }) => id);
    expect(ids.toSorted()).toEqual(Object.values(NEEDS).flat().toSorted());
  });

  it.each(SCOPES)("%s", async (scope) => {
    const here = world();
    const headers = await present(here, { scopes: [scope], namespaces: ["*"] });
    for (const { id, method, path, body } of await operations(here)) {
      here.calls.length = 0;
      const answer = await here.send(method, path, body, headers);
      const isOpen = NEEDS[scope].includes(id);
      expect(answer.status, id).not.toBe(401);
      expect(answer.body["scope"] === undefined, `${id}: ${answer.text}`).toBe(isOpen);
      if (isOpen) continue;
      expect(answer).toMatchObject({ status: 403, body: { code: "forbidden" } });
      expect(here.calls, id).toEqual([]);
    }
  });

  it("opens nothing without a scope", async () => {
    const here = world();
    const headers = await present(here, { scopes: [] });
    for (const { id, method, path, body } of await operations(here))
      expect((await here.send(method, path, body, headers)).status, id).toBe(403);
  });
});

describe("a token for some namespaces", () => {
  it("finds nothing in any other, whatever it asks: 404, and nobody is asked", async () => {
    const here = world();
    const headers = await present(here, { namespaces: ["blue", "green"] });
    for (const { id, method, path, body } of await operations(here)) {
      here.calls.length = 0;
      const answer = await here.send(method, path, body, { ...headers, "carillon-namespace": "red" });
      expect(answer, id).toMatchObject({ status: 404, body: { code: "not_found" } });
      expect(here.calls, id).toEqual([]);
    }
  });

  it("is at home in the first, and goes where the header says", async () => {
    const here = world();
    const headers = await present(here, { namespaces: ["blue", "green"] });
    await here.send("GET", "/v1/schedules/nightly", undefined, headers);
    await here.send("GET", "/v1/schedules/nightly", undefined, { ...headers, "carillon-namespace": "green" });
    expect(here.calls.map(({ on }) => on)).toEqual(["blue/nightly", "green/nightly"]);
  });

  it("sees only its namespaces in the metrics, and may not sweep those of others", async () => {
    const here = world();
    const headers = await present(here, { namespaces: ["blue", "green"] });
    await here.send("GET", "/metrics", undefined, headers);
    expect(here.calls[0]).toMatchObject({ name: "numbers", args: [{ namespaces: ["blue", "green"] }] });
    expect(await here.send("POST", "/v1/sweep", undefined, headers)).toMatchObject({ status: 403 });
  });
});

describe("a token for some schedules", () => {
  it("finds no other by its path: 404, and nobody is asked", async () => {
    const here = world();
    const headers = await present(here, { schedules: ["weekly"] });
    const named = (await operations(here)).filter(({ path }) => path.includes("nightly"));
    expect(named.length).toBeGreaterThan(20);
    for (const { id, method, path, body } of named) {
      here.calls.length = 0;
      expect(await here.send(method, path, body, headers), id).toMatchObject({
        status: 404,
        body: { code: "not_found" },
      });
      expect(here.calls, id).toEqual([]);
    }
  });

  it("has every list, count and bulk command bounded by them", async () => {
    const here = world();
    const headers = await present(here, { schedules: ["weekly"] });
    for (const [method, path, body] of [
      ["GET", "/v1/schedules"],
      ["GET", "/v1/occurrences"],
      ["GET", "/v1/alerts"],
      ["GET", "/v1/changes"],
      ["GET", "/v1/audit"],
      ["GET", "/v1/stats"],
      ["GET", "/metrics"],
      ["GET", "/v1/work?queue=LIBRARY"],
      ["POST", "/v1/occurrences/replay", { filter: {} }],
    ] as const) {
      here.calls.length = 0;
      expect((await here.send(method, path, body, headers)).status, path).toBe(200);
      expect(
        here.calls.filter(({ name }) => name !== "lastSweep"),
        path,
      ).toMatchObject([{ on: "ledger", args: [{ schedules: ["weekly"] }] }]);
    }
  });

  it("finds an empty history of another in the list of all", async () => {
    const here = world();
    const headers = await present(here, { schedules: ["weekly"] });
    here.ledger.schedule = () => Promise.resolve({ namespace: "default", name: "nightly" } as Entry);
    const answer = await here.send("GET", "/v1/occurrences?schedule=nightly", undefined, headers);
    expect(answer.body).toEqual({ items: [], nextCursor: null });
    expect(here.calls).toEqual([]);
  });

  it("cannot go on with an audit that began at another", async () => {
    const here = world();
    const headers = await present(here, { schedules: ["weekly"] });
    const cursor = btoa(JSON.stringify({ name: "nightly", place: { revision: 1, after: 0 } }));
    expect((await here.send("GET", `/v1/audit?cursor=${cursor}`, undefined, headers)).status).toBe(200);
    expect(here.calls.map(({ name }) => name)).toEqual(["schedulesAfter"]);
  });
});

describe("a token for some queues", () => {
  const bound = { queues: ["LIBRARY"], namespaces: ["billing"] };

  it("names no other as a target", async () => {
    const here = world();
    const headers = await present(here, bound);
    const billing = { ...DEFINITION, target: { queue: "BILLING" } };
    expect((await here.send("PUT", "/v1/schedules/nightly", DEFINITION, headers)).status).toBe(201);
    expect(await here.send("PUT", "/v1/schedules/nightly", billing, headers)).toMatchObject({
      status: 422,
      body: { code: "unknown_queue", allowed: ["LIBRARY"] },
    });
  });

  it("finds no work of another", async () => {
    const here = world();
    const headers = await present(here, bound);
    expect((await here.send("GET", "/v1/work?queue=LIBRARY", undefined, headers)).status).toBe(200);
    expect(await here.send("GET", "/v1/work?queue=BILLING", undefined, headers)).toMatchObject({
      status: 404,
      body: { code: "not_found" },
    });
  });

  it("reports within them, also on what has ended long ago", async () => {
    const here = world();
    const headers = await present(here, bound);
    const recorded = (queue: string) => ({
      occurrence: occurrenceView("billing", "nightly", { state: "succeeded" }),
      isFinal: true,
      token: 7,
      queue,
      payload: null,
    });
    const complete = () => here.send("POST", `/v1/occurrences/${ID}/complete`, { token: 7 }, headers);
    here.ledger.occurrence = () => Promise.resolve(recorded("LIBRARY"));
    expect((await complete()).status).toBe(200);
    here.ledger.occurrence = () => Promise.resolve(recorded("BILLING"));
    expect(await complete()).toMatchObject({ status: 404, body: { code: "not_found" } });

    here.stub.start = () => Promise.resolve(ok({} as never));
    await here.send("POST", `/v1/occurrences/${ID}/start`, { attempt: 1, worker: "w" }, headers);
    expect(here.calls.at(-1)).toMatchObject({ name: "start", args: [{ queues: ["LIBRARY"] }, {}] });
  });
});

describe("what is sent as a token or a name", () => {
  it.each([
    "carillon__",
    "carillon_0123456789abcdef_",
    `carillon_0123456789abcdef_${"0".repeat(64)}`,
    `carillon___proto___${"0".repeat(64)}`,
    "__proto__",
    "constructor",
    "admin",
  ])("%s opens nothing", async (text) => {
    const here = world();
    const answer = await here.send("GET", "/v1/schedules", undefined, { authorization: `Bearer ${text}` });
    expect(answer).toMatchObject({ status: 401, body: { code: "unauthorized" } });
    expect(answer.text).not.toContain(text);
  });

  it.each([
    { field: "name", value: "ci\r\nset-cookie: x=1" },
    { field: "name", value: "a\u202Eb" },
    { field: "name", value: "" },
    { field: "scopes", value: ["__proto__"] },
    { field: "scopes", value: [] },
    { field: "namespaces", value: ["a/b"] },
    { field: "namespaces", value: [] },
    { field: "schedules", value: ["../other"] },
    { field: "expiresAt", value: "2026-11-30T12:00:00Z" },
  ])("$field $value is refused", async ({ field, value }) => {
    const here = world();
    const body = { name: "ci", scopes: ["read"], namespaces: ["default"], [field]: value };
    const { status, body: problem } = await here.send("POST", "/v1/tokens", body);
    expect(status).toBe(422);
    expect(problem.pointer).toMatch(new RegExp(`^/${field}`));
    expect(here.tokens.size).toBe(0);
  });

  it("a field of every object's prototype is none of ours", async () => {
    const here = world();
    const body = '{"name":"ci","scopes":["read"],"namespaces":["default"],"__proto__":{"scopes":["admin"]}}';
    expect(await here.send("POST", "/v1/tokens", body)).toMatchObject({
      status: 422,
      body: { code: "unknown_field" },
    });
  });

  it("a name in any script is kept as it is", async () => {
    const here = world();
    const body = { name: "夜間バッチ 🔔", scopes: ["read"], namespaces: ["default"] };
    expect(await here.send("POST", "/v1/tokens", body)).toMatchObject({
      status: 201,
      body: { name: body.name },
    });
  });
});
