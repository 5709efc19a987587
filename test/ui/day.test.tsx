/** The day behind and ahead: what is counted, and what its pictures say. */
import { describe, expect, it } from "vitest";
import type { Bucket, SharedRule } from "../../src/ledger/overview.ts";
import { createAhead } from "../../src/ui/ahead.ts";
import { BUCKET_MS, BUCKETS, behindFrom, behindOf, LATE_BOUNDS } from "../../src/ui/behind.ts";
import { DayAhead } from "../../src/ui/charts/ahead.tsx";
import { hourTicks } from "../../src/ui/charts/axis.tsx";
import { Lateness } from "../../src/ui/charts/lateness.tsx";
import { Outcomes } from "../../src/ui/charts/outcomes.tsx";

const NOW = Date.parse("2026-11-30T12:10:00Z");
const FROM = behindFrom(NOW);
const EMPTY: Bucket = { total: 0, byState: {}, atMost: LATE_BOUNDS.map(() => 0), measured: 0 };

/** All within one bound, and `slow` of them only within the next. */
function bucket(more: Partial<Bucket>, quick = 0, slow = 0, bound = 50): Bucket {
  const at = LATE_BOUNDS.findIndex((one) => one === bound);
  const atMost = LATE_BOUNDS.map((_, i) => (i < at ? 0 : i === at ? quick : quick + slow));
  return { ...EMPTY, ...more, atMost, measured: quick + slow };
}

function day(...last: Bucket[]): Bucket[] {
  return [...Array.from({ length: BUCKETS - last.length }, () => EMPTY), ...last];
}

describe("the day behind", () => {
  it("ends with the half hour that is under way", () => {
    const behind = behindOf(FROM, day(EMPTY), []);
    expect(new Date(behind.to).toISOString()).toBe("2026-11-30T12:30:00.000Z");
    expect(behind.to - behind.from).toBe(86_400_000);
  });

  it("tells percentiles as at most a bound, of each half hour and of all", () => {
    const behind = behindOf(FROM, day(bucket({}, 99, 1), bucket({}, 90, 10)), []);
    expect(behind.stretches.at(-2)?.late).toEqual({ p50: 50, p99: 50 });
    expect(behind.stretches.at(-1)?.late).toEqual({ p50: 50, p99: 100 });
    expect(behind.late).toEqual({ p50: 50, p99: 100 });
    expect(behindOf(FROM, day(), []).late).toEqual({ p50: null, p99: null });
    const never = { ...EMPTY, measured: 3 };
    expect(behindOf(FROM, day(never), []).late).toEqual({ p50: Infinity, p99: Infinity });
  });

  it("counts the slots of a gap row in the half hours that it covers", () => {
    const to = FROM + BUCKETS * BUCKET_MS;
    const gaps = [
      { from_at: FROM - 10 * BUCKET_MS, to_at: FROM + 10 * BUCKET_MS, count: 2_000, reason: "paused" },
      { from_at: to - 5, to_at: to - 5, count: 1, reason: "missed" },
    ];
    const behind = behindOf(FROM, day(bucket({ byState: { skipped: 4 } })), gaps);
    expect(behind.stretches[0]?.byState.skipped).toBe(100);
    expect(behind.stretches[10]?.byState.skipped).toBe(0);
    expect(behind.stretches.at(-1)?.byState.skipped).toBe(5);
    expect(behind.byState.skipped).toBe(1_005);
  });
});

const cron = (pattern: string, count: number, jitterMs = 0): SharedRule => ({
  trigger: { cron: pattern, timezone: "UTC" },
  exclude: [],
  startAt: null,
  endAt: null,
  jitterMs,
  count,
});

describe("the day ahead", () => {
  it("counts each rule once for all that share it, and finds the herd", () => {
    const ahead = createAhead()([cron("0 2 * * *", 500), cron("*/15 * * * *", 2)], NOW);
    const at = (time: string) => ahead.buckets.find(({ from }) => from === Date.parse(time));
    expect(at("2026-12-01T02:00:00Z")).toMatchObject({ slots: 504, peak: 502 });
    expect(at("2026-11-30T14:30:00Z")).toMatchObject({ slots: 4, peak: 2 });
    expect(ahead.herds).toEqual([{ at: Date.parse("2026-12-01T02:00:00Z"), slots: 502 }]);
    expect(ahead.hour).toEqual({ slots: 8, peak: 2 });
    expect(ahead).toMatchObject({ counted: 502, schedules: 502, delays: 0 });
  });

  it("spreads a herd by its jitter", () => {
    const ahead = createAhead()([cron("0 2 * * *", 600, 30 * 60_000)], NOW);
    expect(ahead.herds.every(({ slots }) => slots === 20)).toBe(true);
    expect(ahead.buckets.reduce((sum, { slots }) => sum + slots, 0)).toBe(600);
  });

  it("takes what fires all the time to be even, and says what it can't know", () => {
    const delay: SharedRule = { ...cron("", 3), trigger: { after: "PT1H" } };
    const second: SharedRule = { ...cron("", 1), trigger: { every: "PT1S" } };
    const ahead = createAhead()([second, delay], NOW);
    expect(ahead.buckets.every(({ slots, peak }) => slots === 1_800 && peak === 60)).toBe(true);
    expect(ahead.herds).toEqual([]);
    expect(ahead.delays).toBe(3);
  });

  it("makes a bounded number of rules ready a look, and goes on with the next", () => {
    const look = createAhead();
    const rules = Array.from({ length: 500 }, (_, i) => cron(`${i % 60} ${Math.floor(i / 60)} * * *`, 1));
    expect(look(rules, NOW).counted).toBe(250);
    expect(look(rules, NOW).counted).toBe(500);
  });
});

/** Components are made into text by whoever puts them on a page. */
function draw(picture: { toString(): string }): string {
  return picture.toString();
}

describe("pictures", () => {
  const behind = behindOf(
    FROM,
    day(bucket({ total: 103, byState: { succeeded: 1_000, failed: 1, skipped: 2 } }, 90, 10)),
    [],
  );

  it("of outcomes show one failure among a thousand, hatch what was skipped, and say all of it", () => {
    const svg = draw(<Outcomes behind={behind} zone="Europe/Berlin" now={NOW} />);
    expect(svg).toContain("<desc");
    expect(svg).toContain("In all 1,000 succeeded, 2 skipped, 1 failed.");
    expect(svg).toContain("<title>13:00–13:30: 1,000 succeeded, 2 skipped, 1 failed</title>");
    expect(svg).toContain("<title>12:30–13:00: nothing was due</title>");
    expect(svg).toMatch(/class="tone-bad"[^>]* height="3"/);
    expect(svg).toMatch(/fill="url\(#hatched\)"/);
    expect(svg).not.toContain("NaN");
  });

  it("of lateness say what half and 99 of 100 waited", () => {
    const svg = draw(<Lateness behind={behind} zone="UTC" now={NOW} />);
    expect(svg).toContain("Half left ≤ 50 ms late, 99 of 100 ≤ 100 ms.");
    expect(svg.match(/<circle/g)).toHaveLength(1);
  });

  it("of the day ahead name the herd on the clock that is read", () => {
    const ahead = createAhead()([cron("0 2 * * *", 500)], NOW);
    const svg = draw(<DayAhead ahead={ahead} zone="Asia/Kolkata" now={NOW} />);
    expect(svg).toContain("07:30 × 500");
    expect(svg).toContain("500 slots. Fullest minutes: 500 at 07:30.");
  });

  it("of nothing are drawn too", () => {
    const nothing = behindOf(FROM, day(), []);
    expect(draw(<Outcomes behind={nothing} zone="UTC" now={NOW} />)).toContain("No slot was due.");
    const ahead = createAhead()([], NOW);
    expect(draw(<DayAhead ahead={ahead} zone="UTC" now={NOW} />)).toContain("No slot lies ahead.");
  });

  it("have their hours where the clock has them, also through a change", () => {
    const span = { from: Date.parse("2027-03-27T12:00:00Z"), to: Date.parse("2027-03-28T12:00:00Z") };
    const labels = hourTicks(span, "Europe/Berlin").map(({ label }) => label);
    expect(labels).toEqual(["15:00", "18:00", "21:00", "00:00", "03:00", "06:00", "09:00", "12:00"]);
  });
});
