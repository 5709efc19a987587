/** Exclusions as input; what they take out is `exclusion.ts`. */
import { formatDay, parseDay } from "./calendar.ts";
import { parseCron } from "./cron.ts";
import type { Result } from "./errors.ts";
import { fail, ok } from "./errors.ts";
import { at, isFields, mapped, readTimezone, refuse, show, unknownField } from "./input.ts";
import { LIMITS } from "./limits.ts";
import type { Exclusion } from "./rule.ts";
import { INSTANTS, isBeyond } from "./time.ts";

export function parseExclude(input: unknown, pointer = "/exclude"): Result<Exclusion[]> {
  const refuseHere = (at: string, message: string, hint?: string) =>
    fail("invalid_field", `${at}: ${message}`, { pointer: at, hint });
  if (input === undefined || input === null) return ok([]);
  if (!Array.isArray(input)) return refuseHere(pointer, `expected an array, found ${show(input)}`);
  if (input.length > LIMITS.EXCLUDE_MAX)
    return refuseHere(pointer, `at most ${LIMITS.EXCLUDE_MAX} exclusions, found ${input.length}`);
  const exclusions: Exclusion[] = [];
  for (const [i, item] of input.entries()) {
    const read = readExclusion(item, `${pointer}/${i}`);
    if (!read.ok) return { ok: false, error: { ...read.error, code: "invalid_field" } };
    exclusions.push(read.value);
  }
  return ok(exclusions);
}

function readExclusion(input: unknown, pointer: string): Result<Exclusion> {
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

function readDate(input: unknown, pointer: string): Result<number> {
  const day = typeof input === "string" ? parseDay(input) : null;
  if (day !== null) return ok(day);
  const expected = typeof input === "string" && isBeyond(input) ? `within ${INSTANTS}` : "such as 2026-12-25";
  return refuse(pointer, `expected a date ${expected}, found ${show(input)}`);
}
