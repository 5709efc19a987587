/**
 * Instants and durations: text in, whole milliseconds inside, text out. Also the one hash from which all
 * jitter is drawn, so that a retry or a restart never rolls again.
 */
import { DAY_MS, FIRST_YEAR, LAST_SECOND, LAST_YEAR, formatWall, parseDay } from "./calendar.ts";
import type { Result } from "./errors.ts";
import { fail, ok } from "./errors.ts";

export const INSTANT_MIN = 0;
export const INSTANT_MAX = LAST_SECOND * 1000 + 999;
/** Longer than the years that instants may have; beyond it arithmetic would leave them anyway. */
export const DURATION_MAX = 230 * 366 * DAY_MS;
/** As a message says it: which instants there are. */
export const INSTANTS = `${FIRST_YEAR}-01-01T00:00:00Z to ${LAST_YEAR}-12-31T23:59:59Z`;
/** Input is quoted in messages, but never more of it than this. */
const QUOTE_MAX = 60;

const INSTANT =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?([Zz]|([+-])(\d{2}):(\d{2}))$/;
const LOCAL = /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?$/;

export function quote(text: string): string {
  return JSON.stringify(text.length > QUOTE_MAX ? `${text.slice(0, QUOTE_MAX)}…` : text);
}

export function parseInstant(text: string): Result<number> {
  const refuse = (why: string, hint?: string) =>
    fail("invalid_instant", `${quote(text)} is no instant: ${why}`, { hint });
  const found = INSTANT.exec(text);
  const noSuch = isBeyond(text) ? `it lies outside ${INSTANTS}` : "there is no such date or time of day";
  if (!found) {
    if (!LOCAL.test(text) && !isBeyond(text))
      return refuse("expected RFC 3339, such as 2026-11-30T14:00:00Z");
    if (parseLocal(text) === null) return refuse(noSuch);
    return refuse("the offset is missing", `Write ${text}Z for UTC, or an offset such as +01:00.`);
  }
  const wall = wallMs(found[1]!, found[2]!, found[3]!, found[4]!, found[5]);
  if (wall === null) return refuse(noSuch);
  const offsetHours = Number(found[8] ?? 0);
  const offsetMinutes = Number(found[9] ?? 0);
  if (offsetHours > 23 || offsetMinutes > 59) return refuse("there is no such offset");
  const offset = (offsetHours * 60 + offsetMinutes) * 60_000 * (found[7] === "-" ? -1 : 1);
  const instant = wall - offset;
  if (instant < INSTANT_MIN || instant > INSTANT_MAX) {
    return refuse(`it is ${formatInstant(instant)}, outside ${INSTANTS}`);
  }
  return ok(instant);
}

/** Written as a date, however many digits its year has, but of a year that holds no slots. */
export function isBeyond(text: string): boolean {
  const year = /^([+-]?\d{4,})-\d{2}-\d{2}/.exec(text)?.[1];
  return year !== undefined && (Number(year) < FIRST_YEAR || Number(year) > LAST_YEAR);
}

/** A wall-clock time without offset, in ms since 1970-01-01T00:00 on that wall; null when it is none. */
export function parseLocal(text: string): number | null {
  const found = LOCAL.exec(text);
  return found && wallMs(found[1]!, found[2]!, found[3]!, found[4] ?? "00", found[5]);
}

function wallMs(
  date: string,
  hour: string,
  minute: string,
  second: string,
  fraction?: string,
): number | null {
  const day = parseDay(date);
  const [h, m, s] = [Number(hour), Number(minute), Number(second)];
  if (day === null || h > 23 || m > 59 || s > 59) return null;
  const ms = fraction === undefined ? 0 : Number(fraction.padEnd(3, "0").slice(0, 3));
  return day * DAY_MS + ((h * 60 + m) * 60 + s) * 1000 + ms;
}

/** `2026-11-30T14:00:00Z`; a fraction only where there is one. */
export function formatInstant(ms: number): string {
  const second = Math.floor(ms / 1000);
  const rest = ms - second * 1000;
  const fraction = rest === 0 ? "" : `.${String(rest).padStart(3, "0")}`;
  return `${formatWall(second)}${fraction}Z`;
}

const UNITS_MS = { w: 7 * DAY_MS, d: DAY_MS, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;
const ISO_DURATION = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:[.,]\d{1,3})?)S)?)?$/;
const SHORT_DURATION = /^(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/;
/** What a duration may look like, for a schema. */
export const DURATION_PATTERN = `${ISO_DURATION.source}|${SHORT_DURATION.source}`;

/** ISO 8601 (`PT15M`, `P1D`) or short (`15m`, `1h30m`); exact, hence no months and no years. */
export function parseDuration(text: string): Result<number> {
  const refuse = (why: string, hint?: string) =>
    fail("invalid_duration", `${quote(text)} is no duration: ${why}`, { hint });
  if (text.length === 0 || text === "P")
    return refuse("expected ISO 8601 (PT15M, P1D) or short form (15m, 1h30m)");
  const iso = ISO_DURATION.exec(text);
  const found = iso ?? SHORT_DURATION.exec(text);
  if (!found) return refuse(...whyNoDuration(text));
  const factors = Object.values(UNITS_MS);
  let ms = 0;
  found.slice(1).forEach((part, i) => {
    // Seconds may carry a fraction; rounding undoes what binary fractions do to 0.001 s.
    if (part !== undefined) ms += Math.round(Number(part.replace(",", ".")) * factors[i]!);
  });
  if (ms > DURATION_MAX) return refuse(`it is longer than ${formatDuration(DURATION_MAX)}`);
  return ok(ms);
}

function whyNoDuration(text: string): [why: string, hint?: string] {
  if (/^P[^T]*\d+[YM]/i.test(text) || /^\d+ ?(mo|month|y|year)/i.test(text)) {
    return [
      "months and years have no fixed length",
      "Durations are exact. Write days (P30D), or a cron expression for calendar steps (0 0 1 * *).",
    ];
  }
  if (/^[+-]/.test(text)) return ["it must not be signed"];
  if (/^\d+(\.\d+)?$/.test(text)) return ["the unit is missing", `Write ${text}s, ${text}m or ${text}h.`];
  const lower = text.toLowerCase().replaceAll(/\s/g, "");
  if (lower !== text && SHORT_DURATION.test(lower))
    return ["it must be in lower case, unspaced", `Write ${lower}.`];
  const upper = text.toUpperCase();
  if (upper !== text && ISO_DURATION.test(upper)) return ["ISO 8601 is in upper case", `Write ${upper}.`];
  return ["expected ISO 8601 (PT15M, P1D) or short form (15m, 1h30m), largest unit first"];
}

/** ISO 8601 in days, hours, minutes and seconds: `PT15M`, `P1D`, `PT1H30M`, `PT0S`, `PT0.5S`. */
export function formatDuration(ms: number): string {
  const days = Math.floor(ms / DAY_MS);
  const rest = (ms - days * DAY_MS) / 1000;
  const hours = Math.floor(rest / 3600);
  const minutes = Math.floor(rest / 60) % 60;
  const seconds = Math.round((rest % 60) * 1000) / 1000;
  const time = `${hours ? `${hours}H` : ""}${minutes ? `${minutes}M` : ""}${seconds ? `${seconds}S` : ""}`;
  if (days === 0 && time === "") return "PT0S";
  return `P${days ? `${days}D` : ""}${time ? `T${time}` : ""}`;
}

/**
 * A number in [0, 1) drawn from the text: FNV-1a over its code units, then murmur3's finaliser, since FNV
 * alone leaves neighbours (`…@1000`, `…@2000`) close together. Values are pinned by tests: they are part of
 * what a schedule has promised.
 */
export function hashUnit(seed: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < seed.length; i++) hash = Math.imul(hash ^ seed.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** One of `n` places for a seed, 0 to n − 1: evenly spread, and the same every time. */
export function hashPlace(seed: string, n: number): number {
  return Math.floor(hashUnit(seed) * n);
}
