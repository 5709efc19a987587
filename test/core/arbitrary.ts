/** Random rules of the whole dialect, valid by construction. */
import * as fc from "fast-check";
import { ms } from "./ask.ts";

const NAMES = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

function plain(min: number, max: number): fc.Arbitrary<string> {
  const value = fc.integer({ min, max }).map(String);
  const range = fc
    .tuple(fc.integer({ min, max }), fc.integer({ min, max }), fc.integer({ min: 1, max: 20 }), fc.boolean())
    .map(([a, b, step, stepped]) => `${Math.min(a, b)}-${Math.max(a, b)}${stepped ? `/${step}` : ""}`);
  const star = fc.integer({ min: 1, max: max + 5 }).map((step) => `*/${step}`);
  return fc.oneof({ weight: 3, arbitrary: value }, range, star);
}

function field(min: number, max: number, special: fc.Arbitrary<string>[] = []): fc.Arbitrary<string> {
  const term = fc.oneof({ weight: 4, arbitrary: plain(min, max) }, ...special);
  const list = fc.array(term, { minLength: 1, maxLength: 3 }).map((terms) => terms.join(","));
  return fc.oneof({ weight: 2, arbitrary: fc.constant("*") }, { weight: 3, arbitrary: list });
}

const lastDay = fc.oneof(
  fc.constant("L"),
  fc.integer({ min: 1, max: 28 }).map((n) => `L-${n}`),
);
const nearestDay = fc.oneof(
  fc.constant("LW"),
  fc.integer({ min: 1, max: 28 }).map((n) => `${n}W`),
);
const weekday = fc.oneof(fc.integer({ min: 0, max: 7 }).map(String), fc.constantFrom(...NAMES));
const nth = fc
  .tuple(weekday, fc.constantFrom("#1", "#2", "#3", "#4", "#5", "#L"))
  .map((parts) => parts.join(""));

export const patterns: fc.Arbitrary<string> = fc
  .tuple(
    fc.option(field(0, 59), { nil: null }),
    field(0, 59),
    field(0, 23),
    fc.oneof({ weight: 4, arbitrary: field(1, 31, [lastDay]) }, nearestDay),
    field(1, 12),
    fc.tuple(fc.constantFrom("", "", "+"), field(0, 7, [nth, weekday])),
  )
  .map(([second, minute, hour, date, month, [and, day]]) => {
    const dayOfWeek = day === "*" ? day : and + day;
    return [...(second === null ? [] : [second]), minute, hour, date, month, dayOfWeek].join(" ");
  });

export const zones = fc.constantFrom(
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "America/Sao_Paulo",
  "Asia/Kolkata",
  "Africa/Casablanca",
  "Antarctica/Troll",
  "Pacific/Apia",
  "America/Havana",
  "Pacific/Chatham",
  "Asia/Gaza",
);

export const policies = fc.oneof(
  fc.constant("auto"),
  fc.record({
    gap: fc.constantFrom("skip", "next", "shift"),
    fold: fc.constantFrom("first", "second", "both"),
  }),
);

export const crons = fc.record({
  cron: patterns,
  timezone: fc.oneof({ weight: 4, arbitrary: zones }, fc.uniqueArray(zones, { minLength: 2, maxLength: 3 })),
  dst: policies,
  monthDay: fc.constantFrom("skip", "clamp"),
});

const everies = fc
  .tuple(fc.integer({ min: 1, max: 200_000 }), fc.integer({ min: 0, max: 2_000_000_000 }))
  .map(([seconds, anchor]) => ({ every: `${seconds}s`, anchor: new Date(anchor * 1000).toISOString() }));

const dates = fc
  .integer({ min: 0, max: 20_000 })
  .map((day) => new Date(day * 86_400_000).toISOString().slice(0, 10));

export const exclusions = fc.array(
  fc.oneof(
    dates.map((date) => ({ date })),
    fc.tuple(dates, dates).map(([a, b]) => ({ from: a < b ? a : b, to: a < b ? b : a })),
    fc.record({
      cron: fc.constantFrom(
        "* * * * SAT,SUN",
        "* 2-5 * * *",
        "30 2 * * *",
        "*/2 * * * *",
        "* * 29-31 * *",
        "*/7 * 1 * * *",
      ),
    }),
    fc.record({ cron: fc.constantFrom("* * * * MON", "* 0-8 * * *"), timezone: zones }),
  ),
  { maxLength: 3 },
);

export const singles = fc.oneof({ weight: 5, arbitrary: crons }, everies);
export const triggers = fc.oneof(
  { weight: 4, arbitrary: singles },
  fc.array(singles, { minLength: 1, maxLength: 3 }),
);

/** Instants that crowd around clock changes of the zones above. */
export const instants = fc.oneof(
  fc.integer({ min: 0, max: 4_200_000_000 }).map((second) => second * 1000),
  fc
    .tuple(
      fc.constantFrom(
        "2027-03-28T01:00:00Z",
        "2026-10-25T01:00:00Z",
        "2027-03-14T07:00:00Z",
        "2026-04-04T15:00:00Z",
        "2011-12-30T10:00:00Z",
        "2018-11-04T03:00:00Z",
        "2025-02-23T02:00:00Z",
      ),
      fc.integer({ min: -90_000_000, max: 90_000_000 }),
    )
    .map(([at, off]) => ms(at) + off),
);
