/** Contract §2.6 and `explain`, in the real runtime: what is asked of the ledger meets what the object knows. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { HOUR, MINUTE, ring, runOccurrence, send } from "./api.ts";
import { START } from "./start.ts";

const PATH = "/v1/schedules/nightly";
const HOURLY = { trigger: { every: "1h" }, target: { queue: "EXTERNAL" }, payload: 1 };
const iso = (at: number) => new Date(at).toISOString().replace(".000Z", "Z");
const id = (hour: number, variant = "") => `nightly@${iso(START + hour * HOUR)}${variant}`;

beforeEach(() => {
  vi.useFakeTimers({ now: START, toFake: ["Date"] });
});

const rows = async () => {
  const { results } = await env.LEDGER.prepare(
    "SELECT slot, variant, state FROM occurrences WHERE schedule = 'default/nightly' ORDER BY slot, variant",
  ).all<{ slot: number; variant: string; state: string }>();
  return results.map(({ slot, variant, state }) => `${(slot - START) / HOUR}${variant} ${state}`);
};

describe("backfill", () => {
  it("leaves out what the ledger knows to have succeeded, runs the rest in order, behind the schedule", async () => {
    await send("PUT", PATH, HOURLY);
    await ring(START + HOUR);
    await runOccurrence(id(1));
    vi.setSystemTime(START + HOUR + MINUTE);
    const range = { from: iso(START - HOUR), to: iso(START + HOUR + 1) };
    const dry = await send("POST", `${PATH}/backfill`, { ...range, dryRun: true });
    expect(dry).toMatchObject({
      status: 200,
      body: { count: 2, leftOut: { succeeded: 1, open: 0 }, id: null },
    });
    const queued = await send("POST", `${PATH}/backfill`, { ...range, order: "newest" });
    expect(queued).toMatchObject({ status: 202, body: { id: "b1", slots: [iso(START), iso(START - HOUR)] } });
    await runOccurrence(id(0, "~b1"));
    await runOccurrence(id(-1, "~b1"));
    await expect.poll(rows).toEqual(["-1~b1 succeeded", "0~b1 succeeded", "1 succeeded"]);
    const again = await send("POST", `${PATH}/backfill`, range);
    expect(again).toMatchObject({ status: 200, body: { count: 0, leftOut: { succeeded: 3 } } });
    const rerun = await send("POST", `${PATH}/backfill`, { ...range, rerun: true });
    expect(rerun).toMatchObject({ status: 202, body: { id: "b2", count: 3 } });
  });

  it("works while paused, and is called off as a whole", async () => {
    await send("PUT", PATH, { ...HOURLY, paused: true });
    await send("POST", `${PATH}/backfill`, { from: iso(START - 5 * HOUR), to: iso(START) });
    await runOccurrence(id(-5, "~b1"));
    expect(await send("DELETE", `${PATH}/backfill/b1`)).toMatchObject({
      status: 200,
      body: { cancelled: 4 },
    });
    await expect
      .poll(rows)
      .toEqual([
        "-5~b1 succeeded",
        "-4~b1 cancelled",
        "-3~b1 cancelled",
        "-2~b1 cancelled",
        "-1~b1 cancelled",
      ]);
  });
});

describe("replay", () => {
  it("brings back a definition that the object has forgotten, under a linked identity", async () => {
    await send("PUT", PATH, HOURLY);
    await ring(START + HOUR);
    expect(await send("POST", `/v1/occurrences/${id(1)}/replay`)).toMatchObject({
      status: 409,
      body: { code: "not_final" },
    });
    await runOccurrence(id(1), "fail");
    await send("PATCH", PATH, { payload: 2 });
    await expect.poll(rows).toEqual(["1 failed"]);
    const replay = await send("POST", `/v1/occurrences/${id(1)}/replay`);
    expect(replay).toMatchObject({ status: 201, body: { id: id(1, "~r1"), revision: 1, replayOf: id(1) } });
    const { body } = await send("POST", `/v1/occurrences/${id(1, "~r1")}/start`, { attempt: 1, worker: "w" });
    expect(body.message).toMatchObject({ payload: 1, kind: "replay" });
  });

  it("in bulk: those that failed, once, and not what has succeeded since", async () => {
    await send("PUT", PATH, { ...HOURLY, overlap: "buffer_all" });
    for (const hour of [1, 2, 3]) {
      await ring(START + hour * HOUR);
      await runOccurrence(id(hour), "fail");
    }
    await expect.poll(rows).toEqual(["1 failed", "2 failed", "3 failed"]);
    await send("POST", `/v1/occurrences/${id(3)}/replay`);
    await runOccurrence(id(3, "~r1"));
    await expect.poll(rows).toContain("3~r1 succeeded");
    vi.setSystemTime(START + 3 * HOUR + MINUTE);
    const bulk = () => send("POST", "/v1/occurrences/replay", { filter: { schedule: "nightly" } });
    const codes = ({ body }: Awaited<ReturnType<typeof bulk>>) =>
      (body.items as { replay: string | null; error: { code: string } | null }[]).map(
        (one) => one.error?.code ?? one.replay,
      );
    const first = codes(await bulk());
    expect(first[0]).toBe("superseded");
    expect(first.slice(1)).toEqual([expect.stringMatching(/~r\d$/), expect.stringMatching(/~r\d$/)]);
    expect(codes(await bulk())).toEqual(["superseded", "busy", "busy"]);
  });
});

describe("explain", () => {
  const ask = async (at: string, name = "nightly") =>
    (await send("GET", `/v1/schedules/${name}/explain?at=${encodeURIComponent(at)}`)).body;

  it("from the record, the object, the pause and the rule", async () => {
    await send("PUT", PATH, HOURLY);
    await ring(START + HOUR);
    await runOccurrence(id(1));
    await ring(START + 2 * HOUR);
    await ring(START + 3 * HOUR);
    await expect.poll(rows).toEqual(["1 succeeded", "2 dispatched", "3 skipped"]);
    expect(await ask(iso(START + HOUR))).toMatchObject({
      verdict: "succeeded",
      occurrence: { id: id(1), state: "succeeded" },
    });
    expect(await ask(iso(START + 2 * HOUR))).toMatchObject({ verdict: "dispatched" });
    expect(await ask("2093-12-01T03:00")).toMatchObject({
      verdict: "skipped",
      sentences: ["Skipped: the run of 02:00 was still going, and overlap is skip."],
      evidence: { revision: 1, policy: { overlap: "skip" } },
    });
    await send("POST", `${PATH}/pause`, { note: "the warehouse moves" });
    vi.setSystemTime(START + 5 * HOUR);
    expect(await ask(iso(START + 4 * HOUR))).toMatchObject({
      verdict: "paused",
      sentences: [
        expect.stringContaining('by admin: "the warehouse moves"'),
        "It is recorded when the schedule is resumed.",
      ],
    });
    await send("POST", `${PATH}/resume`);
    await expect
      .poll(() => ask(iso(START + 4 * HOUR)))
      .toMatchObject({ verdict: "paused", gap: { reason: "paused", count: 2 } });
    expect(await ask(iso(START + 6 * HOUR))).toMatchObject({ verdict: "will_run" });
    expect(await ask(iso(START + 6 * HOUR + MINUTE))).toMatchObject({
      verdict: "not_a_slot",
      nearest: { next: iso(START + 7 * HOUR) },
    });
    expect(await ask(iso(START - HOUR))).toMatchObject({ verdict: "before_creation" });
    await send("DELETE", PATH);
    expect(await ask(iso(START + 6 * HOUR))).toMatchObject({ verdict: "deleted" });
    expect(await ask(iso(START + HOUR))).toMatchObject({ verdict: "succeeded" });
  });

  it("by a local time of the schedule's zone", async () => {
    const trigger = { cron: "30 2 * * *", timezone: "Europe/Berlin" };
    await send("PUT", "/v1/schedules/berlin", { ...HOURLY, trigger });
    expect(await ask("2094-03-28T02:30", "berlin")).toMatchObject({
      at: "2094-03-28T01:00:00Z",
      verdict: "dst_gap",
    });
    expect(await ask("2094-10-31T02:30", "berlin")).toMatchObject({
      code: "ambiguous_time",
      candidates: expect.any(Array),
    });
    expect(await ask("soon", "berlin")).toMatchObject({ code: "invalid_instant" });
    expect(await ask("2094-03-28T02:30", "nobody")).toMatchObject({ code: "not_found" });
  });

  it("while the ledger is down, from what the object has not told yet", async () => {
    await send("PUT", PATH, HOURLY);
    const down = vi.spyOn(env.LEDGER, "batch").mockRejectedValue(new Error("D1_ERROR: overloaded"));
    await ring(START + HOUR);
    await runOccurrence(id(1));
    expect(await ask(iso(START + HOUR))).toMatchObject({ verdict: "succeeded" });
    down.mockRestore();
  });
});

describe("revisions", () => {
  it("are all there, newest first", async () => {
    await send("PUT", PATH, HOURLY);
    await send("PATCH", PATH, { payload: 2 });
    expect(await send("GET", `${PATH}/revisions`)).toMatchObject({
      body: {
        items: [
          { revision: 2, action: "edit", definition: { payload: 2 } },
          { revision: 1, action: "create", who: "admin" },
        ],
      },
    });
  });
});
