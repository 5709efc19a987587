/** SQLite under the two interfaces that the product knows it by: an object's own storage, and D1. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

export class Sqlite {
  readonly db = new DatabaseSync(":memory:");
  readonly #prepared = new Map<string, StatementSync>();

  prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known) return known;
    const statement = this.db.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }

  transaction<T>(what: () => T): T {
    this.prepare("BEGIN").run();
    try {
      const result = what();
      this.prepare("COMMIT").run();
      return result;
    } catch (error) {
      this.prepare("ROLLBACK").run();
      throw error;
    }
  }
}

// ── an object's storage ──────────────────────────────────────────────────────────────────────────

/** Of `SqlStorage`, what storage.ts calls. */
export function sqlOf(sqlite: Sqlite) {
  return {
    exec(sql: string, ...values: SQLInputValue[]) {
      if (sql.startsWith("CREATE")) {
        sqlite.db.exec(sql);
        return { toArray: () => [], [Symbol.iterator]: () => [][Symbol.iterator]() };
      }
      const rows = sqlite.prepare(sql).all(...values);
      return { toArray: () => rows, [Symbol.iterator]: () => rows[Symbol.iterator]() };
    },
  };
}

/** Everything in it, to be put back later: what a point-in-time restore does. */
export type Dump = { [table: string]: Record<string, SQLInputValue>[] };
const TABLES = ["head", "revisions", "spill"];

export function dump(sqlite: Sqlite): Dump {
  if (!isMade(sqlite)) return {};
  return Object.fromEntries(
    TABLES.map((table) => [table, sqlite.prepare(`SELECT * FROM ${table}`).all() as Dump[string]]),
  );
}

export function putBack(sqlite: Sqlite, dumped: Dump): void {
  if (!isMade(sqlite)) return;
  for (const table of TABLES) {
    sqlite.db.exec(`DELETE FROM ${table}`);
    for (const row of dumped[table] ?? []) {
      const values = Object.values(row);
      sqlite.prepare(`INSERT INTO ${table} VALUES (${values.map(() => "?").join()})`).run(...values);
    }
  }
}

function isMade(sqlite: Sqlite): boolean {
  return (sqlite.prepare("SELECT count(*) AS n FROM sqlite_master").get() as { n: number }).n > 0;
}

// ── D1 ───────────────────────────────────────────────────────────────────────────────────────────

const MIGRATIONS = join(import.meta.dirname, "../../migrations");

export function migrate(sqlite: Sqlite): void {
  for (const file of readdirSync(MIGRATIONS).toSorted())
    sqlite.db.exec(readFileSync(join(MIGRATIONS, file), "utf8"));
}

/** How a call goes: it may take its time, fail before it did anything, or do it and not say so. */
export type Way = <T>(run: () => T) => Promise<T>;

export function d1Of(sqlite: Sqlite, way: Way): D1Database {
  const all = (one: Bound) => {
    const results = sqlite.prepare(one.sql).all(...one.values);
    return { success: true, results, meta: {} };
  };
  const write = (one: Bound) => {
    const { changes } = sqlite.prepare(one.sql).run(...one.values);
    return { success: true, results: [], meta: { changes: Number(changes) } };
  };
  class Bound {
    readonly sql: string;
    readonly values: SQLInputValue[];
    constructor(sql: string, values: SQLInputValue[] = []) {
      this.sql = sql;
      this.values = values;
    }
    bind(...values: SQLInputValue[]) {
      return new Bound(this.sql, values);
    }
    all() {
      return way(() => all(this));
    }
    run() {
      return way(() => write(this));
    }
    first() {
      return way(() => sqlite.prepare(this.sql).get(...this.values) ?? null);
    }
  }
  return {
    prepare: (sql: string) => new Bound(sql),
    batch: (statements: Bound[]) => way(() => sqlite.transaction(() => statements.map(write))),
  } as unknown as D1Database;
}
