/** Rows of the ledger, as an object would hand them over, and a short way to say what is read back. */
import { env } from "cloudflare:workers";
import type { DefinitionInput } from "../../src/core/schedule.ts";
import { openLedger, type LedgerReads } from "../../src/ledger/reads.ts";
import { recordRows } from "../../src/ledger/record.ts";
import type { HistoryItem } from "../../src/ledger/row.ts";
import type { PendingRow } from "../../src/schedule/state.ts";
import { START } from "./start.ts";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const NOW = START;
export const EVER = { from: 0, to: NOW + 1, before: null };

export const ledger: LedgerReads = openLedger(new Map([["LEDGER", env.LEDGER]]));

type Row = { table: PendingRow["table"]; row: object };
let version = 0;

export async function record(...rows: Row[]): Promise<void> {
  const pending = rows.map(({ table, row }) => ({
    key: "",
    version: ++version,
    table,
    row: { version, ...row },
  }));
  await recordRows(env.LEDGER, pending as unknown as PendingRow[]);
}

export function schedule(name: string, more: object = {}): Row {
  const definition = { trigger: { every: "PT1H" }, target: { queue: "LIBRARY" } };
  const row = {
    namespace: "default",
    name,
    shard: "LEDGER",
    state: "active",
    revision: 1,
    cursor: 0,
    created_at: 0,
    updated_at: 0,
    description: null,
    tags: [],
    managed_by: null,
    health: "healthy",
    definition,
    state_body: {},
    ...more,
  };
  return { table: "schedules", row };
}

export function change(at: number, every: string | null, name = "nightly"): Row {
  const definition = every && { trigger: { every }, target: { queue: "LIBRARY" } };
  return changeTo(at, definition as DefinitionInput | null, { cursor: at }, name);
}

export function changeTo(
  at: number,
  definition: DefinitionInput | null,
  more: object,
  name = "nightly",
): Row {
  const body = definition ? { definition, ...more } : {};
  const action = definition ? "edit" : "delete";
  return {
    table: "changes",
    row: { schedule: `default/${name}`, at, action, revision: 1, who: "test", note: null, body },
  };
}

export function occurrence(slot: number, more: object = {}): Row {
  const state = "state" in more ? more.state : "succeeded";
  const row = {
    slot,
    schedule: "default/nightly",
    variant: "",
    kind: "scheduled",
    revision: 1,
    state,
    reason: null,
    effective_at: slot,
    claimed_at: slot,
    dispatched_at: slot,
    started_at: null,
    finished_at: null,
    attempt: 1,
    token: null,
    queue: "LIBRARY",
    attention: state === "succeeded" ? 0 : 1,
    computed: 1,
    due_at: null,
    body: {
      localTime: "",
      timezones: [],
      locals: [],
      businessDate: "",
      tracked: true,
      attempts: [],
      progress: null,
      result: null,
      error: null,
      replayOf: null,
      leaseUntil: null,
    },
    ...more,
  };
  return { table: "occurrences", row };
}

export function gap(from_at: number, to_at: number, more: object = {}): Row {
  const row = {
    schedule: "default/nightly",
    from_at,
    to_at,
    count: 1,
    reason: "missed",
    revision: 1,
    ...more,
  };
  return { table: "gaps", row };
}

export const beside = (slot: number, variant: string) =>
  occurrence(slot, { variant, kind: "manual", computed: 0 });

/** What an item is, in short: minutes before NOW, the variant, or a gap. */
export function brief(item: HistoryItem): string {
  const ago = (text: string) => String((NOW - Date.parse(text)) / MINUTE);
  if (item.kind === "gap") return `${ago(item.from)}..${ago(item.to)}`;
  const [, variant = ""] = /(~.*)?$/.exec(item.id) ?? [];
  return `${ago(item.scheduledFor)}${variant}`;
}
