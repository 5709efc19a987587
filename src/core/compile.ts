/**
 * From a rule to its timetable: which sources it has, and whether any of them can ever make a slot.
 * Cached by the rule's JSON, so that asking again costs a look-up.
 */
import { parseCron } from "./cron.ts";
import type { Err, Result } from "./errors.ts";
import { metered, spend } from "./effort.ts";
import { fail, invariant, ok } from "./errors.ts";
import type { Excluder } from "./exclusion.ts";
import { cronExcluder, daysExcluder } from "./exclusion.ts";
import { LIMITS } from "./limits.ts";
import type { Pattern } from "./pattern.ts";
import { patternOf } from "./pattern.ts";
import type { AtTrigger, CronTrigger, Exclusion, TimeRule, Timetable, Trigger } from "./rule.ts";
import type { Source } from "./source.ts";
import { cronSource, everySource, excluding, onceSource } from "./source.ts";
import { formatInstant, parseDuration, parseInstant, parseLocal } from "./time.ts";
import { calendar } from "./timetable.ts";
import type { Zone } from "./zone.ts";
import { dstOf, instantsOf, zoneOf } from "./zone.ts";

/** Rules kept ready per isolate. One takes a few kilobytes, and an isolate rarely serves more schedules. */
const COMPILED_MAX = 500;

interface Compiled {
  result: Result<Timetable>;
  /** What it took to make. */
  steps: number;
}

const compiled = new Map<string, Compiled>();

export function compile(rule: TimeRule): Result<Timetable> {
  const key = JSON.stringify([rule.trigger, rule.exclude, rule.startAt, rule.endAt]);
  const known = compiled.get(key);
  // Deleting and setting again moves it to the end: the first key is the one unused for longest.
  if (known) compiled.delete(key);
  // Charged for again: what is affordable must not depend on what happens to be remembered.
  if (known) spend(known.steps);
  const made = known ?? measured(rule);
  if (compiled.size >= COMPILED_MAX) compiled.delete(compiled.keys().next().value!);
  compiled.set(key, made);
  return made.result;
}

function measured(rule: TimeRule): Compiled {
  const { value: result, steps } = metered(() => build(rule));
  return { result, steps };
}

function build(rule: TimeRule): Result<Timetable> {
  const { startAt, endAt } = rule;
  if (startAt !== null && endAt !== null && endAt < startAt) {
    return never(`it ends (${formatInstant(endAt)}) before it starts (${formatInstant(startAt)})`);
  }
  const triggers = [rule.trigger].flat();
  if (triggers.length === 1 && "after" in triggers[0]!) return buildDelay(rule, triggers[0].after);
  const zones = triggers.reduce((sum, one) => sum + ("cron" in one ? [one.timezone].flat().length : 1), 0);
  if (zones > LIMITS.SOURCES_MAX) {
    return fail("invalid_trigger", `at most ${LIMITS.SOURCES_MAX} triggers counted by zone, found ${zones}`, {
      pointer: "/trigger",
    });
  }
  const taken = rule.exclude.map(prepare);
  const sources: Source[] = [];
  for (const [i, trigger] of triggers.entries()) {
    const bare = sourcesOf(trigger, []);
    if (!bare.ok) return bare;
    // A part of a union that can never fire is as much a mistake as a trigger that can't.
    if (!canEverFire(calendar(UNBOUNDED, bare.value))) return neverBy(trigger, i, triggers.length);
    const made = taken.length === 0 ? bare : sourcesOf(trigger, taken);
    if (!made.ok) return made;
    sources.push(...made.value);
  }
  const timetable = calendar(rule, sources);
  const { value: fires, gaveUp } = metered(() => canEverFire(timetable));
  if (fires) return ok(timetable);
  if (gaveUp) return tooSparse();
  const inBounds = triggers.flatMap((trigger) => {
    const bare = sourcesOf(trigger, []);
    return bare.ok ? bare.value : [];
  });
  return canEverFire(calendar(rule, inBounds))
    ? never("everything is excluded")
    : never("nothing lies between `startAt` and `endAt`");
}

const UNBOUNDED: TimeRule = { trigger: [], exclude: [], startAt: null, endAt: null };

/** Any slot proves it; looking first where the caller will look next saves finding a year's transitions. */
const FIRST_LOOK = Date.UTC(2026, 0, 1);

function canEverFire(timetable: Timetable): boolean {
  return timetable.next(FIRST_LOOK) !== null || timetable.next(-1) !== null;
}

function never(reason: string, pointer = "/trigger"): Result<never> {
  return fail("never_fires", `the trigger can never make a slot: ${reason}`, { pointer, data: { reason } });
}

export function tooSparse(): Err {
  return fail(
    "too_sparse",
    "The search for a slot that is not excluded reached its bound: so many excluded ones follow each other that any that is left would be too far to find.",
    {
      pointer: "/exclude",
      hint: "There may be such a slot all the same. Name the slots that are left in the trigger, or exclude whole days or hours instead of single minutes or seconds.",
    },
  );
}

function neverBy(trigger: Trigger, index: number, parts: number): Result<never> {
  const reason =
    "at" in trigger
      ? `${trigger.at} does not exist in ${trigger.timezone}, and \`gap\` is skip`
      : "no date in the years 1970 to 2199 fits it";
  return never(reason, parts === 1 ? "/trigger" : `/trigger/${index}`);
}

function buildDelay(rule: TimeRule, after: string): Result<Timetable> {
  const delay = parseDuration(after);
  if (!delay.ok) return delay;
  if (rule.exclude.length > 0) {
    return fail("invalid_trigger", "`after` counts from the end of the last run and takes no exclusions", {
      pointer: "/exclude",
    });
  }
  return ok(Object.assign(calendar(rule, []), { kind: "delay" as const, delayMs: delay.value }));
}

function sourcesOf(trigger: Trigger, exclude: Prepared[]): Result<Source[]> {
  if ("cron" in trigger) return cronSources(trigger, exclude);
  if ("at" in trigger) return atSources(trigger, exclude);
  const utc = utcZone();
  const excluders = excludersIn(utc, exclude, null);
  if ("every" in trigger) {
    const every = parseDuration(trigger.every);
    if (!every.ok) return every;
    const anchor = trigger.anchor === undefined ? ok(0) : parseInstant(trigger.anchor);
    return anchor.ok ? ok([excluding(everySource(utc, every.value, anchor.value), excluders, null)]) : anchor;
  }
  invariant("in" in trigger, "`after` stands alone");
  if (trigger.dueAt === undefined)
    return fail("invalid_trigger", "`in` has no `dueAt`: it is not resolved yet");
  const dueAt = parseInstant(trigger.dueAt);
  return dueAt.ok ? ok([excluding(onceSource(utc, dueAt.value, null), excluders, null)]) : dueAt;
}

function cronSources(trigger: CronTrigger, exclude: Prepared[]): Result<Source[]> {
  const cron = parseCron(trigger.cron);
  if (!cron.ok) return cron;
  const pattern = patternOf(cron.value, trigger.monthDay === "clamp");
  const dst = dstOf(trigger.dst, cron.value);
  const sources: Source[] = [];
  for (const name of new Set([trigger.timezone].flat())) {
    const zone = zoneOf(name);
    if (zone === null) return unknownZone(name);
    const zoned = { pattern, zone, dst };
    sources.push(excluding(cronSource(zoned), excludersIn(zone, exclude, pattern), zoned));
  }
  return ok(sources);
}

function atSources(trigger: AtTrigger, exclude: Prepared[]): Result<Source[]> {
  const zone = trigger.timezone === undefined ? utcZone() : zoneOf(trigger.timezone);
  if (zone === null) return unknownZone(trigger.timezone ?? "");
  const excluders = excludersIn(zone, exclude, null);
  const wallMs = parseLocal(trigger.at);
  if (wallMs === null) {
    const instant = parseInstant(trigger.at);
    return instant.ok ? ok([excluding(onceSource(zone, instant.value, null), excluders, null)]) : instant;
  }
  const wall = Math.floor(wallMs / 1000);
  const choice = typeof trigger.dst === "object" ? trigger.dst : ({ gap: "next", fold: "first" } as const);
  const instants = instantsOf(zone, wall, { ...choice, gapMax: Infinity });
  return ok(
    instants.map((second) => {
      // Moved to the first instant after a gap, it leaves its fraction of a second behind.
      const { from, offset } = zone.spanAt(second);
      const toEdge = second === from && second + offset !== wall;
      const instant = second * 1000 + (toEdge && choice.gap === "next" ? 0 : wallMs - wall * 1000);
      return excluding(onceSource(zone, instant, wall), excluders, null);
    }),
  );
}

/** An exclusion, its pattern made once for all the sources that it is taken from. */
type Prepared = { exclusion: Exclusion; pattern: Pattern | null };

function prepare(exclusion: Exclusion): Prepared {
  if (!("cron" in exclusion)) return { exclusion, pattern: null };
  const cron = parseCron(exclusion.cron);
  invariant(cron.ok, "exclusions are parsed before they are compiled");
  return { exclusion, pattern: patternOf(cron.value, false) };
}

/** In its own zone, else in that of the trigger or zone that names the slot. */
function excludersIn(zone: Zone, exclude: Prepared[], times: Pattern | null): Excluder[] {
  return exclude.map(({ exclusion, pattern }) => {
    const own = exclusion.timezone === undefined ? zone : zoneOf(exclusion.timezone);
    invariant(own !== null, "exclusions are parsed before they are compiled");
    if (pattern !== null) return cronExcluder(own, pattern, own.name === zone.name ? times : null);
    if ("date" in exclusion) return daysExcluder(own, exclusion.date, exclusion.date);
    invariant("from" in exclusion, "an exclusion is a date, a range or a pattern");
    return daysExcluder(own, exclusion.from, exclusion.to);
  });
}

/** A stored rule may outlive a zone that a newer runtime no longer knows. */
function unknownZone(name: string): Result<never> {
  return fail("invalid_trigger", `"${name}" is no IANA time zone`, { pointer: "/trigger/timezone" });
}

function utcZone(): Zone {
  const utc = zoneOf("UTC");
  invariant(utc !== null, "every runtime knows UTC");
  return utc;
}
