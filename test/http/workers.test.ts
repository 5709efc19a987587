import { describe, expect, it } from "vitest";
import { fail, ok } from "../../src/core/errors.ts";
import type { Message } from "../../src/core/message.ts";
import { occurrenceView, world } from "./world.ts";

const ID = "nightly@2026-11-30T12:00:00Z";
const ADDRESS = { slot: Date.parse("2026-11-30T12:00:00Z"), variant: "" };
const PATH = `/v1/occurrences/${ID}`;
const SUCCEEDED = occurrenceView("default", "nightly", { state: "succeeded" });

describe("the worker protocol", () => {
  it.each([
    { call: "start", body: { attempt: 1, worker: "w" }, passed: { attempt: 1, worker: "w" } },
    {
      call: "heartbeat",
      body: { token: 7, progress: 0.4, note: "x" },
      passed: { token: 7, progress: 0.4, note: "x" },
    },
    {
      call: "complete",
      body: { token: 7, result: [1], workRemaining: true },
      passed: { token: 7, result: [1], workRemaining: true },
    },
    {
      call: "fail",
      body: { token: 7, error: "e", retryable: false, retryAfter: "30s" },
      passed: { token: 7, error: "e", retryable: false, retryAfterMs: 30_000 },
    },
    { call: "defer", body: { token: 7, for: "10m" }, passed: { token: 7, forMs: 600_000 } },
  ] as const)("$call reaches the object with what was said", async ({ call, body, passed }) => {
    const { send, stub, calls } = world();
    stub[call] = () => Promise.resolve(ok(SUCCEEDED as never));
    expect((await send("POST", `${PATH}/${call}`, body)).status).toBe(200);
    expect(calls).toEqual([{ on: "default/nightly", name: call, args: [ADDRESS, passed] }]);
  });

  it("finds an occurrence by its whole id, percent-encoded or not", async () => {
    const { send, calls } = world();
    const id = "night.ly_2@2026-11-30T12:00:00.250Z~b1~r2";
    await send("POST", `/v1/occurrences/${id}/start`, { attempt: 1, worker: "w" });
    await send("POST", `/v1/occurrences/${encodeURIComponent(id)}/start`, { attempt: 1, worker: "w" });
    const address = { slot: Date.parse("2026-11-30T12:00:00.250Z"), variant: "~b1~r2" };
    const starts = calls.filter(({ name }) => name === "start");
    expect(starts.map(({ on, args }) => [on, args[0]])).toEqual([
      ["default/night.ly_2", address],
      ["default/night.ly_2", address],
    ]);
  });

  it.each(["busy", "settled", "superseded", "cancelled", "not_due"] as const)(
    "start is 409 %s with the state",
    async (code) => {
      const { send, stub } = world();
      stub.start = () =>
        Promise.resolve(
          fail(code, "No.", { data: { state: "running", leaseUntil: "2026-11-30T12:01:00Z" } }),
        );
      expect(await send("POST", `${PATH}/start`, { attempt: 1, worker: "w" })).toMatchObject({
        status: 409,
        body: { code, state: "running", leaseUntil: "2026-11-30T12:01:00Z" },
      });
    },
  );

  it.each([
    { call: "start", body: { attempt: 0, worker: "w" }, pointer: "/attempt" },
    { call: "start", body: { attempt: 1 }, pointer: "/worker" },
    { call: "heartbeat", body: {}, pointer: "/token" },
    { call: "complete", body: { token: "7" }, pointer: "/token" },
    { call: "complete", body: { token: 7, result: "x".repeat(17_000) }, pointer: "/result" },
    { call: "fail", body: { token: 7 }, pointer: "/error" },
    { call: "defer", body: { token: 7, for: "soon" }, pointer: "/for" },
    { call: "defer", body: { token: 7, for: "1m", until: 1 }, pointer: "/until" },
  ])("$call refuses a bad $pointer", async ({ call, body, pointer }) => {
    const { send, calls } = world();
    expect(await send("POST", `${PATH}/${call}`, body)).toMatchObject({ status: 422, body: { pointer } });
    expect(calls).toEqual([]);
  });

  it("never refuses a failure for its words: an error that is too long, or broken, is cut and mended", async () => {
    const { send, stub, calls } = world();
    stub.fail = () => Promise.resolve(ok(SUCCEEDED));
    const { status } = await send("POST", `${PATH}/fail`, {
      token: 7,
      error: `\uD800\0${"x".repeat(50_000)}`,
    });
    expect(status).toBe(200);
    const { error } = calls[0]!.args[1] as { error: string };
    expect(error.slice(0, 3)).toBe("\uFFFD\uFFFDx");
    expect(error).toHaveLength(4096);
  });
});

describe("an occurrence that its object has let go is answered from the ledger", () => {
  const settled = { occurrence: SUCCEEDED, isFinal: true, token: 7, queue: "LIBRARY", payload: null };

  it("read: 200", async () => {
    const { send, ledger } = world();
    ledger.occurrence = () => Promise.resolve(settled);
    expect(await send("GET", PATH)).toMatchObject({ status: 200, body: { id: ID, state: "succeeded" } });
  });

  it.each([
    { call: "complete", body: { token: 7 } },
    { call: "fail", body: { token: 7, error: "e" } },
    { call: "defer", body: { token: 7, for: "1m" } },
  ])(
    "$call by the token that settled it: 200 with the occurrence, as the first time",
    async ({ call, body }) => {
      const { send, ledger } = world();
      ledger.occurrence = () => Promise.resolve(settled);
      expect(await send("POST", `${PATH}/${call}`, body)).toMatchObject({ status: 200, body: { id: ID } });
    },
  );

  it.each([
    { call: "start", body: { attempt: 1, worker: "w" }, code: "settled" },
    { call: "cancel", body: undefined, code: "settled" },
    { call: "complete", body: { token: 6 }, code: "lease_lost" },
    { call: "fail", body: { token: 8, error: "e" }, code: "lease_lost" },
    { call: "heartbeat", body: { token: 7 }, code: "lease_lost" },
  ])("$call otherwise: 409 $code with the state", async ({ call, body, code }) => {
    const { send, ledger } = world();
    ledger.occurrence = () => Promise.resolve(settled);
    expect(await send("POST", `${PATH}/${call}`, body)).toMatchObject({
      status: 409,
      body: { code, state: "succeeded" },
    });
  });

  it.each([
    { name: "nobody knows it", recorded: null },
    {
      name: "the ledger has it open, which only its object may say",
      recorded: { ...settled, isFinal: false },
    },
  ])("$name: 404 to a report", async ({ recorded }) => {
    const { send, ledger } = world();
    ledger.occurrence = () => Promise.resolve(recorded);
    expect(await send("POST", `${PATH}/complete`, { token: 7 })).toMatchObject({
      status: 404,
      body: { code: "not_found" },
    });
  });

  it("asks the ledger for nothing else than that", async () => {
    const { send, stub, calls } = world();
    stub.complete = () => Promise.resolve(fail("lease_lost", "Another has it."));
    expect((await send("POST", `${PATH}/complete`, { token: 7 })).status).toBe(409);
    expect(calls.filter(({ on }) => on === "ledger")).toEqual([]);
  });
});

describe("GET /v1/work", () => {
  it("gives the messages that still wait, oldest first, and leaves out what has started meanwhile", async () => {
    const { send, ledger, stub } = world();
    const places = Array.from({ length: 20 }, (_, slot) => ({
      slot,
      schedule: "default/nightly",
      variant: "",
    }));
    ledger.work = () => Promise.resolve(places);
    stub.message = ({ slot }) =>
      Promise.resolve(
        slot === 3 ? fail("not_found", "It has started.") : ok({ id: String(slot) } as Message),
      );
    const { body } = await send("GET", "/v1/work?queue=LIBRARY&limit=20");
    const ids = places.map(({ slot }) => String(slot)).filter((id) => id !== "3");
    expect(body).toEqual({ items: ids.map((id) => ({ id })), nextCursor: null });
  });
});
