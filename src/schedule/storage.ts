/**
 * Where the world lies in the object's SQLite: one head row with everything that changes, saved by one UPDATE
 * (one billed row whatever changed); definitions by revision; and a spill for what would make the head large.
 */
import type { DefinitionInput } from "../core/schedule.ts";
import type { ScheduleState, World } from "./state.ts";

/** Ordered, never edited once shipped; `schema` says how many have run. */
const MIGRATIONS = [
  `CREATE TABLE head (id INTEGER PRIMARY KEY CHECK (id = 1), schema INTEGER NOT NULL, state TEXT NOT NULL) STRICT;
   CREATE TABLE revisions (revision INTEGER PRIMARY KEY, definition TEXT NOT NULL) STRICT;
   CREATE TABLE spill (key TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;`,
];

const SPILLED = ["open", "rows", "waiting", "secrets"] as const;
const HEAD_ITEMS_MAX = 32; // of each list; beyond that every save would rewrite what hardly changes
const HEAD_ITEM_BYTES_MAX = 4_096; // a payload or result of its own

const HEAD = 0; // among the revisions, whose numbers begin at 1
const LOAD = `SELECT ${HEAD} AS revision, state AS body FROM head UNION ALL SELECT revision, definition FROM revisions`;

interface Reference {
  $: string;
}

export class Storage {
  readonly #sql: SqlStorage;
  #spilled = new Map<string, string>();
  #exists = false;
  #revisions = new Set<number>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Every cold start waits for this: one statement, and a second one only where something is spilled. */
  load(): World | null {
    let head: ScheduleState | null = null;
    const revisions: World["revisions"] = {};
    for (const { revision, body } of this.#read()) {
      if (revision === HEAD) {
        head = JSON.parse(body) as ScheduleState;
        continue;
      }
      revisions[revision] = JSON.parse(body) as DefinitionInput;
      this.#revisions.add(revision);
    }
    return head && { state: this.#unspill(head), revisions };
  }

  #read(): { revision: number; body: string }[] {
    try {
      const rows = this.#sql.exec<{ revision: number; body: string }>(LOAD).toArray();
      this.#exists = true;
      return rows;
    } catch (error) {
      if (!String(error).includes("no such table")) throw error;
      return []; // nothing was ever stored here
    }
  }

  /** Inside the caller's transaction. */
  save(world: World): void {
    if (!this.#exists) this.#create();
    for (const [revision, definition] of Object.entries(world.revisions)) {
      if (this.#revisions.has(Number(revision))) continue;
      this.#sql.exec("INSERT INTO revisions VALUES (?1, ?2)", Number(revision), JSON.stringify(definition));
      this.#revisions.add(Number(revision));
    }
    for (const revision of this.#revisions) {
      if (revision in world.revisions) continue;
      this.#sql.exec("DELETE FROM revisions WHERE revision = ?1", revision);
      this.#revisions.delete(revision);
    }
    this.#sql.exec(
      "INSERT INTO head VALUES (1, ?1, ?2) ON CONFLICT (id) DO UPDATE SET state = excluded.state",
      MIGRATIONS.length,
      this.#textOf(world.state),
    );
  }

  #create(): void {
    for (const migration of MIGRATIONS) this.#sql.exec(migration);
    this.#exists = true;
  }

  /** The head row, put together from the texts of its items: at most saves nearly all of them are as they were. */
  #textOf(state: ScheduleState): string {
    const kept = new Set<string>();
    const lists = SPILLED.map((list) => {
      const items = state[list].map((item, index) => {
        const body = textOf(item);
        if (index < HEAD_ITEMS_MAX && body.length <= HEAD_ITEM_BYTES_MAX) return body;
        const key = `${list} ${nameOf(item)}`;
        this.#put(key, body);
        kept.add(key);
        return JSON.stringify({ $: key } satisfies Reference);
      });
      return `"${list}":[${items.join()}]`;
    });
    for (const key of this.#spilled.keys()) if (!kept.has(key)) this.#drop(key);
    const finals = `"finals":[${state.finals.map(textOf).join()}]`;
    const others: Record<string, unknown> = { ...state };
    for (const list of [...SPILLED, "finals"]) delete others[list];
    return `${JSON.stringify(others).slice(0, -1)},${[...lists, finals].join()}}`;
  }

  #unspill(head: ScheduleState): ScheduleState {
    const isSpilled = SPILLED.some((list) => head[list]?.some((item: object) => "$" in item));
    if (isSpilled) {
      const rows = this.#sql.exec<{ key: string; body: string }>("SELECT key, body FROM spill");
      for (const { key, body } of rows) this.#spilled.set(key, body);
    }
    const state = { ...head } as Record<string, unknown>;
    for (const list of SPILLED) {
      // An object that was made before a list came into being has none of it.
      state[list] = ((head[list] ?? []) as unknown[]).map((item) => {
        const key = (item as Partial<Reference>).$;
        return key === undefined ? item : (JSON.parse(this.#spilled.get(key) ?? "null") as unknown);
      });
    }
    return state as unknown as ScheduleState;
  }

  #put(key: string, body: string): void {
    if (this.#spilled.get(key) === body) return;
    this.#sql.exec(
      "INSERT INTO spill VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET body = excluded.body",
      key,
      body,
    );
    this.#spilled.set(key, body);
  }

  #drop(key: string): void {
    this.#sql.exec("DELETE FROM spill WHERE key = ?1", key);
    this.#spilled.delete(key);
  }
}

function nameOf(item: ScheduleState[(typeof SPILLED)[number]][number]): string {
  if ("key" in item) return item.key;
  if ("field" in item) return item.field;
  return `${"slot" in item ? item.slot : item.after} ${item.variant}`;
}

// Nothing is changed in place once it was saved, so that its text stays true.
const texts = new WeakMap<object, string>();

function textOf(item: object): string {
  const known = texts.get(item);
  if (known !== undefined) return known;
  const text = JSON.stringify(item);
  texts.set(item, text);
  return text;
}
