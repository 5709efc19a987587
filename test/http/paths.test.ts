/** Methods, paths and parameters that nobody means well by, and what they meet at the door. */
import { describe, expect, it } from "vitest";
import { NOW, TOKEN, world } from "./world.ts";

describe("methods", () => {
  it.each([
    { path: "/v1/schedules/nightly", method: "POST", allow: "PUT, GET, HEAD, PATCH, DELETE" },
    { path: "/v1/schedules", method: "DELETE", allow: "GET, HEAD" },
    { path: "/v1/occurrences/replay", method: "GET", allow: "POST" },
    { path: "/v1/occurrences/replay", method: "DELETE", allow: "POST" },
    { path: "/v1/occurrences/nightly@2026-11-30T12:00:00Z", method: "PUT", allow: "GET, HEAD" },
    { path: "/v1/preview", method: "GET", allow: "POST" },
    { path: "/v1/schedules/nightly", method: "OPTIONS", allow: "PUT, GET, HEAD, PATCH, DELETE" },
    { path: "/v1/schedules/nightly", method: "PROPFIND", allow: "PUT, GET, HEAD, PATCH, DELETE" },
  ])("$method $path is 405, and Allow says $allow", async ({ path, method, allow }) => {
    const { send, calls } = world();
    const answer = await send(method, path);
    expect(answer).toMatchObject({ status: 405, body: { code: "method_not_allowed" } });
    expect(answer.headers.get("allow")).toBe(allow);
    expect(calls).toEqual([]);
  });

  it("HEAD is GET without the body", async () => {
    const { send } = world();
    const [head, get] = [
      await send("HEAD", "/v1/schedules/nightly"),
      await send("GET", "/v1/schedules/nightly"),
    ];
    expect(head.status).toBe(200);
    expect(head.text).toBe("");
    expect(head.headers.get("etag")).toBe(get.headers.get("etag"));
  });
});

describe("paths", () => {
  it.each([
    { path: "/v1/schedules/", status: 404 },
    { path: "/v1//schedules", status: 404 },
    { path: "//v1/schedules", status: 404 },
    { path: "/V1/schedules", status: 404 },
    { path: "/v1/schedules/a%2Fb", status: 422 },
    { path: "/v1/schedules/..%2Fbilling%2Fsecret", status: 422 },
    { path: "/v1/schedules/%2e%2e/%2e%2e/healthz", status: 200 },
    { path: "/v1/schedules/nightly%00", status: 422 },
    { path: "/v1/schedules/__proto__", status: 422 },
    { path: "/v1/schedules/n%C3%A4chtlich", status: 422 },
    { path: `/v1/schedules/${"x".repeat(5_000)}`, status: 422 },
    { path: "/v1/schedules/%FF%FE", status: 422 },
    { path: "/v1/occurrences/a%2Fb@2026-11-30T12:00:00Z", status: 404 },
    { path: "/v1/occurrences/nightly@2026-11-30T12:00:00Z~__proto__", status: 404 },
  ])("$path: $status", async ({ path, status }) => {
    const { send, calls } = world();
    const answer = await send("GET", path);
    expect(answer.status, answer.text).toBe(status);
    expect(calls.filter(({ on }) => on !== "ledger" && on !== "sweep")).toEqual([]);
    expect(answer.text.length).toBeLessThan(2_000);
  });

  it("a name is nobody else's: it can't reach into another namespace", async () => {
    const { send, calls } = world();
    for (const name of ["..%2Fbilling%2Fx", "billing%2Fx", "x%00", "x\u202E"])
      await send("DELETE", `/v1/schedules/${name}`);
    expect(calls).toEqual([]);
  });
});

describe("parameters", () => {
  const cursor = (value: unknown) => btoa(typeof value === "string" ? value : JSON.stringify(value));
  it.each([
    { name: "none of base64", text: "%%%" },
    { name: "no JSON", text: cursor("{") },
    { name: "null", text: cursor(null) },
    { name: "a list", text: cursor([1, 2]) },
    { name: "other types", text: cursor({ createdAt: "1; DROP TABLE schedules", name: 7 }) },
    { name: "a field too many", text: cursor({ createdAt: 1, name: "a", __proto__x: 1 }) },
    { name: "infinity", text: cursor('{"createdAt":1e999,"name":"a"}') },
    { name: "another list's", text: cursor({ slot: 1, schedule: "a", variant: "" }) },
    { name: "100 KB", text: "A".repeat(100_000) },
  ])("a cursor that is $name is refused", async ({ text }) => {
    const { send, calls } = world();
    const answer = await send("GET", `/v1/schedules?cursor=${encodeURIComponent(text)}`);
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid_field", parameter: "cursor" } });
    expect(answer.text.length).toBeLessThan(1_000);
    expect(calls).toEqual([]);
  });

  it("a health that there is none of is refused with those that there are", async () => {
    const { send } = world();
    expect((await send("GET", "/v1/schedules?health=healty")).body).toMatchObject({
      code: "invalid_field",
      parameter: "health",
      detail: expect.stringContaining("healthy, late, failing"),
      hint: 'Did you mean "healthy"?',
    });
  });

  it("ten thousand of them are refused by name, ten at most", async () => {
    const { send } = world();
    const query = Array.from({ length: 10_000 }, (_, i) => `p${i}=1`).join("&");
    const { status, text } = await send("GET", `/v1/schedules?${query}`);
    expect(status).toBe(422);
    expect(text.length).toBeLessThan(6_000);
  });

  it.each(["a\r\nset-cookie: x=y", "default\n", "näch", "*", "default, billing", ""])(
    "a namespace that is %j is refused, or never leaves the client",
    async (namespace) => {
      const { send, calls } = world();
      const answer = await send("GET", "/v1/schedules/nightly", undefined, {
        "carillon-namespace": namespace,
      }).catch((error: unknown) => error);
      // The Headers of every runtime trim, and refuse line breaks inside, before we see them.
      if (answer instanceof TypeError || namespace.trim() === "default") return;
      expect(answer).toMatchObject({ status: 422, body: { parameter: "carillon-namespace" } });
      expect(calls).toEqual([]);
    },
  );

  it("nothing that was sent becomes a header of the answer", async () => {
    const { send } = world();
    const answer = await send("POST", "/v1/schedules/nightly/trigger", { payload: "a\r\nset-cookie: x=y" });
    expect(answer.headers.get("set-cookie")).toBeNull();
    expect(answer.headers.get("location")).toMatch(/^\/v1\/occurrences\/nightly@[\w:.-]+Z$/);
  });
});

describe("bodies", () => {
  it.each([
    "application/json",
    "text/plain",
    "application/xml",
    "multipart/form-data; boundary=x",
    "",
    "*/*",
  ])("are JSON, whatever %j says", async (type) => {
    const { send } = world();
    const headers = { "content-type": type };
    expect((await send("POST", "/v1/preview", '{"trigger":{"every":"15m"}}', headers)).status).toBe(200);
    expect((await send("POST", "/v1/preview", "<xml/>", headers)).status).toBe(400);
  });

  it("of two fields of one name the last counts, as everywhere, and is what is answered", async () => {
    const { send } = world();
    const answer = await send(
      "PUT",
      "/v1/schedules/nightly",
      '{"trigger":{"every":"1s"},"target":{"queue":"LIBRARY"},"trigger":{"every":"15m"}}',
    );
    expect(answer).toMatchObject({ status: 201, body: { trigger: { every: "PT15M" } } });
  });

  it("prototypes stay what they are", async () => {
    const { send } = world();
    for (const key of ["__proto__", "constructor", "prototype"])
      await send(
        "PUT",
        "/v1/schedules/nightly",
        `{"payload":{"${key}":{"polluted":true}},"${key}":{"polluted":true}}`,
      );
    expect({}).not.toHaveProperty("polluted");
  });

  it("simulate says where in its body the definition is wrong", async () => {
    const { send } = world();
    const definition = { trigger: { every: "15m" }, target: { queue: "LIBRARY" } };
    const at = async (body: object) => (await send("POST", "/v1/simulate", body)).body.pointer;
    expect(await at({ definition: { ...definition, trigger: { every: "x" } } })).toBe(
      "/definition/trigger/every",
    );
    expect(await at({ definition: { ...definition, jitter: "x" } })).toBe("/definition/jitter");
    expect(await at({ definition: { ...definition, tracked: false, overlap: "skip" } })).toBe(
      "/definition/overlap",
    );
    expect(
      await at({ definition, downtime: [{ from: "2026-12-02T00:00:00Z", to: "2026-12-01T00:00:00Z" }] }),
    ).toBe("/downtime/0/to");
    expect(await at({ definition, until: new Date(NOW - 1).toISOString() })).toBe("/until");
  });

  it("zones that differ by case are one", async () => {
    const { send } = world();
    const trigger = { cron: "0 9 * * *", timezone: ["Europe/Berlin", "europe/berlin"] };
    expect((await send("POST", "/v1/preview", { trigger })).body).toMatchObject({
      code: "invalid_trigger",
      pointer: "/trigger/timezone/1",
    });
  });
});

it("a token in the path or the query opens nothing", async () => {
  const { send } = world();
  expect(
    (await send("GET", `/v1/schedules?access_token=${TOKEN}`, undefined, { authorization: "" })).status,
  ).toBe(401);
});
