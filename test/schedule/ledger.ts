/** A ledger in memory: the tables of D1, each row guarded by its version like the real statements. */
import type { DefinitionInput } from "../../src/core/schedule.ts";
import type { ChangeRow, GapRow, OccurrenceRow, PendingRow, ScheduleRow } from "../../src/schedule/state.ts";

export class Ledger {
  readonly occurrences = new Map<string, OccurrenceRow>();
  readonly gaps = new Map<number, GapRow>();
  readonly changes = new Map<number, ChangeRow>();
  schedule: ScheduleRow | null = null;
  /** Sees every row of an occurrence that takes another's place. */
  onReplace: (before: OccurrenceRow, after: OccurrenceRow) => void = () => {};
  /** Rows that changed, as they are billed. */
  written = 0;

  record(rows: PendingRow[]): void {
    for (const row of rows) this.#upsert(structuredClone(row));
  }

  #upsert(row: PendingRow): void {
    switch (row.table) {
      case "occurrences":
        return this.#occurrence(row.row);
      case "gaps":
        return this.#newer(this.gaps, row.row.from_at, row.row);
      case "changes":
        if (!this.changes.has(row.version)) this.changes.set(row.version, row.row);
        return;
      case "schedules":
        if (!this.schedule || row.version > this.schedule.version) this.schedule = row.row;
    }
  }

  #occurrence(row: OccurrenceRow): void {
    const key = `${row.slot}${row.variant}`;
    const known = this.occurrences.get(key);
    if (known && row.version > known.version) this.onReplace(known, row);
    this.#newer(this.occurrences, key, row);
  }

  #newer<K, R extends { version: number }>(table: Map<K, R>, key: K, row: R): void {
    const known = table.get(key);
    if (known && row.version <= known.version) return;
    table.set(key, row);
    this.written++;
  }

  /** As if it had never been told. */
  lose(): void {
    this.occurrences.clear();
    this.gaps.clear();
    this.schedule = null;
  }

  /** The version under which it has a row; 0: it has not. */
  version({ table, key, version }: Pick<PendingRow, "table" | "key" | "version">): number {
    switch (table) {
      case "occurrences":
        return this.occurrences.get(key)?.version ?? 0;
      case "gaps":
        return this.gaps.get(Number(key.slice("gap ".length)))?.version ?? 0;
      case "changes":
        return this.changes.has(version) ? version : 0;
      case "schedules":
        return this.schedule?.version ?? 0;
    }
  }

  row(slot: number, variant = ""): OccurrenceRow | undefined {
    return this.occurrences.get(`${slot}${variant}`);
  }

  /** Slots that some occurrence has seen to its end. */
  get succeeded(): number[] {
    return [...this.occurrences.values()]
      .filter(({ state }) => state === "succeeded")
      .map(({ slot }) => slot);
  }

  definition(revision: number): DefinitionInput {
    const made = [...this.changes.values()].find((c) => c.revision === revision && c.body.definition);
    if (!made?.body.definition) throw new Error(`no change made revision ${revision}`);
    return made.body.definition;
  }

  /** Every slot that is told of, one a line: `09:00 succeeded`, `09:01..09:05 ×5 missed`. */
  get story(): string[] {
    const rows = [...this.occurrences.values()].map((row) => ({
      at: row.slot,
      line: `${instant(row.slot)}${row.variant} ${row.state}${row.reason ? `/${row.reason}` : ""}`,
    }));
    const gaps = [...this.gaps.values()].map((gap) => ({
      at: gap.from_at,
      line: `${instant(gap.from_at)}..${instant(gap.to_at)} ×${gap.count} ${gap.reason}`,
    }));
    return [...rows, ...gaps].toSorted((a, b) => a.at - b.at).map(({ line }) => line);
  }
}

/** Short: without the date of the story's day it would be all date. */
export function instant(ms: number): string {
  return new Date(ms).toISOString().slice(11).replace(".000Z", "").replace("Z", "");
}
