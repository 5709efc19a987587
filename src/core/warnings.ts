/** What is legal and was probably not meant. */
import type { Cron } from "./cron.ts";
import { parseCron } from "./cron.ts";
import { dayOf, DAY_SECONDS, SHAPES, shapeLength } from "./calendar.ts";
import type { Field, Term } from "./field.ts";
import { SPECS } from "./field.ts";
import type { Pattern } from "./pattern.ts";
import { patternOf, valuesOf } from "./pattern.ts";
import type { AtTrigger, CronTrigger, TimeRule, Trigger, Warning } from "./rule.ts";
import { parseLocal } from "./time.ts";
import { nextWall } from "./wall.ts";
import type { Zone } from "./zone.ts";
import { AUTO_GAP_MAX, instantsOf, isFixedTime, zoneOf } from "./zone.ts";
import { join } from "./words.ts";

/**
 * The years whose clock changes are looked at. "The coming ones" would need a clock; these do as well:
 * zones that still change do so in every one of them, zones that have given it up in none, and the dates of
 * changes go once through the days that a weekday rule allows.
 */
const SAMPLE_FIRST_YEAR = 2026;
const SAMPLE_LAST_YEAR = 2037;

export function warningsOf({ trigger }: TimeRule): Warning[] {
  return [trigger].flat().flatMap(warningsOfTrigger);
}

function warningsOfTrigger(trigger: Trigger): Warning[] {
  if ("at" in trigger) return atWarnings(trigger);
  if (!("cron" in trigger)) return [];
  const parsed = parseCron(trigger.cron);
  if (!parsed.ok) return [];
  const cron = parsed.value;
  const pattern = patternOf(cron, trigger.monthDay === "clamp");
  const found = [
    largeSteps(cron),
    eitherDay(cron),
    shortMonths(trigger, pattern),
    clockChanges(trigger, pattern),
  ];
  return found.filter((warning) => warning !== null);
}

/** A step that leaves only the first value: a rate of 90 minutes that is none. */
function largeSteps(cron: Cron): Warning | null {
  const fields = [
    cron.second,
    cron.minute,
    cron.hour,
    cron.dayOfMonth,
    cron.month,
    cron.dayOfWeek,
    cron.year,
  ];
  for (const field of fields) {
    const term = field.terms.find((one) => isLargeStep(field, one));
    if (!term || (term.kind !== "all" && term.kind !== "range")) continue;
    const first = term.kind === "range" ? term.from : SPECS[field.name].min;
    return {
      code: "step_larger_than_field",
      message: `\`${cron.text}\`: a step of ${term.step} leaves only ${first} of ${field.name}. Steps start again with each turn of the field; for a rate beyond it use { "every": … }.`,
    };
  }
  return null;
}

function isLargeStep({ name }: Field, term: Term): boolean {
  if (term.kind !== "all" && term.kind !== "range") return false;
  const { min, max } = SPECS[name];
  const size = term.kind === "range" ? term.to - term.from : (name === "day-of-week" ? 6 : max) - min;
  return term.step > 1 && term.step > size;
}

function eitherDay({ text, dayOfMonth, dayOfWeek, bothDays }: Cron): Warning | null {
  if (bothDays || dayOfMonth.open || dayOfWeek.open) return null;
  const both = `${text.slice(0, dayOfWeek.position)}+${text.slice(dayOfWeek.position)}`;
  return {
    code: "day_fields_or",
    message: `\`${text}\` fires when day-of-month or day-of-week matches. To need both, write ${both}.`,
  };
}

function shortMonths({ cron, monthDay }: CronTrigger, pattern: Pattern): Warning | null {
  const february = pattern.months === 1 << 2;
  const fires = (leap: boolean) =>
    Array.from({ length: SHAPES }, (_, shape) => shape).some(
      (shape) => pattern.days[shape] !== 0 && shapeLength(shape) === (leap ? 29 : 28),
    );
  if (february && fires(true) && !fires(false)) {
    return { code: "leap_years_only", message: `\`${cron}\` fires in leap years only.` };
  }
  const late = lateDays(pattern.cron.dayOfMonth);
  const lengths = valuesOf(pattern.cron.month).map((month) =>
    month === 2 ? 28 : [4, 6, 9, 11].includes(month) ? 30 : 31,
  );
  if (monthDay !== undefined || !late.some((day) => lengths.some((length) => day > length))) return null;
  return {
    code: "months_skipped",
    message: `\`${cron}\` makes no slot for day ${join(late.map(String), "or")} in months that lack it. "monthDay": "clamp" runs it on their last day, "skip" says that this is meant; L is the last day of any month.`,
  };
}

/** Days that a month may lack, where they were meant for themselves and not as the end of `1-31` or `*`. */
function lateDays(field: Field): number[] {
  const days = field.terms.flatMap((term) => {
    if (term.kind === "value") return [term.value];
    if (term.kind === "nearest") return term.day === null ? [] : [term.day];
    return term.kind === "range" && term.from > 28 ? [term.from, term.to] : [];
  });
  return [...new Set(days)].filter((day) => day > 28).toSorted((a, b) => a - b);
}

function clockChanges(trigger: CronTrigger, pattern: Pattern): Warning | null {
  const fixed = isFixedTime(pattern.cron);
  // Whoever chose a policy has thought about it; and what fires in every hour just follows elapsed time.
  if (typeof trigger.dst === "object" || (!fixed && pattern.hour.size === 24)) return null;
  for (const name of [trigger.timezone].flat()) {
    const zone = zoneOf(name);
    const changes = zone === null ? null : changesHit(zone, pattern);
    if (!changes || (!changes.gap && !changes.fold)) continue;
    const gap = `do not exist when clocks go forward (${fixed ? "they run at the first instant after the gap" : "they are left out"})`;
    const fold = `exist twice when clocks go back (${fixed ? "the first one counts" : "both count"})`;
    const what = join([...(changes.gap ? [gap] : []), ...(changes.fold ? [fold] : [])], "and");
    return {
      code: "dst_affected",
      message: `\`${trigger.cron}\` in ${name} names local times that ${what}. Preview such a night, and set \`dst\` to choose otherwise.`,
    };
  }
  return null;
}

function changesHit(zone: Zone, pattern: Pattern): { gap: boolean; fold: boolean } {
  const hit = { gap: false, fold: false };
  const within = (from: number, until: number) => nextWall(pattern, from - 1) < until;
  const end = dayOf(SAMPLE_LAST_YEAR + 1, 1, 1) * DAY_SECONDS;
  for (let at = dayOf(SAMPLE_FIRST_YEAR, 1, 1) * DAY_SECONDS; at < end;) {
    const { from, until, offset, before } = zone.spanAt(at);
    const jump = offset - before;
    if (jump > 0 && jump <= AUTO_GAP_MAX) hit.gap ||= within(from + before, from + offset);
    if (jump < 0) hit.fold ||= within(from + offset, from + before);
    at = until;
  }
  return hit;
}

function atWarnings({ at, timezone, dst }: AtTrigger): Warning[] {
  const wall = parseLocal(at);
  const zone = timezone === undefined ? null : zoneOf(timezone);
  if (wall === null || zone === null || typeof dst === "object") return [];
  const instants = instantsOf(zone, Math.floor(wall / 1000), { gap: "skip", fold: "both", gapMax: Infinity });
  if (instants.length === 1) return [];
  const what =
    instants.length === 0
      ? "does not exist (it runs at the first instant after the gap)"
      : "exists twice (the first one counts)";
  return [
    { code: "dst_affected", message: `${at} in ${timezone} ${what}. Set \`dst\` to choose otherwise.` },
  ];
}
