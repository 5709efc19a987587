/** What the sweep looks at: the next schedules in key order, and what the ledger has of their slots. */
import { isFinal, type State } from "../core/occurrence.ts";
import type { DefinitionInput } from "../core/schedule.ts";
import type { ScheduleState } from "./directory.ts";
import type { ScheduleStateBody } from "../schedule/state.ts";

export interface Watched {
  namespace: string;
  name: string;
  version: number;
  shard: string;
  state: ScheduleState;
  cursor: number;
  createdAt: number;
  health: string;
  definition: DefinitionInput;
  stateBody: ScheduleStateBody;
}

interface WatchedRow extends Omit<Watched, "definition" | "stateBody" | "createdAt"> {
  created_at: number;
  definition: string;
  state_body: string;
}

/** Which schedules are looked after: in the words of the partial index, or it is not used. */
export const IS_WATCHED = "(state IN ('active', 'paused') OR unfinished = 1)";

/** The next ones after a position: of the completed and the deleted, those with a run that has not ended. */
export async function watchedAfter(db: D1Database, position: string, limit: number): Promise<Watched[]> {
  const slash = position.indexOf("/");
  const { results } = await db
    .prepare(
      `SELECT namespace, name, version, shard, state, cursor, created_at, health, definition, state_body
         FROM schedules
        WHERE (namespace, name) > (?1, ?2) AND ${IS_WATCHED}
        ORDER BY namespace, name
        LIMIT ?3`,
    )
    .bind(position.slice(0, Math.max(slash, 0)), position.slice(slash + 1), limit)
    .all<WatchedRow>();
  return results.map(({ created_at, definition, state_body, ...row }) => ({
    ...row,
    createdAt: created_at,
    definition: JSON.parse(definition) as DefinitionInput,
    stateBody: JSON.parse(state_body) as ScheduleStateBody,
  }));
}

/** A row as far as the sweep needs it. */
export interface Seen {
  schedule: string;
  slot: number;
  variant: string;
  version: number;
  state: State;
  claimed_at: number | null;
  dispatched_at: number | null;
  started_at: number | null;
  finished_at: number | null;
  due_at: number | null;
}

const SEEN = `o.schedule, o.slot, o.variant, o.version, o.state, o.claimed_at, o.dispatched_at, o.started_at, o.finished_at, o.due_at`;

export interface Wanted {
  schedule: string;
  slot: number;
}

/** Of these slots, the rows that there are: by primary key, one row read for each. */
export async function rowsOf(db: D1Database, wanted: Wanted[]): Promise<Seen[]> {
  const { results } = await db
    .prepare(
      `SELECT ${SEEN}
         FROM json_each(?1) AS wanted CROSS JOIN occurrences AS o
        WHERE o.slot = wanted.value->>'slot' AND o.schedule = wanted.value->>'schedule' AND o.variant = ''`,
    )
    .bind(JSON.stringify(wanted))
    .all<Seen>();
  return results;
}

/** Of these slots, those inside a gap row. Gap rows of one schedule never overlap: the last that begins before decides. */
export async function inGaps(db: D1Database, wanted: Wanted[]): Promise<Wanted[]> {
  const { results } = await db
    .prepare(
      `SELECT wanted.value->>'schedule' AS schedule, wanted.value->>'slot' AS slot
         FROM json_each(?1) AS wanted
        WHERE (SELECT to_at FROM gaps
                WHERE schedule = wanted.value->>'schedule' AND from_at <= wanted.value->>'slot'
                ORDER BY from_at DESC LIMIT 1) >= wanted.value->>'slot'`,
    )
    .bind(JSON.stringify(wanted))
    .all<Wanted>();
  return results;
}

/** The last link of each fixed delay, continuations included: its row says when the next is due. */
export async function lastLinks(db: D1Database, schedules: string[]): Promise<Seen[]> {
  const { results } = await db
    .prepare(
      `SELECT ${SEEN}
         FROM json_each(?1) AS wanted CROSS JOIN occurrences AS o
        WHERE o.schedule = wanted.value AND o.computed = 0 AND (o.variant = '' OR o.variant GLOB '~c*')
          AND o.slot = (SELECT slot FROM occurrences
                         WHERE schedule = wanted.value AND computed = 0 AND variant = ''
                         ORDER BY slot DESC LIMIT 1)`,
    )
    .bind(JSON.stringify(schedules))
    .all<Seen>();
  return results;
}

/** When the next slot of a fixed delay is due, as its last settled row announced or its schedule's own, if newer. */
export function nextLinkDue(
  { version, delayDueAt }: { version: number; delayDueAt: number | null },
  links: Seen[],
): number | null {
  const last = links.toSorted((a, b) => a.version - b.version).at(-1);
  if (last === undefined || last.version <= version) return delayDueAt;
  return isFinal(last.state, true) ? last.due_at : null;
}

const UNSETTLED_MAX = 500;

/** Rows of these schedules in states that something has to end, and it should have by `dueBefore`; oldest first. */
export async function unsettledOf(db: D1Database, schedules: string[], dueBefore: number): Promise<Seen[]> {
  const { results } = await db
    .prepare(
      `SELECT ${SEEN}
         FROM occurrences AS o
        WHERE o.attention = 1 AND o.state IN ('claimed', 'running', 'retrying', 'deferred')
          AND o.schedule IN (SELECT value FROM json_each(?1))
          AND coalesce(o.due_at, o.claimed_at) < ?2
        ORDER BY o.slot
        LIMIT ${UNSETTLED_MAX}`,
    )
    .bind(JSON.stringify(schedules), dueBefore)
    .all<Seen>();
  return results;
}

/** When each was last created, edited or resumed: from then on it had a chance. */
export async function lastChanges(
  db: D1Database,
  schedules: string[],
): Promise<{ schedule: string; at: number }[]> {
  const { results } = await db
    .prepare(
      `SELECT wanted.value AS schedule,
              (SELECT at FROM changes
                WHERE schedule = wanted.value AND action IN ('create', 'edit', 'resume')
                ORDER BY version DESC LIMIT 1) AS at
         FROM json_each(?1) AS wanted`,
    )
    .bind(JSON.stringify(schedules))
    .all<{ schedule: string; at: number | null }>();
  return results.flatMap(({ schedule, at }) => (at === null ? [] : [{ schedule, at }]));
}
