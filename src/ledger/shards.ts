/**
 * Which database keeps what. `LEDGER` is the directory: schedules, their changes, and all that is rarely written.
 * Occurrences and gap rows lie in the shard that was chosen when the schedule was made, which it keeps for good; so
 * a database added later takes its share of new schedules, and no old one has to move.
 */
import { hashPlace } from "../core/time.ts";
import type { PendingRow } from "../schedule/state.ts";

export const DIRECTORY = "LEDGER";

const IN_THE_SHARD: readonly PendingRow["table"][] = ["occurrences", "gaps"];

/** The database that a row of a schedule belongs into. */
export function databaseOf({ table }: PendingRow, shard: string): string {
  return IN_THE_SHARD.includes(table) ? shard : DIRECTORY;
}

/** Spreads new schedules evenly over the databases that take them. */
export function chooseShard(open: readonly string[], schedule: string): string {
  return open[hashPlace(schedule, open.length)] ?? DIRECTORY;
}
