import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { consume, type Handler, type Run } from "../../src/consumer/index.ts";
import { delivery, fakeScheduler, LEASE_MS, message, NOW, RUN_MS } from "./scheduler.ts";

const THIRD_MS = LEASE_MS / 3;

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
  vi.spyOn(console, "warn").mockReturnValue();
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0); // a lease leaves no timer behind
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Starts one message whose handler goes on until it is told to end; `run` is what it was given. */
async function begin(scheduler: ReturnType<typeof fakeScheduler>, ending?: Handler<unknown>) {
  const one = delivery(message());
  let run: Run | undefined;
  let release = () => {};
  const handler: Handler<unknown> = async (given, env) => {
    run = given;
    await new Promise<void>((resolve) => (release = resolve));
    return ending?.(given, env);
  };
  const done = consume(handler)({ messages: [one] }, { RUNS: scheduler.runs });
  await vi.advanceTimersByTimeAsync(0);
  if (!run) throw new Error("the handler was not called");
  return {
    run,
    end: async (): Promise<string> => {
      release();
      await done;
      return one.verdict;
    },
  };
}

const renewal = (over: object = {}) => ({
  ok: true as const,
  value: {
    leaseUntil: new Date(Date.now() + LEASE_MS).toISOString(),
    cancel: false,
    newerSucceeded: null,
    ...over,
  },
});

describe("the lease", () => {
  it("is renewed each third of it while the handler awaits, and no more afterwards", async () => {
    const scheduler = fakeScheduler();
    const { end } = await begin(scheduler);
    await vi.advanceTimersByTimeAsync(THIRD_MS - 1);
    expect(scheduler.runs.heartbeat).toHaveBeenCalledTimes(0);
    await vi.advanceTimersByTimeAsync(1 + 4 * THIRD_MS);
    expect(scheduler.runs.heartbeat).toHaveBeenCalledTimes(5);
    expect(await end()).toBe("ack");
  });

  it("is renewed no more often however often the handler has news; the latest goes out", async () => {
    const scheduler = fakeScheduler();
    const { run, end } = await begin(scheduler);
    for (let step = 1; step <= 100; step++) {
      const told = run.heartbeat({ progress: step / 100, note: `batch ${step}` });
      await vi.advanceTimersByTimeAsync(THIRD_MS / 50);
      await told;
    }
    expect(scheduler.runs.heartbeat).toHaveBeenCalledTimes(2);
    expect(scheduler.runs.heartbeat).toHaveBeenLastCalledWith(
      run.key,
      expect.objectContaining({ token: 7, progress: expect.closeTo(1, 1) }),
    );
    await end();
  });

  it("is renewed by a handler that never waits for anything but its heartbeats", async () => {
    const scheduler = fakeScheduler();
    const handler: Handler<unknown> = async (run) => {
      for (let step = 0; step < 3; step++) {
        vi.setSystemTime(Date.now() + THIRD_MS);
        await run.heartbeat();
      }
    };
    const done = consume(handler)({ messages: [delivery(message())] }, { RUNS: scheduler.runs });
    await vi.runAllTimersAsync();
    await done;
    expect(scheduler.runs.complete).toHaveBeenCalledOnce();
  });

  it("survives renewals that fail: it is ours until another attempt starts", async () => {
    const scheduler = fakeScheduler();
    const { run, end } = await begin(scheduler);
    scheduler.runs.heartbeat.mockRejectedValueOnce(new Error("Network connection lost."));
    scheduler.runs.heartbeat.mockResolvedValueOnce(scheduler.refuse("overloaded"));
    await vi.advanceTimersByTimeAsync(3 * THIRD_MS);
    expect(scheduler.runs.heartbeat).toHaveBeenCalledTimes(3);
    expect(run.signal.aborted).toBe(false);
    expect(await end()).toBe("ack");
    expect(scheduler.settled.get(run.key)).toBe("succeeded");
  });

  it("is not lost to news that the scheduler refuses", async () => {
    const scheduler = fakeScheduler();
    const { run, end } = await begin(scheduler);
    scheduler.runs.heartbeat.mockResolvedValueOnce(scheduler.refuse("invalid_field"));
    const told = run.heartbeat({ note: "x".repeat(10_000) });
    await vi.advanceTimersByTimeAsync(2 * THIRD_MS);
    await told;
    expect(scheduler.runs.heartbeat).toHaveBeenLastCalledWith(run.key, { token: 7 });
    expect(await end()).toBe("ack");
  });

  it("tells of a later slot that succeeded meanwhile", async () => {
    const scheduler = fakeScheduler();
    const { run, end } = await begin(scheduler);
    scheduler.runs.heartbeat.mockResolvedValueOnce(renewal({ newerSucceeded: "2026-12-01T06:15:00Z" }));
    expect(run.newerSucceeded).toBeNull();
    await vi.advanceTimersByTimeAsync(THIRD_MS);
    expect(run.newerSucceeded).toBe("2026-12-01T06:15:00Z");
    await end();
  });
});

describe("the signal", () => {
  it("aborts when the lease is lost, and the result is dropped without a report", async () => {
    const scheduler = fakeScheduler();
    const { run, end } = await begin(scheduler, () => ({ result: "too late" }));
    scheduler.lose(run.key);
    await vi.advanceTimersByTimeAsync(THIRD_MS);
    expect(run.signal.reason).toEqual(new Error("lease_lost"));
    await vi.advanceTimersByTimeAsync(10 * THIRD_MS);
    expect(scheduler.runs.heartbeat).toHaveBeenCalledTimes(1);
    expect(await end()).toBe("ack");
    expect(scheduler.runs.complete).not.toHaveBeenCalled();
    expect(scheduler.runs.fail).not.toHaveBeenCalled();
  });

  it("stays silent even about a throw, once the lease is lost", async () => {
    const scheduler = fakeScheduler();
    const { run, end } = await begin(scheduler, (run) => run.signal.throwIfAborted());
    scheduler.lose(run.key);
    await vi.advanceTimersByTimeAsync(THIRD_MS);
    expect(await end()).toBe("ack");
    expect(scheduler.runs.fail).not.toHaveBeenCalled();
  });

  it("aborts on cancel; who then returns nothing says that it stopped", async () => {
    const scheduler = fakeScheduler();
    const { run, end } = await begin(scheduler);
    scheduler.runs.heartbeat.mockResolvedValueOnce(renewal({ cancel: true }));
    await vi.advanceTimersByTimeAsync(THIRD_MS);
    expect(run.signal.reason).toEqual(new Error("cancelled"));
    await vi.advanceTimersByTimeAsync(2 * THIRD_MS); // winding down under the lease
    expect(scheduler.runs.heartbeat).toHaveBeenCalledTimes(3);
    expect(await end()).toBe("ack");
    expect(scheduler.runs.fail).toHaveBeenCalledWith(run.key, {
      token: 7,
      error: "Error: stopped: cancelled",
      retryable: true,
    });
  });

  it("aborts on cancel; who then returns a result says that the work was done all the same", async () => {
    const scheduler = fakeScheduler();
    const { run, end } = await begin(scheduler, () => ({ result: "all sent" }));
    scheduler.runs.heartbeat.mockResolvedValueOnce(renewal({ cancel: true }));
    await vi.advanceTimersByTimeAsync(THIRD_MS);
    expect(await end()).toBe("ack");
    expect(scheduler.settled.get(run.key)).toBe("succeeded");
  });

  it("of a cancelled run that loses its lease too is silent as well", async () => {
    const scheduler = fakeScheduler();
    const { run, end } = await begin(scheduler);
    scheduler.runs.heartbeat.mockResolvedValueOnce(renewal({ cancel: true }));
    await vi.advanceTimersByTimeAsync(THIRD_MS);
    scheduler.lose(run.key);
    await vi.advanceTimersByTimeAsync(THIRD_MS);
    expect(await end()).toBe("ack");
    expect(scheduler.runs.fail).not.toHaveBeenCalled();
  });

  it("aborts at the deadline, after which nothing is renewed", async () => {
    const scheduler = fakeScheduler();
    const { run, end } = await begin(scheduler);
    await vi.advanceTimersByTimeAsync(RUN_MS - 1);
    expect(run.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(run.signal.reason).toEqual(new Error("deadline"));
    const renewed = scheduler.runs.heartbeat.mock.calls.length;
    await vi.advanceTimersByTimeAsync(LEASE_MS);
    expect(scheduler.runs.heartbeat).toHaveBeenCalledTimes(renewed);
    expect(await end()).toBe("ack");
    expect(scheduler.runs.fail).toHaveBeenCalledOnce();
  });
});
