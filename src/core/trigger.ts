/**
 * The time rule's door: unknown JSON in, a rule with nothing left to doubt out. What it means in instants
 * is the timetable's (`compile`).
 */
import { formatDay, formatWall, parseDay } from "./calendar.ts";
import { parseCron } from "./cron.ts";
import type { Failure, Result } from "./errors.ts";
import { fail, ok } from "./errors.ts";
import type { DstChoice, Exclusion, InTrigger, Trigger } from "./rule.ts";
import { nearest } from "./spelling.ts";
import { formatDuration, formatInstant, parseDuration, parseInstant, parseLocal, quote } from "./time.ts";
import { isTimezone } from "./zone.ts";

export type * from "./rule.ts";
export { between, canFire, compile, effectiveAt } from "./timetable.ts";

export const TRIGGERS_MAX = 20;
export const TIMEZONES_MAX = 50;
export const EXCLUSIONS_MAX = 200;
/** The smallest spacing of slots. */
export const EVERY_MS_MIN = 1000;

type Fields = Record<string, unknown>;
/** A refusal on its way out of nested readers; never leaves this file. */
type Read<T> = Result<T>;

const KINDS = ["cron", "every", "after", "at", "in"] as const;
const FIELDS: Record<(typeof KINDS)[number], readonly string[]> = {
  cron: ["cron", "timezone", "dst", "monthDay"],
  every: ["every", "anchor"],
  after: ["after"],
  at: ["at", "timezone", "dst"],
  in: ["in", "dueAt"],
};
const GAPS = ["skip", "next", "shift"] as const;
const FOLDS = ["first", "second", "both"] as const;

export function parseTrigger(input: unknown, pointer = "/trigger"): Result<Trigger | Trigger[]> {
  if (!Array.isArray(input)) return readTrigger(input, pointer);
  if (input.length === 0) return refuse(pointer, "an array of triggers must not be empty");
  if (input.length > TRIGGERS_MAX)
    return refuse(pointer, `at most ${TRIGGERS_MAX} triggers, found ${input.length}`);
  const triggers: Trigger[] = [];
  for (const [i, item] of input.entries()) {
    const read = readTrigger(item, `${pointer}/${i}`);
    if (!read.ok) return read;
    if ("after" in read.value) {
      return refuse(
        `${pointer}/${i}/after`,
        "`after` stands alone: it counts from the end of the last run, which a union has no single one of",
      );
    }
    triggers.push(read.value);
  }
  return ok(triggers);
}

function readTrigger(input: unknown, pointer: string): Read<Trigger> {
  if (!isFields(input))
    return refuse(pointer, `expected an object with one of ${KINDS.join(", ")}, found ${show(input)}`);
  const kinds = KINDS.filter((kind) => kind in input);
  if (kinds.length === 0)
    return unknownField(input, KINDS, pointer) ?? refuse(pointer, `expected one of ${KINDS.join(", ")}`);
  if (kinds.length > 1)
    return refuse(
      pointer,
      `expected only one of ${kinds.join(" and ")}`,
      "For several rules, give an array of triggers.",
    );
  const kind = kinds[0]!;
  const unknown = unknownField(input, FIELDS[kind], pointer);
  if (unknown) return unknown;
  switch (kind) {
    case "cron":
      return readCron(input, pointer);
    case "every":
      return readEvery(input, pointer);
    case "after":
      return mapped(readDuration(input.after, `${pointer}/after`), (after) => ({ after }));
    case "at":
      return readAt(input, pointer);
    case "in":
      return readIn(input, pointer);
  }
}

function readCron(input: Fields, pointer: string): Read<Trigger> {
  const { cron, timezone, dst, monthDay } = input;
  if (typeof cron !== "string")
    return refuse(`${pointer}/cron`, `expected a cron pattern, found ${show(cron)}`);
  const parsed = parseCron(cron);
  if (!parsed.ok) return at(`${pointer}/cron`, parsed.error);
  if (timezone === undefined) {
    return refuse(
      `${pointer}/timezone`,
      "`timezone` is required",
      'Name the zone whose clock is meant, such as "Europe/Berlin", or "UTC".',
    );
  }
  const zones = readTimezones(timezone, `${pointer}/timezone`);
  if (!zones.ok) return zones;
  const choice = readDst(dst, `${pointer}/dst`);
  if (!choice.ok) return choice;
  if (monthDay !== undefined && monthDay !== "skip" && monthDay !== "clamp") {
    return refuse(`${pointer}/monthDay`, `expected skip or clamp, found ${show(monthDay)}`);
  }
  return ok({
    cron: parsed.value.text,
    timezone: zones.value,
    ...(choice.value === undefined ? {} : { dst: choice.value }),
    ...(monthDay === undefined ? {} : { monthDay }),
  });
}

function readEvery(input: Fields, pointer: string): Read<Trigger> {
  const every = readDuration(input.every, `${pointer}/every`);
  if (!every.ok) return every;
  if (input.anchor === undefined) return ok({ every: every.value });
  return mapped(readInstant(input.anchor, `${pointer}/anchor`), (anchor) => ({ every: every.value, anchor }));
}

function readAt(input: Fields, pointer: string): Read<Trigger> {
  const { at: text, timezone, dst } = input;
  if (typeof text !== "string") return refuse(`${pointer}/at`, `expected a time, found ${show(text)}`);
  const choice = readDst(dst, `${pointer}/dst`);
  if (!choice.ok) return choice;
  if (typeof choice.value === "object" && choice.value.fold === "both") {
    return refuse(`${pointer}/dst/fold`, "an `at` fires once: expected first or second");
  }
  if (timezone !== undefined && typeof timezone !== "string") {
    return refuse(`${pointer}/timezone`, `expected one time zone, found ${show(timezone)}`);
  }
  const zone = timezone === undefined ? ok(undefined) : readTimezone(timezone, `${pointer}/timezone`);
  if (!zone.ok) return zone;
  const shared = {
    ...(zone.value ? { timezone: zone.value } : {}),
    ...(choice.value ? { dst: choice.value } : {}),
  };
  const wall = parseLocal(text);
  if (wall === null)
    return mapped(readInstant(text, `${pointer}/at`), (instant) => ({ at: instant, ...shared }));
  if (!zone.value) {
    return refuse(
      `${pointer}/timezone`,
      `${quote(text)} has no offset: \`timezone\` is required`,
      `Add a timezone, or write ${text}Z for UTC.`,
    );
  }
  return ok({ at: formatLocal(wall), ...shared });
}

function formatLocal(wall: number): string {
  const second = Math.floor(wall / 1000);
  const rest = wall - second * 1000;
  return `${formatWall(second)}${rest === 0 ? "" : `.${String(rest).padStart(3, "0")}`}`;
}

function readIn(input: Fields, pointer: string): Read<Trigger> {
  const span = readDuration(input.in, `${pointer}/in`, 0);
  if (!span.ok) return span;
  if (input.dueAt === undefined) return ok({ in: span.value });
  return mapped(readInstant(input.dueAt, `${pointer}/dueAt`), (dueAt) => ({ in: span.value, dueAt }));
}

/**
 * Gives every `in` its due instant: now + in for the revision that introduces it. The same text in the
 * revision before keeps what it had, so that putting a definition again restarts nothing. `dueAt` is
 * output: what the caller sent is not believed.
 */
export function resolveTrigger(
  trigger: Trigger | Trigger[],
  now: number,
  previous?: Trigger | Trigger[],
): Trigger | Trigger[] {
  const known = new Map(
    (previous === undefined ? [] : [previous].flat())
      .filter((old): old is InTrigger => "in" in old)
      .map((old) => [old.in, old.dueAt]),
  );
  const resolve = (one: Trigger): Trigger => {
    if (!("in" in one)) return one;
    const span = parseDuration(one.in);
    const dueAt = known.get(one.in) ?? (span.ok ? formatInstant(now + span.value) : undefined);
    return { in: one.in, dueAt };
  };
  return Array.isArray(trigger) ? trigger.map(resolve) : resolve(trigger);
}

export function parseExclude(input: unknown, pointer = "/exclude"): Result<Exclusion[]> {
  const refuseHere = (at: string, message: string, hint?: string) =>
    fail("invalid_field", `${at}: ${message}`, { pointer: at, hint });
  if (input === undefined || input === null) return ok([]);
  if (!Array.isArray(input)) return refuseHere(pointer, `expected an array, found ${show(input)}`);
  if (input.length > EXCLUSIONS_MAX)
    return refuseHere(pointer, `at most ${EXCLUSIONS_MAX} exclusions, found ${input.length}`);
  const exclusions: Exclusion[] = [];
  for (const [i, item] of input.entries()) {
    const read = readExclusion(item, `${pointer}/${i}`);
    if (!read.ok) return { ok: false, error: { ...read.error, code: "invalid_field" } };
    exclusions.push(read.value);
  }
  return ok(exclusions);
}

function readExclusion(input: unknown, pointer: string): Read<Exclusion> {
  if (!isFields(input))
    return refuse(pointer, `expected an object with date, from and to, or cron, found ${show(input)}`);
  const kinds = ["date", "from", "cron"].filter(
    (kind) => kind in input || (kind === "from" && "to" in input),
  );
  if (kinds.length !== 1) {
    return (
      unknownField(input, ["date", "from", "to", "cron", "timezone"], pointer) ??
      refuse(pointer, "expected one of date, from with to, or cron")
    );
  }
  const fields = kinds[0] === "from" ? ["from", "to", "timezone"] : [kinds[0]!, "timezone"];
  const unknown = unknownField(input, fields, pointer);
  if (unknown) return unknown;
  const zone =
    input.timezone === undefined ? ok(undefined) : readTimezone(input.timezone, `${pointer}/timezone`);
  if (!zone.ok) return zone;
  const shared = zone.value === undefined ? {} : { timezone: zone.value };
  if ("cron" in input) {
    if (typeof input.cron !== "string")
      return refuse(`${pointer}/cron`, `expected a cron pattern, found ${show(input.cron)}`);
    const parsed = parseCron(input.cron);
    return parsed.ok ? ok({ cron: parsed.value.text, ...shared }) : at(`${pointer}/cron`, parsed.error);
  }
  if ("date" in input)
    return mapped(readDate(input.date, `${pointer}/date`), (date) => ({ date: formatDay(date), ...shared }));
  const from = readDate(input.from, `${pointer}/from`);
  if (!from.ok) return from;
  const to = readDate(input.to, `${pointer}/to`);
  if (!to.ok) return to;
  if (to.value < from.value) return refuse(`${pointer}/to`, "the range ends before it starts");
  return ok({ from: formatDay(from.value), to: formatDay(to.value), ...shared });
}

function readDate(input: unknown, pointer: string): Read<number> {
  const day = typeof input === "string" ? parseDay(input) : null;
  return day === null ? refuse(pointer, `expected a date such as 2026-12-25, found ${show(input)}`) : ok(day);
}

function readDuration(input: unknown, pointer: string, min: number = EVERY_MS_MIN): Read<string> {
  if (typeof input !== "string")
    return refuse(pointer, `expected a duration such as 15m or PT15M, found ${show(input)}`);
  const parsed = parseDuration(input);
  if (!parsed.ok) return at(pointer, parsed.error);
  if (parsed.value < min)
    return refuse(pointer, `${quote(input)} is too short: the smallest spacing is ${min / 1000} s`);
  return ok(formatDuration(parsed.value));
}

function readInstant(input: unknown, pointer: string): Read<string> {
  if (typeof input !== "string")
    return refuse(pointer, `expected an instant such as 2026-11-30T14:00:00Z, found ${show(input)}`);
  const parsed = parseInstant(input);
  return parsed.ok ? ok(formatInstant(parsed.value)) : at(pointer, parsed.error);
}

function readTimezones(input: unknown, pointer: string): Read<string | string[]> {
  if (!Array.isArray(input)) return readTimezone(input, pointer);
  if (input.length === 0 || input.length > TIMEZONES_MAX) {
    return refuse(pointer, `expected 1 to ${TIMEZONES_MAX} time zones, found ${input.length}`);
  }
  const zones: string[] = [];
  for (const [i, item] of input.entries()) {
    const zone = readTimezone(item, `${pointer}/${i}`);
    if (!zone.ok) return zone;
    if (zones.includes(zone.value)) return refuse(`${pointer}/${i}`, `${quote(zone.value)} is listed twice`);
    zones.push(zone.value);
  }
  return ok(zones);
}

function readTimezone(input: unknown, pointer: string): Read<string> {
  if (typeof input !== "string") return refuse(pointer, `expected an IANA time zone, found ${show(input)}`);
  if (isTimezone(input)) return ok(input);
  const meant = nearest(input, Intl.supportedValuesOf("timeZone"));
  const hint = meant
    ? `Did you mean ${meant} ?`
    : "Use a name of the IANA database, such as Europe/Berlin; an offset has no clock changes.";
  return refuse(pointer, `${quote(input)} is no IANA time zone`, hint);
}

function readDst(input: unknown, pointer: string): Read<DstChoice | undefined> {
  if (input === undefined || input === "auto") return ok(input);
  if (!isFields(input)) return refuse(pointer, `expected "auto" or { gap, fold }, found ${show(input)}`);
  const unknown = unknownField(input, ["gap", "fold"], pointer);
  if (unknown) return unknown;
  const gap = GAPS.find((one) => one === input.gap);
  const fold = FOLDS.find((one) => one === input.fold);
  if (!gap) return refuse(`${pointer}/gap`, `expected ${GAPS.join(", ")}, found ${show(input.gap)}`);
  if (!fold) return refuse(`${pointer}/fold`, `expected ${FOLDS.join(", ")}, found ${show(input.fold)}`);
  return ok({ gap, fold });
}

function unknownField(input: Fields, known: readonly string[], pointer: string): Result<never> | null {
  const name = Object.keys(input).find((field) => !known.includes(field));
  if (name === undefined) return null;
  const meant = nearest(name, known);
  return refuse(
    `${pointer}/${name}`,
    `unknown field ${quote(name)}`,
    meant ? `Did you mean ${meant} ?` : `Known here: ${known.join(", ")}.`,
  );
}

function isFields(input: unknown): input is Fields {
  return typeof input === "object" && input !== null && !Array.isArray(input);
}

function show(input: unknown): string {
  if (input === undefined) return "nothing";
  return typeof input === "string"
    ? quote(input)
    : Array.isArray(input)
      ? "an array"
      : typeof input === "object" && input
        ? "an object"
        : String(input).slice(0, 40);
}

function refuse(pointer: string, message: string, hint?: string): Result<never> {
  return fail("invalid_trigger", `${pointer}: ${message}`, { pointer, hint });
}

function at(pointer: string, error: Failure): Result<never> {
  return { ok: false, error: { ...error, code: "invalid_trigger", pointer } };
}

function mapped<T, U>(result: Read<T>, map: (value: T) => U): Read<U> {
  return result.ok ? ok(map(result.value)) : result;
}
