import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { consume, type Handler, NonRetryable, RetryLater } from "../../src/consumer/index.ts";
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

describe("how a run ends", () => {
  const outcomes: { name: string; handler: Handler<unknown>; report: string; body: object }[] = [
    {
      name: "nothing returned is success",
      handler: () => {},
      report: "complete",
      body: { token: 7, result: null, workRemaining: undefined },
    },
    {
      name: "a result travels as JSON",
      handler: async () => ({ result: { rows: 120, at: new Date(NOW) }, workRemaining: true }),
      report: "complete",
      body: { token: 7, result: { rows: 120, at: "2026-12-01T06:00:00.000Z" }, workRemaining: true },
    },
    {
      name: "a result that is no JSON is a failure",
      handler: async () => ({ result: 10n }),
      report: "fail",
      body: { token: 7, error: "TypeError: Do not know how to serialize a BigInt", retryable: true },
    },
    {
      name: "a throw is a failure that may be retried",
      handler: () => Promise.reject(new Error("mail server down")),
      report: "fail",
      body: { token: 7, error: "Error: mail server down", retryable: true },
    },
    {
      name: "a synchronous throw as well",
      handler: () => {
        throw new Error("no rows");
      },
      report: "fail",
      body: { token: 7, error: "Error: no rows", retryable: true },
    },
    {
      name: "NonRetryable ends it",
      handler: () => Promise.reject(new NonRetryable("no such branch")),
      report: "fail",
      body: { token: 7, error: "NonRetryable: no such branch", retryable: false },
    },
    {
      name: "RetryLater says how long to wait at least",
      handler: () => Promise.reject(new RetryLater("the bank is closed", "10m")),
      report: "fail",
      body: { token: 7, error: "RetryLater: the bank is closed", retryable: true, retryAfter: "10m" },
    },
    {
      name: "defer puts it off",
      handler: (run) => run.defer("10m"),
      report: "defer",
      body: { token: 7, for: "10m" },
    },
    {
      name: "defer holds though the handler catches it",
      handler: async (run) => {
        await Promise.resolve()
          .then(() => run.defer("10m"))
          .catch(() => "swallowed");
        return { result: "carried on" };
      },
      report: "defer",
      body: { token: 7, for: "10m" },
    },
  ];

  it.each(outcomes)("$name", async ({ handler, report, body }) => {
    const { runs } = fakeScheduler();
    expect(await deliver(handler, { RUNS: runs }, message())).toEqual(["ack"]);
    const { complete, fail, defer } = runs;
    const calls = Object.entries({ complete, fail, defer }).flatMap(([name, spy]) =>
      spy.mock.calls.map((call) => ({ name, call })),
    );
    expect(calls).toEqual([{ name: report, call: [message().key, body] }]);
  });

  it("a run that was handed on stays open: it is for another to report, and to keep the lease", async () => {
    const { runs, settled } = fakeScheduler();
    expect(await deliver(() => ({ handedOn: true }), { RUNS: runs }, message())).toEqual(["ack"]);
    expect(settled.size).toBe(0);
    for (const call of [runs.complete, runs.fail, runs.defer, runs.heartbeat]) {
      expect(call).not.toHaveBeenCalled();
    }
  });

  it("gives the handler the message that start repeats, its attempt, token and deadline", async () => {
    const { runs } = fakeScheduler();
    runs.start.mockResolvedValueOnce({
      ok: true,
      value: {
        token: 9,
        attempt: 3,
        leaseUntil: "2026-12-01T06:01:00Z",
        deadline: "2026-12-01T06:15:00Z",
        newerSucceeded: "2026-12-01T06:15:00Z",
        message: message({ payload: { fresh: true }, attempt: 3 }),
      },
    });
    const seen = vi.fn();
    await deliver(
      (run, env) => seen({ ...run }, env),
      { RUNS: runs, DB: "library" },
      message({ attempt: 2 }),
    );
    expect(seen).toHaveBeenCalledWith(
      expect.objectContaining({
        token: 9,
        attempt: 3,
        deadline: "2026-12-01T06:15:00Z",
        newerSucceeded: "2026-12-01T06:15:00Z",
        payload: { fresh: true },
      }),
      { RUNS: runs, DB: "library" },
    );
    expect(runs.start).toHaveBeenCalledWith(message().key, { attempt: 2, worker: expect.any(String) });
  });
});

describe("a batch", () => {
  it("keeps each message's fate apart from its mates'", async () => {
    const { runs } = fakeScheduler();
    const jobs = {
      notices: () => ({ result: "sent" }),
      broken: () => Promise.reject(new Error("broken")),
    };
    const verdicts = await deliver(
      jobs,
      { RUNS: runs },
      { v: 2, key: "default/from-the-future@2026-12-01T06:00:00Z" },
      message({ schedule: "broken" }),
      "not even an object",
      message(),
      null,
    );
    expect(verdicts).toEqual(["retry in 30 s", "ack", "retry in 30 s", "ack", "retry in 30 s"]);
    expect(runs.complete).toHaveBeenCalledOnce();
    expect(runs.fail).toHaveBeenCalledOnce();
  });

  it("runs its messages side by side: a slow one holds up none", async () => {
    const { runs } = fakeScheduler();
    let release = () => {};
    const slow = delivery(message({ schedule: "slow" }));
    const quick = delivery(message({ schedule: "quick" }));
    const jobs = {
      slow: () => new Promise<void>((resolve) => (release = resolve)),
      quick: () => {},
    };
    const done = consume<unknown>(jobs)({ messages: [slow, quick] }, { RUNS: runs });
    await vi.advanceTimersByTimeAsync(0);
    expect([slow.verdict, quick.verdict]).toEqual(["none", "ack"]);
    release();
    await done;
    expect(slow.verdict).toBe("ack");
  });

  it("with the same message twice runs it once, and the copy waits for the lease's end", async () => {
    const { runs } = fakeScheduler();
    const handler = vi.fn(() => new Promise<void>((resolve) => setTimeout(resolve, 5_000)));
    expect(await deliver(handler, { RUNS: runs }, message(), message())).toEqual(["ack", "retry in 61 s"]);
    expect(handler).toHaveBeenCalledOnce();
    expect(await deliver(handler, { RUNS: runs }, message())).toEqual(["ack"]); // the copy comes again: settled
    expect(handler).toHaveBeenCalledOnce();
  });

  it("with attempts out of order runs one of them", async () => {
    const { runs } = fakeScheduler();
    const handler = vi.fn();
    expect(await deliver(handler, { RUNS: runs }, message({ attempt: 2 }))).toEqual(["ack"]);
    expect(await deliver(handler, { RUNS: runs }, message({ attempt: 1 }))).toEqual(["ack"]);
    expect(handler).toHaveBeenCalledOnce();
  });
});

describe("a map of handlers", () => {
  it("fails a tracked occurrence of a schedule it doesn't know, with the reason", async () => {
    const { runs } = fakeScheduler();
    const jobs = { notices: () => {}, report: () => {} };
    expect(await deliver(jobs, { RUNS: runs }, message({ schedule: "constructor" }))).toEqual(["ack"]);
    expect(runs.fail).toHaveBeenCalledWith(message({ schedule: "constructor" }).key, {
      token: 7,
      error: 'NonRetryable: no handler for schedule "constructor", only for notices, report',
      retryable: false,
    });
  });

  it("leaves an untracked one to the dead-letter queue", async () => {
    const verdicts = await deliver(
      { notices: () => {} },
      {},
      message({ schedule: "unknown", tracked: false }),
    );
    expect(verdicts).toEqual(["retry in 30 s"]);
  });
});

describe("untracked", () => {
  it("needs no scheduler: returning acknowledges, throwing retries", async () => {
    const handler: Handler<unknown> = (run) => {
      if (run.payload === "bad") throw new Error("bad");
    };
    const verdicts = await deliver(
      handler,
      {},
      message({ tracked: false }),
      message({ tracked: false, payload: "bad" }),
    );
    expect(verdicts).toEqual(["ack", "retry in 30 s"]);
  });

  it("has no lease: heartbeat does nothing, defer says why it can't", async () => {
    const seen = vi.fn();
    const handler: Handler<unknown> = async (run) => {
      await run.heartbeat({ progress: 0.5 });
      seen(run.token, run.deadline, run.newerSucceeded, run.signal.aborted);
      run.defer("1m");
    };
    expect(await deliver(handler, {}, message({ tracked: false }))).toEqual(["retry in 30 s"]);
    expect(seen).toHaveBeenCalledWith(null, null, null, false);
    expect(log.mock.calls[0]?.[0]).toContain("only a tracked run can be deferred");
  });
});

describe("where to report", () => {
  it("is said by an option, for a binding of another name", async () => {
    const { runs } = fakeScheduler();
    const one = delivery(message());
    const queue = consume<{ SCHEDULER: typeof runs }>(() => {}, { runs: (env) => env.SCHEDULER });
    await queue({ messages: [one] }, { SCHEDULER: runs });
    expect([one.verdict, runs.complete.mock.calls.length]).toEqual(["ack", 1]);
  });

  it("must be known to run a tracked message", async () => {
    const handler = vi.fn();
    expect(await deliver(handler, {}, message())).toEqual(["retry in 30 s"]);
    expect(handler).not.toHaveBeenCalled();
    expect(log.mock.calls[0]?.[0]).toContain("nowhere to report");
  });
});
