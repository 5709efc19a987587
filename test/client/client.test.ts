import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Carillon, CarillonError, type Definition } from "../../src/client/index.ts";
import { answering, json, problem } from "./server.ts";

const DEFINITION: Definition = { trigger: { every: "15m" }, target: { queue: "LIBRARY" } };

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2026-11-30T12:00:00Z") });
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** What became of a promise once every timer has run. */
async function outcome<T>(promise: Promise<T>): Promise<{ value: T } | { error: CarillonError }> {
  const settled = promise.then(
    (value) => ({ value }),
    (error: CarillonError) => ({ error }),
  );
  await vi.runAllTimersAsync();
  return settled;
}

describe("a request", () => {
  it("carries token, namespace, body and precondition", async () => {
    const { carillon, asked } = answering([json({ name: "nightly" })], { namespace: "billing" });
    await carillon.schedules.put("nightly", DEFINITION, { ifMatch: 3 });
    expect(asked).toMatchObject([{ method: "PUT", url: "/v1/schedules/nightly", body: DEFINITION }]);
    expect(Object.fromEntries(asked[0]!.headers)).toMatchObject({
      authorization: "Bearer t0ken",
      "carillon-namespace": "billing",
      "content-type": "application/json",
      "if-match": '"3"',
    });
  });

  const cases: {
    what: string;
    call: (carillon: Carillon) => Promise<unknown>;
    asks: string;
    body?: object;
  }[] = [
    { what: "get", call: (c) => c.schedules.get("a"), asks: "GET /v1/schedules/a" },
    {
      what: "a name that is none",
      call: (c) => c.schedules.get("../tokens"),
      asks: "GET /v1/schedules/..%2Ftokens",
    },
    {
      what: "patch",
      call: (c) => c.schedules.patch("a", { jitter: null }),
      asks: "PATCH /v1/schedules/a",
      body: { jitter: null },
    },
    { what: "delete", call: (c) => c.schedules.delete("a"), asks: "DELETE /v1/schedules/a" },
    {
      what: "pause",
      call: (c) => c.schedules.pause("a", { note: "n" }),
      asks: "POST /v1/schedules/a/pause",
      body: { note: "n" },
    },
    {
      what: "resume",
      call: (c) => c.schedules.resume("a", { catchUp: "all" }),
      asks: "POST /v1/schedules/a/resume",
      body: { catchUp: "all" },
    },
    {
      what: "trigger",
      call: (c) => c.schedules.trigger("a", { payload: null }),
      asks: "POST /v1/schedules/a/trigger",
      body: { payload: null },
    },
    {
      what: "backfill",
      call: (c) => c.schedules.backfill("a", { from: "x", to: "y", dryRun: true }),
      asks: "POST /v1/schedules/a/backfill",
      body: { from: "x", to: "y", dryRun: true },
    },
    {
      what: "cancelBackfill",
      call: (c) => c.schedules.cancelBackfill("a", "b1"),
      asks: "DELETE /v1/schedules/a/backfill/b1",
    },
    {
      what: "upcoming",
      call: (c) => c.schedules.upcoming("a", { count: 3 }),
      asks: "GET /v1/schedules/a/upcoming?count=3",
    },
    {
      what: "explain",
      call: (c) => c.schedules.explain("a", "2026-11-30T09:00"),
      asks: "GET /v1/schedules/a/explain?at=2026-11-30T09%3A00",
    },
    {
      what: "revisions",
      call: (c) => c.schedules.revisions("a").page(),
      asks: "GET /v1/schedules/a/revisions",
    },
    {
      what: "history",
      call: (c) => c.schedules.occurrences("a", { from: "x" }).page("c"),
      asks: "GET /v1/schedules/a/occurrences?from=x&cursor=c",
    },
    {
      what: "list",
      call: (c) => c.schedules.list({ tag: "t", state: "paused" }).page(),
      asks: "GET /v1/schedules?tag=t&state=paused",
    },
    {
      what: "occurrences",
      call: (c) => c.occurrences.list({ kind: "gap" }).page(),
      asks: "GET /v1/occurrences?kind=gap",
    },
    {
      what: "occurrence",
      call: (c) => c.occurrences.get("a@2026-11-30T12:00:00Z"),
      asks: "GET /v1/occurrences/a%402026-11-30T12%3A00%3A00Z",
    },
    { what: "cancel", call: (c) => c.occurrences.cancel("a@x"), asks: "POST /v1/occurrences/a%40x/cancel" },
    {
      what: "replay",
      call: (c) => c.occurrences.replay("a@x", { revision: "current" }),
      asks: "POST /v1/occurrences/a%40x/replay",
      body: { revision: "current" },
    },
    {
      what: "replayAll",
      call: (c) => c.occurrences.replayAll({ state: "failed" }, { limit: 5 }),
      asks: "POST /v1/occurrences/replay",
      body: { filter: { state: "failed" }, limit: 5 },
    },
    {
      what: "start",
      call: (c) => c.occurrences.start("a@x", { attempt: 1, worker: "w" }),
      asks: "POST /v1/occurrences/a%40x/start",
      body: { attempt: 1, worker: "w" },
    },
    {
      what: "heartbeat",
      call: (c) => c.occurrences.heartbeat("a@x", { token: 1 }),
      asks: "POST /v1/occurrences/a%40x/heartbeat",
      body: { token: 1 },
    },
    {
      what: "complete",
      call: (c) => c.occurrences.complete("a@x", { token: 1, result: 2 }),
      asks: "POST /v1/occurrences/a%40x/complete",
      body: { token: 1, result: 2 },
    },
    {
      what: "fail",
      call: (c) => c.occurrences.fail("a@x", { token: 1, error: "e" }),
      asks: "POST /v1/occurrences/a%40x/fail",
      body: { token: 1, error: "e" },
    },
    {
      what: "defer",
      call: (c) => c.occurrences.defer("a@x", { token: 1, for: "1m" }),
      asks: "POST /v1/occurrences/a%40x/defer",
      body: { token: 1, for: "1m" },
    },
    {
      what: "work",
      call: (c) => c.work("EXTERNAL", { limit: 2 }),
      asks: "GET /v1/work?queue=EXTERNAL&limit=2",
    },
    {
      what: "apply",
      call: (c) => c.apply({ managedBy: "ci", schedules: [] }),
      asks: "POST /v1/apply",
      body: { managedBy: "ci", schedules: [] },
    },
    {
      what: "preview",
      call: (c) => c.preview({ trigger: { every: "1h" } }),
      asks: "POST /v1/preview",
      body: { trigger: { every: "1h" } },
    },
    {
      what: "simulate",
      call: (c) => c.simulate({ definition: DEFINITION }),
      asks: "POST /v1/simulate",
      body: { definition: DEFINITION },
    },
    { what: "alerts", call: (c) => c.alerts({ state: "open" }).page(), asks: "GET /v1/alerts?state=open" },
    { what: "stats", call: (c) => c.stats(), asks: "GET /v1/stats" },
    {
      what: "tokens.create",
      call: (c) => c.tokens.create({ name: "ci", scopes: ["read"], namespaces: ["default"] }),
      asks: "POST /v1/tokens",
      body: { name: "ci", scopes: ["read"], namespaces: ["default"] },
    },
    { what: "tokens.list", call: (c) => c.tokens.list().page(), asks: "GET /v1/tokens" },
    { what: "tokens.revoke", call: (c) => c.tokens.revoke("3f9a"), asks: "DELETE /v1/tokens/3f9a" },
    { what: "sweep", call: (c) => c.sweep(), asks: "POST /v1/sweep" },
  ];
  it.each(cases)("$what asks $asks", async ({ call, asks, body }) => {
    const { carillon, asked } = answering([json({ items: [], nextCursor: null })]);
    await call(carillon);
    expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([asks]);
    if (body) expect(asked[0]!.body).toEqual(body);
  });

  it.each([
    { url: "scheduler.test", token: "t" },
    { url: "https://scheduler.test", token: "" },
  ])("is not made for $url with the token $token", (options) => {
    expect(() => new Carillon(options)).toThrow(TypeError);
  });
});

describe("a refusal", () => {
  it("is thrown with code, status, pointer, hint, all errors and the code's own data", async () => {
    const errors = [
      { detail: "a", code: "invalid_field", pointer: "/a" },
      { detail: "b", code: "unknown_field", pointer: "/b", hint: "h" },
    ];
    const { carillon, asked } = answering([
      problem(422, "invalid_trigger", {
        pointer: "/trigger/cron",
        hint: "Did you mean",
        suggestion: "s",
        errors,
      }),
    ]);
    const result = await outcome(carillon.schedules.put("a", DEFINITION));
    const { error } = result as { error: CarillonError };
    expect(error).toBeInstanceOf(CarillonError);
    expect(error).toMatchObject({
      message: "It is invalid_trigger.",
      code: "invalid_trigger",
      status: 422,
      pointer: "/trigger/cron",
      hint: "Did you mean",
      errors,
      data: { suggestion: "s" },
    });
    expect(asked).toHaveLength(1);
  });

  it.each([
    { what: "a proxy's page", answer: new Response("<html>no</html>", { status: 404 }), status: 404 },
    { what: "success in other words", answer: new Response("<html>hello</html>"), status: 200 },
  ])("of $what says that something else answered", async ({ answer, status }) => {
    const { carillon } = answering([answer]);
    const result = await outcome(carillon.schedules.get("a"));
    expect(result).toMatchObject({ error: { code: "unexpected_answer", status } });
    expect((result as { error: Error }).error.message).not.toContain("html");
  });
});

describe("another try", () => {
  const FINE = json({ name: "a", items: [], nextCursor: null });
  const lost = new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") });
  const busy = problem(503, "overloaded");
  const tooMany = problem(429, "rate_limited", {}, { "retry-after": "2" });

  const cases: {
    what: string;
    turns: Parameters<typeof answering>[0];
    call?: (c: Carillon) => Promise<unknown>;
    tries: number;
    ok: boolean;
  }[] = [
    { what: "after a lost connection", turns: [lost, FINE], tries: 2, ok: true },
    { what: "after 503", turns: [busy, busy, FINE], tries: 3, ok: true },
    { what: "after 429", turns: [tooMany, FINE], tries: 2, ok: true },
    { what: "after a gateway's 502", turns: [new Response("", { status: 502 }), FINE], tries: 2, ok: true },
    { what: "after silence", turns: ["never", FINE], tries: 2, ok: true },
    { what: "at most four more", turns: [busy], tries: 5, ok: false },
    { what: "not after a refusal", turns: [problem(422, "invalid_field"), FINE], tries: 1, ok: false },
    { what: "not after 500", turns: [problem(500, "internal"), FINE], tries: 1, ok: false },
    {
      what: "not where nothing is configured",
      turns: [problem(503, "not_configured"), FINE],
      tries: 1,
      ok: false,
    },
    {
      what: "of a PUT",
      turns: [lost, FINE],
      call: (c) => c.schedules.put("a", DEFINITION, { ifMatch: 1 }),
      tries: 2,
      ok: true,
    },
    {
      what: "not of a PUT that only creates: it may have",
      turns: [lost, FINE],
      call: (c) => c.schedules.put("a", DEFINITION, { createOnly: true }),
      tries: 1,
      ok: false,
    },
    {
      what: "of a PUT that only creates, where nothing was done",
      turns: [tooMany, FINE],
      call: (c) => c.schedules.put("a", DEFINITION, { createOnly: true }),
      tries: 2,
      ok: true,
    },
    {
      what: "not of a PATCH of one revision",
      turns: [lost, FINE],
      call: (c) => c.schedules.patch("a", {}, { ifMatch: 1 }),
      tries: 1,
      ok: false,
    },
    { what: "of a DELETE", turns: [lost, FINE], call: (c) => c.schedules.delete("a"), tries: 2, ok: true },
    {
      what: "not of a token that is made: its text would be lost",
      turns: [lost, FINE],
      call: (c) => c.tokens.create({ name: "ci", scopes: ["read"], namespaces: ["*"] }),
      tries: 1,
      ok: false,
    },
    { what: "of a POST", turns: [lost, FINE], call: (c) => c.schedules.trigger("a"), tries: 2, ok: true },
  ];
  it.each(cases)("$what", async ({ turns, call, tries, ok }) => {
    const { carillon, asked } = answering(turns);
    const result = await outcome((call ?? ((c) => c.schedules.get("a")))(carillon));
    expect("value" in result).toBe(ok);
    expect(asked).toHaveLength(tries);
  });

  it("of a POST carries the same key, and the next POST another", async () => {
    const { carillon, asked } = answering([lost, FINE]);
    await outcome(carillon.schedules.trigger("a"));
    await outcome(carillon.schedules.trigger("a"));
    const keys = asked.map(({ headers }) => headers.get("idempotency-key"));
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
  });

  it("takes a key of one's own", async () => {
    const { carillon, asked } = answering([FINE]);
    await carillon.schedules.trigger("a", { idempotencyKey: "order-7" });
    expect(asked[0]!.headers.get("idempotency-key")).toBe("order-7");
  });

  it.each([
    { header: null, waits: [250, 500, 1_000, 2_000] },
    { header: "3", waits: [3_000, 3_000, 3_000, 3_000] },
    { header: "Mon, 30 Nov 2026 12:00:05 GMT", waits: [5_000, 0, 0, 0] },
    { header: "120", waits: [] },
    { header: "soon", waits: [250, 500, 1_000, 2_000] },
  ])("waits, told $header, for $waits ms", async ({ header, waits }) => {
    const { carillon, asked } = answering([
      problem(503, "overloaded", {}, header === null ? {} : { "retry-after": header }),
    ]);
    const times: number[] = [];
    const watched = vi.spyOn(globalThis, "setTimeout");
    await outcome(carillon.schedules.get("a"));
    for (const [, ms] of watched.mock.calls) if (ms !== 30_000) times.push(ms!);
    expect(times).toEqual(waits);
    expect(asked).toHaveLength(waits.length + 1);
  });

  it("spreads its waits", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    const { carillon } = answering([busy, FINE]);
    const watched = vi.spyOn(globalThis, "setTimeout");
    await outcome(carillon.schedules.get("a"));
    expect(watched.mock.calls.map(([, ms]) => ms)).toContain(312.5);
  });

  it("is not made when none is wanted", async () => {
    const { carillon, asked } = answering([busy, FINE], { retries: 0 });
    expect(await outcome(carillon.schedules.get("a"))).toMatchObject({ error: { code: "overloaded" } });
    expect(asked).toHaveLength(1);
  });

  it("says why the scheduler was not reached, and what was too slow", async () => {
    expect(await outcome(answering([lost]).carillon.schedules.get("a"))).toMatchObject({
      error: { code: "unreachable", status: 0, message: expect.stringContaining("ECONNREFUSED") as string },
    });
    expect(await outcome(answering(["never"], { timeoutMs: 500 }).carillon.schedules.get("a"))).toMatchObject(
      {
        error: { code: "timeout", message: "There was no answer within 0.5 s." },
      },
    );
  });
});

describe("a signal", () => {
  it("ends a call under way, with its own reason", async () => {
    const { carillon, asked } = answering(["never"]);
    const stop = new AbortController();
    const result = outcome(carillon.schedules.get("a", { signal: stop.signal }));
    stop.abort(new Error("enough"));
    expect(await result).toMatchObject({ error: { message: "enough" } });
    expect(asked).toHaveLength(1);
  });

  it("ends a wait between two tries", async () => {
    const { carillon, asked } = answering([problem(503, "overloaded", {}, { "retry-after": "50" })]);
    const stop = new AbortController();
    const call = carillon.schedules.get("a", { signal: stop.signal }).catch((error: Error) => error.message);
    await vi.advanceTimersByTimeAsync(1_000);
    stop.abort(new Error("enough"));
    expect(await call).toBe("enough");
    expect(asked).toHaveLength(1);
  });
});

describe("lists", () => {
  const pages = [
    json({ items: [{ name: "a" }, { name: "b" }], nextCursor: "c1" }),
    json({ items: [], nextCursor: "c2" }),
    json({ items: [{ name: "c" }], nextCursor: null }),
  ];

  it("are walked over all pages, empty ones included", async () => {
    const { carillon, asked } = answering(pages);
    const names: string[] = [];
    for await (const { name } of carillon.schedules.list({ limit: 2 })) names.push(name);
    expect(names).toEqual(["a", "b", "c"]);
    expect(asked.map(({ url }) => url)).toEqual([
      "/v1/schedules?limit=2",
      "/v1/schedules?limit=2&cursor=c1",
      "/v1/schedules?limit=2&cursor=c2",
    ]);
  });

  it("read no page more than is taken", async () => {
    const { carillon, asked } = answering(pages);
    expect(await carillon.schedules.list().take(2)).toEqual([{ name: "a" }, { name: "b" }]);
    expect(await carillon.schedules.list().take(0)).toEqual([]);
    expect(asked).toHaveLength(1);
  });

  it("an audit is all its pages together", async () => {
    const page = { accounted: 2, discrepancies: [{ kind: "missing" }], expected: 3 };
    const { carillon } = answering([
      json({ ...page, prunedBefore: null, nextCursor: "c1" }),
      json({ ...page, prunedBefore: "2026-11-02T00:00:00Z", nextCursor: "c2" }),
      json({ ...page, prunedBefore: "2026-11-01T00:00:00Z", nextCursor: null }),
    ]);
    expect(await carillon.audit()).toEqual({
      expected: 9,
      accounted: 6,
      discrepancies: [{ kind: "missing" }, { kind: "missing" }, { kind: "missing" }],
      prunedBefore: "2026-11-02T00:00:00Z",
    });
  });
});
