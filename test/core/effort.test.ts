/** What searches may cost is counted, so what is refused is refused everywhere. Timings are printed, not asserted. */
import { describe, expect, it } from "vitest";
import { affordably, metered, purseOf, spend } from "../../src/core/effort.ts";
import { ok } from "../../src/core/errors.ts";
import { preview } from "../../src/core/preview.ts";
import { compile, refuseDear, type TimeRule } from "../../src/core/trigger.ts";

const FROM = Date.UTC(2026, 10, 30);
const zones = Intl.supportedValuesOf("timeZone");
/** 20 triggers of 5 zones each. */
const widest = (cronOf: (i: number) => string) =>
  Array.from({ length: 20 }, (_, i) => ({ cron: cronOf(i), timezone: zones.slice(i * 20, i * 20 + 5) }));
const dates = Array.from({ length: 200 }, (_, i) => ({
  date: new Date(Date.UTC(2027, 0, 1 + i)).toISOString().slice(0, 10),
}));
const second = { cron: "* * * * * *", timezone: "UTC" };
/** All but one second of an hour, and of a day. */
const hourly = [{ cron: "*/2 * * * * *" }, { cron: "1-57/2 * * * * *" }, { cron: "59 1-59 * * * *" }];
const daily = [...hourly, { cron: "59 0 1-23 * * *" }];
const times200 = Array.from({ length: 200 }, (_, i) => ({ cron: `${i % 60} ${i % 24} * * *` }));
const days200 = Array.from({ length: 199 }, (_, i) => ({ cron: `0 0 ${(i % 28) + 1} ${(i % 12) + 1} *` }));

const rule = (trigger: TimeRule["trigger"], exclude: TimeRule["exclude"] = []): TimeRule => ({
  trigger,
  exclude,
  startAt: null,
  endAt: null,
});

const RULES: { what: string; asked: TimeRule; kept: boolean; shown: boolean }[] = [
  { what: "every quarter of an hour", asked: rule({ every: "15m" }), kept: true, shown: true },
  {
    what: "20 × 5 zones, 200 times excluded",
    asked: rule(
      widest((i) => `${i} * * * *`),
      times200,
    ),
    kept: true,
    shown: true,
  },
  {
    what: "20 × 5 zones, 200 dates excluded",
    asked: rule(
      widest((i) => `0 ${i} * * *`),
      dates,
    ),
    kept: true,
    shown: true,
  },
  {
    what: "29 February in 100 zones",
    asked: rule(
      widest((i) => `0 ${i} 29 2 *`),
      dates,
    ),
    kept: true,
    shown: false,
  },
  { what: "one second of each day left", asked: rule(second, daily), kept: false, shown: false },
  {
    what: "one second of each hour left, in 100 zones",
    asked: rule(
      widest(() => "* * * * * *"),
      hourly,
    ),
    kept: false,
    shown: false,
  },
  {
    what: "160 years left out day by day",
    asked: rule({ cron: "0 0 * * *", timezone: "Europe/Berlin" }, [
      ...days200,
      { cron: "* * * * * * 2027-2190" },
    ]),
    kept: false,
    shown: true,
  },
];

describe("what a rule may cost", () => {
  it.each(RULES)("$what: kept $kept, a thousand slots shown $shown", ({ what, asked, kept, shown }) => {
    const begin = performance.now();
    const made = compile(asked);
    if (!made.ok) throw new Error(made.error.message);
    const tried = metered(() => refuseDear(made.value, FROM));
    const looked = metered(() =>
      preview({ rule: asked, jitterMs: 0, seed: "", from: FROM, until: null, count: 1000 }),
    );
    const ms = Math.round(performance.now() - begin);
    console.log(`${what}: ${tried.steps} steps to keep, ${looked.steps} to show, ${ms} ms`);
    const refused = { ok: false, error: { code: "too_expensive", pointer: "/trigger" } };
    if (kept) expect(tried.value).toBeNull();
    else expect(tried.value).toMatchObject(refused);
    expect(looked.value).toMatchObject(shown ? { ok: true } : refused);
  });

  it("is the same whether it was asked before or not", () => {
    const asked = rule({ cron: "7 7 * * *", timezone: "Asia/Tokyo" }, dates);
    const [first, again] = [metered(() => compile(asked)), metered(() => compile(asked))];
    expect(first.steps).toBeGreaterThan(0);
    expect(again.steps).toBe(first.steps);
  });
});

describe("a budget", () => {
  const spending = (steps: number) => () => ok(spend(steps));

  it("is refused when it is passed, and over when its call is", () => {
    expect(affordably(10, spending(10)).ok).toBe(true);
    expect(affordably(10, spending(11))).toMatchObject({ ok: false, error: { code: "too_expensive" } });
    expect(() => spend(1e9)).not.toThrow();
  });

  it("does not grow inside another", () => {
    expect(affordably(10, () => affordably(100, spending(11))).ok).toBe(false);
    const twice = () => {
      spend(6);
      return affordably(100, spending(6));
    };
    expect(affordably(10, twice).ok).toBe(false);
  });

  it("is one for many questions", () => {
    const affordably = purseOf(10);
    expect(affordably(spending(6)).ok).toBe(true);
    spend(1e9);
    expect(affordably(spending(4)).ok).toBe(true);
    expect(affordably(spending(1))).toMatchObject({ ok: false, error: { code: "too_expensive" } });
  });

  it("lets what is thrown by others through", () => {
    const broken = () => {
      throw new RangeError("ours");
    };
    expect(() => affordably(10, broken)).toThrow(RangeError);
  });
});
