/** The same request twice, over the real ledger: after the answer, before it, at once, and after a death on the way. */
import { env, exports } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { HOUR, MINUTE } from "./api.ts";
import { START } from "./start.ts";

const KEY = "8e03978e-40d5-43dd-bc93-6894a57f9324";
const TRIGGER = "/v1/schedules/nightly/trigger";
const DAY = 24 * HOUR;

async function post(path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await exports.default.fetch(`https://carillon.test${path}`, {
    method: "POST",
    body: body === undefined ? undefined : JSON.stringify(body),
    headers: { authorization: `Bearer ${env.ADMIN_TOKEN}`, "idempotency-key": KEY, ...headers },
  });
  return {
    status: response.status,
    replayed: response.headers.get("idempotency-replayed"),
    headers: response.headers,
    body: await response.json<Record<string, unknown>>(),
  };
}

async function put(headers: Record<string, string> = {}, change: object = {}) {
  const definition = { trigger: { every: "1h" }, target: { queue: "EXTERNAL" }, overlap: "allow", ...change };
  await exports.default.fetch("https://carillon.test/v1/schedules/nightly", {
    method: "PUT",
    body: JSON.stringify({ maxConcurrent: null, ...definition }),
    headers: { authorization: `Bearer ${env.ADMIN_TOKEN}`, ...headers },
  });
}

async function kept() {
  const { results } = await env.LEDGER.prepare("SELECT * FROM idempotency").all();
  return results;
}

beforeEach(async () => {
  vi.useFakeTimers({ now: START, toFake: ["Date"] });
  await put();
});

describe("a request that comes again", () => {
  it("gets the first answer again, and nothing is done twice", async () => {
    const first = await post(TRIGGER, { payload: 1 });
    expect(first).toMatchObject({ status: 201, replayed: null });
    vi.setSystemTime(START + MINUTE);
    const second = await post(TRIGGER, { payload: 1 });
    expect(second).toMatchObject({ status: 201, replayed: "true", body: first.body });
    expect(second.headers.get("location")).toBe(first.headers.get("location"));
    expect(second.headers.get("content-type")).toBe(first.headers.get("content-type"));
  });

  it("is the same with its key quoted, as the draft has it", async () => {
    await post(TRIGGER);
    expect(await post(TRIGGER, undefined, { "idempotency-key": `"${KEY}"` })).toMatchObject({
      replayed: "true",
    });
  });

  it("with another body is refused; under another key, path or namespace it is another", async () => {
    await put({ "carillon-namespace": "blue" });
    const first = await post(TRIGGER, { payload: 1 });
    expect(await post(TRIGGER, { payload: 2 })).toMatchObject({
      status: 422,
      body: { code: "idempotency_key_reused" },
    });
    vi.setSystemTime(START + 1);
    const others = [
      await post(TRIGGER, { payload: 1 }, { "idempotency-key": "another" }),
      await post("/v1/schedules/nightly/pause"),
      await post(TRIGGER, { payload: 1 }, { "carillon-namespace": "blue" }),
    ];
    expect(others.map(({ status, replayed }) => [status, replayed])).toEqual([
      [201, null],
      [200, null],
      [201, null],
    ]);
    expect(others[0]!.body["id"]).not.toBe(first.body["id"]);
  });

  it("is carried out anew a day later", async () => {
    const first = await post(TRIGGER);
    vi.setSystemTime(START + DAY);
    expect((await post(TRIGGER)).body["id"]).toBe(first.body["id"]);
    vi.setSystemTime(START + DAY + 1);
    expect((await post(TRIGGER)).body["id"]).not.toBe(first.body["id"]);
  });

  it("many at once: one is carried out, and the others learn of it or wait", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(TRIGGER)));
    const done = answers.filter(({ status }) => status === 201);
    expect(done.filter(({ replayed }) => replayed === null)).toHaveLength(1);
    expect(new Set(done.map(({ body }) => body["id"])).size).toBe(1);
    for (const { status, headers, body } of answers.filter((it) => !done.includes(it))) {
      expect([status, body["code"]]).toEqual([409, "idempotency_in_progress"]);
      expect(headers.get("retry-after")).toBe("1");
    }
    expect((await post(TRIGGER)).body["id"]).toBe(done[0]!.body["id"]);
  });
});

describe("what is not kept", () => {
  it("a refusal, which changed nothing: the same again is judged again", async () => {
    expect(await post("/v1/schedules/nightly/resume")).toMatchObject({
      status: 409,
      body: { code: "not_paused" },
    });
    expect(await kept()).toEqual([]);
    await post("/v1/schedules/nightly/pause");
    expect(await post("/v1/schedules/nightly/resume")).toMatchObject({ status: 200, replayed: null });
  });

  it("a fault of ours", async () => {
    const get = vi.spyOn(env.SCHEDULES, "getByName").mockImplementation(() => {
      throw new Error("Durable Object is overloaded.");
    });
    expect((await post(TRIGGER)).status).toBeGreaterThanOrEqual(500);
    get.mockRestore();
    expect(await kept()).toEqual([]);
    expect(await post(TRIGGER)).toMatchObject({ status: 201, replayed: null });
  });

  it("anything that can be read: the answer that shows a token lies there sealed", async () => {
    const body = { name: "ci", scopes: ["read"], namespaces: ["default"] };
    const first = await post("/v1/tokens", body);
    const again = await post("/v1/tokens", body);
    expect(again).toMatchObject({ status: 201, replayed: "true", body: first.body });
    expect(again.headers.get("cache-control")).toBe("no-store");
    const secret = String(first.body["token"]).split("_")[2]!;
    const rows = JSON.stringify(await kept());
    expect(rows).not.toContain(secret);
    expect(rows).not.toContain(KEY);
  });
});

describe("who dies between the deed and the record", () => {
  const die = async (path: string) => {
    const batch = env.LEDGER.prepare.bind(env.LEDGER);
    const prepare = vi.spyOn(env.LEDGER, "prepare").mockImplementation((sql) => {
      if (sql.startsWith("UPDATE idempotency")) throw new Error("D1_ERROR: died");
      return batch(sql);
    });
    const answer = await post(path);
    prepare.mockRestore();
    return answer;
  };

  it("leaves it in progress for a minute, and then the repeat is carried out", async () => {
    await die("/v1/schedules/nightly/pause");
    vi.setSystemTime(START + MINUTE);
    expect(await post("/v1/schedules/nightly/pause")).toMatchObject({
      status: 409,
      body: { code: "idempotency_in_progress" },
    });
    vi.setSystemTime(START + MINUTE + 1);
    expect(await post("/v1/schedules/nightly/pause", { note: "other" })).toMatchObject({
      status: 422,
      body: { code: "idempotency_key_reused" },
    });
    expect(await post("/v1/schedules/nightly/pause")).toMatchObject({ status: 200, replayed: null });
  });

  it("has triggered once all the same: the object knows the key again", async () => {
    const { body } = await die(TRIGGER);
    vi.setSystemTime(START + 2 * MINUTE);
    expect(await post(TRIGGER)).toMatchObject({ status: 201, body: { id: body["id"] } });
  });
});

describe("a key", () => {
  it.each(["", "x".repeat(256), "two words", 'half"quoted', "cl\u00e9"])("%j is refused", async (key) => {
    expect(await post(TRIGGER, undefined, { "idempotency-key": key })).toMatchObject({
      status: 422,
      body: { code: "invalid_field", parameter: "idempotency-key" },
    });
    expect(await kept()).toEqual([]);
  });
});

describe("when the ledger does not answer", () => {
  it("what must not be done twice is not done", async () => {
    vi.spyOn(env.LEDGER, "prepare").mockImplementation(() => {
      throw new Error("D1_ERROR: down");
    });
    expect(await post(TRIGGER)).toMatchObject({ status: 503, body: { code: "ledger_unavailable" } });
  });
});
