/** The timelines of the contract's policies, by the machine itself: §2.2 overlap, §2.3 catch-up, pauses and failures. */
import { describe, expect, it } from "vitest";
import type { DefinitionInput } from "../../src/core/schedule.ts";
import { simulate, SIMULATED_STEPS_MAX, type SimulateRequest } from "../../src/schedule/simulate.ts";
import { at, granted, refusal } from "./harness.ts";

function ask(definition: Partial<DefinitionInput>, more: Partial<SimulateRequest> = {}): SimulateRequest {
  return {
    namespace: "default",
    name: "job",
    definition: { trigger: { every: "10m" }, target: { queue: "LIBRARY" }, ...definition },
    from: at("09:00:00"),
    until: at("10:00:00"),
    downtime: [],
    pauses: [],
    run: { durationsMs: [60_000], failEvery: null },
    ...more,
  };
}

const away = (from: string, to: string) => [{ from: at(from), to: at(to) }];

/** `09:10 succeeded`, `09:20 skipped/overlap`; gap rows as `09:10..09:30 ×3 missed`. */
function timeline(request: SimulateRequest): string[] {
  const { occurrences, gaps } = granted(simulate(request));
  const time = (text: string) => text.slice(11, 16);
  const rows = occurrences.map(({ scheduledFor, id, state, reason }) => {
    const variant = /~.*$/.exec(id)?.[0] ?? "";
    return `${time(scheduledFor)}${variant} ${state}${reason ? `/${reason}` : ""}`;
  });
  const spans = gaps.map(({ from_at, to_at, count, reason }) => {
    const [from, to] = [from_at, to_at].map((ms) => time(new Date(ms).toISOString()));
    return `${from}..${to} ×${count} ${reason}`;
  });
  return [...rows, ...spans].toSorted();
}

describe("overlap", () => {
  const long = { run: { durationsMs: [15 * 60_000], failEvery: null }, until: at("09:40:00") };

  it.each([
    {
      overlap: "skip",
      told: ["09:10 succeeded", "09:20 skipped/overlap", "09:30 running", "09:40 skipped/overlap"],
    },
    {
      overlap: "buffer_one",
      told: ["09:10 succeeded", "09:20 succeeded", "09:30 running", "09:40 buffered"],
    },
    {
      overlap: "buffer_all",
      told: ["09:10 succeeded", "09:20 succeeded", "09:30 running", "09:40 buffered"],
    },
    {
      overlap: "terminate_other",
      told: [
        "09:10 cancelled/terminated",
        "09:20 cancelled/terminated",
        "09:30 cancelled/terminated",
        "09:40 running",
      ],
    },
    { overlap: "allow", told: ["09:10 succeeded", "09:20 succeeded", "09:30 running", "09:40 running"] },
  ] as const)("$overlap", ({ overlap, told }) => {
    expect(timeline(ask({ overlap }, long))).toEqual(told);
  });

  it("a run that ends at t does not block t, and a lease is kept alive", () => {
    const request = ask(
      { timeouts: { leaseMs: 60_000 } },
      { run: { durationsMs: [10 * 60_000], failEvery: null } },
    );
    expect(timeline(request)).toEqual(
      ["09:10", "09:20", "09:30", "09:40", "09:50"].map((t) => `${t} succeeded`).concat("10:00 running"),
    );
  });
});

describe("catch-up after downtime", () => {
  const downtime = away("09:05:00", "09:42:00");

  it.each([
    {
      catchUp: { policy: "skip" },
      told: ["09:10..09:30 ×3 missed", "09:40 succeeded", "09:50 succeeded", "10:00 running"],
    },
    {
      catchUp: { policy: "latest" },
      told: ["09:10..09:30 ×3 coalesced", "09:40 succeeded", "09:50 succeeded", "10:00 running"],
    },
    {
      catchUp: { policy: "all" },
      told: [
        "09:10 succeeded",
        "09:20 succeeded",
        "09:30 succeeded",
        "09:40 succeeded",
        "09:50 succeeded",
        "10:00 running",
      ],
    },
    {
      catchUp: { policy: "all", limit: 1 },
      told: [
        "09:10..09:20 ×2 catch_up_limit",
        "09:30 succeeded",
        "09:40 succeeded",
        "09:50 succeeded",
        "10:00 running",
      ],
    },
  ] as const)("$catchUp", ({ catchUp, told }) => {
    expect(timeline(ask({ catchUp }, { downtime }))).toEqual(told);
  });

  it("holds a report back until the scheduler is there again", () => {
    const { occurrences } = granted(simulate(ask({}, { downtime: away("09:10:30", "09:15:00") })));
    expect(occurrences[0]).toMatchObject({ state: "succeeded", finishedAt: "2026-03-02T09:15:00Z" });
  });

  it("counts a year of seconds as one gap", () => {
    const { gaps, counts } = granted(
      simulate(
        ask(
          { trigger: { every: "1s" } },
          {
            downtime: [{ from: at("09:00:00") + 1, to: at("2027-03-02T09:00:00Z") }],
            until: at("2027-03-02T09:00:01Z"),
          },
        ),
      ),
    );
    expect(gaps).toMatchObject([{ count: 365 * 86_400 - 1, reason: "coalesced" }]);
    expect(counts).toMatchObject({ skipped: 365 * 86_400, coalesced: 365 * 86_400 - 1, overlap: 1 });
  });
});

describe("pauses", () => {
  it("are recorded on resume, or caught up", () => {
    const pause = { from: at("09:15:00"), to: at("09:45:00") };
    expect(timeline(ask({}, { pauses: [{ ...pause, catchUp: null }] }))).toContain("09:20..09:40 ×3 paused");
    const caughtUp = timeline(ask({}, { pauses: [{ ...pause, catchUp: "latest" }] }));
    expect(caughtUp).toContain("09:20..09:30 ×2 coalesced");
    expect(caughtUp).toContain("09:40 succeeded");
  });
});

it("a schedule that is created paused makes nothing until it is resumed", () => {
  const pauses = [{ from: at("09:01:00"), to: at("09:45:00"), catchUp: null }];
  const told = timeline(ask({}, { paused: true, pauses }));
  expect(told).toEqual(["09:10..09:40 ×4 paused", "09:50 succeeded", "10:00 running"]);
  expect(timeline(ask({}, { paused: true }))).toEqual([]);
});

describe("failures", () => {
  it("are retried as the definition says", () => {
    const request = ask(
      { retry: { maxAttempts: 2, initialMs: 10_000, jitter: 0 } },
      { run: { durationsMs: [5_000], failEvery: 2 } },
    );
    const { occurrences, counts } = granted(simulate(request));
    expect(occurrences.map(({ attempts }) => attempts.length)).toEqual(
      [1, 2, 2, 2, 2, 2].slice(0, occurrences.length - 1).concat(1),
    );
    expect(counts.succeeded).toBe(5);
  });

  it("end a schedule that pauses after them", () => {
    const request = ask(
      { retry: { maxAttempts: 1 }, pauseAfterFailures: 2 },
      { run: { durationsMs: [1_000], failEvery: 1 } },
    );
    expect(timeline(request)).toEqual(["09:10 failed/max_attempts", "09:20 failed/max_attempts"]);
  });
});

describe("the bound", () => {
  it("ends a simulation with what it has, and says how far it came", () => {
    const simulation = granted(
      simulate(
        ask(
          { trigger: { every: "1s" } },
          { until: at("2026-03-03T09:00:00Z"), run: { durationsMs: [0], failEvery: null } },
        ),
      ),
    );
    expect(simulation.truncated).toBe(true);
    expect(simulation.reached).toBeLessThan(at("2026-03-02T12:00:00Z"));
    expect(simulation.occurrences.length).toBeLessThan(SIMULATED_STEPS_MAX);
  });

  it("refuses what could not be created", () => {
    expect(refusal(simulate(ask({ trigger: { at: "2026-01-01T00:00:00Z" } })))).toBe("never_fires");
  });
});
