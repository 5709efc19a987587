import { describe, expect, it } from "vitest";
import { fail, type FailureCode } from "../../src/core/errors.ts";
import { PROBLEMS } from "../../src/http/problem.ts";
import { DEFINITION, world } from "./world.ts";

const PATH = "/v1/schedules/nightly";

describe("a bad definition is refused by field, and changes nothing", () => {
  const cases: { name: string; change: object; code: string; pointer: string; hint?: RegExp }[] = [
    {
      name: "an unknown field",
      change: { overlpa: "skip" },
      code: "unknown_field",
      pointer: "/overlpa",
      hint: /"overlap"/,
    },
    {
      name: "an unknown field inside",
      change: { retry: { maxAtempts: 3 } },
      code: "unknown_field",
      pointer: "/retry/maxAtempts",
      hint: /"maxAttempts"/,
    },
    {
      name: "a field named as a prototype's",
      change: JSON.parse('{"__proto__":{"tracked":false}}') as object,
      code: "unknown_field",
      pointer: "/__proto__",
    },
    {
      name: "constructor as a field",
      change: { constructor: 1 },
      code: "unknown_field",
      pointer: "/constructor",
    },
    { name: "no trigger", change: { trigger: undefined }, code: "invalid_field", pointer: "/trigger" },
    {
      name: "a cron without a zone",
      change: { trigger: { cron: "0 9 * * *" } },
      code: "invalid_trigger",
      pointer: "/trigger/timezone",
    },
    {
      name: "a cron out of range",
      change: { trigger: { cron: "0 99 * * *", timezone: "UTC" } },
      code: "invalid_trigger",
      pointer: "/trigger/cron",
    },
    {
      name: "30 February",
      change: { trigger: { cron: "0 9 30 2 *", timezone: "UTC" } },
      code: "never_fires",
      pointer: "/trigger",
    },
    {
      name: "a bad exclusion",
      change: { exclude: [{ date: "2026-13-01" }] },
      code: "invalid_field",
      pointer: "/exclude/0/date",
    },
    {
      name: "a queue nobody listed",
      change: { target: { queue: "LIBRARI" } },
      code: "unknown_queue",
      pointer: "/target/queue",
      hint: /LIBRARY/,
    },
    {
      name: "another namespace's queue",
      change: { target: { queue: "BILLING" } },
      code: "unknown_queue",
      pointer: "/target/queue",
    },
    {
      name: "a binding that is no queue",
      change: { target: { queue: "ADMIN_TOKEN" } },
      code: "unknown_queue",
      pointer: "/target/queue",
    },
    {
      name: "a queue that is bound and not listed",
      change: { target: { queue: "INTERNAL" } },
      code: "unknown_queue",
      pointer: "/target/queue",
    },
    {
      name: "a listed binding that is no queue",
      change: { target: { queue: "LEDGER" } },
      code: "unknown_queue",
      pointer: "/target/queue",
    },
    {
      name: "a listed queue that is not bound",
      change: { target: { queue: "UNBOUND" } },
      code: "unknown_queue",
      pointer: "/target/queue",
    },
    {
      name: "a URL that is not public",
      change: { target: { url: "https://127.1/" } },
      code: "invalid_field",
      pointer: "/target/url",
    },
    { name: "a month as duration", change: { jitter: "1mo" }, code: "invalid_duration", pointer: "/jitter" },
    {
      name: "a duration out of bounds",
      change: { timeouts: { lease: "0s" } },
      code: "invalid_duration",
      pointer: "/timeouts/lease",
    },
    {
      name: "an instant without offset",
      change: { startAt: "2026-12-01T00:00:00" },
      code: "invalid_instant",
      pointer: "/startAt",
    },
    {
      name: "a word that is no policy",
      change: { overlap: "skpi" },
      code: "invalid_field",
      pointer: "/overlap",
      hint: /"skip"/,
    },
    {
      name: "a number out of bounds",
      change: { retry: { maxAttempts: 0 } },
      code: "invalid_field",
      pointer: "/retry/maxAttempts",
    },
    {
      name: "half a number",
      change: { maxConcurrent: 1.5 },
      code: "invalid_field",
      pointer: "/maxConcurrent",
    },
    { name: "a text for a flag", change: { tracked: "yes" }, code: "invalid_field", pointer: "/tracked" },
    { name: "a list for an object", change: { retry: [] }, code: "invalid_field", pointer: "/retry" },
    {
      name: "null for what has no null",
      change: { jitter: null },
      code: "invalid_duration",
      pointer: "/jitter",
    },
    { name: "a tag that is no text", change: { tags: ["ok", 7] }, code: "invalid_field", pointer: "/tags/1" },
    {
      name: "NUL in a text",
      change: { description: "a\0b" },
      code: "invalid_field",
      pointer: "/description",
    },
    {
      name: "half a character",
      change: { description: "\uD800" },
      code: "invalid_field",
      pointer: "/description",
    },
    {
      name: "a payload over 64 KB",
      change: { payload: "x".repeat(64 * 1024) },
      code: "limit_exceeded",
      pointer: "/payload",
    },
  ];
  it.each(cases)("$name: $code at $pointer", async ({ change, code, pointer, hint }) => {
    const { send, calls } = world();
    const answer = await send("PUT", PATH, JSON.stringify({ ...DEFINITION, ...change }));
    // JSON.stringify and spread both drop `__proto__`; a hostile client does not.
    const hostile = Object.hasOwn(change, "__proto__");
    const { status, body } = hostile
      ? await send(
          "PUT",
          PATH,
          '{"trigger":{"every":"15m"},"target":{"queue":"LIBRARY"},"__proto__":{"tracked":false}}',
        )
      : answer;
    expect(status).toBe(422);
    expect(body).toMatchObject({ status: 422, code, pointer, type: `urn:carillon:problem:${code}` });
    expect(body.detail).toEqual(expect.any(String));
    if (hint) expect(body.hint).toMatch(hint);
    if (!hostile) expect(calls.filter(({ name }) => name !== "put")).toEqual([]);
  });

  it("names those that may be named instead of an unknown queue", async () => {
    const { send } = world();
    const { body } = await send("PUT", PATH, { ...DEFINITION, target: { queue: "NOPE" } });
    expect(body.allowed).toEqual(["LIBRARY"]);
  });

  it("quotes in part what was sent, never the whole", async () => {
    const { send } = world();
    const long = "x".repeat(50_000);
    for (const body of [
      { [long]: 1 },
      { trigger: { [long]: 1 } },
      { trigger: { every: long } },
      { tags: { [long]: 1 } },
    ]) {
      expect((await send("PUT", PATH, { ...DEFINITION, ...body })).text.length).toBeLessThan(4_000);
    }
  });

  it("lists every field that is wrong, unknown ones first", async () => {
    const { send } = world();
    const { body } = await send("PUT", PATH, {
      triger: {},
      target: { queue: "LIBRARY" },
      overlap: 1,
      retry: { factor: 0 },
    });
    expect(body).toMatchObject({
      code: "unknown_field",
      pointer: "/triger",
      errors: [
        { pointer: "/triger" },
        { pointer: "/trigger" },
        { pointer: "/overlap" },
        { pointer: "/retry/factor" },
      ],
    });
  });
});

describe("a bad body", () => {
  it.each([
    { name: "not JSON", body: '{"trigger": nope}', status: 400, code: "invalid_json" },
    { name: "cut off", body: '{"trigger": {', status: 400, code: "invalid_json" },
    { name: "a number beyond all bounds", body: '{"payload": 1e999}', status: 400, code: "invalid_json" },
    {
      name: "nested without end",
      body: "[".repeat(100_000) + "]".repeat(100_000),
      status: 400,
      code: "invalid_json",
    },
    {
      name: "1 MB",
      body: JSON.stringify({ payload: "x".repeat(1_000_000) }),
      status: 413,
      code: "body_too_large",
    },
    { name: "a list", body: "[]", status: 422, code: "invalid_field" },
    { name: "null", body: "null", status: 422, code: "invalid_field" },
    { name: "a text", body: '"x"', status: 422, code: "invalid_field" },
  ])("$name: $status $code", async ({ body, status, code }) => {
    const { send, calls } = world();
    const answer = await send("PUT", PATH, body);
    expect(answer).toMatchObject({ status, body: { status, code } });
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    expect(calls).toEqual([]);
  });

  it("is read as JSON whatever type it declares, as curl -d does", async () => {
    const { send } = world();
    const form = { "content-type": "application/x-www-form-urlencoded" };
    expect(await send("PUT", PATH, "a=b", form)).toMatchObject({
      status: 400,
      body: { code: "invalid_json" },
    });
    expect(await send("PUT", PATH, JSON.stringify(DEFINITION), form)).toMatchObject({ status: 201 });
  });

  it("says where the JSON broke, and quotes nothing of it", async () => {
    const { send } = world();
    const { text } = await send("PUT", PATH, '{"payload":{"password":"hunter2"},,}');
    expect(text).not.toContain("hunter2");
    expect(text).toContain("position");
  });
});

describe("paths, queries and methods", () => {
  it.each([
    { path: "/v1/schedules/Nightly", status: 422, code: "invalid_field", parameter: "name" },
    { path: "/v1/schedules/%E0%A4%A", status: 422, code: "invalid_field", parameter: "name" },
    { path: "/v1/schedules?limit=0", status: 422, code: "invalid_field", parameter: "limit" },
    { path: "/v1/schedules?limit=1e9", status: 422, code: "invalid_field", parameter: "limit" },
    { path: "/v1/schedules?cursor=nonsense", status: 422, code: "invalid_field", parameter: "cursor" },
    { path: "/v1/schedules?stat=active", status: 422, code: "unknown_field", parameter: "stat" },
    { path: "/v1/schedules?state=asleep", status: 422, code: "invalid_field", parameter: "state" },
    { path: "/v1/occurrences?from=yesterday", status: 422, code: "invalid_instant", parameter: "from" },
    { path: "/v1/occurrences/x@yesterday", status: 404, code: "not_found", parameter: "id" },
    { path: "/v1/occurrences/x@2026-11-30T12:00:00+00:00", status: 404, code: "not_found", parameter: "id" },
    { path: "/v1/work", status: 422, code: "invalid_field", parameter: "queue" },
    { path: "/v1/work?queue=NOPE", status: 422, code: "unknown_queue", parameter: "queue" },
    { path: "/v1/nothing", status: 404, code: "not_found", parameter: undefined },
  ])("GET $path: $status $code", async ({ path, status, code, parameter }) => {
    const { send } = world();
    const answer = await send("GET", path);
    expect(answer).toMatchObject({ status, body: { code } });
    expect(answer.body.parameter).toBe(parameter);
  });

  it("405 names the methods that the resource knows", async () => {
    const { send } = world();
    const answer = await send("POST", PATH, {});
    expect(answer).toMatchObject({ status: 405, body: { code: "method_not_allowed" } });
    expect(answer.headers.get("allow")).toBe("PUT, GET, HEAD, PATCH, DELETE");
  });
});

describe("what the object or the platform answers", () => {
  it.each(Object.entries(PROBLEMS).filter(([, { status }]) => status >= 409 && status !== 500))(
    "%s gets its status",
    async (code, { status, retryAfter }) => {
      const { send, stub } = world();
      stub.put = () =>
        Promise.resolve(
          fail(code as FailureCode, "So it is.", { pointer: "/jitter", hint: "Do so.", data: { a: 1 } }),
        );
      const answer = await send("PUT", PATH, DEFINITION);
      expect(answer).toMatchObject({
        status,
        body: { status, code, detail: "So it is.", pointer: "/jitter", hint: "Do so.", a: 1 },
      });
      expect(answer.headers.get("retry-after")).toBe(retryAfter === undefined ? null : String(retryAfter));
    },
  );

  it.each([
    { thrown: "D1_ERROR: no such host", status: 503, code: "ledger_unavailable" },
    {
      thrown: "Durable Object is overloaded. Requests queued for too long.",
      status: 503,
      code: "overloaded",
    },
    { thrown: "Network connection lost.", status: 503, code: "overloaded" },
    { thrown: "password hunter2 is undefined", status: 500, code: "internal" },
  ])("$thrown: $status $code, without a word of it", async ({ thrown, status, code }) => {
    const { send, stub, faults } = world();
    stub.read = () => Promise.reject(new Error(thrown));
    const answer = await send("GET", PATH);
    expect(answer).toMatchObject({ status, body: { code } });
    expect(answer.text).not.toContain(thrown);
    expect(faults).toMatchObject([{ fault: { message: thrown }, code, path: PATH }]);
  });
});
