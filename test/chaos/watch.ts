/** One schedule under observation: every durable step is held against the invariants, and against the ledger. */
import type { DefinitionInput } from "../../src/core/schedule.ts";
import { linesOf } from "../../src/schedule/journal.ts";
import type { Saved } from "../../src/schedule/signals.ts";
import {
  freshState,
  scheduleKey,
  type ChangeRow,
  type GapRow,
  type OccurrenceRow,
  type World,
} from "../../src/schedule/state.ts";
import { firingsOf } from "../../src/schedule/view.ts";
import { Invariants, type Witness } from "../schedule/invariants.ts";
import { Ledger } from "../schedule/ledger.ts";
import type { Clock } from "./clock.ts";
import type { Temper } from "./hands.ts";
import type { Host } from "./host.ts";
import type { Sqlite } from "./sqlite.ts";

type Bodied<T> = Omit<T, "body"> & { body: string };

export class Watched implements Witness {
  readonly host: Host;
  readonly temper: Temper;
  definition: DefinitionInput;
  readonly invariants: Invariants;
  /** Slots that only lost storage knew of: whatever stood there is gone, and said to be. */
  readonly lost: { from: number; to: number }[] = [];
  readonly trace: string[] = [];
  commands = 0;
  readonly #clock: Clock;
  readonly #books: Sqlite;
  readonly #sent = new Set<string>();
  readonly #key: string;
  #world: World;
  #older: World | null = null;
  readonly #isTraced: boolean;

  constructor(
    made: { host: Host; temper: Temper; definition: DefinitionInput; isTraced: boolean },
    { clock, books }: { clock: Clock; books: Sqlite },
  ) {
    this.host = made.host;
    this.temper = made.temper;
    this.definition = made.definition;
    this.#isTraced = made.isTraced;
    this.#key = made.host.key;
    this.#clock = clock;
    this.#books = books;
    this.#world = this.#blank();
    this.invariants = new Invariants(this);
  }

  get now(): number {
    return this.#clock.now;
  }
  get alarm(): number | null {
    return this.host.alarm;
  }
  get world(): World {
    return this.#world;
  }
  get state(): World["state"] {
    return this.#world.state;
  }
  get isAtRest(): boolean {
    const { open, waiting } = this.state;
    return open.length + waiting.length === 0 && !this.invariants.owesRows();
  }

  saved({ name, command, world }: Saved): void {
    const before = this.#world;
    this.commands++;
    this.#world = world;
    if (this.#isTraced) this.#tell(before, world, name);
    const { overlap } = (command ?? {}) as { overlap?: string };
    this.invariants.asked = name === "trigger" && overlap === "allow";
    this.invariants.onSave(before, world, name);
  }

  say(line: string): void {
    if (this.#isTraced) this.trace.push(`${new Date(this.#clock.now).toISOString()} ${line}`);
  }

  #tell(before: World, after: World, name: string): void {
    const { state } = after;
    const moved = linesOf(before, after).map(
      (line) => `${line.event} ${line.occurrence}${line.state ? ` ${line.state}/${line.reason ?? ""}` : ""}`,
    );
    const standing = `${state.status} r${state.revision} cursor ${new Date(state.cursor).toISOString().slice(11, 23)}`;
    this.say(
      `${name}: ${standing}, ${state.open.length} open, ${state.waiting.length} wait; ${moved.join("; ") || "-"}`,
    );
  }

  // ── what storage forgets ───────────────────────────────────────────────────────────────────────

  get isRemembered(): boolean {
    return this.#older !== null;
  }

  remember(): void {
    this.host.remember();
    this.#older = this.#world;
  }

  rollBack(): boolean {
    const older = this.#older;
    if (older === null || this.#hasUntoldChanges() || !this.host.rollBack()) return false;
    this.#forget(older);
    return true;
  }

  lose(): boolean {
    if (this.state.revision === 0 || this.#hasUntoldChanges()) return false;
    this.host.lose();
    this.#forget(this.#blank());
    return true;
  }

  /** An edit that nobody has on record would be undone: true in production too, and no riddle to solve here. */
  #hasUntoldChanges(): boolean {
    return this.state.rows.some((row) => row.table === "changes" && this.recorded(row) === 0);
  }

  #forget(left: World): void {
    const { open, waiting, rows, cursor } = this.state;
    for (const range of waiting)
      for (const { slot } of firingsOf(this.#world, range, range.count))
        this.lost.push({ from: slot, to: slot });
    for (const { slot, variant } of open)
      if (this.told(`${slot}${variant}`) === undefined) this.lost.push({ from: slot, to: slot });
    for (const row of rows) {
      if (this.recorded(row) >= row.version) continue;
      if (row.table === "occurrences") this.lost.push({ from: row.row.slot, to: row.row.slot });
      if (row.table === "gaps") this.lost.push({ from: row.row.from_at, to: row.row.to_at });
    }
    this.say(
      `storage forgets what came after ${new Date(Math.min(left.state.cursor, cursor)).toISOString()}`,
    );
    this.#world = left;
    this.#older = null;
    this.invariants.forget();
  }

  #blank(): World {
    const [namespace = "", name = ""] = this.#key.split("/");
    return { state: freshState(namespace, name, "LEDGER", this.#clock.now), revisions: {} };
  }

  // ── what is on record ──────────────────────────────────────────────────────────────────────────

  accepted(key: string, attempt: number): void {
    this.#sent.add(`${key} ${attempt}`);
  }

  left(key: string, attempt: number): boolean {
    return this.#sent.has(`${key} ${attempt}`);
  }

  recorded({ table, key, version }: Parameters<Witness["recorded"]>[0]): number {
    switch (table) {
      case "occurrences":
        return this.#row(key)?.version ?? 0;
      case "gaps": {
        const sql = "SELECT version FROM gaps WHERE schedule = ? AND from_at = ?";
        return this.#version(sql, Number(key.slice("gap ".length)));
      }
      case "changes":
        return this.#version("SELECT version FROM changes WHERE schedule = ? AND version = ?", version);
      case "schedules": {
        const { namespace, name } = this.state;
        const sql = "SELECT version FROM schedules WHERE namespace = ? AND name = ?";
        return this.#version(sql, name, namespace);
      }
    }
  }

  told(key: string): OccurrenceRow["state"] | undefined {
    return this.#row(key)?.state;
  }

  #row(key: string): Pick<OccurrenceRow, "version" | "state"> | undefined {
    const [, slot = "", variant = ""] = /^(\d+)(.*)$/.exec(key) ?? [];
    return this.#books
      .prepare("SELECT version, state FROM occurrences WHERE slot = ? AND schedule = ? AND variant = ?")
      .get(Number(slot), this.#key, variant) as Pick<OccurrenceRow, "version" | "state"> | undefined;
  }

  #version(sql: string, id: string | number, schedule = this.#key): number {
    const found = this.#books.prepare(sql).get(schedule, id) as { version: number } | undefined;
    return found?.version ?? 0;
  }

  record(): Ledger {
    const ledger = new Ledger();
    const all = <T>(table: string) =>
      this.#books.prepare(`SELECT * FROM ${table} WHERE schedule = ?`).all(scheduleKey(this.state)) as T[];
    for (const row of all<Bodied<OccurrenceRow>>("occurrences"))
      ledger.occurrences.set(`${row.slot}${row.variant}`, row as unknown as OccurrenceRow);
    for (const row of all<GapRow>("gaps")) ledger.gaps.set(row.from_at, row);
    for (const row of all<Bodied<ChangeRow>>("changes"))
      ledger.changes.set(row.version, { ...row, body: JSON.parse(row.body) as ChangeRow["body"] });
    return ledger;
  }
}
