/**
 * Every clock change of 2000–2040 in more than 40 zones, every gap × fold policy and `auto`, against the
 * walker. `TIME_LONG=1` takes every zone of the runtime and more patterns a night.
 */
import { describe, expect, it } from "vitest";
import { between } from "../../src/core/trigger.ts";
import { cron } from "./ask.ts";
import type { Fold, Gap, Night, Spec } from "./walker.ts";
import { MINUTE, changesOf, nightAround, randomOf, walk, wallOf } from "./walker.ts";

const LONG = process.env["TIME_LONG"] === "1";
const PATTERNS_A_NIGHT = LONG ? 6 : 2;

const ZONES = [
  "Africa/Cairo",
  "Africa/Casablanca",
  "Africa/El_Aaiun",
  "Africa/Juba",
  "Africa/Tripoli",
  "Africa/Windhoek",
  "America/Argentina/San_Luis",
  "America/Argentina/Tucuman",
  "America/Asuncion",
  "America/Caracas",
  "America/Chicago",
  "America/Havana",
  "America/Los_Angeles",
  "America/New_York",
  "America/Nuuk",
  "America/Port-au-Prince",
  "America/Recife",
  "America/Santiago",
  "America/Sao_Paulo",
  "America/St_Johns",
  "Antarctica/Casey",
  "Antarctica/Macquarie",
  "Antarctica/Troll",
  "Asia/Amman",
  "Asia/Beirut",
  "Asia/Dhaka",
  "Asia/Gaza",
  "Asia/Jerusalem",
  "Asia/Kathmandu",
  "Asia/Pyongyang",
  "Asia/Tehran",
  "Asia/Ulaanbaatar",
  "Atlantic/Azores",
  "Atlantic/Stanley",
  "Australia/Adelaide",
  "Australia/Lord_Howe",
  "Australia/Sydney",
  "Europe/Berlin",
  "Europe/Dublin",
  "Europe/Istanbul",
  "Europe/London",
  "Europe/Moscow",
  "Europe/Volgograd",
  "Pacific/Apia",
  "Pacific/Chatham",
  "Pacific/Easter",
  "Pacific/Fakaofo",
  "Pacific/Fiji",
  "Pacific/Norfolk",
  "Pacific/Tongatapu",
];

const GAPS: Gap[] = ["skip", "next", "shift"];
const FOLDS: Fold[] = ["first", "second", "both"];
const POLICIES = GAPS.flatMap((gap) => FOLDS.map((fold) => ({ gap, fold })));
const AUTO_GAP_MAX = 180 * MINUTE;

const all = (size: number) => Array.from({ length: size }, (_, value) => value);

/** A pattern that is likely to name times of that night, as text and as sets. */
function specFor(night: Night, random: () => number): Spec {
  const pick = <T>(options: T[]): T => options[Math.floor(random() * options.length)]!;
  const walls = (night.missing.length > 0 ? night.missing : night.shown).map(({ wall }) => wall);
  const near = () => new Date(pick(walls));
  const step = pick([2, 3, 4, 5, 6, 8]);
  const minute = pick<[string, number[]]>([
    ["*", all(60)],
    ["*/15", [0, 15, 30, 45]],
    ["10-50/20", [10, 30, 50]],
    ["0", [0]],
    [String(near().getUTCMinutes()), [near().getUTCMinutes()]],
    ["5,35", [5, 35]],
  ]);
  if (/^\d+$/.test(minute[0])) minute[1] = [Number(minute[0])];
  const hour = near().getUTCHours();
  const later = Math.min(hour + 2, 23);
  const hours = pick<[string, number[]]>([
    ["*", all(24)],
    [`*/${step}`, all(24).filter((value) => value % step === 0)],
    [String(hour), [hour]],
    [`${hour}-${later}`, all(24).filter((value) => value >= hour && value <= later)],
    [`0,${later}`, [0, later]],
    ["0-23", all(24)],
  ]);
  const date = near();
  const days = pick<[string, string, number[] | null, number[] | null]>([
    ["*", "*", null, null],
    ["*", "*", null, null],
    [String(date.getUTCDate()), "*", [date.getUTCDate()], null],
    ["*", String(date.getUTCDay()), null, [date.getUTCDay()]],
    [String(date.getUTCDate()), "1", [date.getUTCDate()], [1]],
  ]);
  return {
    text: `${minute[0]} ${hours[0]} ${days[0]} * ${days[1]}`,
    minutes: new Set(minute[1]),
    hours: new Set(hours[1]),
    dates: days[2] && new Set(days[2]),
    weekdays: days[3] && new Set(days[3]),
  };
}

function compare(zone: string, night: Night, spec: Spec, random: () => number): void {
  for (const dst of [...POLICIES, "auto" as const]) {
    const expected = walk(night, spec, dst === "auto" ? autoOf(spec, night) : dst);
    const asked = cron(spec.text, zone, { dst });
    const story = `${spec.text} ${zone} ${JSON.stringify(dst)} after ${new Date(night.from).toISOString()}`;
    const found = between(asked, { after: night.from, upTo: night.to, limit: 5_000 });
    expect(found, story).toEqual(expected);
    expect(asked.count(night.from, night.to).count, story).toBe(expected.length);
    // Asked afresh from anywhere in the night, forwards and backwards.
    const at = night.from + Math.floor(random() * (night.to - night.from));
    const next = asked.next(at);
    expect(next !== null && next <= night.to ? next : undefined, `${story}, next(${at})`).toBe(
      expected.find((slot) => slot > at),
    );
    const prev = asked.prev(at);
    expect(prev !== null && prev > night.from ? prev : undefined, `${story}, prev(${at})`).toBe(
      expected.findLast((slot) => slot <= at),
    );
  }
}

function autoOf({ text }: Spec, { jump }: Night): { gap: Gap; fold: Fold } {
  const [minute, hour] = text.split(" ");
  const fixed = !minute!.startsWith("*") && !hour!.startsWith("*");
  if (!fixed) return { gap: "skip", fold: "both" };
  return { gap: jump > AUTO_GAP_MAX ? "skip" : "next", fold: "first" };
}

describe("clock changes of 2000–2040", () => {
  it.each(LONG ? Intl.supportedValuesOf("timeZone") : ZONES)("%s", (zone) => {
    const wall = wallOf(zone);
    for (const change of changesOf(wall, 2000, 2040)) {
      const night = nightAround(wall, change);
      const random = randomOf(change / MINUTE);
      for (let i = 0; i < PATTERNS_A_NIGHT; i++) compare(zone, night, specFor(night, random), random);
    }
  });
});
