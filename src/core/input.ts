/**
 * Reading unknown JSON for the time rule: every refusal names its place, what was found and what was
 * expected.
 */
import type { Failure, Result } from "./errors.ts";
import { fail, ok } from "./errors.ts";
import { LIMITS } from "./limits.ts";
import { nearest } from "./spelling.ts";
import { formatDuration, formatInstant, parseDuration, parseInstant, quote } from "./time.ts";
import { isTimezone } from "./zone.ts";

export type Fields = Record<string, unknown>;

export function readDuration(
  input: unknown,
  pointer: string,
  min: number = LIMITS.INTERVAL_MS_MIN,
): Result<string> {
  if (typeof input !== "string")
    return refuse(pointer, `expected a duration such as 15m or PT15M, found ${show(input)}`);
  const parsed = parseDuration(input);
  if (!parsed.ok) return at(pointer, parsed.error);
  if (parsed.value < min)
    return refuse(pointer, `${quote(input)} is too short: the smallest spacing is ${min / 1000} s`);
  return ok(formatDuration(parsed.value));
}

export function readInstant(input: unknown, pointer: string): Result<string> {
  if (typeof input !== "string")
    return refuse(pointer, `expected an instant such as 2026-11-30T14:00:00Z, found ${show(input)}`);
  const parsed = parseInstant(input);
  return parsed.ok ? ok(formatInstant(parsed.value)) : at(pointer, parsed.error);
}

export function readTimezones(input: unknown, pointer: string): Result<string | string[]> {
  if (!Array.isArray(input)) return readTimezone(input, pointer);
  if (input.length === 0 || input.length > LIMITS.TIMEZONES_MAX) {
    return refuse(pointer, `expected 1 to ${LIMITS.TIMEZONES_MAX} time zones, found ${input.length}`);
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

export function readTimezone(input: unknown, pointer: string): Result<string> {
  if (typeof input !== "string") return refuse(pointer, `expected an IANA time zone, found ${show(input)}`);
  // Names are known in any case, and one zone must not count as two.
  if (isTimezone(input)) return ok(spellings().get(input.toLowerCase()) ?? input);
  const meant = nearest(input, Intl.supportedValuesOf("timeZone"));
  const hint = meant
    ? `Did you mean ${meant} ?`
    : "Use a name of the IANA database, such as Europe/Berlin; an offset has no clock changes.";
  return refuse(pointer, `${quote(input)} is no IANA time zone`, hint);
}

export function unknownField(input: Fields, known: readonly string[], pointer: string): Result<never> | null {
  const name = Object.keys(input).find((field) => !known.includes(field));
  if (name === undefined) return null;
  const meant = nearest(name, known);
  return refuse(
    `${pointer}/${name}`,
    `unknown field ${quote(name)}`,
    meant ? `Did you mean ${meant} ?` : `Known here: ${known.join(", ")}.`,
  );
}

export function isFields(input: unknown): input is Fields {
  return typeof input === "object" && input !== null && !Array.isArray(input);
}

export function show(input: unknown): string {
  if (input === undefined) return "nothing";
  if (typeof input === "string") return quote(input);
  if (Array.isArray(input)) return "an array";
  return typeof input === "object" && input !== null ? "an object" : JSON.stringify(input);
}

export function refuse(pointer: string, message: string, hint?: string): Result<never> {
  return fail("invalid_trigger", `${pointer}: ${message}`, { pointer, hint });
}

export function at(pointer: string, error: Failure): Result<never> {
  return { ok: false, error: { ...error, code: "invalid_trigger", pointer } };
}

export function mapped<T, U>(result: Result<T>, map: (value: T) => U): Result<U> {
  return result.ok ? ok(map(result.value)) : result;
}

let spelled: Map<string, string> | null = null;

function spellings(): Map<string, string> {
  spelled ??= new Map(Intl.supportedValuesOf("timeZone").map((name) => [name.toLowerCase(), name]));
  return spelled;
}
