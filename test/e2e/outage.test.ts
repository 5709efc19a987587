/** The whole runtime is killed while schedules are due, stays away, and comes back on the same state. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { call, eventually, history, type HistoryItem, occurrences } from "../../scripts/api.ts";
import { openSession, type Session } from "./session.ts";

const EVERY_MS = 2_000;
const OUTAGE_MS = 20_000; // an outage has to last: the one wait here that is not for an event
const SETTLE_MS_MAX = 60_000;

/** What was cut off in mid-run is taken up again soon, instead of in the default quarter of an hour. */
const definition = (catchUp: object) => ({
  trigger: { every: "2s" },
  target: { queue: "LIBRARY" },
  payload: { job: "inventory-summary" },
  timeouts: { start: "4s", lease: "4s" },
  catchUp,
});

let session: Session;
let cutAt = 0;
let resumedAt = 0;
beforeAll(async () => {
  session = await openSession();
  await call(session.api, "PUT", "/v1/schedules/all", definition({ policy: "all", limit: 100 }));
  await call(session.api, "PUT", "/v1/schedules/latest", definition({ policy: "latest" }));
  for (const name of ["all", "latest"]) await hasRunSince(name, 0);
  await session.cut();
  cutAt = Date.now();
  await new Promise((resolve) => setTimeout(resolve, OUTAGE_MS));
  resumedAt = Date.now();
  await session.resume();
});
afterAll(() => session?.close());

function hasRunSince(schedule: string, since: number): Promise<HistoryItem[]> {
  return eventually(`${schedule} has run since ${new Date(since).toISOString()}`, SETTLE_MS_MAX, async () => {
    const items = await history(session.api, schedule);
    const ran = occurrences(items).some(
      ({ state, scheduledFor }) => state === "succeeded" && Date.parse(scheduledFor) > since,
    );
    return ran ? items : null;
  });
}

/** What became of each slot, in words; gap rows are spread over the slots that they cover. */
function accounts(items: HistoryItem[]): Map<number, string[]> {
  const bySlot = new Map<number, string[]>();
  const note = (slot: number, word: string) => bySlot.set(slot, [...(bySlot.get(slot) ?? []), word]);
  for (const item of items) {
    if (item.kind === "gap") {
      const slots = range(Date.parse(item.from), Date.parse(item.to));
      expect(slots).toHaveLength(item.count);
      for (const slot of slots) note(slot, item.reason);
    } else {
      note(Date.parse(item.scheduledFor), item.state === "skipped" ? String(item.reason) : item.state);
    }
  }
  return bySlot;
}

function range(from: number, to: number): number[] {
  return Array.from(
    { length: Math.floor((to - from) / EVERY_MS) + 1 },
    (_, index) => from + index * EVERY_MS,
  );
}

/** The slots of the outage; without the last, which may still be the current one to a quick restart. */
function missed(): number[] {
  return range(Math.ceil(cutAt / EVERY_MS) * EVERY_MS, resumedAt - EVERY_MS);
}

it("with catchUp all, each slot of the outage ran, once", async () => {
  const lost = missed();
  expect(lost.length).toBeGreaterThanOrEqual(8);
  const items = await eventually("each slot of the outage ran", SETTLE_MS_MAX, async () => {
    const items = await history(session.api, "all");
    const bySlot = accounts(items);
    return lost.every((slot) => bySlot.get(slot)?.includes("succeeded")) ? items : null;
  });
  const bySlot = accounts(items);
  expect(lost.map((slot) => bySlot.get(slot))).toEqual(lost.map(() => ["succeeded"]));
  const caughtUp = occurrences(items).filter(({ scheduledFor }) => lost.includes(Date.parse(scheduledFor)));
  expect(caughtUp.map(({ kind, attempt }) => ({ kind, attempt }))).toEqual(
    lost.map(() => ({ kind: "catch_up", attempt: 1 })),
  );
});

it("with catchUp latest, one run covers the outage and the other slots are coalesced", async () => {
  const lost = missed();
  const bySlot = accounts(await hasRunSince("latest", resumedAt - EVERY_MS));
  const words = range(lost[0]!, Math.max(...bySlot.keys())).map((slot) => bySlot.get(slot));
  const covering = words.findIndex((word) => word?.join() !== "coalesced");
  expect(covering).toBeGreaterThanOrEqual(lost.length);
  expect(words[covering]).toEqual(["succeeded"]);
});

it.each(["all", "latest"])(
  "of %s no slot before, in or after the outage is missing or doubled",
  async (schedule) => {
    const bySlot = accounts(await hasRunSince(schedule, resumedAt));
    const slots = [...bySlot.keys()].toSorted((a, b) => a - b);
    expect(slots).toEqual(range(slots[0]!, slots.at(-1)!));
    for (const slot of slots) expect(bySlot.get(slot)).toHaveLength(1);
  },
);
