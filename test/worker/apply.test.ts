/** Schedules as code over the real objects and the real ledger. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { HOUR, send } from "./api.ts";
import { START } from "./start.ts";

const HOURLY = { trigger: { every: "1h" }, target: { queue: "EXTERNAL" } };

beforeEach(() => {
  vi.useFakeTimers({ now: START, toFake: ["Date"] });
});

async function apply(
  order: object,
): Promise<{ name: string; action: string; diff: object[]; error: object | null }[]> {
  const { status, body } = await send("POST", "/v1/apply", { managedBy: "ci", schedules: [], ...order });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.changes as Awaited<ReturnType<typeof apply>>;
}

async function read(name: string) {
  const { body } = await send("GET", `/v1/schedules/${name}`);
  return body;
}

const named = (...names: string[]) => names.map((name) => ({ name, ...HOURLY }));
const summary = (changes: Awaited<ReturnType<typeof apply>>) =>
  changes.map(({ name, action }) => `${action} ${name}`);

describe("apply", () => {
  it("plans without a trace: an object that was only asked stays empty", async () => {
    expect(summary(await apply({ schedules: named("a"), dryRun: true }))).toEqual(["create a"]);
    expect((await send("GET", "/v1/schedules/a")).status).toBe(404);
    const { results } = await env.LEDGER.prepare("SELECT * FROM schedules").all();
    expect(results).toEqual([]);
  });

  it("creates, changes nothing when applied again, updates by field, removes what is left out", async () => {
    const first = await apply({ schedules: named("a", "b", "c"), prune: true });
    expect(summary(first)).toEqual(["create a", "create b", "create c"]);
    const again = await apply({ schedules: named("a", "b", "c"), prune: true });
    expect(summary(again)).toEqual(["unchanged a", "unchanged b", "unchanged c"]);

    const changed = [{ ...named("a")[0], retry: { maxAttempts: 9 } }, ...named("b")];
    const plan = await apply({ schedules: changed, prune: true, dryRun: true });
    const done = await apply({ schedules: changed, prune: true });
    expect(done).toEqual(plan);
    expect(done).toMatchObject([
      { name: "a", action: "update", diff: [{ field: "retry.maxAttempts", from: 4, to: 9 }] },
      { name: "b", action: "unchanged" },
      { name: "c", action: "delete" },
    ]);
    expect(await read("a")).toMatchObject({ revision: 2, managedBy: "ci", retry: { maxAttempts: 9 } });
    expect(await read("b")).toMatchObject({ revision: 1 });
    expect(await read("c")).toMatchObject({ code: "not_found" });
  });

  it("leaves alone what is made by hand or managed by others, pruning included", async () => {
    await send("PUT", "/v1/schedules/by-hand", HOURLY);
    await apply({ managedBy: "terraform", schedules: named("theirs") });
    const changes = await apply({ schedules: named("by-hand", "theirs", "ours"), prune: true });
    expect(summary(changes)).toEqual(["conflict by-hand", "conflict theirs", "create ours"]);
    expect(summary(await apply({ schedules: [], prune: true }))).toEqual(["delete ours"]);
    expect(await read("by-hand")).toMatchObject({ revision: 1, managedBy: null });
    expect(await read("theirs")).toMatchObject({ revision: 1, managedBy: "terraform" });
  });

  it("never resumes, never pauses what exists", async () => {
    await apply({ schedules: [{ ...named("a")[0], paused: true }] });
    expect(await read("a")).toMatchObject({ state: "paused" });
    await apply({ schedules: [{ ...named("a")[0], paused: false, jitter: "1m" }] });
    expect(await read("a")).toMatchObject({ state: "paused", revision: 2 });
    await send("POST", "/v1/schedules/a/resume", {});
    expect(summary(await apply({ schedules: [{ ...named("a")[0], paused: true, jitter: "1m" }] }))).toEqual([
      "unchanged a",
    ]);
    expect(await read("a")).toMatchObject({ state: "active", revision: 2 });
  });

  it("changes nothing at all when one of the list is refused, for what only its object knows too", async () => {
    await apply({ schedules: named("kept") });
    const past = { name: "past", trigger: { at: "2093-11-01T00:00:00Z" }, target: { queue: "EXTERNAL" } };
    const answer = await send("POST", "/v1/apply", {
      managedBy: "ci",
      schedules: [...named("new"), past],
      prune: true,
    });
    expect(answer).toMatchObject({
      status: 422,
      body: { code: "never_fires", pointer: "/schedules/1/trigger" },
    });
    expect(await read("kept")).toMatchObject({ revision: 1 });
    expect(await read("new")).toMatchObject({ code: "not_found" });
  });

  it("does not restart `in` when the same text is applied again, an hour later", async () => {
    const once = [{ name: "once", trigger: { in: "3h" }, target: { queue: "EXTERNAL" } }];
    await apply({ schedules: once });
    vi.setSystemTime(START + HOUR);
    expect(summary(await apply({ schedules: once }))).toEqual(["unchanged once"]);
    expect(await read("once")).toMatchObject({ nextSlot: "2093-12-01T03:00:00Z" });
  });

  it("takes up a name that was removed before", async () => {
    await apply({ schedules: named("a") });
    await apply({ schedules: [], prune: true });
    expect(summary(await apply({ schedules: named("a") }))).toEqual(["create a"]);
    expect(await read("a")).toMatchObject({ revision: 2, state: "active" });
  });
});
