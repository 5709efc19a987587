/**
 * One schedule in the real runtime, with a clock that the test moves: its object, the messages that left, the
 * ledger's rows, and what each step was billed.
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import type { DefinitionInput } from "../../src/core/schedule.ts";
import type { Message } from "../../src/core/message.ts";
import type { ScheduleObject } from "../../src/schedule/object.ts";
import { signals, type Point } from "../../src/schedule/signals.ts";
import type { ScheduleStub } from "../../src/schedule/stub.ts";
import { START } from "./start.ts";
import { parseOccurrenceId } from "../../src/core/occurrence.ts";

export interface Bell {
  stub: ScheduleStub;
  object: DurableObjectStub<ScheduleObject>;
  sent: Message[];
  /** Moves the clock to `at` and runs the alarm, as the platform would. */
  ring(at: number): Promise<void>;
  rows(): Promise<LedgerRow[]>;
}

export interface LedgerRow {
  slot: number;
  variant: string;
  state: string;
  reason: string | null;
  attempt: number;
  token: number | null;
}

let serial = 0;

export async function createBell(definition: Partial<DefinitionInput> = {}): Promise<Bell> {
  vi.useFakeTimers({ now: START, toFake: ["Date"] });
  const name = `bell-${serial++}`;
  const object = env.SCHEDULES.getByName(`default/${name}`);
  const bell = watch(name, object);
  const input = { trigger: { every: "PT1H" }, target: { queue: "LIBRARY" }, ...definition };
  const created = await bell.stub.put({ namespace: "default", name, who: "test", input });
  if (!created.ok) throw new Error(created.error.message);
  return bell;
}

export function watch(name: string, object: DurableObjectStub<ScheduleObject>): Bell {
  const sent: Message[] = [];
  const own = (body: unknown) => (body as Message).schedule === name && sent.push(body as Message);
  const answer = { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } } as QueueSendBatchResponse;
  for (const queue of [env.LIBRARY, env.WEBHOOKS]) {
    vi.spyOn(queue, "send").mockImplementation(async (body) => {
      own(body);
      return answer;
    });
    vi.spyOn(queue, "sendBatch").mockImplementation(async (batch) => {
      for (const { body } of batch) own(body);
      return answer;
    });
  }
  const bell: Bell = {
    stub: object as unknown as ScheduleStub,
    object,
    sent,
    async ring(at) {
      vi.setSystemTime(at);
      await runInDurableObject(bell.object, (instance) => instance.alarm());
    },
    async rows() {
      const { results } = await env.LEDGER.prepare(
        "SELECT slot, variant, state, reason, attempt, token FROM occurrences WHERE schedule = ?1 ORDER BY slot, variant",
      )
        .bind(`default/${name}`)
        .all<LedgerRow>();
      return results;
    },
  };
  return bell;
}

export function addressOf(message: Message) {
  const id = parseOccurrenceId(message.id);
  if (!id.ok) throw new Error(id.error.message);
  return { slot: id.value.slot, variant: id.value.variant };
}

/** Rows written while `act` runs, as they are billed: every SQL row, and one for each setAlarm. */
export async function billed(
  bell: Bell,
  act: () => Promise<void>,
): Promise<{ object: number; ledger: number }> {
  const bill = { object: 0, ledger: 0 };
  const restore = await runInDurableObject(bell.object, (_, state) => countRows(state.storage, bill));
  const batch = vi.spyOn(env.LEDGER, "batch");
  const before = batch.getMockImplementation();
  await act();
  for (const result of batch.mock.results) {
    const answers = (await result.value) as D1Result[];
    bill.ledger += answers.reduce((sum, { meta }) => sum + meta.rows_written, 0);
  }
  batch.mockRestore();
  if (before) batch.mockImplementation(before);
  await runInDurableObject(bell.object, restore);
  return bill;
}

function countRows(storage: DurableObjectStorage, bill: { object: number }): () => void {
  const sql = Object.getPrototypeOf(storage.sql) as SqlStorage;
  const alarms = Object.getPrototypeOf(storage) as DurableObjectStorage;
  const [exec, setAlarm] = [sql.exec, alarms.setAlarm];
  sql.exec = function (this: SqlStorage, ...args: Parameters<SqlStorage["exec"]>) {
    const cursor = exec.apply(this, args);
    if (!/^\s*SELECT/i.test(args[0])) {
      cursor.toArray();
      bill.object += cursor.rowsWritten;
    }
    return cursor;
  } as SqlStorage["exec"];
  alarms.setAlarm = function (
    this: DurableObjectStorage,
    ...args: Parameters<DurableObjectStorage["setAlarm"]>
  ) {
    bill.object++;
    return setAlarm.apply(this, args);
  };
  return () => {
    sql.exec = exec;
    alarms.setAlarm = setAlarm;
  };
}

/** Runs the alarm and ends the object at a point; what was committed before it is durable, nothing else. */
export async function crash(bell: Bell, point: Point, at: number): Promise<"survived" | "died"> {
  vi.setSystemTime(at);
  const dying = runInDurableObject(bell.object, async (instance, state) => {
    signals.reached = async (reached) => {
      if (reached !== point) return;
      signals.reached = null;
      await state.storage.sync();
      state.abort(`crash at ${point}`);
    };
    await instance.alarm();
  });
  const outcome = await dying.then(
    () => "survived" as const,
    () => "died" as const,
  );
  signals.reached = null;
  revive(bell);
  return outcome;
}

/** A stub that saw its object die stays broken; the next caller has a new one. */
export function revive(bell: Bell): void {
  bell.object = env.SCHEDULES.getByName(bell.object.name ?? "");
  bell.stub = bell.object as unknown as ScheduleStub;
}
