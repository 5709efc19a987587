import { describe, expect, it } from "vitest";
import { fail, ok } from "../../src/core/errors.ts";
import type { Entry } from "../../src/ledger/directory.ts";
import { DEFINITION, viewOf, world } from "./world.ts";

const NIGHTLY = { name: "nightly", ...DEFINITION };
const order = (more: object = {}) => ({ managedBy: "ci", schedules: [NIGHTLY], ...more });
const acted = ["put", "remove", "patch", "pause", "resume"];

function entry(name: string, createdAt = 0): Entry {
  return {
    namespace: "default",
    name,
    shard: "LEDGER",
    state: "active",
    revision: 2,
    createdAt,
    updatedAt: createdAt,
    description: null,
    tags: [],
    managedBy: "ci",
    health: "healthy",
    definition: DEFINITION,
  };
}

/** A schedule that exists, is managed so, and would come out so. */
function standing(managedBy: string | null, outcome: "replaced" | "unchanged", change: object = {}) {
  const view = viewOf("default", "nightly");
  const before = { ...view, definition: { ...view.definition, managedBy } };
  const schedule = { ...before, definition: { ...before.definition, ...change } };
  return () => Promise.resolve(ok({ outcome, before, schedule }));
}

describe("bad input", () => {
  const cases: { what: string; body: object; pointer: string; code?: string }[] = [
    { what: "no manager", body: { schedules: [] }, pointer: "/managedBy" },
    { what: "no list", body: { managedBy: "ci" }, pointer: "/schedules" },
    {
      what: "a bad expression",
      body: order({
        schedules: [NIGHTLY, { ...NIGHTLY, name: "b", trigger: { cron: "61 * * * *", timezone: "UTC" } }],
      }),
      pointer: "/schedules/1/trigger/cron",
      code: "invalid_trigger",
    },
    {
      what: "a misspelt field",
      body: order({ schedules: [{ ...NIGHTLY, jiter: "1m" }] }),
      pointer: "/schedules/0/jiter",
      code: "unknown_field",
    },
    {
      what: "a bad name",
      body: order({ schedules: [{ ...NIGHTLY, name: "No" }] }),
      pointer: "/schedules/0/name",
    },
    { what: "no name", body: order({ schedules: [DEFINITION] }), pointer: "/schedules/0/name" },
    { what: "a name twice", body: order({ schedules: [NIGHTLY, NIGHTLY] }), pointer: "/schedules/1/name" },
    {
      what: "another manager",
      body: order({ schedules: [{ ...NIGHTLY, managedBy: "hand" }] }),
      pointer: "/schedules/0/managedBy",
    },
    {
      what: "a queue that may not be named",
      body: order({ schedules: [{ ...NIGHTLY, target: { queue: "LIBRARI" } }] }),
      pointer: "/schedules/0/target/queue",
      code: "unknown_queue",
    },
    {
      what: "what only the object knows",
      body: order({ schedules: [{ ...NIGHTLY, tracked: false, overlap: "skip" }] }),
      pointer: "/schedules/0/overlap",
    },
    { what: "a bad name to keep", body: order({ keep: ["ok", "No"] }), pointer: "/keep/1" },
  ];
  it.each(cases)(
    "$what is refused at $pointer, and nothing is carried out",
    async ({ body, pointer, code }) => {
      const { send, calls } = world();
      const answer = await send("POST", "/v1/apply", { ...body, prune: true });
      expect(answer).toMatchObject({ status: 422, body: { code: code ?? "invalid_field", pointer } });
      expect(calls.filter(({ name }) => acted.includes(name))).toEqual([]);
    },
  );

  it("holds to the quotas of the namespace", async () => {
    const { send, ledger, calls } = world({ QUOTAS: '{ "*": { "schedules": 10, "interval": "10m" } }' });
    const fast = { ...NIGHTLY, trigger: { every: "1m" } };
    expect(await send("POST", "/v1/apply", order({ schedules: [fast] }))).toMatchObject({
      status: 403,
      body: { code: "quota_exceeded", pointer: "/schedules/0/trigger" },
    });
    ledger.count = () => Promise.resolve(9);
    const two = [NIGHTLY, { ...NIGHTLY, name: "another" }];
    expect(await send("POST", "/v1/apply", order({ schedules: two }))).toMatchObject({
      status: 403,
      body: { code: "quota_exceeded", quota: "schedules" },
    });
    expect((await send("POST", "/v1/apply", order())).status).toBe(200);
    expect(calls.filter(({ name }) => name === "put")).toHaveLength(1);
  });

  it("lists every schedule that is refused", async () => {
    const { send } = world();
    const never = { ...DEFINITION, trigger: { cron: "0 0 30 2 *", timezone: "UTC" } };
    const { body } = await send(
      "POST",
      "/v1/apply",
      order({ schedules: [{ name: "a", ...never }, NIGHTLY, { name: "b", ...never }] }),
    );
    expect(body).toMatchObject({
      code: "never_fires",
      errors: [{ pointer: "/schedules/0/trigger" }, { pointer: "/schedules/2/trigger" }],
    });
  });

  it("takes a body of megabytes, and no more than that", async () => {
    const { send } = world();
    const schedules = Array.from({ length: 40 }, (_, i) => ({
      ...NIGHTLY,
      name: `s${i}`,
      payload: "x".repeat(40_000),
    }));
    expect((await send("POST", "/v1/apply", order({ schedules }))).status).toBe(200);
    const { status, body } = await send(
      "POST",
      "/v1/apply",
      JSON.stringify(order()) + " ".repeat(4 * 1024 * 1024),
    );
    expect({ status, code: body.code }).toEqual({ status: 413, code: "body_too_large" });
  });

  it("takes at most 1,000 schedules", async () => {
    const { send } = world();
    const schedules = Array.from({ length: 1_001 }, (_, i) => ({ ...NIGHTLY, name: `s${i}` }));
    expect(await send("POST", "/v1/apply", order({ schedules }))).toMatchObject({
      status: 422,
      body: { pointer: "/schedules" },
    });
  });

  it("is 503 while an object cannot tell, and nothing is carried out", async () => {
    const { send, stub, calls } = world();
    stub.foresee = () => Promise.resolve(fail("ledger_unavailable", "The ledger can't be asked."));
    expect((await send("POST", "/v1/apply", order())).status).toBe(503);
    expect(calls.map(({ name }) => name)).toEqual(["known", "foresee"]);
  });
});

describe("the plan", () => {
  it("creates under the manager, paused where that is said, and only if nobody was faster", async () => {
    const { send, calls } = world({ RETENTION: '{ "*": "7d" }' });
    const { status, body } = await send(
      "POST",
      "/v1/apply",
      order({ schedules: [{ ...NIGHTLY, paused: true }] }),
    );
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        dryRun: false,
        failed: 0,
        more: false,
        changes: [{ name: "nightly", action: "create", diff: [], error: null }],
      },
    });
    expect(calls.find(({ name }) => name === "put")!.args[0]).toMatchObject({
      input: { managedBy: "ci", retentionMs: 7 * 86_400_000 },
      paused: true,
      createOnly: true,
      who: "admin",
    });
  });

  it("asks no object about a name that no schedule ever had", async () => {
    const { send, ledger, calls } = world();
    ledger.known = () => Promise.resolve(new Set());
    const { body } = await send("POST", "/v1/apply", order());
    expect(body.changes).toMatchObject([
      { action: "create", nextSlot: "2026-11-30T12:15:00Z", warnings: [] },
    ]);
    expect(calls.map(({ name }) => name)).toEqual(["known", "put"]);
  });

  it("updates the revision that was planned for, and leaves a pause alone", async () => {
    const { send, stub, calls } = world();
    stub.foresee = standing("ci", "replaced", { jitter: "PT1M" });
    const { body } = await send(
      "POST",
      "/v1/apply",
      order({ schedules: [{ ...NIGHTLY, jitter: "1m", paused: false }] }),
    );
    expect(body.changes).toMatchObject([
      { action: "update", diff: [{ field: "jitter", from: "PT0S", to: "PT1M" }], error: null },
    ]);
    const [command] = calls.find(({ name }) => name === "put")!.args as [object];
    expect(command).toMatchObject({ ifMatch: 3, input: { jitterMs: 60_000 } });
    expect(command).not.toHaveProperty("paused");
    expect(command).not.toHaveProperty("createOnly");
  });

  it("leaves alone what is as it should be", async () => {
    const { send, stub, calls } = world();
    stub.foresee = standing("ci", "unchanged");
    const { body } = await send("POST", "/v1/apply", order());
    expect(body.changes).toMatchObject([{ action: "unchanged", diff: [] }]);
    expect(calls.map(({ name }) => name)).toEqual(["known", "foresee"]);
  });

  it.each([
    { owner: "terraform", said: 'managed by "terraform"' },
    { owner: null, said: "managed by hand" },
  ])("is in conflict with what $owner manages, and does not touch it", async ({ owner, said }) => {
    const { send, stub, calls } = world();
    stub.foresee = standing(owner, "replaced");
    const { body } = await send("POST", "/v1/apply", order());
    expect(body).toMatchObject({
      failed: 0,
      changes: [{ action: "conflict", error: { code: "managed_elsewhere" } }],
    });
    expect(JSON.stringify(body.changes)).toContain(JSON.stringify(said).slice(1, -1));
    expect(calls.map(({ name }) => name)).toEqual(["known", "foresee"]);
  });

  it("changes nothing in a dry run", async () => {
    const { send, ledger, calls } = world();
    ledger.schedules = () => Promise.resolve([entry("old")]);
    const { body } = await send("POST", "/v1/apply", order({ dryRun: true, prune: true }));
    expect(body).toMatchObject({
      dryRun: true,
      changes: [
        { name: "nightly", action: "create" },
        { name: "old", action: "delete" },
      ],
    });
    expect(calls.filter(({ name }) => acted.includes(name))).toEqual([]);
  });
});

describe("prune", () => {
  it("asks for this manager's only, and removes what neither the list nor keep names", async () => {
    const { send, ledger, calls } = world();
    ledger.schedules = () => Promise.resolve([entry("nightly"), entry("kept"), entry("old")]);
    const { body } = await send("POST", "/v1/apply", order({ prune: true, keep: ["kept"] }));
    expect(body.changes).toMatchObject([{ name: "nightly" }, { name: "old", action: "delete" }]);
    expect(calls.find(({ name }) => name === "schedules")!.args[0]).toMatchObject({
      namespace: "default",
      managedBy: "ci",
      state: null,
    });
    expect(calls.filter(({ name }) => name === "remove")).toEqual([
      { on: "default/old", name: "remove", args: [{ ifMatch: 2, who: "admin" }] },
    ]);
  });

  it("does not look unless asked", async () => {
    const { send, calls } = world();
    await send("POST", "/v1/apply", order());
    expect(calls.some(({ name }) => name === "schedules")).toBe(false);
  });

  it("reads the directory page by page, and says when there is more than one call may remove", async () => {
    const { send, ledger, calls } = world();
    const all = Array.from({ length: 1_500 }, (_, i) => entry(`old-${i}`, 9_000 - i));
    ledger.schedules = ({ before, limit }) => {
      const start = before === null ? 0 : all.findIndex(({ name }) => name === before.name) + 1;
      return Promise.resolve(all.slice(start, start + limit + 1));
    };
    const { body } = await send("POST", "/v1/apply", order({ schedules: [], prune: true, keep: ["old-3"] }));
    expect(body.more).toBe(true);
    expect(body.changes).toHaveLength(1_000);
    expect(calls.filter(({ name }) => name === "remove")).toHaveLength(1_000);
    expect(calls.filter(({ name }) => name === "schedules")).toHaveLength(2);
  });
});

describe("carrying out", () => {
  it("tells what failed, one by one, and does the rest", async () => {
    const { send, stub } = world();
    const view = viewOf("default", "x");
    stub.put = ({ name }) => {
      if (name === "raced")
        return Promise.resolve(fail("precondition_failed", "The schedule raced exists already."));
      if (name === "thrown") return Promise.reject(new Error("a secret detail"));
      return Promise.resolve(ok({ outcome: "created", schedule: view }));
    };
    const schedules = ["fine", "raced", "thrown", "also-fine"].map((name) => ({ ...NIGHTLY, name }));
    const { status, body, text } = await send("POST", "/v1/apply", order({ schedules }));
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        failed: 2,
        changes: [
          { name: "fine", error: null },
          { name: "raced", error: { code: "precondition_failed" } },
          { name: "thrown", error: { code: "internal" } },
          { name: "also-fine", error: null },
        ],
      },
    });
    expect(text).not.toContain("secret");
  });

  it("removes nothing once something has failed", async () => {
    const { send, stub, ledger, calls } = world();
    stub.put = () => Promise.resolve(fail("overloaded", "Too much."));
    ledger.schedules = () => Promise.resolve([entry("old-name")]);
    const { body } = await send("POST", "/v1/apply", order({ prune: true }));
    expect(body).toMatchObject({
      failed: 2,
      changes: [
        { name: "nightly", error: { code: "overloaded" } },
        { name: "old-name", action: "delete", error: { code: "held_back" } },
      ],
    });
    expect(calls.some(({ name }) => name === "remove")).toBe(false);
  });

  it("keeps at most 16 calls under way", async () => {
    const { send, stub } = world();
    let [underWay, most] = [0, 0];
    stub.put = async () => {
      most = Math.max(most, ++underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay--;
      return ok({ outcome: "created", schedule: viewOf("default", "x") });
    };
    const schedules = Array.from({ length: 60 }, (_, i) => ({ ...NIGHTLY, name: `s${i}` }));
    await send("POST", "/v1/apply", order({ schedules }));
    expect(most).toBe(16);
  });
});
