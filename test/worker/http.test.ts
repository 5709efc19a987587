/** The API over the real object, ledger and queue, the clock moved by hand. */
import { env, exports } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, it, vi } from "vitest";
import * as v from "valibot";
import * as views from "../../src/http/views.ts";
import { START } from "./start.ts";

const HOUR = 3_600_000;
const PATH = "/v1/schedules/nightly";
const HOURLY = { trigger: { every: "1h" }, target: { queue: "EXTERNAL" }, payload: { report: "daily" } };

beforeEach(() => {
  vi.useFakeTimers({ now: START, toFake: ["Date"] });
});

interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

async function send(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await exports.default.fetch(`https://carillon.test${path}`, {
    method,
    body: body === undefined ? undefined : JSON.stringify(body),
    headers: { authorization: `Bearer ${env.ADMIN_TOKEN}`, "content-type": "application/json", ...headers },
  });
  return {
    status: response.status,
    headers: response.headers,
    body: await response.json<Record<string, unknown>>(),
  };
}

/** Moves the clock and runs the alarm, as the platform would. */
async function ring(at: number, name = "nightly"): Promise<void> {
  vi.setSystemTime(at);
  await runInDurableObject(env.SCHEDULES.getByName(`default/${name}`), (object) => object.alarm());
}

describe("a schedule's life over HTTP", () => {
  it("create, the same again, replace by revision, patch, remove", async () => {
    const created = await send("PUT", PATH, HOURLY);
    expect(created).toMatchObject({
      status: 201,
      body: { name: "nightly", revision: 1, state: "active", nextSlot: "2093-12-01T01:00:00Z" },
    });
    expect(created.headers.get("etag")).toBe('"1"');
    expect(await send("PUT", PATH, HOURLY)).toMatchObject({ status: 200, body: { revision: 1 } });

    const other = { ...HOURLY, trigger: { every: "30m" } };
    expect(await send("PUT", PATH, other)).toMatchObject({
      status: 428,
      body: { code: "precondition_required" },
    });
    expect(await send("PUT", PATH, other, { "if-match": '"9"' })).toMatchObject({
      status: 412,
      body: { code: "precondition_failed" },
    });
    expect(await send("PUT", PATH, other, { "if-none-match": "*" })).toMatchObject({ status: 412 });
    expect(await send("PUT", PATH, other, { "if-match": '"1"' })).toMatchObject({
      status: 200,
      body: { revision: 2 },
    });

    const patched = await send("PATCH", PATH, { retry: { maxAttempts: 9 }, tags: ["finance"] });
    expect(patched).toMatchObject({
      status: 200,
      body: { revision: 3, retry: { maxAttempts: 9, initial: "PT10S" } },
    });
    expect(await send("PATCH", PATH, { paused: true })).toMatchObject({
      status: 409,
      body: { code: "use_pause_or_resume" },
    });
    expect(await send("PATCH", PATH, { overlap: "skip", tracked: false })).toMatchObject({
      status: 422,
      body: { pointer: "/overlap" },
    });
    expect((await send("GET", "/v1/schedules?tag=finance")).body.items).toMatchObject([
      { name: "nightly", revision: 3 },
    ]);

    expect(await send("DELETE", PATH, undefined, { "if-match": '"1"' })).toMatchObject({ status: 412 });
    expect(await send("DELETE", PATH)).toMatchObject({ status: 200, body: { state: "deleted" } });
    expect(await send("GET", PATH)).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect((await send("GET", "/v1/schedules")).body.items).toEqual([]);
    expect(await send("PUT", PATH, HOURLY, { "if-none-match": "*" })).toMatchObject({
      status: 201,
      body: { revision: 4 },
    });
  });

  it("what it shows of a definition, it takes back as the same", async () => {
    const { body } = await send("PUT", PATH, {
      ...HOURLY,
      trigger: [
        { cron: "0 9 * * MON-FRI", timezone: ["Europe/Berlin", "America/New_York"] },
        { every: "6h" },
      ],
      exclude: [{ date: "2093-12-25" }],
      jitter: "90s",
      alerts: { noSuccessFor: "26h" },
    });
    const {
      namespace,
      name,
      revision,
      state,
      pause,
      health,
      nextSlot,
      remaining,
      cursor,
      createdAt,
      updatedAt,
      open,
      warnings,
      ...definition
    } = body;
    expect({ namespace, name, revision, state }).toEqual({
      namespace: "default",
      name: "nightly",
      revision: 1,
      state: "active",
    });
    expect([pause, health, nextSlot, remaining, cursor, createdAt, updatedAt, open, warnings]).not.toContain(
      undefined,
    );
    expect(await send("PUT", PATH, definition)).toMatchObject({ status: 200, body: { revision: 1 } });
    expect((await send("GET", `${PATH}/upcoming?count=1`)).body.slots).toMatchObject([
      { scheduledFor: nextSlot },
    ]);
  });

  it("pause and resume", async () => {
    await send("PUT", PATH, { ...HOURLY, paused: true });
    expect(await send("GET", PATH)).toMatchObject({ body: { state: "paused" } });
    expect(await send("POST", `${PATH}/resume`)).toMatchObject({
      status: 200,
      body: { state: "active", pause: null },
    });
    expect(await send("POST", `${PATH}/resume`)).toMatchObject({ status: 409, body: { code: "not_paused" } });
    expect(await send("POST", `${PATH}/pause`, { note: "moving" })).toMatchObject({
      status: 200,
      body: { pause: { note: "moving", who: "admin" } },
    });
  });

  it("a refused definition leaves nothing behind", async () => {
    expect((await send("PUT", PATH, { ...HOURLY, overlap: "sometimes" })).status).toBe(422);
    expect((await send("PUT", PATH, { ...HOURLY, target: { queue: "LEDGER" } })).status).toBe(422);
    expect((await send("GET", PATH)).status).toBe(404);
    expect((await send("GET", `${PATH}/occurrences`)).status).toBe(404);
  });
});

describe("what is answered", () => {
  it("has the shape that the document promises", async () => {
    const conforms = async (schema: v.GenericSchema, answer: Promise<Answer>) => {
      const { status, body } = await answer;
      expect({ status, issues: v.safeParse(schema, body).issues }).toMatchObject({ issues: undefined });
      return body;
    };
    await conforms(views.schedule, send("PUT", PATH, { ...HOURLY, jitter: "1m" }));
    await conforms(views.page(views.listed), send("GET", "/v1/schedules"));
    await conforms(views.preview, send("GET", `${PATH}/upcoming`));
    await ring(START + 5 * HOUR + 60_000);
    const { items } = await conforms(views.page(views.message), send("GET", "/v1/work?queue=EXTERNAL"));
    const at = `/v1/occurrences/${(items as { id: string }[])[0]!.id}`;
    const grant = await conforms(views.startGrant, send("POST", `${at}/start`, { attempt: 1, worker: "w" }));
    const { token } = grant;
    await conforms(views.heartbeatGrant, send("POST", `${at}/heartbeat`, { token, progress: 3, note: "x" }));
    await conforms(views.occurrence, send("GET", at));
    await conforms(views.occurrence, send("POST", `${at}/fail`, { token, error: "no" }));
    await conforms(views.schedule, send("POST", `${PATH}/pause`, { until: "2093-12-02T00:00:00Z" }));
    const history = views.page(v.union([views.occurrence, views.gap]));
    await conforms(history, send("GET", `${PATH}/occurrences`));
    await conforms(history, send("GET", "/v1/occurrences"));
    await conforms(views.problem, send("GET", "/v1/occurrences?limit=0"));
  });
});

describe("a worker that polls", () => {
  it("finds the message, starts, renews, completes, and gets the same answer again", async () => {
    await send("PUT", PATH, HOURLY);
    await ring(START + HOUR);
    const work = await send("GET", "/v1/work?queue=EXTERNAL");
    expect(work.body.items).toMatchObject([
      { id: "nightly@2093-12-01T01:00:00Z", attempt: 1, payload: { report: "daily" } },
    ]);

    const at = "/v1/occurrences/nightly@2093-12-01T01:00:00Z";
    const start = await send("POST", `${at}/start`, { attempt: 1, worker: "w" });
    expect(start).toMatchObject({
      status: 200,
      body: { attempt: 1, message: { payload: { report: "daily" } } },
    });
    const { token } = start.body;
    expect(await send("POST", `${at}/start`, { attempt: 1, worker: "v" })).toMatchObject({
      status: 409,
      body: { code: "busy", state: "running" },
    });
    expect((await send("GET", "/v1/work?queue=EXTERNAL")).body.items).toEqual([]);
    expect(await send("POST", `${at}/heartbeat`, { token, progress: 0.4 })).toMatchObject({
      status: 200,
      body: { cancel: false },
    });
    expect(await send("GET", at)).toMatchObject({
      status: 200,
      body: { state: "running", progress: { value: 0.4 } },
    });
    expect((await send("GET", `${PATH}/occurrences`)).body.items).toMatchObject([{ state: "running" }]);

    const done = await send("POST", `${at}/complete`, { token, result: { rows: 120 } });
    expect(done).toMatchObject({ status: 200, body: { state: "succeeded", result: { rows: 120 } } });
    expect((await send("POST", `${at}/complete`, { token, result: { rows: 120 } })).status).toBe(200);
    expect(await send("POST", `${at}/fail`, { token: 1, error: "late" })).toMatchObject({
      status: 409,
      body: { code: "lease_lost" },
    });
    expect(await send("POST", `${at}/cancel`)).toMatchObject({
      status: 409,
      body: { code: "settled", state: "succeeded" },
    });
    await expect.poll(async () => (await send("GET", at)).body.state).toBe("succeeded");
    expect(
      await send("POST", "/v1/occurrences/nightly@2093-12-01T01:00:01Z/start", { attempt: 1, worker: "w" }),
    ).toMatchObject({ status: 404 });
  });
});

describe("by hand, and looking back", () => {
  it("triggers, cancels, and finds everything in the history, which outlives the schedule", async () => {
    await send("PUT", PATH, HOURLY);
    const run = await send("POST", `${PATH}/trigger`, { payload: { force: true } });
    expect(run).toMatchObject({
      status: 201,
      body: { kind: "manual", state: expect.stringMatching(/claimed|dispatched/) },
    });
    expect(run.headers.get("location")).toBe(`/v1/occurrences/${String(run.body.id)}`);
    expect(await send("POST", `${PATH}/trigger`)).toMatchObject({ status: 409, body: { code: "busy" } });
    expect(await send("POST", `${run.headers.get("location")}/cancel`)).toMatchObject({
      status: 200,
      body: { state: "cancelled" },
    });
    await ring(START + HOUR);
    await ring(START + 40 * HOUR);
    await send("DELETE", PATH);
    const items = async () =>
      (await send("GET", `${PATH}/occurrences`)).body.items as {
        kind: string;
        state?: string;
        reason: string;
      }[];
    await expect
      .poll(async () => (await items()).map(({ kind, state, reason }) => [kind, state, reason]))
      .toEqual([
        ["scheduled", "cancelled", "deleted"],
        ["gap", undefined, "coalesced"],
        ["scheduled", "expired", "never_started"],
        ["manual", "cancelled", expect.anything()],
      ]);
    expect((await send("GET", "/v1/occurrences?state=cancelled")).body.items).toHaveLength(2);
    expect((await send("GET", "/v1/occurrences?kind=gap")).body.items).toMatchObject([{ count: 38 }]);
  });
});

describe("what comes next", () => {
  const upcoming = async (count = 5) => (await send("GET", `${PATH}/upcoming?count=${count}`)).body;

  it("stops where maxOccurrences does", async () => {
    await send("PUT", PATH, { ...HOURLY, tracked: false, maxOccurrences: 3 });
    await ring(START + HOUR);
    const { slots, exhausted } = await upcoming();
    expect((slots as { scheduledFor: string }[]).map(({ scheduledFor }) => scheduledFor)).toEqual([
      "2093-12-01T02:00:00Z",
      "2093-12-01T03:00:00Z",
    ]);
    expect(exhausted).toBe(true);
    await ring(START + 2 * HOUR);
    await ring(START + 3 * HOUR);
    expect(await upcoming()).toMatchObject({ slots: [], exhausted: true });
  });

  it("names the one slot that a fixed delay knows", async () => {
    await send("PUT", PATH, { ...HOURLY, trigger: { after: "1h" } });
    expect(await upcoming()).toMatchObject({
      slots: [{ scheduledFor: "2093-12-01T01:00:00Z" }],
      exhausted: false,
    });
  });
});
