/** The days, months and years of a cron pattern in words. */
import type { Cron } from "./cron.ts";
import type { Field, Term } from "./field.ts";
import { valuesOf } from "./pattern.ts";
import { join, ordinal, ranges } from "./words.ts";

const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const NTH = ["", "first", "second", "third", "fourth", "fifth"];

/** `on day 1 of the month or on Monday in January`; empty for every day of every month. */
export function describeDays(cron: Cron, clamp: boolean): string {
  const { dayOfMonth, dayOfWeek, bothDays } = cron;
  const months = valuesOf(cron.month);
  const inMonths = months.length === 12 ? "" : `in ${ranges(months, (month) => MONTHS[month - 1]!, "and")}`;
  const dates = dayOfMonth.open ? "" : `on ${datesOf(dayOfMonth, clamp)}`;
  if (dayOfWeek.open) return words(dates || (inMonths && "every day"), inMonths);
  if (dayOfMonth.open) return words(`on ${weekdaysOf(dayOfWeek, "and")}`, inMonths);
  return bothDays
    ? words(dates, `when it is ${weekdaysOf(dayOfWeek, "or")}`, inMonths)
    : words(dates, `or on ${weekdaysOf(dayOfWeek, "and")}`, inMonths);
}

function words(...parts: string[]): string {
  return parts.filter((part) => part !== "").join(" ");
}

function datesOf(field: Field, clamp: boolean): string {
  const values = valuesOf(field);
  const parts =
    values.length === 0 ? [] : [`day${values.length === 1 ? "" : "s"} ${ranges(values, String, "and")}`];
  for (const term of field.terms) {
    if (term.kind === "last") parts.push(lastOf(term.before));
    if (term.kind === "nearest") parts.push(nearestOf(term.day));
  }
  const moved = clamp && reachesLate(field) ? " (the last day where the month is shorter)" : "";
  return `${join(parts, "and")} of the month${moved}`;
}

function lastOf(before: number): string {
  if (before === 0) return "the last day";
  return `the day ${before === 1 ? "" : `${before} days `}before the last day`;
}

function nearestOf(day: number | null): string {
  return day === null
    ? "the last day from Monday to Friday"
    : `the day from Monday to Friday nearest to day ${day}`;
}

/** Whether the field names a day that some month lacks. */
export function reachesLate(field: Field): boolean {
  const nearest = field.terms.some((term) => term.kind === "nearest" && (term.day ?? 0) > 28);
  return nearest || valuesOf(field).some((value) => value > 28);
}

function weekdaysOf(field: Field, word: "and" | "or"): string {
  // The week is read from Monday, so that a weekend stays together.
  const values = valuesOf(field).map((day) => (day === 0 ? 7 : day));
  const plain = ranges(
    values.toSorted((a, b) => a - b),
    (day) => WEEKDAYS[day]!,
    word,
  );
  const nths = field.terms.filter((term) => term.kind === "nth").map(nthOf);
  if (nths.length === 0) return plain;
  return join(plain === "" ? nths : [plain, ...nths], word) + " of the month";
}

function nthOf({ weekday, nth }: Extract<Term, { kind: "nth" }>): string {
  return `the ${nth === null ? "last" : NTH[nth]} ${WEEKDAYS[weekday]}`;
}

/** `in 2027`, `in 2027 to 2030`, `in every 2nd year from 1971 to 2199`; empty for every year. */
export function describeYears({ year }: Cron): string {
  if (year.open) return "";
  const parts = year.terms.map((term) => {
    if (term.kind === "value") return String(term.value);
    const [from, to] = term.kind === "range" ? [term.from, term.to] : [1970, 2199];
    const step = term.kind === "range" || term.kind === "all" ? term.step : 1;
    return step === 1 ? `${from} to ${to}` : `every ${ordinal(step)} year from ${from} to ${to}`;
  });
  return `in ${join(parts, "and")}`;
}
