/** What is secret is readable nowhere: not at rest, not on the wire to us, not in a log, not in an answer. */
import { runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import type { ScheduleObject } from "../../src/schedule/object.ts";
import { ring, send } from "./api.ts";
import { START } from "./start.ts";
import { revive, watch, type Bell } from "./bell.ts";
import { deliver, HOUR, receive, URL_ } from "./receiver.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const NEXT = "whsec_AAAQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const PASSWORD = 'open "sesame42" now';
/** As they would show, whole or in part. */
const TRACES = [SECRET.slice(6), NEXT.slice(6), "sesame42", btoa(SECRET), btoa(PASSWORD)];
const PATH = "/v1/schedules/nightly";
const target = (more: object = {}) => ({
  url: URL_,
  secretHeaders: { authorization: `Basic ${btoa(PASSWORD)}`, "x-password": PASSWORD },
  secret: { current: SECRET, next: NEXT },
  ...more,
});

/** Every table that a database has, as text. */
async function tablesOf(rows: (sql: string) => unknown[] | Promise<unknown[]>): Promise<string> {
  const names = (await rows("SELECT name FROM sqlite_master WHERE type = 'table'")) as { name: string }[];
  const own = names.filter(({ name }) => !/^(_cf_|sqlite_)/.test(name));
  return JSON.stringify(await Promise.all(own.map(async ({ name }) => rows(`SELECT * FROM "${name}"`))));
}

const atRest = (object: DurableObjectStub<ScheduleObject>) =>
  runInDurableObject(object, (_, { storage }) => tablesOf((sql) => storage.sql.exec(sql).toArray()));
const inLedger = () => tablesOf(async (sql) => (await env.LEDGER.prepare(sql).all()).results);

async function answers(): Promise<string> {
  const paths = [
    PATH,
    "/v1/schedules",
    `${PATH}/occurrences`,
    `${PATH}/revisions`,
    `${PATH}/upcoming`,
    `${PATH}/explain?at=2093-12-01T01:00:00Z`,
    `${PATH}/audit?from=2093-12-01T00:00:00Z`,
    "/v1/occurrences",
    "/v1/stats",
    "/metrics",
    "/openapi.json",
  ];
  const headers = { authorization: `Bearer ${env.ADMIN_TOKEN}` };
  const texts = paths.map(async (path) => {
    const response = await exports.default.fetch(`https://carillon.test${path}`, { headers });
    expect([path, response.status]).toEqual([path, 200]);
    return response.text();
  });
  return JSON.stringify(await Promise.all(texts));
}

function expectNoTrace(where: string, text: string): void {
  expect(text.length, where).toBeGreaterThan(10);
  for (const trace of TRACES) expect(text.includes(trace), `${trace} in ${where}`).toBe(false);
}

function begin(): Bell {
  vi.useFakeTimers({ now: START, toFake: ["Date"] });
  return watch("nightly", env.SCHEDULES.getByName("default/nightly"));
}

describe("a target's secrets", () => {
  it("are found in no table, message, log line or answer, though the receiver sends them all back", async () => {
    const lines: string[] = [];
    for (const method of ["log", "warn", "error", "info", "debug"] as const) {
      vi.spyOn(console, method).mockImplementation((...words) => void lines.push(words.join(" ")));
    }
    const echo = ({ headers }: { headers: Record<string, string> }, status = 200) =>
      Response.json({ headers, again: JSON.stringify(headers), all: [SECRET, NEXT] }, { status });
    const bell = begin();
    const said: unknown[] = [];
    const calls = receive((received) => echo(received, calls.length === 1 ? 500 : 200));
    said.push(await send("PUT", PATH, { trigger: { every: "1h" }, target: target() }));
    await ring(START + HOUR);
    await deliver(bell.sent.at(-1)!);
    await ring(START + HOUR + 60_000);
    await deliver(bell.sent.at(-1)!);
    expect(calls.map(({ headers }) => headers["x-password"])).toEqual([PASSWORD, PASSWORD]);
    await expect.poll(() => bell.rows()).toMatchObject([{ state: "succeeded", attempt: 2 }]);
    said.push(await send("PATCH", PATH, { target: target({ secret: `${SECRET}%` }) }));
    said.push(
      await send("PATCH", PATH, { target: target({ secretHeaders: { "x-password": `${PASSWORD}\n` } }) }),
    );
    said.push(await send("PATCH", PATH, { target: target({ secret: { next: `${NEXT} ` } }) }));
    said.push(
      await send("POST", "/v1/simulate", { definition: { trigger: { every: "1h" }, target: target() } }),
    );
    said.push(await send("PUT", PATH, { trigger: { every: "1h" }, target: target() }));
    said.push(await send("PATCH", PATH, { target: target({ secret: NEXT }) }));
    const wanted = { name: "nightly", trigger: { every: "2h" }, target: target({ secret: SECRET }) };
    for (const dryRun of [true, false])
      said.push(await send("POST", "/v1/apply", { managedBy: "ci", schedules: [wanted], dryRun }));
    const statuses = said.map((one) => (one as { status: number }).status);
    expect(statuses).toEqual([201, 422, 422, 422, 200, 200, 200, 200, 200]);

    expectNoTrace("answers to edits", JSON.stringify(said));
    expectNoTrace("the object", await atRest(bell.object));
    expectNoTrace("the ledger", await inLedger());
    expectNoTrace("messages", JSON.stringify(bell.sent));
    expectNoTrace("the log", lines.join("\n"));
    expectNoTrace("what is shown", await answers());
    expect(await inLedger()).toContain("(secret)");
  });

  it("come back from the ledger to an object that lost its memory", async () => {
    const bell = begin();
    const calls = receive(() => new Response());
    await send("PUT", PATH, { trigger: { every: "1h" }, target: target() });
    await expect.poll(inLedger).toContain('\\"secrets\\"');
    await runInDurableObject(bell.object, async (_, state) => {
      await state.storage.deleteAll();
      state.abort("lost");
    }).catch(() => {});
    revive(bell);
    expect((await bell.stub.read()).ok).toBe(true);
    await ring(START + HOUR);
    await deliver(bell.sent.at(-1)!);
    expect(calls[0]!.headers).toMatchObject({ "x-password": PASSWORD });
    expect(calls[0]!.headers["webhook-signature"]!.split(" ")).toHaveLength(2);
  });
});
