/** What people, workers, the platform and bad luck may do to a schedule, as data that fast-check can draw and shrink. */
import * as fc from "fast-check";
import { CATCH_UP_POLICIES, OVERLAPS, type DefinitionInput } from "../../src/core/schedule.ts";
import type { Exclusion } from "../../src/core/trigger.ts";
import { at, CRASH_POINTS } from "./harness.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
export const START = at("2026-03-28T20:00:00Z"); // some hours before Berlin's clocks go forward

const TRIGGERS: DefinitionInput["trigger"][] = [
  { every: "10s" },
  { every: "10s" },
  { every: "20s" },
  { every: "1m" },
  { every: "1m", anchor: "2026-01-01T00:00:30Z" },
  { every: "7m" },
  { cron: "* * * * *", timezone: "UTC" },
  { cron: "*/20 * * * *", timezone: "Europe/Berlin" },
  { cron: "30 2 * * *", timezone: "Europe/Berlin" },
  { after: "30s" },
  { after: "10m" },
  { at: "2026-03-28T21:00:00Z" },
  { in: "5m" },
  [{ every: "1m" }, { cron: "*/5 * * * *", timezone: "UTC" }, { at: "2026-03-28T20:30:30Z" }],
];

const duration = (...choices: number[]) => fc.constantFrom(...choices);

/** Never refused for its own sake: what doesn't go together is left out. Some begin and end within hours of `start`. */
export const definitionWith = (
  triggers: DefinitionInput["trigger"][],
  start: number,
): fc.Arbitrary<Partial<DefinitionInput>> =>
  fc
    .record({
      trigger: fc.constantFrom(...triggers),
      tracked: fc.constantFrom(true, true, false),
      overlap: fc.constantFrom(...OVERLAPS),
      maxConcurrent: fc.integer({ min: 1, max: 3 }),
      maxBuffered: fc.integer({ min: 1, max: 4 }),
      maxContinuations: fc.integer({ min: 0, max: 2 }),
      jitterMs: duration(0, 0, 5 * SECOND, 10 * MINUTE),
      maxOccurrences: fc.constantFrom(null, null, null, null, null, 1, 3),
      endAt: fc.constantFrom(null, null, null, null, null, start + 90 * MINUTE),
      startAt: fc.constantFrom(null, null, null, null, null, start + 5 * MINUTE),
      exclude: fc.constantFrom<Exclusion[]>([], [], [{ cron: "1-3 * * * *" }]),
      afterCompletion: fc.constantFrom("keep", "keep", "keep", "delete"),
      pauseAfterFailures: fc.constantFrom(null, null, 1, 2),
      catchUp: fc.record({
        policy: fc.constantFrom(...CATCH_UP_POLICIES),
        limit: fc.integer({ min: 1, max: 4 }),
        windowMs: fc.constantFrom(null, null, 90 * SECOND, 20 * MINUTE),
        graceMs: duration(0, 2 * SECOND, 5 * MINUTE),
        rate: fc.integer({ min: 1, max: 3 }),
      }),
      retry: fc.record({
        maxAttempts: fc.integer({ min: 1, max: 3 }),
        initialMs: duration(SECOND, 20 * SECOND),
        maxMs: duration(MINUTE),
        maxElapsedMs: duration(MINUTE, 10 * MINUTE, 360 * MINUTE),
        untilNextSlot: fc.boolean(),
      }),
      timeouts: fc.record({
        startMs: duration(20 * SECOND, 15 * MINUTE),
        leaseMs: duration(5 * SECOND, MINUTE),
        runMs: duration(MINUTE, 15 * MINUTE),
        cancelMs: duration(10 * SECOND, MINUTE),
      }),
    })
    .map(coherent);

export const definition = definitionWith(TRIGGERS, START);

type Drawn = { [K in Exclude<keyof DefinitionInput, "trigger">]?: DefinitionInput[K] } & Pick<
  DefinitionInput,
  "trigger"
>;

function coherent(drawn: Drawn): Partial<DefinitionInput> {
  const { maxConcurrent, exclude, ...input } = drawn;
  const tracked = input.tracked === true;
  const overlap = tracked ? input.overlap : "allow";
  const isDelay = "after" in input.trigger;
  const base = { ...input, overlap, retentionMs: 3_660 * 86_400_000 };
  if (isDelay) {
    const retry = { ...input.retry, untilNextSlot: false };
    return { ...base, tracked: true, overlap: overlap === "allow" ? "skip" : overlap, retry };
  }
  return { ...base, exclude, ...(overlap === "allow" ? {} : { maxConcurrent }) };
}

/** Counted from the newest: what just happened is mostly what is acted upon. */
const pick = fc.constantFrom(0, 0, 0, 0, 0, 1, 1, 2, 5);
/** A grant, counted from the newest, or the last that was replaced, if any was. */
const whose = fc.oneof(
  { weight: 2, arbitrary: pick },
  { weight: 1, arbitrary: fc.constant("replaced" as const) },
);
const span = fc.constantFrom(
  1,
  999,
  SECOND,
  SECOND,
  3 * SECOND,
  7 * SECOND,
  31 * SECOND,
  MINUTE,
  4 * MINUTE,
  21 * MINUTE,
);

const calls = [
  { weight: 2, arbitrary: fc.record({ do: fc.constant("put" as const), input: definition }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("patch" as const), input: definition, whole: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("pause" as const), forMs: fc.option(span) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("resume" as const),
      catchUp: fc.option(fc.constantFrom(...CATCH_UP_POLICIES)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("remove" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("trigger" as const),
      overlap: fc.option(fc.constantFrom(...OVERLAPS), { nil: undefined }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("cancel" as const), pick }) },
];

const clock = [
  { weight: 32, arbitrary: fc.record({ do: fc.constant("ring" as const) }) },
  { weight: 12, arbitrary: fc.record({ do: fc.constant("pass" as const), ms: span }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("ringEarly" as const), ms: fc.constantFrom(1, 6, 500) }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("sleep" as const), ms: span }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("sleep" as const),
      ms: fc.constantFrom(3 * 3_600_000, 40 * 86_400_000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("stepBack" as const), ms: span }) },
];

const worker = [
  { weight: 48, arbitrary: fc.record({ do: fc.constant("deliver" as const), pick, twice: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("drop" as const), pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("startAgain" as const), pick }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("heartbeat" as const), whose }) },
  {
    weight: 28,
    arbitrary: fc.record({ do: fc.constant("complete" as const), whose, workRemaining: fc.boolean() }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("fail" as const),
      whose,
      retryable: fc.boolean(),
      retryAfterMs: fc.option(span),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("defer" as const), whose, forMs: span }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("deadLetter" as const), pick }) },
];

const luck = [
  { weight: 4, arbitrary: fc.record({ do: fc.constant("evict" as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("fault" as const),
      what: fc.constantFrom(
        "queue" as const,
        "ledger" as const,
        "queueAck" as const,
        "ledgerAck" as const,
        "binding" as const,
      ),
    }),
  },
  { weight: 12, arbitrary: fc.record({ do: fc.constant("mend" as const), input: definition }) },
];

const crash = fc.option(fc.constantFrom(...CRASH_POINTS), { freq: 9 });

/** One thing that happens, and where the process dies while it does (mostly nowhere). */
export const action = fc.record({ what: fc.oneof(...calls, ...clock, ...worker, ...luck), crash });
export type Action = typeof action extends fc.Arbitrary<infer A> ? A : never;
