/**
 * What an object that lost its memory has to be told. There is no index by schedule on the common path, so the
 * highest slot is found as history finds it: computed from the definition, looked up by key, newest first.
 */
import { complete } from "../core/schedule.ts";
import { compile, type Timetable } from "../core/trigger.ts";
import { DIRECTORY } from "./shards.ts";
import { lastLinks, nextLinkDue } from "./watched.ts";
import type { RestoreCommand } from "../schedule/recover.ts";
import type { OccurrenceRow, ScheduleRow } from "../schedule/state.ts";

type StoredSchedule = { [K in keyof ScheduleRow]: ScheduleRow[K] extends object ? string : ScheduleRow[K] };
type StoredOccurrence = Omit<OccurrenceRow, "body"> & { body: string };

const SLOTS_A_LOOK = 500;
const CLOCK_BACK_MS = 15 * 60_000; // a clock that was set back shows less than the ledger has; what lies beyond it was fired too
const LOOKS_MAX = 20; // 10,000 slots back; an object silent for longer than that has gap rows to show for it

/** Throws where a database is not bound any more: what can't be asked must not count as empty. */
export async function readForRestore(
  databaseOf: (binding: string) => D1Database | null,
  namespace: string,
  name: string,
  now: number,
): Promise<RestoreCommand | null> {
  function bound(binding: string): D1Database {
    const database = databaseOf(binding);
    if (!database) throw new Error(`no D1 binding ${binding}`);
    return database;
  }
  const stored = await bound(DIRECTORY)
    .prepare("SELECT * FROM schedules WHERE namespace = ?1 AND name = ?2")
    .bind(namespace, name)
    .first<StoredSchedule>();
  if (!stored) return null;
  const row = {
    ...stored,
    tags: JSON.parse(stored.tags) as string[],
    definition: JSON.parse(stored.definition) as ScheduleRow["definition"],
    state_body: JSON.parse(stored.state_body) as ScheduleRow["state_body"],
  };
  const key = `${namespace}/${name}`;
  const database = bound(row.shard);
  const gaps = await readHighestGap(database, key);
  const recent = [...(await readUncomputed(database, key)), ...(await readComputed(database, key, row, now))];
  return {
    row,
    highestSlot: Math.max(0, gaps.to, ...recent.filter((o) => o.variant === "").map((o) => o.slot)),
    highestVersion: Math.max(
      row.version,
      gaps.version,
      ...recent.map((o) => Math.max(o.version, o.token ?? 0)),
    ),
    delayDueAt: nextLinkDue(
      { version: row.version, delayDueAt: row.state_body.delayDueAt ?? null },
      await lastLinks(database, [key]),
    ),
    open: recent
      .filter((o) => OPEN_STATES.includes(o.state))
      .map((o) => ({ ...o, body: JSON.parse(o.body) as OccurrenceRow["body"] })),
  };
}

const OPEN_STATES = ["claimed", "dispatched", "running", "retrying", "deferred"];

async function readHighestGap(database: D1Database, key: string): Promise<{ to: number; version: number }> {
  const last = await database
    .prepare("SELECT to_at AS 'to', version FROM gaps WHERE schedule = ?1 ORDER BY from_at DESC LIMIT 1")
    .bind(key)
    .first<{ to: number; version: number }>();
  return last ?? { to: 0, version: 0 };
}

async function readUncomputed(database: D1Database, key: string): Promise<StoredOccurrence[]> {
  const { results } = await database
    .prepare("SELECT * FROM occurrences WHERE schedule = ?1 AND computed = 0 ORDER BY slot DESC LIMIT 100")
    .bind(key)
    .all<StoredOccurrence>();
  return results;
}

/** The newest rows under slots that the definition names: the first look that finds any is enough. */
async function readComputed(
  database: D1Database,
  key: string,
  row: ScheduleRow,
  now: number,
): Promise<StoredOccurrence[]> {
  const definition = complete(row.definition);
  const compiled = definition.ok ? compile(definition.value) : definition;
  if (!compiled.ok) return [];
  let before = now + CLOCK_BACK_MS + 1;
  for (let look = 0; look < LOOKS_MAX; look++) {
    const slots = slotsBefore(compiled.value, before);
    if (slots.length === 0) return [];
    const { results } = await database
      .prepare(
        `SELECT o.* FROM json_each(?2) AS wanted
         JOIN occurrences AS o ON o.slot = wanted.value AND o.schedule = ?1 AND o.variant = ''`,
      )
      .bind(key, JSON.stringify(slots))
      .all<StoredOccurrence>();
    if (results.length > 0) return results;
    before = slots.at(-1) ?? 0;
  }
  return [];
}

function slotsBefore(timetable: Timetable, before: number): number[] {
  const slots: number[] = [];
  let slot = timetable.prev(before - 1);
  while (slot !== null && slots.length < SLOTS_A_LOOK) {
    slots.push(slot);
    slot = timetable.prev(slot - 1);
  }
  return slots;
}
