/**
 * A time rule made ready: the union of its sources, in order, each instant once, within its bounds.
 * Compiling is cached by the rule's JSON, so that asking again costs a look-up.
 */
import { parseCron } from "./cron.ts";
import { describeRule } from "./describe.ts";
import type { Result } from "./errors.ts";
import { fail, invariant, ok } from "./errors.ts";
import type { Excluder } from "./exclusion.ts";
import { cronExcluder, daysExcluder } from "./exclusion.ts";
import type { Pattern } from "./pattern.ts";
import { NEVER, patternOf } from "./pattern.ts";
import type {
  AtTrigger,
  CronTrigger,
  DstChoice,
  Exclusion,
  SlotNames,
  Suppressed,
  TimeRule,
  Timetable,
  Trigger,
} from "./rule.ts";
import type { Lost, Source } from "./source.ts";
import { COUNT_STEPS_MAX, cronSource, everySource, excluding, onceSource } from "./source.ts";
import { formatInstant, hashUnit, parseDuration, parseInstant, parseLocal } from "./time.ts";
import { formatWall } from "./calendar.ts";
import { warningsOf } from "./warnings.ts";
import type { Dst, Zone } from "./zone.ts";
import { instantsOf, localTimeIn, zoneOf } from "./zone.ts";

/** Rules kept ready per isolate. One takes a few kilobytes, and an isolate rarely serves more schedules. */
const COMPILED_MAX = 500;
/** Larger jumps are a date that a zone left out (Samoa, 30 December 2011), not daylight saving. */
const AUTO_GAP_MAX = 3 * 3600;

const compiled = new Map<string, Result<Timetable>>();

export function compile(rule: TimeRule): Result<Timetable> {
  const key = JSON.stringify([rule.trigger, rule.exclude, rule.startAt, rule.endAt]);
  const known = compiled.get(key);
  // Deleting and setting again moves it to the end: the first key is the one unused for longest.
  if (known) compiled.delete(key);
  const result = known ?? build(rule);
  if (compiled.size >= COMPILED_MAX) compiled.delete(compiled.keys().next().value!);
  compiled.set(key, result);
  return result;
}

function build(rule: TimeRule): Result<Timetable> {
  const { startAt, endAt } = rule;
  if (startAt !== null && endAt !== null && endAt < startAt) {
    return never(`it ends (${formatInstant(endAt)}) before it starts (${formatInstant(startAt)})`);
  }
  const triggers = [rule.trigger].flat();
  if (triggers.length === 1 && "after" in triggers[0]!) return buildDelay(rule, triggers[0].after);
  const sources: Source[] = [];
  for (const trigger of triggers) {
    const made = sourcesOf(trigger, rule.exclude);
    if (!made.ok) return made;
    sources.push(...made.value);
  }
  const timetable = calendar(rule, sources);
  return canEverFire(timetable) ? ok(timetable) : whyNever(rule, sources);
}

/** Any slot proves it; looking first where the caller will look next saves finding a year's transitions. */
const FIRST_LOOK = Date.UTC(2026, 0, 1);

function canEverFire(timetable: Timetable): boolean {
  return timetable.next(FIRST_LOOK) !== null || timetable.next(-1) !== null;
}

function never(reason: string): Result<never> {
  return fail("never_fires", `the trigger can never make a slot: ${reason}`, {
    pointer: "/trigger",
    data: { reason },
  });
}

/** Takes the rule's parts away again, to name the one that leaves nothing. */
function whyNever(rule: TimeRule, sources: Source[]): Result<never> {
  if (sources.length === 0) return never("its local time does not exist, and `gap` is skip");
  const bare = [rule.trigger].flat().flatMap((trigger) => {
    const made = sourcesOf(trigger, []);
    return made.ok ? made.value : [];
  });
  if (!canEverFire(calendar({ ...rule, startAt: null, endAt: null }, bare))) {
    return never("no date in the years 1970 to 2199 fits it");
  }
  return canEverFire(calendar(rule, bare))
    ? never("everything is excluded")
    : never("nothing lies between `startAt` and `endAt`");
}

function buildDelay(rule: TimeRule, after: string): Result<Timetable> {
  const delay = parseDuration(after);
  if (!delay.ok) return delay;
  if (rule.exclude.length > 0) {
    return fail("invalid_trigger", "`after` counts from the end of the last run and takes no exclusions", {
      pointer: "/exclude",
    });
  }
  const utc = utcZone();
  return ok({
    ...calendar(rule, []),
    kind: "delay",
    delayMs: delay.value,
    describe: (slot) => slotNames([utc.name], [], slot),
    get description() {
      return describeRule(rule);
    },
    warnings: [],
  });
}

function sourcesOf(trigger: Trigger, exclude: Exclusion[]): Result<Source[]> {
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
    return fail("invalid_trigger", "`in` has no `dueAt` yet", { pointer: "/trigger/in" });
  const dueAt = parseInstant(trigger.dueAt);
  return dueAt.ok ? ok([excluding(onceSource(utc, dueAt.value, null), excluders, null)]) : dueAt;
}

function cronSources(trigger: CronTrigger, exclude: Exclusion[]): Result<Source[]> {
  const cron = parseCron(trigger.cron);
  if (!cron.ok) return cron;
  const pattern = patternOf(cron.value, trigger.monthDay === "clamp");
  const dst = dstOf(trigger.dst, pattern);
  const sources: Source[] = [];
  for (const name of new Set([trigger.timezone].flat())) {
    const zone = zoneOf(name);
    if (zone === null)
      return fail("invalid_trigger", `"${name}" is no IANA time zone`, { pointer: "/trigger/timezone" });
    const zoned = { pattern, zone, dst };
    sources.push(excluding(cronSource(zoned), excludersIn(zone, exclude, pattern), zoned));
  }
  return ok(sources);
}

/**
 * `auto` is cronie's rule: a fixed time of day (neither minute nor hour starts with `*`) runs exactly once
 * a day, anything else follows elapsed time.
 */
export function dstOf(choice: DstChoice | undefined, { cron }: Pattern): Dst {
  if (typeof choice === "object") return { ...choice, gapMax: Infinity };
  return isFixedTime(cron)
    ? { gap: "next", fold: "first", gapMax: AUTO_GAP_MAX }
    : { gap: "skip", fold: "both", gapMax: AUTO_GAP_MAX };
}

export function isFixedTime({ minute, hour }: Pattern["cron"]): boolean {
  return !minute.text.startsWith("*") && !hour.text.startsWith("*");
}

function atSources(trigger: AtTrigger, exclude: Exclusion[]): Result<Source[]> {
  const zone = trigger.timezone === undefined ? utcZone() : zoneOf(trigger.timezone);
  if (zone === null)
    return fail("invalid_trigger", `"${trigger.timezone}" is no IANA time zone`, {
      pointer: "/trigger/timezone",
    });
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
    instants.map((second) =>
      excluding(onceSource(zone, second * 1000 + (wallMs - wall * 1000), wall), excluders, null),
    ),
  );
}

/** In its own zone, else in that of the trigger or zone that names the slot. */
function excludersIn(zone: Zone, exclude: Exclusion[], times: Pattern | null): Excluder[] {
  return exclude.map((exclusion) => {
    const own = exclusion.timezone === undefined ? zone : zoneOf(exclusion.timezone);
    invariant(own !== null, "exclusions are parsed before they are compiled");
    if ("date" in exclusion) return daysExcluder(own, exclusion.date, exclusion.date);
    if ("from" in exclusion) return daysExcluder(own, exclusion.from, exclusion.to);
    const cron = parseCron(exclusion.cron);
    invariant(cron.ok, "exclusions are parsed before they are compiled");
    return cronExcluder(own, patternOf(cron.value, false), own === zone ? times : null);
  });
}

function utcZone(): Zone {
  const utc = zoneOf("UTC");
  invariant(utc !== null, "every runtime knows UTC");
  return utc;
}

function calendar(rule: TimeRule, sources: Source[]): Timetable {
  const first = rule.startAt ?? -Infinity;
  const last = rule.endAt ?? Infinity;
  const single = sources.length === 1 ? sources[0]! : null;

  function next(after: number): number | null {
    const from = Math.max(after, first - 1);
    let least = NEVER;
    for (const source of sources) least = Math.min(least, source.next(from));
    return least === NEVER || least > last ? null : least;
  }

  function prev(upTo: number): number | null {
    const to = Math.min(upTo, last);
    let greatest = -NEVER;
    for (const source of sources) greatest = Math.max(greatest, source.prev(to));
    return greatest === -NEVER || greatest < first ? null : greatest;
  }

  function count(after: number, upTo: number): { count: number; through: number } {
    const from = Math.max(after, first - 1);
    const to = Math.min(upTo, last);
    if (to <= from || sources.length === 0) return { count: 0, through: upTo };
    if (single) {
      const counted = single.count(from, to);
      return counted.through < to ? counted : { count: counted.count, through: upTo };
    }
    let slots = 0;
    for (let slot = next(from); slot !== null && slot <= to; slot = next(slot)) {
      if (++slots === COUNT_STEPS_MAX) return { count: slots, through: slot };
    }
    return { count: slots, through: upTo };
  }

  function describe(slot: number): SlotNames {
    const zones = new Set<string>();
    const notes = new Set<string>();
    for (const source of sources) {
      const found = source.notes(slot);
      if (found === null) continue;
      zones.add(source.zone.name);
      for (const note of found) notes.add(note);
    }
    // An instant that is no slot (a manual run) is described in the trigger's first zone.
    const names = zones.size > 0 ? [...zones] : [sources[0]?.zone.name ?? "UTC"];
    return slotNames(names, [...notes], slot);
  }

  function suppressed(after: number, upTo: number, limit: number): Suppressed[] {
    const from = Math.max(after, first - 1);
    const to = Math.min(upTo, last);
    const all: { lost: Lost; zone: string }[] = [];
    for (const source of sources) {
      for (const lost of source.suppressed(from, to, limit)) all.push({ lost, zone: source.zone.name });
    }
    const open = all.filter(
      ({ lost }) => lost.reason === "dst_gap" || sources.every((source) => source.notes(lost.at) === null),
    );
    return open
      .toSorted((a, b) => a.lost.at - b.lost.at)
      .slice(0, limit)
      .map(({ lost, zone }) => ({
        localTime: lost.wall === null ? localTimeIn(zone, lost.at) : formatWall(lost.wall),
        timezone: zone,
        reason: lost.reason,
      }));
  }

  return {
    kind: "calendar",
    delayMs: null,
    next,
    prev,
    count,
    describe,
    suppressed,
    // Words and warnings are for people; an alarm that wakes a schedule needs neither.
    get description() {
      return describeRule(rule);
    },
    get warnings() {
      return warningsOf(rule);
    },
  };
}

function slotNames(zones: string[], notes: string[], slot: number): SlotNames {
  const locals = zones.map((timezone) => {
    const localTime = localTimeIn(timezone, slot);
    return { timezone, localTime, businessDate: localTime.slice(0, 10) };
  });
  const [{ localTime, businessDate }] = locals as [(typeof locals)[number]];
  return { localTime, timezones: zones, locals, businessDate, notes };
}

/** Whether any slot lies ahead; a delay always has one. */
export function canFire(timetable: Timetable, after: number): boolean {
  return timetable.kind === "delay" || timetable.next(after) !== null;
}

/** The slots in (after, upTo], at most `limit`. */
export function between(
  timetable: Timetable,
  { after, upTo, limit }: { after: number; upTo: number; limit: number },
): number[] {
  const slots: number[] = [];
  for (
    let slot = timetable.next(after);
    slot !== null && slot <= upTo && slots.length < limit;
    slot = timetable.next(slot)
  ) {
    slots.push(slot);
  }
  return slots;
}

/**
 * The slot plus its share of the jitter: never before the slot, and strictly before the next one, so that
 * order stays. It is a function of seed and slot alone: a retry or a restart rolls nothing again.
 */
export function effectiveAt(timetable: Timetable, seed: string, jitterMs: number, slot: number): number {
  if (jitterMs <= 0) return slot;
  const following = timetable.next(slot);
  const room = following === null ? jitterMs : Math.min(jitterMs, following - slot);
  return slot + Math.floor(hashUnit(`${seed}@${slot}`) * room);
}
