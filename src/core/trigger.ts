/**
 * The time rule's door: unknown JSON in, a rule with nothing left to doubt out. What it means in instants
 * is the timetable's (`compile`).
 */
import { formatWall } from "./calendar.ts";
import { parseCron } from "./cron.ts";
import type { Result } from "./errors.ts";
import { ok } from "./errors.ts";
import type { Fields } from "./input.ts";
import {
  at,
  isFields,
  mapped,
  readDuration,
  readInstant,
  readTimezone,
  readTimezones,
  refuse,
  show,
  unknownField,
} from "./input.ts";
import { LIMITS } from "./limits.ts";
import type { DstChoice, InTrigger, Trigger } from "./rule.ts";
import { INSTANTS, formatInstant, isBeyond, parseDuration, parseLocal, quote } from "./time.ts";

export type * from "./rule.ts";
export { compile, tooSparse } from "./compile.ts";
export { parseExclude } from "./exclude.ts";
export { between, canFire, closerThan, effectiveAt, refuseDear, within } from "./timetable.ts";

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
  if (input.length > LIMITS.TRIGGERS_MAX)
    return refuse(pointer, `at most ${LIMITS.TRIGGERS_MAX} triggers, found ${input.length}`);
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

function readTrigger(input: unknown, pointer: string): Result<Trigger> {
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
  return READERS[kind](input, pointer);
}

const READERS: Record<(typeof KINDS)[number], (input: Fields, pointer: string) => Result<Trigger>> = {
  cron: readCron,
  every: readEvery,
  after: (input, pointer) => mapped(readDuration(input.after, `${pointer}/after`), (after) => ({ after })),
  at: readAt,
  in: readIn,
};

function readCron(input: Fields, pointer: string): Result<Trigger> {
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

function readEvery(input: Fields, pointer: string): Result<Trigger> {
  const every = readDuration(input.every, `${pointer}/every`);
  if (!every.ok) return every;
  if (input.anchor === undefined) return ok({ every: every.value });
  return mapped(readInstant(input.anchor, `${pointer}/anchor`), (anchor) => ({ every: every.value, anchor }));
}

function readAt(input: Fields, pointer: string): Result<Trigger> {
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
  if (isBeyond(text)) return refuse(`${pointer}/at`, `${quote(text)} lies outside ${INSTANTS}`);
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

function readIn(input: Fields, pointer: string): Result<Trigger> {
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

function readDst(input: unknown, pointer: string): Result<DstChoice | undefined> {
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
