/** Tokens over the real ledger: what is kept of them, what they open, and how soon they stop opening it. */
import { env, exports } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { HOUR } from "./api.ts";
import { START } from "./start.ts";

const HOURLY = { trigger: { every: "1h" }, target: { queue: "EXTERNAL" } };
const ALL = { name: "ci", scopes: ["read", "write"], namespaces: ["*"] };

async function ask(
  token: string | undefined,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const response = await exports.default.fetch(`https://carillon.test${path}`, {
    method,
    body: body === undefined ? undefined : JSON.stringify(body),
    headers: { authorization: `Bearer ${token ?? env.ADMIN_TOKEN}`, ...headers },
  });
  return { status: response.status, body: await response.json<Record<string, unknown>>() };
}

async function make(body: object, maker?: string): Promise<{ id: string; token: string }> {
  const made = await ask(maker, "POST", "/v1/tokens", body);
  expect(made).toMatchObject({ status: 201 });
  return made.body as { id: string; token: string };
}

describe("a token", () => {
  it("is shown once, opens what it may, and is gone with the next request once revoked", async () => {
    const { id, token } = await make(ALL);
    expect(token).toMatch(/^carillon_[0-9a-f]{16}_[0-9a-f]{64}$/);
    expect(await ask(token, "PUT", "/v1/schedules/nightly", HOURLY)).toMatchObject({ status: 201 });
    const { body } = await ask(undefined, "GET", "/v1/tokens");
    expect(body.items).toMatchObject([{ id, name: "ci", createdBy: "admin" }]);
    expect(JSON.stringify(body)).not.toContain(token.slice(-64));

    expect(await ask(undefined, "DELETE", `/v1/tokens/${id}`)).toMatchObject({ status: 200, body: { id } });
    expect(await ask(token, "GET", "/v1/schedules/nightly")).toMatchObject({
      status: 401,
      body: { code: "unauthorized" },
    });
    expect(await ask(undefined, "DELETE", `/v1/tokens/${id}`)).toMatchObject({ status: 404 });
  });

  it("stands in the record of changes by name and id", async () => {
    const { id, token } = await make(ALL);
    await ask(token, "PUT", "/v1/schedules/nightly", HOURLY);
    await expect
      .poll(async () => (await ask(token, "GET", "/v1/schedules/nightly/revisions")).body.items)
      .toMatchObject([{ action: "create", who: `ci#${id}` }]);
  });

  it("leaves no trace of its secret in any row of the ledger", async () => {
    const { token } = await make(ALL);
    await ask(token, "PUT", "/v1/schedules/nightly", HOURLY);
    const { results: tables } = await env.LEDGER.prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
    ).all<{ name: string }>();
    const rows = await Promise.all(
      tables.map(({ name }) => env.LEDGER.prepare(`SELECT * FROM "${name}"`).all()),
    );
    const everything = JSON.stringify(rows.map(({ results }) => results));
    expect(everything).toContain(token.split("_")[1]);
    expect(everything).not.toContain(token.split("_")[2]);
  });

  it("opens nothing from the instant on at which it expires", async () => {
    vi.useFakeTimers({ now: START, toFake: ["Date"] });
    const { token } = await make({ ...ALL, expiresAt: new Date(START + HOUR).toISOString() });
    vi.setSystemTime(START + HOUR - 1);
    expect((await ask(token, "GET", "/v1/schedules")).status).toBe(200);
    vi.setSystemTime(START + HOUR);
    expect((await ask(token, "GET", "/v1/schedules")).status).toBe(401);
  });

  it("is known by its id, not by its secret alone, and compared in constant time", async () => {
    const [one, two] = [await make(ALL), await make(ALL)];
    const compare = vi.spyOn(crypto.subtle, "timingSafeEqual");
    const mixed = `carillon_${one.id}_${two.token.slice(-64)}`;
    expect((await ask(mixed, "GET", "/v1/schedules")).status).toBe(401);
    expect(compare).toHaveBeenCalledTimes(2); // with ADMIN_TOKEN, and with the hash of the one it names
  });

  it("has the minute of its last use noted, once a minute", async () => {
    vi.useFakeTimers({ now: START, toFake: ["Date"] });
    const { token } = await make(ALL);
    const used = async () => {
      const { body } = await ask(undefined, "GET", "/v1/tokens");
      return (body.items as { lastUsedAt: string | null }[])[0]!.lastUsedAt;
    };
    expect(await used()).toBeNull();
    await ask(token, "GET", "/v1/schedules");
    await expect.poll(used).toBe("2093-12-01T00:00:00Z");
    vi.setSystemTime(START + 59_000);
    await ask(token, "GET", "/v1/schedules");
    vi.setSystemTime(START + 61_000);
    expect(await used()).toBe("2093-12-01T00:00:00Z");
    await ask(token, "GET", "/v1/schedules");
    await expect.poll(used).toBe("2093-12-01T00:01:01Z");
  });
});

describe("when the ledger does not answer", () => {
  it("tokens open nothing, and ADMIN_TOKEN works on", async () => {
    const { token } = await make(ALL);
    await ask(undefined, "PUT", "/v1/schedules/nightly", HOURLY);
    vi.spyOn(env.LEDGER, "prepare").mockImplementation(() => {
      throw new Error("D1_ERROR: down");
    });
    expect(await ask(token, "GET", "/v1/schedules/nightly")).toMatchObject({
      status: 503,
      body: { code: "ledger_unavailable" },
    });
    expect((await ask(undefined, "GET", "/v1/schedules/nightly")).status).toBe(200);
  });
});

describe("whoever makes a token", () => {
  const maker = {
    name: "team",
    scopes: ["admin", "read", "work"],
    namespaces: ["blue", "green"],
    queues: ["EXTERNAL"],
    schedules: ["nightly"],
    expiresAt: "2100-01-01T00:00:00Z",
  };
  const fits = { ...maker, name: "of the team", scopes: ["work"], namespaces: ["green"] };

  it.each([
    ["/scopes", { scopes: ["write"] }],
    ["/namespaces", { namespaces: ["green", "red"] }],
    ["/namespaces", { namespaces: ["*"] }],
    ["/queues", { queues: null }],
    ["/queues", { queues: ["LIBRARY"] }],
    ["/schedules", { schedules: undefined }],
    ["/expiresAt", { expiresAt: null }],
    ["/expiresAt", { expiresAt: "2100-01-01T00:00:01Z" }],
  ])("grants nothing beyond their own: %s %j", async (pointer, change) => {
    const { token } = await make(maker);
    expect(await ask(token, "POST", "/v1/tokens", { ...fits, ...change })).toMatchObject({
      status: 403,
      body: { code: "forbidden", pointer },
    });
    await make(fits, token);
  });

  it("sees and revokes only tokens that stay within it", async () => {
    const { token } = await make(maker);
    const [wide, other] = [await make(ALL), await make({ ...fits, namespaces: ["red"] })];
    const own = await make(fits, token);
    const { body } = await ask(token, "GET", "/v1/tokens");
    expect((body.items as { name: string }[]).map(({ name }) => name).toSorted()).toEqual([
      "of the team",
      "team",
    ]);
    for (const { id } of [wide, other])
      expect((await ask(token, "DELETE", `/v1/tokens/${id}`)).status).toBe(404);
    expect((await ask(token, "DELETE", `/v1/tokens/${own.id}`)).status).toBe(200);
  });
});

/** Twice as many, should a new minute begin on the way. */
describe("the shipped limiters", () => {
  it("let 60 failed sign-ins of an address pass a minute", async () => {
    const guess = async (address: string) =>
      (await ask("wrong", "GET", "/v1/schedules", undefined, { "cf-connecting-ip": address })).status;
    let passed = 0;
    while (passed <= 120 && (await guess("192.0.2.7")) === 401) passed++;
    expect(passed).toBeGreaterThanOrEqual(60);
    expect(passed).toBeLessThanOrEqual(120);
    expect(await guess("192.0.2.8")).toBe(401);
  });

  it("are asked for each request of a token, and never for the operator's", async () => {
    const { id, token } = await make(ALL);
    const limit = vi.spyOn(env.RATE_REQUESTS!, "limit").mockResolvedValue({ success: false });
    expect(await ask(token, "GET", "/v1/schedules")).toMatchObject({ status: 429 });
    expect(await ask(undefined, "GET", "/v1/schedules")).toMatchObject({ status: 200 });
    expect(limit.mock.calls).toEqual([[{ key: id }]]);
  });
});
