/**
 * Retention. Rows lie in the order of time, so those to go lie at the old end, among those of schedules that keep
 * theirs for longer: a walk goes round over what may be old enough, a bounded stretch a pass, and takes out what is.
 */
import { BOUNDS, DEFAULTS } from "../core/limits.ts";
import { deleteAnswers } from "../ledger/idempotency.ts";
import { scheduleKey } from "../ledger/row.ts";
import {
  deleteAlerts,
  deleteChanges,
  deleteGaps,
  deleteRows,
  FROM_THE_START,
  oldRows,
  prunePosition,
  retentionsAfter,
  retentionsOf,
  savePrunePosition,
  type PrunePosition,
  type Retained,
} from "../ledger/prune.ts";
import { log } from "../log.ts";

type Database = Parameters<typeof oldRows>[0];

export interface Prune {
  directory: Database;
  /** All databases that keep occurrences, by name. */
  shards: ReadonlyMap<string, Database>;
}

export interface PruneSummary {
  occurrences: number;
  gaps: number;
  changes: number;
  alerts: number;
  answers: number;
}

export async function prune({ directory, shards }: Prune, now: number): Promise<PruneSummary> {
  const pruned: PruneSummary = { occurrences: 0, gaps: 0, changes: 0, alerts: 0, answers: 0 };
  const stretches = Math.max(1, Math.floor(BOUNDS.PRUNES_PER_PASS / shards.size));
  for (const [name, database] of shards) {
    const at = await prunePosition(database);
    const next = { ...at };
    pruned.occurrences += await pruneOccurrences({ directory, database, now }, next, stretches);
    pruned.gaps += await pruneGaps({ directory, database, name, now }, next);
    if (database === directory) pruned.changes += await pruneChanges(directory, at.position, now);
    // Where nothing is old, nothing is written.
    if (JSON.stringify(next) !== JSON.stringify(at)) await savePrunePosition(database, next);
  }
  const { RETENTION_MS } = DEFAULTS;
  pruned.alerts = await deleteAlerts(directory, now - RETENTION_MS, BOUNDS.PRUNED_SCHEDULES_PER_PASS);
  const answersBefore = now - BOUNDS.ANSWERS_KEPT_MS;
  pruned.answers = await deleteAnswers(directory, answersBefore, BOUNDS.PRUNED_AT_ONCE);
  if (Object.values(pruned).some((count) => count > 0)) log("pruned", { ...pruned });
  return pruned;
}

interface Walk {
  directory: Database;
  database: Database;
  now: number;
}

/** One stretch after another while they have rows to go; where nothing goes, one a pass. */
async function pruneOccurrences(walk: Walk, at: PrunePosition, stretches: number): Promise<number> {
  let deleted = 0;
  for (let stretch = 0; stretch < stretches; stretch++) {
    const gone = await pruneStretch(walk, at);
    deleted += gone;
    if (gone === 0 || at.slot === FROM_THE_START.slot) break;
  }
  return deleted;
}

async function pruneStretch({ directory, database, now }: Walk, at: PrunePosition): Promise<number> {
  const rows = await oldRows(database, at, now - BOUNDS.RETENTION_MS_LEAST, BOUNDS.PRUNED_AT_ONCE);
  const last = rows.length < BOUNDS.PRUNED_AT_ONCE ? FROM_THE_START : rows.at(-1)!;
  const { slot, schedule, variant } = last;
  Object.assign(at, { slot, schedule, variant });
  const keys = [...new Set(rows.map((row) => row.schedule))];
  if (keys.length === 0) return 0;
  const bounds = boundsOf(await retentionsOf(directory, keys), now);
  // Of a schedule that the directory has lost nothing is taken: its object may bring it back.
  const old = rows.filter((row) => row.slot < (bounds.get(row.schedule) ?? 0));
  const owners = new Set(old.map((row) => row.schedule));
  return deleteRows(database, old, new Map([...bounds].filter(([key]) => owners.has(key))));
}

async function pruneGaps(
  { directory, database, name, now }: Walk & { name: string },
  at: PrunePosition,
): Promise<number> {
  const page = await nextSchedules(directory, at.position);
  const own = page.filter(({ shard }) => shard === name);
  at.position = positionAfter(page);
  return own.length === 0 ? 0 : deleteGaps(database, boundsOf(own, now));
}

async function pruneChanges(directory: Database, position: string, now: number): Promise<number> {
  const page = await nextSchedules(directory, position);
  return page.length === 0 ? 0 : deleteChanges(directory, boundsOf(page, now));
}

function nextSchedules(directory: Database, position: string): Promise<Retained[]> {
  return retentionsAfter(directory, position, BOUNDS.PRUNED_SCHEDULES_PER_PASS);
}

/** A short page was the last one: the walk begins anew. */
function positionAfter(page: Retained[]): string {
  const last = page.at(BOUNDS.PRUNED_SCHEDULES_PER_PASS - 1);
  return last ? scheduleKey(last.namespace, last.name) : "";
}

/** Of each schedule, the instant before which its rows go. */
function boundsOf(page: Retained[], now: number): Map<string, number> {
  return new Map(
    page.map(({ namespace, name, retentionMs }) => [
      scheduleKey(namespace, name),
      now - (retentionMs ?? DEFAULTS.RETENTION_MS),
    ]),
  );
}
