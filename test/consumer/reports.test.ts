import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { consume, type Handler } from "../../src/consumer/index.ts";
import { deliver, delivery, fakeScheduler, message, NOW } from "./scheduler.ts";

let log: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
  log = vi.spyOn(console, "warn").mockReturnValue();
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0); // nothing outlives its message
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("what start may answer", () => {
  const answers: { code: string; data?: Record<string, unknown>; verdict: string; logged: boolean }[] = [
    { code: "busy", data: { leaseUntil: "2026-12-01T06:00:40Z" }, verdict: "retry in 41 s", logged: false },
    { code: "busy", data: { leaseUntil: "2026-12-01T05:59:00Z" }, verdict: "retry in 1 s", logged: false },
    {
      code: "busy",
      data: { leaseUntil: "2026-12-31T06:00:00Z" },
      verdict: "retry in 86400 s",
      logged: false,
    },
    { code: "busy", verdict: "retry in 30 s", logged: false },
    {
      code: "not_due",
      data: { leaseUntil: "2026-12-01T05:59:00Z", dueAt: "2026-12-01T06:10:00Z" },
      verdict: "retry in 601 s",
      logged: false,
    },
    { code: "settled", data: { state: "failed" }, verdict: "ack", logged: false },
    { code: "superseded", verdict: "ack", logged: false },
    { code: "cancelled", verdict: "ack", logged: false },
    { code: "not_found", verdict: "ack", logged: true },
    { code: "unauthorized", verdict: "retry in 30 s", logged: true },
  ];

  it.each(answers)("$code $data → $verdict", async ({ code, data, verdict, logged }) => {
    const { runs, refuse } = fakeScheduler();
    runs.start.mockResolvedValue(refuse(code, data));
    const handler = vi.fn();
    expect(await deliver(handler, { RUNS: runs }, message())).toEqual([verdict]);
    expect(handler).not.toHaveBeenCalled();
    expect(log.mock.calls.length > 0).toBe(logged);
  });

  it("asks again with the same worker id when the answer is lost", async () => {
    const { runs } = fakeScheduler();
    runs.start.mockRejectedValueOnce(new Error("Network connection lost."));
    runs.start.mockResolvedValueOnce({ ok: false, error: { code: "overloaded", message: "not now" } });
    expect(await deliver(() => {}, { RUNS: runs }, message())).toEqual(["ack"]);
    expect(new Set(runs.start.mock.calls.map(([, { worker }]) => worker)).size).toBe(1);
    expect(runs.complete).toHaveBeenCalledOnce();
  });

  it("gives the message back when the scheduler stays out of reach", async () => {
    const { runs } = fakeScheduler();
    runs.start.mockRejectedValue(new Error("Network connection lost."));
    expect(await deliver(() => {}, { RUNS: runs }, message())).toEqual(["retry in 30 s"]);
    expect(runs.start).toHaveBeenCalledTimes(5);
  });
});

describe("reports", () => {
  it("are repeated until accepted, and only then is the message acknowledged", async () => {
    const { runs } = fakeScheduler();
    const one = delivery(message());
    runs.complete.mockImplementationOnce(async () => {
      expect(one.verdict).toBe("none");
      throw new Error("Network connection lost.");
    });
    const done = consume(() => {})({ messages: [one] }, { RUNS: runs });
    await vi.runAllTimersAsync();
    await done;
    expect(one.verdict).toBe("ack");
    expect(runs.complete).toHaveBeenCalledTimes(2);
  });

  it("that get through to nobody leave the message with the queue", async () => {
    const { runs } = fakeScheduler();
    runs.complete.mockRejectedValue(new Error("Network connection lost."));
    expect(await deliver(() => {}, { RUNS: runs }, message())).toEqual(["retry in 30 s"]);
    expect(runs.complete).toHaveBeenCalledTimes(5);
  });

  it("of one who lost the lease meanwhile are dropped", async () => {
    const { runs, lose } = fakeScheduler();
    const handler: Handler<unknown> = (run) => void lose(run.key);
    expect(await deliver(handler, { RUNS: runs }, message())).toEqual(["ack"]);
    expect(runs.fail).not.toHaveBeenCalled();
  });

  it("that are refused for what they say become a failure with that reason", async () => {
    const { runs } = fakeScheduler();
    runs.complete.mockResolvedValue({
      ok: false,
      error: { code: "invalid_field", message: "result is 20 KB, at most 16 KB" },
    });
    expect(await deliver(() => ({ result: "…" }), { RUNS: runs }, message())).toEqual(["ack"]);
    expect(runs.fail).toHaveBeenCalledWith(message().key, {
      token: 7,
      error: "NonRetryable: the report was refused: result is 20 KB, at most 16 KB",
      retryable: false,
    });
  });

  it("bound the text of an error", async () => {
    const { runs } = fakeScheduler();
    await deliver(() => Promise.reject(new Error("x".repeat(100_000))), { RUNS: runs }, message());
    expect(runs.fail.mock.calls[0]?.[1].error).toHaveLength(4_000);
  });
});
