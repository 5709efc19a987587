/**
 * Group commit. At nine o'clock thousands of schedules wake in one second; one send and one insert each would
 * queue up behind one another for half a minute. A Courier gathers what they bring: while one flush is under way
 * the next one fills, without a timer, so that a lone message waits for nobody.
 *
 * Two lanes: messages go first; rows follow in one statement, a moment later if there were messages. It stores
 * nothing and never calls a schedule: an answer that is lost leaves the entry pending with its owner.
 */
import { DurableObject } from "cloudflare:workers";
import { ledgerOf, type Env } from "../env.ts";
import { recordRows } from "../ledger/record.ts";
import { databaseOf } from "../ledger/shards.ts";
import { withDeadline } from "../deadline.ts";
import { causeOf, log } from "../log.ts";
import { laneFor, send, type Lane } from "./send.ts";
import type { HandedOver, HandOver, OwedMessage } from "../schedule/handover.ts";
import type { PendingRow } from "../schedule/state.ts";

const BATCH_MESSAGES_MAX = 100; // sendBatch
const BATCH_BYTES_MAX = 250_000; // of 256 KB, with room for what the platform adds
const FLUSH_ROWS_MAX = 500;
const WAITING_MAX = 5_000; // entries; beyond it the callers do better on their own
const LEDGER_MS_MAX = 5_000; // a statement that takes longer counts as unknown: the lane must not hang with the database
/**
 * Rows that follow messages wait this long for those of the same second: fewer statements, and whoever still has
 * something to send goes before what is only to be remembered. Longer, the waiting objects would cost more.
 */
const GATHER_MS = 50;
const RECORD_MS_MAX = 1_000; // how long an answer waits for the ledger: less than its caller's patience

export interface Delivery extends HandOver {
  schedule: string;
  shard: string;
}

interface Entry extends Delivery {
  outcome: HandedOver;
  answer(): void;
}

interface Owed {
  entry: Entry;
  message: OwedMessage;
  lane: Lane | null;
  /** Of the queue that it goes to, or would. */
  name: string;
}

interface Flush {
  entries: Entry[];
  patience: ReturnType<typeof setTimeout>;
}

export class Courier extends DurableObject<Env> {
  #toSend: Entry[] = [];
  #toRecord: Flush[] = [];
  #waiting = 0;
  #sending = false;
  #recording = false;

  async handOver(delivery: Delivery): Promise<HandedOver | "overloaded"> {
    if (this.#waiting >= WAITING_MAX) return "overloaded";
    this.#waiting++;
    const outcome: HandedOver = { sent: [], unsent: [], recorded: [], unrecorded: delivery.rows.length > 0 };
    await new Promise<void>((resolve) => {
      this.#toSend.push({ ...delivery, outcome, answer: resolve });
      void this.#sendAll();
    });
    this.#waiting--;
    return outcome;
  }

  async #sendAll(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    try {
      while (this.#toSend.length > 0) {
        const entries = this.#toSend.splice(0);
        await this.#sendMessages(entries);
        // What is out is told soon, however long the ledger takes: a silent Courier makes its callers send again.
        const patience = setTimeout(() => entries.forEach((entry) => entry.answer()), RECORD_MS_MAX);
        this.#toRecord.push({ entries, patience });
        void this.#recordAll();
      }
    } finally {
      this.#sending = false;
    }
  }

  async #sendMessages(entries: Entry[]): Promise<void> {
    const owed = entries.flatMap((entry) =>
      entry.messages.map((message) => {
        const lane = laneFor(this.env, message.queue, message.message.key);
        return { entry, message, lane, name: lane?.name ?? message.queue };
      }),
    );
    const batches = [...Map.groupBy(owed, ({ name }) => name).values()].flatMap(inBatches);
    await Promise.all(batches.map((batch) => this.#sendBatch(batch)));
  }

  async #sendBatch(batch: Owed[]): Promise<void> {
    const { name = "", lane = null } = batch[0] ?? {};
    try {
      if (!lane) throw new Error(`no queue binding ${name}`);
      await send(
        lane.queue,
        batch.map(({ message }) => message.message),
      );
      const at = Date.now();
      for (const { entry, message } of batch) stamp(entry, message, at);
    } catch (error) {
      // Nothing or everything may have gone out: unknown counts as failed, and the id makes the repeat harmless.
      log("send_failed", { queue: name, messages: batch.length, cause: causeOf(error) });
      for (const { entry, message } of batch) withhold(entry, message, causeOf(error));
    }
  }

  async #recordAll(): Promise<void> {
    if (this.#recording) return;
    this.#recording = true;
    try {
      while (this.#toRecord.length > 0) {
        if (this.#toRecord.some(hasMessages)) await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
        const flushes = this.#toRecord.splice(0);
        for (const entries of inFlushes(flushes.flatMap((flush) => flush.entries))) {
          await this.#record(entries);
          for (const entry of entries) entry.answer();
        }
        for (const flush of flushes) clearTimeout(flush.patience);
      }
    } finally {
      this.#recording = false;
    }
  }

  /** Each database by itself: one that is down holds up no rows of the others. */
  async #record(entries: Entry[]): Promise<void> {
    const owned = entries.flatMap((entry) =>
      entry.rows.map((row) => ({ row, name: databaseOf(row, entry.shard) })),
    );
    const byDatabase = [...Map.groupBy(owned, ({ name }) => name)];
    const recorded = await Promise.all(
      byDatabase.map(([name, rows]) =>
        this.#recordIn(
          name,
          rows.map(({ row }) => row),
        ),
      ),
    );
    const all = new Set(recorded.flatMap((rows) => [...rows]));
    for (const entry of entries) {
      entry.outcome.recorded = entry.rows
        .filter((row) => all.has(row))
        .map(({ key, version }) => ({ key, version }));
      entry.outcome.unrecorded = entry.outcome.recorded.length < entry.rows.length;
    }
  }

  async #recordIn(name: string, rows: PendingRow[]): Promise<Set<PendingRow>> {
    const database = ledgerOf(this.env, name);
    if (database) return recordHalving(database, rows);
    log("record_failed", { shard: name, cause: "no such D1 binding" });
    return new Set();
  }
}

/** The row that travels with the message learns when it left. */
function stamp(entry: Entry, message: OwedMessage, at: number): void {
  entry.outcome.sent.push({ key: message.key, attempt: message.attempt, at });
  for (const row of entry.rows) {
    if (row.table !== "occurrences" || row.key !== message.key || row.row.dispatched_at !== null) continue;
    row.row.dispatched_at = at;
    const attempt = row.row.body.attempts.at(-1);
    if (attempt) attempt.dispatchedAt = at;
  }
}

/** A message that did not leave keeps its row back: the owner will tell the ledger why. */
function withhold(entry: Entry, message: OwedMessage, error: string): void {
  entry.outcome.unsent.push({ key: message.key, attempt: message.attempt, error });
  entry.rows = entry.rows.filter((row) => row.key !== message.key);
}

function hasMessages({ entries }: Flush): boolean {
  return entries.some(({ messages }) => messages.length > 0);
}

function inBatches(owed: Owed[]): Owed[][] {
  const batches: Owed[][] = [];
  let bytes = 0;
  for (const one of owed) {
    const size = JSON.stringify(one.message.message).length + 100;
    const last = batches.at(-1);
    if (!last || last.length >= BATCH_MESSAGES_MAX || bytes + size > BATCH_BYTES_MAX) {
      batches.push([one]);
      bytes = size;
    } else {
      last.push(one);
      bytes += size;
    }
  }
  return batches;
}

/** Whole entries, up to the bound of a statement; at least one. */
function inFlushes(entries: Entry[]): Entry[][] {
  const flushes: Entry[][] = [];
  let rows = 0;
  for (const entry of entries) {
    const last = flushes.at(-1);
    if (!last || rows + entry.rows.length > FLUSH_ROWS_MAX) {
      flushes.push([entry]);
      rows = entry.rows.length;
    } else {
      last.push(entry);
      rows += entry.rows.length;
    }
  }
  return flushes;
}

/** A batch that fails for its data is halved until the culprit stands alone; a ledger that is down fails once. */
async function recordHalving(database: D1Database, rows: PendingRow[]): Promise<Set<PendingRow>> {
  if (rows.length === 0) return new Set();
  try {
    const answered = await withDeadline(
      recordRows(database, rows).then(() => true),
      LEDGER_MS_MAX,
    );
    if (answered) return new Set(rows);
    log("record_failed", { rows: rows.length, cause: "no answer" });
    return new Set();
  } catch (error) {
    const forData = /constraint|datatype|malformed|too big/i.test(causeOf(error));
    if (!forData || rows.length === 1) {
      log(forData ? "row_refused" : "record_failed", {
        rows: rows.length,
        key: rows[0]?.key ?? null,
        cause: causeOf(error),
      });
      return new Set();
    }
    const middle = rows.length >> 1;
    const halves = [rows.slice(0, middle), rows.slice(middle)];
    const recorded = new Set<PendingRow>();
    for (const half of halves) for (const row of await recordHalving(database, half)) recorded.add(row);
    return recorded;
  }
}
