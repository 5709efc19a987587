/** What the door does for backfill and replay: it asks the ledger, and brings along what the object forgets. */
import { describe, expect, it } from "vitest";
import { fail, ok } from "../../src/core/errors.ts";
import { changeOf } from "../../src/ledger/changes.ts";
import type { Entry } from "../../src/ledger/directory.ts";
import type { Recorded } from "../../src/ledger/reads.ts";
import { occurrenceView, world } from "./world.ts";

const ID = "nightly@2026-11-30T12:00:00Z";
const DEFINITION = { trigger: { every: "PT15M" }, target: { queue: "LIBRARY" } };
const FAILED: Recorded = {
  occurrence: occurrenceView("default", "nightly", { state: "failed", revision: 2 }),
  isFinal: true,
  queue: "LIBRARY",
  token: 7,
  payload: { value: 1 },
};
const entry = { namespace: "default", name: "nightly", shard: "LEDGER" } as Entry;

describe("POST …/backfill", () => {
  const range = { from: "2026-11-30T11:00:00Z", to: "2026-11-30T11:31:00Z" };

  it("tells the object which of the slots have succeeded, and for which revision it asked", async () => {
    const { send, ledger, calls } = world();
    ledger.schedule = () => Promise.resolve(entry);
    ledger.succeeded = (_, slots) => Promise.resolve(slots.slice(0, 1));
    const reply = await send("POST", "/v1/schedules/nightly/backfill", range);
    expect(reply).toMatchObject({ status: 202, body: { id: "b1" } });
    const [eleven] = [Date.parse(range.from)];
    expect(calls.find(({ name }) => name === "succeeded")!.args[1]).toHaveLength(3);
    expect(calls.find(({ name }) => name === "backfill")!.args).toMatchObject([
      {
        from: eleven,
        order: "oldest",
        limit: 100,
        rerun: false,
        revision: 3,
        succeeded: [eleven],
        who: "admin",
      },
    ]);
  });

  it("is 200 for a dry run, and asks nothing of the ledger for a rerun", async () => {
    const { send, calls } = world();
    const body = { ...range, dryRun: true, rerun: true };
    expect(await send("POST", "/v1/schedules/nightly/backfill", body)).toMatchObject({
      status: 200,
      body: { id: null },
    });
    expect(calls.some(({ on }) => on === "ledger")).toBe(false);
  });

  it("is called off by its number", async () => {
    const { send, calls } = world();
    expect(await send("DELETE", "/v1/schedules/nightly/backfill/b1")).toMatchObject({
      status: 200,
      body: { cancelled: 1 },
    });
    expect(calls.at(-1)).toMatchObject({ name: "cancelBackfill", args: [{ id: "b1", who: "admin" }] });
    expect((await send("DELETE", "/v1/schedules/nightly/backfill/x")).status).toBe(404);
  });
});

describe("POST …/replay", () => {
  it("brings the definition of the original's revision and its payload", async () => {
    const { send, ledger, calls } = world();
    ledger.occurrence = () => Promise.resolve(FAILED);
    ledger.revision = () => Promise.resolve(DEFINITION);
    expect((await send("POST", `/v1/occurrences/${ID}/replay`)).status).toBe(201);
    expect(calls.find(({ name }) => name === "replay")!.args).toMatchObject([
      { variant: "", original: { revision: 2, definition: DEFINITION }, payload: { value: 1 }, who: "admin" },
    ]);
    expect((await send("POST", `/v1/occurrences/${ID}/replay`, { revision: "current" })).status).toBe(201);
    expect(calls.at(-1)).toMatchObject({ name: "replay", args: [{ original: null }] });
  });

  it.each([
    { why: "nobody knows it", recorded: null, code: "not_found" },
    { why: "it has not ended", recorded: { ...FAILED, isFinal: false }, code: "not_final" },
    { why: "its revision is not on record", recorded: FAILED, code: "not_found" },
  ])("refuses where $why", async ({ recorded, code }) => {
    const { send, ledger } = world();
    ledger.occurrence = () => Promise.resolve(recorded);
    expect((await send("POST", `/v1/occurrences/${ID}/replay`)).body).toMatchObject({ code });
  });

  it("refuses what its object still runs", async () => {
    const { send, stub } = world();
    stub.occurrence = () => Promise.resolve(ok(occurrenceView("default", "nightly", { state: "running" })));
    expect(await send("POST", `/v1/occurrences/${ID}/replay`)).toMatchObject({
      status: 409,
      body: { code: "not_final", state: "running" },
    });
  });
});

describe("POST /v1/occurrences/replay", () => {
  it("reports of each, and goes on where the page ended", async () => {
    const { send, ledger, stub } = world();
    const items = ["nightly", "weekly", "hourly", "nightly"].map((schedule, n) => {
      const slot = Date.parse("2026-11-30T12:00:00Z") - n * 900_000;
      const id = `${schedule}@${new Date(slot).toISOString().replace(".000Z", "Z")}`;
      return {
        at: { slot, schedule: `default/${schedule}`, variant: "" },
        item: occurrenceView("default", schedule, { id, state: "failed" }),
      };
    });
    ledger.occurrences = () => Promise.resolve({ items, end: items[3]!.at });
    ledger.schedule = (_, name) => Promise.resolve({ ...entry, name });
    ledger.occurrence = (_, name, { slot }) =>
      Promise.resolve({
        ...FAILED,
        occurrence: items.find(({ at, item }) => at.slot === slot && item.schedule === name)!.item,
      });
    ledger.revision = () => Promise.resolve(DEFINITION);
    ledger.succeeded = ({ name }) => Promise.resolve(name === "weekly" ? [1] : []);
    stub.replay = ({ slot, once }) =>
      Promise.resolve(
        once && slot === items[2]!.at.slot
          ? fail("busy", "A replay is under way.")
          : ok(occurrenceView("default", "nightly", { id: `${ID}~r1` })),
      );
    const { body } = await send("POST", "/v1/occurrences/replay", { filter: {} });
    expect(body).toMatchObject({
      items: [
        { id: items[0]!.item.id, replay: `${ID}~r1`, error: null },
        { id: items[1]!.item.id, replay: null, error: { code: "superseded" } },
        { id: items[2]!.item.id, replay: null, error: { code: "busy" } },
        { id: items[3]!.item.id, replay: `${ID}~r1`, error: null },
      ],
      nextCursor: expect.any(String),
    });
    const { body: one } = await send("POST", "/v1/occurrences/replay", { filter: { schedule: "hourly" } });
    expect(one.items).toHaveLength(1);
  });

  it("takes no state that did not end badly", async () => {
    const { send } = world();
    expect((await send("POST", "/v1/occurrences/replay", { filter: { state: "succeeded" } })).status).toBe(
      422,
    );
  });
});

describe("GET …/revisions", () => {
  it("shows each definition complete, with who made it and when", async () => {
    const { send, ledger } = world();
    const made = { at: Date.parse("2026-11-30T10:00:00Z"), action: "edit", who: "ann", note: null };
    ledger.revisions = () =>
      Promise.resolve(
        [3, 2].map((revision) =>
          changeOf({ ...made, revision, version: revision }, { definition: DEFINITION }),
        ),
      );
    const { body } = await send("GET", "/v1/schedules/nightly/revisions?limit=1");
    expect(body).toMatchObject({
      items: [{ revision: 3, at: "2026-11-30T10:00:00Z", who: "ann", definition: { overlap: "skip" } }],
      nextCursor: expect.any(String),
    });
    expect(
      (await send("GET", `/v1/schedules/nightly/revisions?cursor=${String(body.nextCursor)}`)).status,
    ).toBe(200);
    expect((await world().send("GET", "/v1/schedules/nightly/revisions")).status).toBe(404);
  });
});
