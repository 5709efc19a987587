/** The audit trail over the real ledger: complete, in order, within bounds, and read by index. */
import { env, exports } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { readTrail, type TrailQuery } from "../../src/ledger/trail.ts";
import { START } from "./start.ts";
import { change, record } from "./rows.ts";

const SCHEDULE = { trigger: { every: "1h" }, target: { queue: "EXTERNAL" } };
const SECOND = 1_000;

async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await exports.default.fetch(`https://carillon.test${path}`, {
    method,
    body: body === undefined ? undefined : JSON.stringify(body),
    headers: { authorization: `Bearer ${env.ADMIN_TOKEN}`, ...headers },
  });
  return { status: response.status, body: await response.json<Record<string, unknown>>() };
}

interface Item {
  at: string;
  kind: string;
  action: string;
  who: string;
  schedule?: string;
  token?: { name: string };
}

async function trail(query = "", headers = {}): Promise<string[]> {
  const lines: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const path = `/v1/changes?${query}${cursor && `&cursor=${cursor}`}`;
    const { status, body } = await ask("GET", path, undefined, headers);
    expect(status).toBe(200);
    for (const { action, schedule, token, who } of body["items"] as Item[])
      lines.push(`${action} ${schedule ?? token?.name} by ${who.split("#")[0]}`);
    cursor = body["nextCursor"] as string | null;
  }
  return lines;
}

let token = { id: "", token: "" };

beforeEach(async () => {
  vi.useFakeTimers({ now: START, toFake: ["Date"] });
  const step = async (...call: Parameters<typeof ask>) => {
    vi.setSystemTime(Date.now() + SECOND);
    const answer = await ask(...call);
    expect(answer.status).toBeLessThan(300);
    return answer.body;
  };
  const grant = { name: "ci", scopes: ["read", "write"], namespaces: ["default"] };
  token = (await step("POST", "/v1/tokens", grant)) as typeof token;
  const ci = { authorization: `Bearer ${token.token}` };
  await step("PUT", "/v1/schedules/a", SCHEDULE);
  await step("PUT", "/v1/schedules/b", SCHEDULE, ci);
  await step("PUT", "/v1/schedules/c", SCHEDULE, { "carillon-namespace": "blue" });
  await step("POST", "/v1/schedules/a/pause", { note: "moving" });
  await step("PATCH", "/v1/schedules/b", { description: "x" }, ci);
  await step("POST", "/v1/tokens", {
    ...grant,
    name: "blue",
    scopes: ["admin", "read"],
    namespaces: ["blue"],
  });
  await step("DELETE", "/v1/schedules/a");
  await expect.poll(async () => (await trail()).length).toBe(6);
});

const ALL = [
  "delete a by admin",
  "edit b by ci",
  "pause a by admin",
  "create b by ci",
  "create a by admin",
  "create ci by admin",
];

describe("GET /v1/changes", () => {
  it.each([
    { query: "", lines: ALL },
    { query: "limit=1", lines: ALL },
    { query: "limit=4", lines: ALL },
    { query: "schedule=a&limit=1", lines: ["delete a by admin", "pause a by admin", "create a by admin"] },
    { query: "action=create&limit=2", lines: ALL.slice(3) },
    { query: "who=admin", lines: ALL.filter((line) => line.endsWith("admin")) },
    { query: "schedule=nothing", lines: [] },
  ])("$query", async ({ query, lines }) => {
    expect(await trail(query)).toEqual(lines);
  });

  it("finds what one token did, by its name and id", async () => {
    expect(await trail(`who=${encodeURIComponent(`ci#${token.id}`)}`)).toEqual([
      "edit b by ci",
      "create b by ci",
    ]);
  });

  it("shows tokens only to those who look after them", async () => {
    const ci = { authorization: `Bearer ${token.token}` };
    expect(await trail("", ci)).toEqual(ALL.slice(0, 5));
  });

  it("remembers a token that was revoked, and what it could do", async () => {
    vi.setSystemTime(Date.now() + SECOND);
    await ask("DELETE", `/v1/tokens/${token.id}`);
    const { body } = await ask("GET", "/v1/changes?action=revoke");
    expect(body["items"]).toMatchObject([
      { kind: "token", action: "revoke", who: "admin", token: { id: token.id, scopes: ["read", "write"] } },
    ]);
  });
});

describe("the statements", () => {
  it("read by index, and no more than they show, however long the trail is", async () => {
    const rows = Array.from({ length: 3_000 }, (_, i) => change(START + i, "PT1H", `s-${i % 50}`));
    for (let i = 0; i < rows.length; i += 500) await record(...rows.slice(i, i + 500));
    const query: TrailQuery = {
      namespace: "default",
      schedules: null,
      who: null,
      action: null,
      schedule: null,
      tokens: { namespaces: ["default"], queues: null, schedules: null },
      before: { slot: START + 2_000, schedule: "", variant: "" },
      limit: 20,
    };
    for (const more of [{}, { schedule: "s-7" }, { who: "nobody" }]) {
      const { read, plans } = await measure((db) => readTrail(db, { ...query, ...more }));
      expect(
        plans.filter((plan) => /^SCAN (changes|token_changes)/.test(plan)),
        plans.join("\n"),
      ).toEqual([]);
      expect(read).toBeLessThanOrEqual("who" in more ? 2_100 : 150);
    }
  });
});

async function measure(call: (db: D1Database) => Promise<unknown>) {
  const asked: { sql: string; binds: unknown[] }[] = [];
  const prepare = env.LEDGER.prepare.bind(env.LEDGER);
  const spy = vi.spyOn(env.LEDGER, "prepare").mockImplementation((sql) => {
    const statement = prepare(sql);
    const bind = statement.bind.bind(statement);
    statement.bind = (...binds) => {
      asked.push({ sql, binds });
      return bind(...binds);
    };
    return statement;
  });
  await call(env.LEDGER);
  spy.mockRestore();
  let read = 0;
  const plans: string[] = [];
  for (const { sql, binds } of asked) {
    read += (
      await prepare(sql)
        .bind(...binds)
        .all()
    ).meta.rows_read;
    const { results } = await prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .bind(...binds)
      .all<{ detail: string }>();
    plans.push(...results.map(({ detail }) => detail));
  }
  return { read, plans };
}
