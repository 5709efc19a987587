import { describe, expect, it } from "vitest";
import { fail, ok } from "../../src/core/errors.ts";
import type { Entry } from "../../src/ledger/directory.ts";
import { DEFINITION, viewOf, world } from "./world.ts";

const PATH = "/v1/schedules/nightly";

describe("PUT", () => {
  it("creates: 201, the place, the revision as ETag, the complete definition at the top", async () => {
    const { send } = world();
    const { status, headers, body } = await send("PUT", PATH, DEFINITION);
    expect(status).toBe(201);
    expect(headers.get("location")).toBe(PATH);
    expect(headers.get("etag")).toBe('"3"');
    expect(body).toMatchObject({
      name: "nightly",
      trigger: { every: "PT15M" },
      overlap: "skip",
      retry: { maxAttempts: 4, initial: "PT10S" },
      state: "active",
    });
    expect(body).not.toHaveProperty("definition");
  });

  it("hands the object what was said and no default, with durations in milliseconds, and paused beside it", async () => {
    const { send, calls } = world();
    const said = { ...DEFINITION, jitter: "10m", catchUp: { window: "PT1H" }, payload: null, paused: true };
    await send("PUT", PATH, said, { "carillon-namespace": "billing" });
    expect(calls.find(({ name }) => name === "put")).toMatchObject({
      on: "billing/nightly",
      args: [
        {
          namespace: "billing",
          name: "nightly",
          who: "admin",
          paused: true,
          input: {
            trigger: { every: "PT15M" },
            target: { queue: "LIBRARY" },
            jitterMs: 600_000,
            catchUp: { windowMs: 3_600_000 },
            payload: null,
          },
        },
      ],
    });
  });

  it("takes every field of what it shows", async () => {
    const { send } = world();
    const shown = viewOf("default", "nightly").definition;
    const { status, body } = await send("PUT", PATH, shown);
    expect(status).toBe(201);
    expect(body).toMatchObject(shown);
  });

  it("answers 200 for an unchanged or replaced schedule", async () => {
    for (const outcome of ["unchanged", "replaced"] as const) {
      const { send, stub } = world();
      stub.put = () => Promise.resolve(ok({ outcome, schedule: viewOf("default", "nightly") }));
      expect((await send("PUT", PATH, DEFINITION)).status).toBe(200);
    }
  });
});

describe("preconditions", () => {
  const cases: { sent: Record<string, string>; asked: object }[] = [
    { sent: { "if-match": '"3"' }, asked: { ifMatch: 3, createOnly: false } },
    { sent: { "if-match": 'W/"3"' }, asked: { ifMatch: 3, createOnly: false } },
    { sent: { "if-match": "*" }, asked: { ifMatch: 3, createOnly: false } },
    { sent: { "if-none-match": "*" }, asked: { ifMatch: undefined, createOnly: true } },
    { sent: {}, asked: { ifMatch: undefined, createOnly: false } },
  ];
  it.each(cases)("PUT passes $sent on as $asked", async ({ sent, asked }) => {
    const { send, calls } = world();
    expect((await send("PUT", PATH, DEFINITION, sent)).status).toBe(201);
    expect(calls.find(({ name }) => name === "put")!.args[0]).toMatchObject(asked);
  });

  it.each(["PUT", "PATCH", "DELETE"])("%s with If-Match: * on nothing is 412", async (method) => {
    const { send, stub } = world();
    stub.read = () => Promise.resolve(fail("not_found", "There is no schedule."));
    const body = method === "DELETE" ? undefined : DEFINITION;
    expect(await send(method, PATH, body, { "if-match": "*" })).toMatchObject({
      status: 412,
      body: { code: "precondition_failed" },
    });
  });

  it.each([
    { header: "if-match", value: "3" },
    { header: "if-match", value: '"abc"' },
    { header: "if-none-match", value: '"3"' },
  ])("refuses $header: $value by name", async ({ header, value }) => {
    const { send, calls } = world();
    const answer = await send("PUT", PATH, DEFINITION, { [header]: value });
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid_field", parameter: header } });
    expect(calls).toEqual([]);
  });

  it.each(["PATCH", "DELETE"])("%s honours If-Match when it is sent", async (method) => {
    const { send, calls } = world();
    await send(method, PATH, method === "PATCH" ? {} : undefined, { "if-match": '"2"' });
    expect(calls[0]!.args[0]).toMatchObject({ ifMatch: 2, who: "admin" });
  });
});

describe("PATCH", () => {
  it("hands over what was said: null at the top as null, null in a group as its default", async () => {
    const { send, calls } = world();
    const change = {
      description: null,
      payload: null,
      retry: { maxAttempts: null, initial: "1s" },
      alerts: null,
    };
    expect((await send("PATCH", PATH, change)).status).toBe(200);
    expect(calls[0]!.args[0]).toMatchObject({
      patch: { description: null, payload: null, retry: { maxAttempts: 4, initialMs: 1_000 }, alerts: null },
    });
  });

  it.each(["trigger", "target"])("refuses null for %s, which has no default", async (field) => {
    const { send } = world();
    const answer = await send("PATCH", PATH, { [field]: null });
    expect(answer.status).toBe(422);
    expect(answer.body.pointer).toBe(`/${field}`);
  });

  it("takes application/merge-patch+json", async () => {
    const { send } = world();
    const headers = { "content-type": "application/merge-patch+json" };
    expect((await send("PATCH", PATH, { tags: ["x"] }, headers)).status).toBe(200);
  });
});

describe("pause, resume, trigger", () => {
  it("need no body", async () => {
    const { send, calls } = world();
    expect((await send("POST", `${PATH}/pause`)).status).toBe(200);
    expect((await send("POST", `${PATH}/resume`)).status).toBe(200);
    expect(calls.map(({ args }) => args[0])).toEqual([
      { note: null, until: null, who: "admin" },
      { note: null, catchUp: null, who: "admin" },
    ]);
  });

  it("trigger answers 201 with the occurrence and its place", async () => {
    const { send, calls } = world();
    const { status, headers, body } = await send("POST", `${PATH}/trigger`, {
      payload: { a: 1 },
      overlap: "allow",
    });
    expect(status).toBe(201);
    expect(headers.get("location")).toBe(`/v1/occurrences/${String(body.id)}`);
    expect(calls[0]!.args[0]).toEqual({ payload: { a: 1 }, overlap: "allow", who: "admin" });
  });

  it("trigger is 409 busy where the overlap policy would skip it", async () => {
    const { send, stub } = world();
    stub.trigger = () => Promise.resolve(fail("busy", "One is running.", { data: { state: "running" } }));
    expect(await send("POST", `${PATH}/trigger`)).toMatchObject({
      status: 409,
      body: { code: "busy", state: "running", detail: "One is running." },
    });
  });
});

describe("the list", () => {
  const entry = (name: string, createdAt: number): Entry => ({
    namespace: "default",
    name,
    shard: "LEDGER",
    state: "active",
    revision: 1,
    createdAt,
    updatedAt: createdAt,
    description: null,
    tags: [],
    managedBy: null,
    health: "healthy",
    definition: { trigger: { every: "PT15M" }, target: { queue: "LIBRARY" }, payload: "large" },
  });

  it("shows what the ledger knows, the next slot included and the payload left out", async () => {
    const { send, ledger } = world();
    ledger.schedules = () => Promise.resolve([entry("a", 0)]);
    const { body } = await send("GET", "/v1/schedules");
    expect(body).toMatchObject({
      items: [
        {
          name: "a",
          trigger: { every: "PT15M" },
          nextSlot: "2026-11-30T12:15:00Z",
          createdAt: "1970-01-01T00:00:00Z",
        },
      ],
      nextCursor: null,
    });
    expect(JSON.stringify(body)).not.toContain("large");
  });

  it("goes on where the page ended", async () => {
    const { send, ledger, calls } = world();
    ledger.schedules = () => Promise.resolve([entry("c", 3), entry("b", 2), entry("a", 1)]);
    const first = await send("GET", "/v1/schedules?limit=2&state=active&tag=x");
    expect(first.body.items).toHaveLength(2);
    await send("GET", `/v1/schedules?limit=2&cursor=${String(first.body.nextCursor)}`);
    expect(calls.map(({ args }) => args[0])).toMatchObject([
      { state: "active", tag: "x", before: null, limit: 2 },
      { state: null, tag: null, before: { createdAt: 2, name: "b" }, limit: 2 },
    ]);
  });
});

describe("preview and upcoming", () => {
  it("preview shows slots of a definition that nobody saved", async () => {
    const { send, calls } = world();
    const { status, body } = await send("POST", "/v1/preview", { trigger: { every: "15m" }, count: 2 });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      slots: [{ scheduledFor: "2026-11-30T12:15:00Z", notes: [] }, { scheduledFor: "2026-11-30T12:30:00Z" }],
      exhausted: false,
    });
    expect(calls).toEqual([]);
  });

  it("upcoming shows the next slots of a schedule, from a given instant too", async () => {
    const { send } = world();
    const { body } = await send("GET", `${PATH}/upcoming?count=1&from=2027-01-01T00:00:00Z`);
    expect(body.slots).toMatchObject([{ scheduledFor: "2027-01-01T00:15:00Z" }]);
  });

  it("upcoming of a schedule that isn't there is 404", async () => {
    const { send, stub } = world();
    stub.read = () => Promise.resolve(fail("not_found", "There is no schedule."));
    expect((await send("GET", `${PATH}/upcoming`)).status).toBe(404);
  });
});

describe("a read with If-None-Match", () => {
  const read = (tags: string) => world().send("GET", PATH, undefined, { "if-none-match": tags });

  it.each(['"3"', 'W/"3"', '"1", "3"', "*"])(
    "%s names the revision in force: 304 without a body",
    async (tags) => {
      const answer = await read(tags);
      expect([answer.status, answer.text, answer.headers.get("etag")]).toEqual([304, "", '"3"']);
    },
  );

  it.each(['"2"', '"33"', "3", "", '"another"'])("%s does not", async (tags) => {
    expect(await read(tags)).toMatchObject({ status: 200, body: { revision: 3 } });
  });

  it("is kept by no cache, which would ask so by itself and show an old state", async () => {
    const { headers } = await world().send("GET", PATH);
    expect(headers.get("cache-control")).toBe("no-store");
  });
});
