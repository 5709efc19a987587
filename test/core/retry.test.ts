import { describe, expect, it } from "vitest";
import { DEFAULTS } from "../../src/core/limits.ts";
import { afterFailure, backoff, type Aftermath, type FailedAttempt } from "../../src/core/retry.ts";
import type { Retry } from "../../src/core/schedule.ts";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const steady: Retry = { ...DEFAULTS.RETRY, jitter: 0 };
const NOW = Date.UTC(2026, 2, 2, 10);

describe("the backoff doubles up to its maximum", () => {
  const ROWS = [
    { attempt: 1, delay: 10 * SECOND },
    { attempt: 2, delay: 20 * SECOND },
    { attempt: 3, delay: 40 * SECOND },
    { attempt: 7, delay: 640 * SECOND },
    { attempt: 8, delay: 900 * SECOND },
    { attempt: 100, delay: 900 * SECOND },
  ];
  it.each(ROWS)("after attempt $attempt: $delay ms", ({ attempt, delay }) => {
    expect(backoff(steady, attempt)).toBe(delay);
  });

  it("stays where it is with factor 1", () => {
    expect(backoff({ ...steady, factor: 1 }, 50)).toBe(10 * SECOND);
  });
});

interface Row {
  name: string;
  retry?: Partial<Retry>;
  failed?: Partial<FailedAttempt>;
  expect: Aftermath;
}

const ROWS: Row[] = [
  { name: "the first failure is tried again", expect: { next: "retry", at: NOW + 10 * SECOND } },
  {
    name: "the worker may ask for more time",
    failed: { retryAfterMs: 30 * SECOND },
    expect: { next: "retry", at: NOW + 30 * SECOND },
  },
  {
    name: "the worker may not ask for less",
    failed: { attempt: 2, retryAfterMs: 5 * SECOND },
    expect: { next: "retry", at: NOW + 20 * SECOND },
  },
  {
    name: "what the handler calls hopeless is not tried again",
    failed: { retryable: false },
    expect: { next: "failed", reason: "failed" },
  },
  { name: "the last attempt fails it", failed: { attempt: 4 }, expect: { next: "failed", reason: "failed" } },
  {
    name: "a lapsed lease at the last attempt fails it, with that reason",
    failed: { attempt: 4, reason: "lease_expired" },
    expect: { next: "failed", reason: "lease_expired" },
  },
  {
    name: "one attempt means none after it",
    retry: { maxAttempts: 1 },
    expect: { next: "failed", reason: "failed" },
  },
  {
    name: "the next attempt may begin exactly at maxElapsed",
    failed: { firstDispatchedAt: NOW + 10 * SECOND - 6 * HOUR },
    expect: { next: "retry", at: NOW + 10 * SECOND },
  },
  {
    name: "beyond maxElapsed it expires at once",
    failed: { firstDispatchedAt: NOW + 10 * SECOND - 6 * HOUR - 1 },
    expect: { next: "expired", reason: "max_elapsed" },
  },
  {
    name: "a wish for more time may end it",
    failed: { retryAfterMs: 7 * HOUR },
    expect: { next: "expired", reason: "max_elapsed" },
  },
];

const failedAttempt: FailedAttempt = {
  attempt: 1,
  retryable: true,
  firstDispatchedAt: NOW - 60 * SECOND,
  seed: "default/nightly@1",
  retryAfterMs: null,
  reason: "failed",
};

describe("what follows a failure", () => {
  it.each(ROWS)("$name", ({ retry, failed, expect: expected }) => {
    expect(afterFailure({ ...steady, ...retry }, { ...failedAttempt, ...failed }, NOW)).toEqual(expected);
  });
});

describe("the jitter of a retry", () => {
  const retryAt = (seed: string, attempt = 1, jitter = 0.2) => {
    const after = afterFailure({ ...steady, jitter }, { ...failedAttempt, seed, attempt }, NOW);
    return after.next === "retry" ? after.at - NOW : -1;
  };

  it("is the same for the same occurrence and attempt", () => {
    expect(retryAt("a@1")).toBe(retryAt("a@1"));
  });

  it("spreads to either side, within its share", () => {
    const delays = Array.from({ length: 2_000 }, (_, n) => retryAt(`job@${n}`));
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(8 * SECOND);
    expect(Math.max(...delays)).toBeLessThanOrEqual(12 * SECOND);
    expect(Math.min(...delays)).toBeLessThan(8.1 * SECOND);
    expect(Math.max(...delays)).toBeGreaterThan(11.9 * SECOND);
    const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length;
    expect(Math.abs(mean - 10 * SECOND)).toBeLessThan(100);
  });

  it("differs between attempts", () => {
    expect(retryAt("a@1", 1)).not.toBe(retryAt("a@1", 2) / 2);
  });

  it("never leads into the past, even at its largest", () => {
    for (let n = 0; n < 500; n++) expect(retryAt(`job@${n}`, 1, 1)).toBeGreaterThanOrEqual(0);
  });
});
