/**
 * What the ledger has of a page of schedules: of each, its slots at a few telling ages, looked up by key. Nothing
 * is scanned for it and nothing written when a slot fires.
 */
import { BOUNDS } from "../core/limits.ts";
import { lastEffective, nextEffective } from "../core/plan.ts";
import { complete, type Definition } from "../core/schedule.ts";
import { compile, type Timetable } from "../core/trigger.ts";
import { scheduleKey } from "../ledger/row.ts";
import {
  inGaps,
  lastChanges,
  lastLinks,
  nextLinkDue,
  rowsOf,
  unsettledOf,
  type Seen,
  type Wanted,
  type Watched,
} from "../ledger/watched.ts";

type Database = Parameters<typeof rowsOf>[0];
export type Shards = (name: string) => Database | null;

export interface Sighting {
  watched: Watched;
  key: string;
  definition: Definition;
  /** The last slots that were due by telling ages, oldest first. */
  due: number[];
  /** Of those, the ones that are neither an occurrence nor in a gap row. */
  absent: number[];
  /** Rows of those slots; of a fixed delay, its last link. */
  rows: Seen[];
  /** Rows that something should have ended or moved on by now. */
  unsettled: Seen[];
  /** The first slot that could have succeeded since the last change; told where `alerts.noSuccessFor` asks. */
  chanceFrom: number;
}

/** A schedule whose database or definition cannot be read is left out: its object knows better than a guess. */
export async function gather(
  page: Watched[],
  { directory, shard }: { directory: Database; shard: Shards },
  now: number,
): Promise<Sighting[]> {
  const known = page.flatMap((watched) => blank(watched, now));
  await findChances(directory, known);
  for (const name of new Set(known.map(({ watched }) => watched.shard))) {
    const database = shard(name);
    const own = known.filter(({ watched }) => watched.shard === name);
    if (database) await lookUp(database, own, now);
  }
  return known.filter(({ watched }) => shard(watched.shard) !== null);
}

function blank(watched: Watched, now: number): Sighting[] {
  const completed = complete(watched.definition);
  const compiled = completed.ok ? compile(completed.value) : completed;
  if (!completed.ok || !compiled.ok) return [];
  const key = scheduleKey(watched.namespace, watched.name);
  const definition = completed.value;
  const sighting = { watched, key, definition, absent: [], rows: [], unsettled: [], chanceFrom: 0 };
  const isPlanned = watched.state !== "paused" && compiled.value.kind === "calendar";
  const due = isPlanned ? dueSlots(sighting, compiled.value, now) : [];
  return [{ ...sighting, due }];
}

type Rough = Pick<Sighting, "watched" | "key" | "definition">;

/** The last slot that was due by each of these ages: on record, started, started in good time, ended. */
function dueSlots({ watched, key, definition }: Rough, timetable: Timetable, now: number): number[] {
  const { timeouts, alerts, retentionMs, tracked } = definition;
  const ages = tracked ? [0, timeouts.startMs, timeouts.startMs + timeouts.runMs] : [0];
  if (tracked && alerts.queueWaitMs !== null) ages.push(alerts.queueWaitMs);
  const rule = { revision: 0, definition, timetable };
  // What is over has no slots beyond its cursor.
  const upTo = watched.state === "active" ? Infinity : watched.cursor;
  const slots = ages.map((age) => {
    const slot = lastEffective(rule, key, now - BOUNDS.SWEEP_SETTLE_MS - age);
    return slot !== null && slot > upTo ? timetable.prev(upTo) : slot;
  });
  const recorded = slots.filter((slot) => slot !== null && slot + retentionMs > now);
  return [...new Set(recorded as number[])].toSorted((a, b) => a - b);
}

/** Whoever was paused for a week, or has just been made for once a month, has missed nothing yet. */
async function findChances(directory: Database, sightings: Sighting[]): Promise<void> {
  const asked = sightings.filter(({ definition }) => definition.alerts.noSuccessForMs !== null);
  if (asked.length === 0) return;
  const changes = await lastChanges(
    directory,
    asked.map(({ key }) => key),
  );
  const changedAt = new Map(changes.map(({ schedule, at }) => [schedule, at]));
  for (const sighting of asked) {
    const at = changedAt.get(sighting.key) ?? sighting.watched.createdAt;
    const compiled = compile(sighting.definition);
    if (!compiled.ok) continue;
    const rule = { revision: 0, definition: sighting.definition, timetable: compiled.value };
    const { delayMs } = compiled.value;
    sighting.chanceFrom = delayMs === null ? (nextEffective(rule, sighting.key, at) ?? at) : at + delayMs;
  }
}

async function lookUp(database: Database, sightings: Sighting[], now: number): Promise<void> {
  const keys = sightings.map(({ key }) => key);
  const delayed = sightings.filter(({ definition: { trigger } }) => "after" in trigger).map(({ key }) => key);
  const wanted = sightings.flatMap(({ key, due }) => due.map((slot) => ({ schedule: key, slot })));
  const [rows, links, unsettled] = await Promise.all([
    rowsOf(database, wanted),
    delayed.length > 0 ? lastLinks(database, delayed) : [],
    unsettledOf(database, keys, now - BOUNDS.SWEEP_SETTLE_MS),
  ]);
  const [seen, late] = [bySchedule([...rows, ...links]), bySchedule(unsettled)];
  for (const sighting of sightings) {
    sighting.rows = seen.get(sighting.key) ?? [];
    sighting.unsettled = late.get(sighting.key) ?? [];
    if (delayed.includes(sighting.key)) sighting.due = nextLink(sighting, now);
  }
  // At its last change a schedule had accounted for all up to its cursor, and before it was made nothing was due.
  const without = sightings.flatMap(({ key, due, rows, watched }) =>
    due
      .filter((slot) => slot > watched.cursor && !rows.some((row) => row.slot === slot))
      .map((slot) => ({ schedule: key, slot })),
  );
  const absent = bySchedule(await absentOf(database, without));
  for (const sighting of sightings)
    sighting.absent = (absent.get(sighting.key) ?? []).map(({ slot }) => slot);
}

/** Of these slots without a row, those without a gap row too. */
async function absentOf(database: Database, wanted: Wanted[]): Promise<Wanted[]> {
  if (wanted.length === 0) return [];
  const covered = bySchedule(await inGaps(database, wanted));
  return wanted.filter(({ schedule, slot }) => !covered.get(schedule)?.some((other) => other.slot === slot));
}

/** Of slots that were absent, those that still are. */
export async function stillAbsent(database: Database, wanted: Wanted[]): Promise<Wanted[]> {
  if (wanted.length === 0) return [];
  const rows = bySchedule(await rowsOf(database, wanted));
  return absentOf(
    database,
    wanted.filter(({ schedule, slot }) => !rows.get(schedule)?.some((row) => row.slot === slot)),
  );
}

/** Fixed delay: the slot that was announced, once it should be on record. */
function nextLink({ watched, rows, definition }: Sighting, now: number): number[] {
  if (watched.state !== "active") return [];
  const { version, stateBody } = watched;
  const dueAt = nextLinkDue({ version, delayDueAt: stateBody.delayDueAt ?? null }, rows);
  const isDue = dueAt !== null && dueAt + definition.jitterMs + BOUNDS.SWEEP_SETTLE_MS <= now;
  return isDue && !rows.some(({ slot }) => slot === dueAt) ? [dueAt] : [];
}

function bySchedule<T extends { schedule: string }>(rows: T[]): Map<string, T[]> {
  return Map.groupBy(rows, ({ schedule }) => schedule);
}
