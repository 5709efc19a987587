/** Contract §2.5: attempts, leases, tokens; who may still report, and who no longer. */
import { describe, expect, it } from "vitest";
import type { DefinitionInput } from "../../src/core/schedule.ts";
import { readSchedule } from "../../src/schedule/machine.ts";
import { at, Bell, granted, refusal } from "./harness.ts";

const DAY = 86_400_000;
const SLOT = { slot: at("09:00:00"), variant: "" };
const steady = { jitter: 0 };

/** A daily job at 09:00 with a lease of a minute, dispatched and not started. */
function dispatched(input: Partial<DefinitionInput> = {}): Bell {
  const bell = new Bell("2026-03-02T08:59:00Z");
  const trigger = { cron: "0 9 * * *", timezone: "UTC" };
  granted(bell.put({ trigger, retry: steady, ...input }));
  return bell.to("09:00:00");
}

function running(input: Partial<DefinitionInput> = {}) {
  const bell = dispatched(input);
  const { token } = granted(bell.start(SLOT));
  return { bell, token, ...SLOT };
}

describe("start", () => {
  it("grants the attempt, once", () => {
    const bell = dispatched();
    const grant = granted(bell.start(SLOT, "w1"));
    expect(grant).toMatchObject({
      attempt: 1,
      leaseUntil: "2026-03-02T09:01:00Z",
      deadline: "2026-03-02T09:15:00Z",
      message: { id: "job@2026-03-02T09:00:00Z", attempt: 1, key: "default/job@2026-03-02T09:00:00Z" },
    });
    expect(refusal(bell.start(SLOT, "w2"))).toBe("busy");
  });

  it("gives the same worker the same token again: a lost answer costs nothing", () => {
    const bell = dispatched();
    const first = granted(bell.start(SLOT, "w1"));
    bell.to("09:00:20");
    expect(granted(bell.start(SLOT, "w1"))).toEqual(first);
  });

  it("is found settled once the occurrence has ended", () => {
    const { bell, token } = running();
    granted(bell.command("complete", { ...SLOT, token }));
    expect(refusal(bell.start(SLOT, "w2"))).toBe("settled");
  });

  it("can be faster than the acknowledgement of the sending", () => {
    const bell = new Bell("2026-03-02T08:59:00Z");
    granted(bell.put({ trigger: { cron: "0 9 * * *", timezone: "UTC" } }));
    bell.faults.queueAck = true;
    bell.to("09:00:00");
    expect(bell.open[0]).toMatchObject({ state: "claimed" });
    const { token } = granted(bell.start(SLOT));
    bell.faults.queueAck = false;
    bell.to("09:00:30");
    expect(bell.sent).toHaveLength(1);
    granted(bell.command("complete", { ...SLOT, token }));
    expect(bell.ledger.story).toEqual(["09:00:00 succeeded"]);
  });

  it("with an older attempt number gets the current attempt, where nobody has started it", () => {
    const { bell, token } = running();
    granted(bell.command("fail", { ...SLOT, token, error: "no" }));
    bell.to("09:00:10");
    expect(granted(bell.start({ ...SLOT, attempt: 1 }, "w2"))).toMatchObject({ attempt: 2 });
  });

  it("before the next attempt is due is refused", () => {
    const { bell, token } = running();
    granted(bell.command("fail", { ...SLOT, token, error: "no" }));
    expect(refusal(bell.start(SLOT, "w2"))).toBe("not_due");
  });

  it("sees the lapse of the last lease that was given, whether or not the alarm came", () => {
    const { bell } = running({ retry: { maxAttempts: 1 } });
    bell.now = at("09:01:00");
    expect(refusal(bell.start(SLOT, "w2"))).toBe("settled");
  });
});

describe("a heartbeat", () => {
  it("renews the lease, keeps the progress, and never beyond the deadline", () => {
    const { bell, token } = running({ timeouts: { runMs: 90_000 } });
    bell.to("09:00:45");
    const beat = granted(bell.command("heartbeat", { ...SLOT, token, progress: 0.4, note: "batch 4" }));
    expect(beat).toEqual({ leaseUntil: "2026-03-02T09:01:30Z", cancel: false, newerSucceeded: null });
    expect(bell.open[0]?.progress).toEqual({ value: 0.4, note: "batch 4", at: at("09:00:45") });
  });

  it("keeps a run alive for as long as it comes", () => {
    const { bell, token } = running();
    for (let minute = 0; minute < 14; minute++) {
      bell.to(bell.now + 59_000);
      granted(bell.command("heartbeat", { ...SLOT, token }));
    }
    expect(bell.open[0]).toMatchObject({ state: "running", attempt: 1 });
    expect(bell.sent).toHaveLength(1);
  });
});

describe("a lapsed lease", () => {
  it("is given to another after the backoff, who gets a higher token", () => {
    const { bell, token } = running();
    bell.to("09:01:10");
    expect(bell.sent.map(({ attempt }) => attempt)).toEqual([1, 2]);
    const second = granted(bell.start({ ...SLOT, attempt: 2 }, "w2"));
    expect(second.attempt).toBe(2);
    expect(second.token).toBeGreaterThan(token);
  });

  const REPORTS = [
    {
      name: "renew",
      report: (bell: Bell, token: number) => bell.command("heartbeat", { ...SLOT, token }),
      state: "running",
    },
    {
      name: "complete",
      report: (bell: Bell, token: number) => bell.command("complete", { ...SLOT, token }),
      state: undefined,
    },
    {
      name: "fail",
      report: (bell: Bell, token: number) => bell.command("fail", { ...SLOT, token, error: "no" }),
      state: "retrying",
    },
    {
      name: "defer",
      report: (bell: Bell, token: number) => bell.command("defer", { ...SLOT, token, forMs: 1_000 }),
      state: "deferred",
    },
  ];
  it.each(REPORTS)("lets its holder $name while nobody has replaced them", ({ report, state }) => {
    for (const late of ["09:01:05", "09:01:30"]) {
      const { bell, token } = running();
      bell.to(late);
      expect(report(bell, token).ok).toBe(true);
      expect(bell.open[0]?.state).toBe(state);
      if (bell.open[0]) expect(bell.open[0].attempt).toBe(state === "retrying" ? 2 : 1);
    }
  });

  it.each(REPORTS)(
    "once replaced, its holder's $name is told lease_lost and changes nothing",
    ({ report }) => {
      const { bell, token } = running();
      bell.to("09:01:10");
      granted(bell.start({ ...SLOT, attempt: 2 }, "w2"));
      const before = bell.state;
      expect(refusal(report(bell, token))).toBe("lease_lost");
      expect(bell.state).toEqual(before);
    },
  );

  it("that was renewed withdraws the queued attempt: its message finds the occurrence busy", () => {
    const { bell, token } = running();
    bell.to("09:01:10");
    granted(bell.command("heartbeat", { ...SLOT, token }));
    expect(refusal(bell.start({ ...SLOT, attempt: 2 }, "w2"))).toBe("busy");
    expect(bell.open[0]?.attempts).toHaveLength(1);
  });

  it("with no attempt left fails it at once", () => {
    const { bell, token } = running({ retry: { maxAttempts: 1 } });
    bell.to("09:01:00");
    expect(bell.ledger.story).toEqual(["09:00:00 failed/lease_expired"]);
    expect(refusal(bell.command("complete", { ...SLOT, token }))).toBe("lease_lost");
  });

  it("with no attempt left is over although the alarm is late; a report at that very instant counts", () => {
    const late = running({ retry: { maxAttempts: 1 } });
    late.bell.now = at("09:01:00.001");
    expect(refusal(late.bell.command("complete", { ...SLOT, token: late.token }))).toBe("lease_lost");
    const punctual = running({ retry: { maxAttempts: 1 } });
    punctual.bell.now = at("09:01:00");
    granted(punctual.bell.command("complete", { ...SLOT, token: punctual.token }));
    expect(punctual.bell.ledger.story).toEqual(["09:00:00 succeeded"]);
  });
});

describe("a run longer than timeouts.run", () => {
  const short = { timeouts: { runMs: 120_000 } };

  it("is over, heartbeats or not, and its token void", () => {
    const { bell, token } = running(short);
    bell.to("09:00:50");
    granted(bell.command("heartbeat", { ...SLOT, token }));
    bell.to("09:01:40");
    granted(bell.command("heartbeat", { ...SLOT, token }));
    bell.to("09:02:00");
    expect(bell.open[0]).toMatchObject({ state: "retrying", attempt: 2, token: null });
    expect(refusal(bell.command("complete", { ...SLOT, token }))).toBe("lease_lost");
  });

  it("is over although the alarm is late", () => {
    const { bell, token } = running({ timeouts: { runMs: 60_000, leaseMs: 60_000 } });
    bell.now = at("09:01:00.001");
    expect(refusal(bell.command("heartbeat", { ...SLOT, token }))).toBe("lease_lost");
  });

  it("is over for a late holder too, whose lease lapsed before", () => {
    const { bell, token } = running({ ...short, retry: { ...steady, initialMs: 300_000 } });
    bell.to("09:02:30");
    expect(refusal(bell.command("complete", { ...SLOT, token }))).toBe("lease_lost");
  });
});

describe("a repeated report", () => {
  it("gets the answer of the first: complete", () => {
    const { bell, token } = running();
    const first = granted(bell.command("complete", { ...SLOT, token, result: { rows: 3 } }));
    const again = granted(bell.command("complete", { ...SLOT, token, result: { rows: 3 } }));
    expect(again).toMatchObject({ id: first.id, state: "succeeded" });
    expect(bell.state.health.counts).toEqual({ succeeded: 1 });
  });

  it("gets the answer of the first: fail and defer, while a retry is due", () => {
    const failing = running();
    granted(failing.bell.command("fail", { ...SLOT, token: failing.token, error: "no" }));
    const again = failing.bell.command("fail", { ...SLOT, token: failing.token, error: "no" });
    expect(granted(again)).toMatchObject({ state: "retrying", attempt: 2 });
    const deferring = running();
    granted(deferring.bell.command("defer", { ...SLOT, token: deferring.token, forMs: 60_000 }));
    const deferred = deferring.bell.command("defer", { ...SLOT, token: deferring.token, forMs: 60_000 });
    expect(granted(deferred)).toMatchObject({ state: "deferred", attempt: 1 });
  });

  it("of another kind than the first is stale", () => {
    const { bell, token } = running();
    granted(bell.command("complete", { ...SLOT, token }));
    expect(refusal(bell.command("fail", { ...SLOT, token, error: "no" }))).toBe("lease_lost");
    expect(refusal(bell.command("heartbeat", { ...SLOT, token }))).toBe("lease_lost");
  });
});

describe("defer", () => {
  it("puts the attempt off without using it up", () => {
    const { bell, token } = running();
    granted(bell.command("defer", { ...SLOT, token, forMs: 600_000 }));
    bell.to("09:09:59");
    expect(bell.sent).toHaveLength(1);
    bell.to("09:10:00");
    expect(bell.sent.map(({ attempt }) => attempt)).toEqual([1, 1]);
    expect(granted(bell.start(SLOT, "w2")).attempt).toBe(1);
  });

  it("does not outlive maxElapsed", () => {
    const { bell, token } = running({ retry: { maxElapsedMs: 3_600_000 } });
    granted(bell.command("defer", { ...SLOT, token, forMs: DAY }));
    bell.to("10:00:00");
    expect(bell.ledger.story).toEqual(["09:00:00 expired/max_elapsed"]);
  });
});

describe("retries", () => {
  it("go out by the backoff, until maxAttempts", () => {
    const bell = dispatched();
    for (let attempt = 1; attempt <= 4; attempt++) {
      const { token } = granted(bell.start({ ...SLOT, attempt }, `w${attempt}`));
      granted(bell.command("fail", { ...SLOT, token, error: `no ${attempt}` }));
      bell.to(bell.now + 40_000);
    }
    expect(bell.sent.map((sent) => [sent.attempt, sent.at - at("09:00:00")])).toEqual([
      [1, 0],
      [2, 10_000],
      [3, 60_000],
      [4, 120_000],
    ]);
    expect(bell.ledger.row(SLOT.slot)).toMatchObject({ state: "failed", reason: "max_attempts", attempt: 4 });
    expect(bell.ledger.row(SLOT.slot)?.body.error).toBe("no 4");
  });

  it("stop at once where the handler says so", () => {
    const { bell, token } = running();
    granted(bell.command("fail", { ...SLOT, token, error: "no such book", retryable: false }));
    expect(bell.ledger.story).toEqual(["09:00:00 failed/non_retryable"]);
  });
});

describe("a message that nobody starts", () => {
  it("is sent again after timeouts.start, same attempt, until maxElapsed, once a consumer is known to report", () => {
    const bell = dispatched({ retry: { maxElapsedMs: 3_600_000 } });
    granted(bell.command("complete", { ...SLOT, token: granted(bell.start(SLOT)).token }));
    bell.to("2026-03-03T09:00:00Z");
    bell.to("2026-03-03T12:00:00Z");
    expect(
      bell.sent.slice(1).map(({ attempt, at: sentAt }) => [attempt, sentAt - at("2026-03-03T09:00:00Z")]),
    ).toEqual([0, 15, 30, 45].map((minutes) => [1, minutes * 60_000]));
    expect(bell.ledger.row(at("2026-03-03T09:00:00Z"))).toMatchObject({
      state: "expired",
      reason: "never_started",
    });
  });

  it("stalls the schedule where none has ever reported: nothing is sent again, and health says why", () => {
    const bell = dispatched();
    bell.to("09:14:59");
    expect(granted(readSchedule(bell.world, bell.now)).health.status).toBe("healthy");
    bell.to("09:15:00");
    expect(granted(readSchedule(bell.world, bell.now)).health).toMatchObject({
      status: "stalled",
      message: expect.stringContaining("tracked: false") as string,
    });
    expect(bell.ledger.schedule?.health).toBe("stalled");
    bell.to("14:59:59");
    expect(bell.sent).toHaveLength(1);
    bell.to("15:00:00");
    expect(bell.ledger.row(SLOT.slot)).toMatchObject({ state: "expired", reason: "never_started" });
  });

  it("can be given up by the dead-letter queue: that attempt is used up", () => {
    const bell = dispatched({ retry: { ...steady, maxAttempts: 2 } });
    granted(bell.command("deadLettered", { ...SLOT, attempt: 1 }));
    expect(bell.open[0]).toMatchObject({ state: "retrying", attempt: 2 });
    granted(bell.command("deadLettered", { ...SLOT, attempt: 1 }));
    bell.to("09:00:10");
    granted(bell.command("deadLettered", { ...SLOT, attempt: 2 }));
    expect(bell.ledger.story).toEqual(["09:00:00 expired/dead_lettered"]);
  });
});
