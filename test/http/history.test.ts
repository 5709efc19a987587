import { describe, expect, it } from "vitest";
import { fail, ok } from "../../src/core/errors.ts";
import { formatInstant } from "../../src/core/time.ts";
import type { Entry } from "../../src/ledger/directory.ts";
import type { Placed } from "../../src/ledger/page.ts";
import type { HistoryItem } from "../../src/ledger/row.ts";
import { NOW, occurrenceView, world } from "./world.ts";

const PATH = "/v1/schedules/nightly/occurrences";
const ENTRY = { namespace: "default", name: "nightly" } as Entry;

function placed(minute: number, more: object = {}): Placed<HistoryItem> {
  const slot = NOW + minute * 60_000;
  const id = `nightly@${formatInstant(slot)}`;
  const item = occurrenceView("default", "nightly", {
    id,
    scheduledFor: formatInstant(slot),
    state: "succeeded",
    ...more,
  });
  return { at: { slot, schedule: "default/nightly", variant: "" }, item };
}

const open = (minute: number) =>
  placed(minute, { state: "running" }).item as ReturnType<typeof occurrenceView>;
const ids = (body: Record<string, unknown>) =>
  (body.items as { id: string; state: string }[]).map(({ id, state }) => [id.slice(-9, -4), state]);

describe("the history of a schedule", () => {
  it("has the object's open occurrences over the ledger's rows", async () => {
    const { send, ledger, stub } = world();
    ledger.schedule = () => Promise.resolve(ENTRY);
    ledger.history = () =>
      Promise.resolve({ items: [placed(-1, { state: "dispatched" }), placed(-3)], end: null });
    stub.open = () => Promise.resolve(ok([open(-2), open(-1), open(0)]));
    const { body } = await send("GET", PATH);
    expect(ids(body)).toEqual([
      ["12:00", "running"],
      ["11:59", "running"],
      ["11:58", "running"],
      ["11:57", "succeeded"],
    ]);
    expect(body.nextCursor).toBeNull();
  });

  it("goes on below the page before, open occurrences too", async () => {
    const { send, ledger, stub, calls } = world();
    ledger.schedule = () => Promise.resolve(ENTRY);
    ledger.history = () => Promise.resolve({ items: [placed(-1), placed(-2)], end: placed(-2).at });
    stub.open = () => Promise.resolve(ok([open(-5), open(0)]));
    const first = await send("GET", `${PATH}?limit=2`);
    expect(ids(first.body)).toEqual([
      ["12:00", "running"],
      ["11:59", "succeeded"],
    ]);
    ledger.history = () => Promise.resolve({ items: [placed(-2)], end: null });
    const second = await send("GET", `${PATH}?limit=2&cursor=${String(first.body.nextCursor)}`);
    expect(ids(second.body)).toEqual([
      ["11:58", "succeeded"],
      ["11:55", "running"],
    ]);
    expect(calls.filter(({ name }) => name === "history").map(({ args }) => args[1])).toMatchObject([
      { before: null, limit: 2 },
      { before: { slot: NOW - 60_000, variant: "" }, limit: 2 },
    ]);
  });

  it("keeps to [from, to)", async () => {
    const { send, ledger, stub, calls } = world();
    ledger.schedule = () => Promise.resolve(ENTRY);
    stub.open = () => Promise.resolve(ok([open(-2), open(-1), open(0)]));
    const { body } = await send("GET", `${PATH}?from=2026-11-30T11:59:00Z&to=2026-11-30T12:00:00Z`);
    expect(ids(body)).toEqual([["11:59", "running"]]);
    expect(calls.find(({ name }) => name === "history")!.args[1]).toMatchObject({
      from: NOW - 60_000,
      to: NOW,
    });
  });

  it("outlives its schedule, and is 404 where there never was one", async () => {
    const { send, ledger, stub } = world();
    stub.open = () => Promise.resolve(fail("not_found", "There is no schedule."));
    expect((await send("GET", PATH)).status).toBe(404);
    ledger.schedule = () => Promise.resolve(ENTRY);
    ledger.history = () => Promise.resolve({ items: [placed(-1)], end: null });
    expect((await send("GET", PATH)).body.items).toHaveLength(1);
  });
});

describe("occurrences of a namespace", () => {
  it("hands every filter to the ledger", async () => {
    const { send, calls } = world();
    const query =
      "state=failed&reason=overlap&kind=manual&from=2026-11-30T00:00:00Z&to=2026-11-30T06:00:00Z&limit=7";
    await send("GET", `/v1/occurrences?${query}`, undefined, { "carillon-namespace": "billing" });
    expect(calls).toEqual([
      {
        on: "ledger",
        name: "occurrences",
        args: [
          {
            namespace: "billing",
            schedules: null,
            state: "failed",
            reason: "overlap",
            kind: "manual",
            from: Date.parse("2026-11-30T00:00:00Z"),
            before: { slot: Date.parse("2026-11-30T06:00:00Z"), schedule: "", variant: "" },
            limit: 7,
          },
        ],
      },
    ]);
  });

  it("of one schedule are its history, filtered", async () => {
    const { send, ledger } = world();
    const gap = {
      kind: "gap" as const,
      namespace: "default",
      schedule: "nightly",
      from: "",
      to: "",
      count: 3,
      reason: "missed",
      revision: 1,
    };
    ledger.schedule = () => Promise.resolve(ENTRY);
    ledger.history = () =>
      Promise.resolve({
        items: [placed(-1), placed(-2, { state: "failed" }), { at: placed(-3).at, item: gap }],
        end: placed(-3).at,
      });
    const failed = await send("GET", "/v1/occurrences?schedule=nightly&state=failed");
    expect(ids(failed.body)).toEqual([["11:58", "failed"]]);
    expect(failed.body.nextCursor).toEqual(expect.any(String));
    const skipped = await send("GET", "/v1/occurrences?schedule=nightly&state=skipped&reason=missed");
    expect(skipped.body.items).toEqual([gap]);
    expect((await send("GET", "/v1/occurrences?schedule=nobody")).status).toBe(200);
  });
});
