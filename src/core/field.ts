/**
 * One field of a cron pattern: its grammar (OCPS 1.0 §4–5, 1.2 §4, 1.3 §4, 1.4 §4.1–4.2) and what went
 * wrong where. A field is a comma list of terms; each term is one of the shapes in `Term`.
 */

export type FieldName = "second" | "minute" | "hour" | "day-of-month" | "month" | "day-of-week" | "year";

export type Term =
  | { kind: "all"; step: number }
  | { kind: "range"; from: number; to: number; step: number }
  | { kind: "value"; value: number }
  /** `L`, `L-3`: so many days before the month's last. */
  | { kind: "last"; before: number }
  /** `15W`, and `LW` with day null. */
  | { kind: "nearest"; day: number | null }
  /** `MON#2`, and `MON#L` with nth null. */
  | { kind: "nth"; weekday: number; nth: number | null };

export interface Field {
  name: FieldName;
  text: string;
  /** Where the field begins in the pattern. */
  position: number;
  terms: Term[];
  /** A bare `*` or `?`: the field restricts nothing. */
  open: boolean;
}

export interface Mistake {
  field: FieldName;
  position: number;
  found: string;
  expected: string;
  /** What to put in the place of `found`, where that can be guessed. */
  instead?: string;
}

interface Spec {
  min: number;
  max: number;
  names: readonly string[];
  /** The value of the first name. */
  firstName: number;
}

const MONTH_NAMES = [
  "JAN",
  "FEB",
  "MAR",
  "APR",
  "MAY",
  "JUN",
  "JUL",
  "AUG",
  "SEP",
  "OCT",
  "NOV",
  "DEC",
] as const;
const DAY_NAMES = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"] as const;

export const SPECS: Record<FieldName, Spec> = {
  second: { min: 0, max: 59, names: [], firstName: 0 },
  minute: { min: 0, max: 59, names: [], firstName: 0 },
  hour: { min: 0, max: 23, names: [], firstName: 0 },
  "day-of-month": { min: 1, max: 31, names: [], firstName: 0 },
  month: { min: 1, max: 12, names: MONTH_NAMES, firstName: 1 },
  "day-of-week": { min: 0, max: 7, names: DAY_NAMES, firstName: 0 },
  year: { min: 1970, max: 2199, names: [], firstName: 0 },
};

const SUNDAY_AS_SEVEN = 7;

export function parseField(name: FieldName, text: string, position: number): Field | Mistake {
  const terms: Term[] = [];
  const parts = text.split(",");
  let at = position;
  for (const part of parts) {
    const term = parseTerm({ name, spec: SPECS[name], part, at, alone: parts.length === 1 });
    if (isMistake(term)) {
      if (part !== "") return term;
      const filled = parts.filter((other) => other !== "").join(",");
      return { ...term, found: text, position, instead: filled === "" ? undefined : filled };
    }
    terms.push(term);
    at += part.length + 1;
  }
  return { name, text, position, terms, open: text === "*" || text === "?" };
}

export function isMistake(parsed: Field | Term | Mistake | number): parsed is Mistake {
  return typeof parsed === "object" && "expected" in parsed;
}

interface Place {
  name: FieldName;
  spec: Spec;
  part: string;
  at: number;
  /** The only term of its field: some may not stand in a list. */
  alone: boolean;
}

function parseTerm(place: Place): Term | Mistake {
  const { name, part, alone } = place;
  if (part === "") return mistake(place, part, `${expectation(place)} between commas`);
  if (part === "?") return parseQuestion(place);
  if (part.startsWith("+")) {
    return mistake(place, part, "`+` only as the first character of day-of-week", part.slice(1) || undefined);
  }
  if (name === "day-of-month") {
    const special = parseMonthEnd(place) ?? parseNearest(place, alone);
    if (special) return special;
  }
  if (name === "day-of-week") {
    const special = parseNth(place);
    if (special) return special;
  }
  return parseSteps(place);
}

function parseQuestion(place: Place): Term | Mistake {
  const day = place.name === "day-of-month" || place.name === "day-of-week";
  if (day && place.alone) return { kind: "all", step: 1 };
  return mistake(place, "?", day ? "`?` alone in its field" : "`?` only in the two day fields", "*");
}

/** `L`, `L-3` */
function parseMonthEnd(place: Place): Term | Mistake | null {
  const found = /^(l)(?:-(\d+))?$/i.exec(place.part);
  if (!found) return null;
  if (found[1] === "l") return mistake(place, place.part, "`L` in upper case", place.part.toUpperCase());
  const before = Number(found[2] ?? 0);
  if (before > 30 || found[2]?.length === 0) return mistake(place, place.part, "`L-1` to `L-30`");
  return { kind: "last", before };
}

/** `15W`, `LW` */
function parseNearest(place: Place, alone: boolean): Term | Mistake | null {
  const { part } = place;
  if (!/^[^-/]*w$/i.test(part) && !/^\d+w?-\d+w$/i.test(part)) return null;
  const found = /^(L|\d+)W$/.exec(part);
  if (!found) {
    const upper = part.toUpperCase();
    return mistake(
      place,
      part,
      "`W` after a single day, in upper case, such as 15W or LW",
      /^(L|\d+)W$/.test(upper) ? upper : undefined,
    );
  }
  if (!alone) return mistake(place, part, "`W` alone in its field, not in a list");
  if (found[1] === "L") return { kind: "nearest", day: null };
  const day = parseNumber(place, found[1]!, place.at);
  return isMistake(day) ? day : { kind: "nearest", day };
}

/** `5L`, `FRI#L`, `MON#1` */
function parseNth(place: Place): Term | Mistake | null {
  const { part, at } = place;
  if (/^l$/i.test(part)) {
    // Quartz reads it as Saturday; whoever writes it may as well mean the last day of the month.
    return mistake(place, part, "a weekday before `L`, such as 5L or FRI#L", "SAT");
  }
  const found = /^([A-Za-z]{3}|\d+)(?:#(.*)|([Ll]))$/.exec(part);
  if (!found) return null;
  const weekday = parseNumber(place, found[1]!, at);
  if (isMistake(weekday)) return weekday;
  const nth = found[2] ?? found[3]!;
  const nthAt = at + part.length - nth.length;
  if (nth === "l") return mistake({ ...place, at: nthAt }, nth, "`L` in upper case", "L");
  if (nth !== "L" && !/^[1-5]$/.test(nth))
    return mistake({ ...place, at: nthAt }, nth, "an occurrence from 1 to 5, or L for the last");
  return { kind: "nth", weekday: weekday % 7, nth: nth === "L" ? null : Number(nth) };
}

/** `*`, `5`, `1-5`, and a step on `*` or a range. */
function parseSteps(place: Place): Term | Mistake {
  const { part, at, spec, name } = place;
  const slash = part.indexOf("/");
  const base = slash < 0 ? part : part.slice(0, slash);
  let step = 1;
  if (slash >= 0) {
    const text = part.slice(slash + 1);
    const stepPlace = { ...place, at: at + slash + 1 };
    if (!/^\d{1,4}$/.test(text)) return mistake(stepPlace, text, "a whole number after `/`");
    step = Number(text);
    if (step === 0) return mistake(stepPlace, text, "a step of at least 1", "1");
    if (base === "") return mistake(place, part, "`*` or a range before `/`", `*${part}`);
  }
  if (base === "*") return { kind: "all", step };
  const dash = base.indexOf("-", 1);
  if (dash < 0) {
    const value = parseNumber(place, base, at);
    if (isMistake(value)) return value;
    if (slash < 0) return { kind: "value", value };
    const max = name === "day-of-week" ? 6 : spec.max;
    return mistake(place, part, "`*` or a range before `/`", `${base}-${max}/${step}`);
  }
  return parseRange(place, base, dash, step);
}

function parseRange(place: Place, base: string, dash: number, step: number): Term | Mistake {
  const fromText = base.slice(0, dash);
  const toText = base.slice(dash + 1);
  const from = parseNumber(place, fromText, place.at);
  if (isMistake(from)) return from;
  if (toText === "L" && place.name === "day-of-month") {
    return mistake(place, place.part, "numbers at both ends of a range", `${fromText}-31`);
  }
  let to = parseNumber(place, toText, place.at + dash + 1);
  if (isMistake(to)) return to;
  // By name, a range may end on Sunday: SAT-SUN is the weekend.
  if (place.name === "day-of-week" && to < from && toText.toUpperCase() === "SUN") to = SUNDAY_AS_SEVEN;
  if (to < from)
    return mistake(
      place,
      place.part,
      "a range whose end is not before its start",
      unwrapped(place, from, to, step),
    );
  return { kind: "range", from, to, step };
}

/** The list that a range over the turn of its field was meant to be: `22-2` → `22-23,0-2`. */
function unwrapped(place: Place, from: number, to: number, step: number): string | undefined {
  const { spec, name, part } = place;
  if (name === "year") return undefined;
  const size = name === "day-of-week" ? 7 : spec.max - spec.min + 1;
  const label = (value: number) =>
    /[A-Za-z]/.test(part) ? spec.names[value - spec.firstName]! : String(value);
  if (step > 1) {
    const values: number[] = [];
    for (let value = from; value <= to + size; value += step)
      values.push(((value - spec.min) % size) + spec.min);
    return values.map(label).join(",");
  }
  if (name === "day-of-week" && from === SUNDAY_AS_SEVEN) return `0-${to}`;
  const span = (a: number, b: number) => (a === b ? label(a) : `${label(a)}-${label(b)}`);
  return `${span(from, name === "day-of-week" ? 6 : spec.max)},${span(spec.min, to)}`;
}

function parseNumber(place: Place, text: string, at: number): number | Mistake {
  const { spec } = place;
  const here = { ...place, at };
  if (/^\d+$/.test(text)) {
    const value = Number(text);
    if (value >= spec.min && value <= spec.max) return value;
    const zero = spec.min === 0 && value === (spec.max === 7 ? 8 : spec.max + 1) && spec.max !== 7;
    return mistake(here, text, expectation(place), zero ? "0" : undefined);
  }
  const index = spec.names.indexOf(text.toUpperCase());
  if (index >= 0) return index + spec.firstName;
  return mistake(
    here,
    text,
    expectation(place),
    /^[A-Za-z]{2,}$/.test(text) ? nearestName(spec, text) : undefined,
  );
}

function expectation(place: Place): string {
  const { min, max, names } = place.spec;
  return names.length ? `${min}–${max} or ${names[0]}–${names.at(-1)}` : `${min}–${max}`;
}

/** The name that shares the most leading letters, if at least two of three letters agree in place. */
function nearestName(spec: Spec, text: string): string | undefined {
  const upper = text.toUpperCase();
  const score = (name: string) => Array.from(name).filter((letter, i) => letter === upper[i]).length;
  const best = spec.names.toSorted((a, b) => score(b) - score(a))[0];
  return best !== undefined && score(best) >= 2 ? best : undefined;
}

function mistake(place: Place, found: string, expected: string, instead?: string): Mistake {
  return { field: place.name, position: place.at, found, expected, instead };
}
