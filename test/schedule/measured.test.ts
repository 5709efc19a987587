/** Measured, not asserted: how many leases 50 racers get, how many runs overlap, what grows when everything fails. */
import { describe, expect, it } from "vitest";
import { OVERLAPS } from "../../src/core/schedule.ts";
import { at, Bell, granted } from "./harness.ts";
import { work } from "./workshop.ts";

const SECOND = 1_000;

describe("50 racers for one occurrence", () => {
  const race = (bell: Bell, attempt: number) => {
    const slot = { slot: at("09:00:00"), variant: "", attempt };
    return Array.from({ length: 50 }, (_, n) => bell.start(slot, `racer ${n} of ${attempt}`));
  };

  it("get exactly one lease; again after it lapsed; and of all tokens only the last one settles", () => {
    const bell = new Bell("2026-03-02T08:59:00Z");
    granted(bell.put({ trigger: { cron: "0 9 * * *", timezone: "UTC" }, retry: { jitter: 0 } }));
    bell.to("09:00:00");
    const first = race(bell, 1);
    expect(first.filter(({ ok }) => ok)).toHaveLength(1);
    expect(new Set(first.map((reply) => (reply.ok ? "granted" : reply.error.code)))).toEqual(
      new Set(["granted", "busy"]),
    );
    bell.to("09:01:10");
    const second = race(bell, 2);
    expect(second.filter(({ ok }) => ok)).toHaveLength(1);
    const tokens = [...first, ...second].flatMap((reply) => (reply.ok ? [reply.value.token] : []));
    const settled = tokens.map(
      (token) => bell.command("complete", { slot: at("09:00:00"), variant: "", token }).ok,
    );
    expect(settled).toEqual([false, true]);
  });
});

describe("a job of 2.5 s on a schedule of every second, for 30 s", () => {
  const PEAKS = {
    skip: 1,
    buffer_one: 1,
    buffer_all: 1,
    cancel_other: 1,
    terminate_other: 1,
    allow: 3,
  } as const;

  it.each(OVERLAPS)("under %s", (overlap) => {
    const bell = new Bell("2026-03-02T09:00:00Z");
    granted(bell.put({ trigger: { every: "1s" }, overlap }));
    const { starts, stopped, peak } = work(bell, { takesMs: 2_500, until: "09:00:30" });
    const { counts } = bell.state.health;
    const waiting = bell.state.waiting.reduce((sum, range) => sum + range.count, 0);
    const skipped = (counts.overlap ?? 0) + (counts.buffer_full ?? 0) + (counts.superseded ?? 0);
    console.log(
      `${overlap.padEnd(15)} 30 slots: ${starts.length} began, ${stopped.length} stopped, ${skipped} skipped, ${waiting} wait; at most ${peak} at once`,
    );
    expect(peak).toBe(PEAKS[overlap]);
    expect(starts.length + skipped + waiting).toBe(30);
  });
});

describe("a schedule of every second whose consumer always throws", () => {
  it("goes on for five minutes, retries as configured, and nothing grows", () => {
    const bell = new Bell("2026-03-02T09:00:00Z");
    const retry = { maxAttempts: 3, initialMs: 2 * SECOND, factor: 2, jitter: 0 };
    granted(bell.put({ trigger: { every: "1s" }, overlap: "buffer_all", maxBuffered: 10, retry }));
    let largest = 0;
    const began = new Map<number, number[]>();
    const throwing = () => {
      for (const { slot, variant, attempt } of bell.queue.splice(0)) {
        const { token } = granted(bell.start({ slot, variant, attempt }, `${slot} ${attempt}`));
        began.set(slot, [...(began.get(slot) ?? []), bell.now]);
        granted(bell.command("fail", { slot, variant, token, error: "x".repeat(500) }));
      }
      largest = Math.max(largest, JSON.stringify(bell.state).length);
    };
    bell.to("09:05:00", throwing);
    const waits = [...began.values()].filter((instants) => instants.length === 3);
    for (const [first = 0, second = 0, third = 0] of waits)
      expect([second - first, third - second]).toEqual([2 * SECOND, 4 * SECOND]);
    const slots = [...bell.ledger.occurrences.values()].length;
    const skipped = [...bell.ledger.gaps.values()].reduce((sum, { count }) => sum + count, 0);
    const waiting = bell.state.waiting.reduce((sum, range) => sum + range.count, 0);
    console.log(
      `always throwing: ${waits.length} failed of ${slots + skipped + waiting} slots, state at most ${largest} bytes`,
    );
    expect(slots + skipped + waiting).toBe(300);
    expect(bell.state.status).toBe("active");
    expect(largest).toBeLessThan(40_000);
    expect(bell.state.rows).toEqual([]);
  });
});
