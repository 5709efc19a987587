/**
 * What a release leaves behind: the storage of its objects, its ledger and its messages, caught in the middle of
 * everything. `npm run record-release` writes it down once a release; every later version has to read it.
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { DefinitionInput } from "../../src/core/schedule.ts";
import type { Message } from "../../src/core/message.ts";
import { addressOf, createBell, type Bell } from "./bell.ts";
import { START } from "./start.ts";

type Rows = Record<string, Record<string, unknown>[]>;

export interface Release {
  version: string;
  /** The clock when everything stopped. */
  at: number;
  /** Schedule → the tables of its object: how they were made, and what is in them. */
  objects: Record<string, { made: string[]; rows: Rows }>;
  ledger: Rows;
  /** D1 migrations that this release had. */
  migrations: string[];
  messages: Message[];
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const HOURLY = { trigger: { every: "PT1H" } };
const LARGE = "x".repeat(6_000); // beyond what the head keeps

export async function record(version: string): Promise<Release> {
  const bells: Bell[] = [];
  const messages: Message[] = [];
  async function bell(definition: Partial<DefinitionInput>): Promise<Bell> {
    const made = await createBell(definition);
    bells.push(made);
    return made;
  }
  for (const play of PLAYS) {
    const made = await bell(play.definition);
    await play.act(made);
    messages.push(...made.sent);
  }
  const at = START + 5 * HOUR + MINUTE;
  const objects: Release["objects"] = {};
  for (const { object } of bells) {
    const key = object.name!;
    objects[key] = await runInDurableObject(object, (_, { storage }) =>
      tablesOf((sql) => storage.sql.exec(sql).toArray()),
    );
  }
  const { results: names } = await env.LEDGER.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '_cf%' AND name != 'd1_migrations'",
  ).all<{ name: string }>();
  const ledger: Rows = {};
  for (const { name } of names)
    ledger[name] = (await env.LEDGER.prepare(`SELECT * FROM ${name}`).all()).results;
  return { version, at, objects, ledger, migrations: env.MIGRATIONS.map(({ name }) => name), messages };
}

function tablesOf(select: (sql: string) => Record<string, unknown>[]) {
  const tables = select(
    "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
  );
  return {
    made: tables.map(({ sql }) => String(sql)),
    rows: Object.fromEntries(
      tables.map(({ name }) => [String(name), select(`SELECT * FROM ${String(name)}`)]),
    ),
  };
}

interface Play {
  definition: Partial<DefinitionInput>;
  act(bell: Bell): Promise<void>;
}

async function start(
  bell: Bell,
  message = bell.sent.at(-1)!,
): Promise<{ at: ReturnType<typeof addressOf>; token: number }> {
  const at = addressOf(message);
  const started = await bell.stub.start(at, { attempt: message.attempt, worker: "recorder" });
  if (!started.ok) throw new Error(started.error.message);
  return { at, token: started.value.token };
}

/** In the order of their names: `bell-0`, `bell-1`, … */
export const PLAYS: Play[] = [
  { definition: HOURLY, act: succeedThenRun },
  { definition: { ...HOURLY, retry: { initialMs: 10 * MINUTE, jitter: 0 } }, act: failOnce },
  { definition: { ...HOURLY, overlap: "buffer_all", catchUp: { policy: "all" } }, act: runAndLetWait },
  { definition: { trigger: { cron: "*/10 * * * *", timezone: "Europe/Berlin" } }, act: pause },
  { definition: { trigger: { after: "PT1H" } }, act: succeedOnce },
  { definition: { ...HOURLY, tracked: false }, act: sleepThrough },
  { definition: HOURLY, act: removeWhileRunning },
  { definition: { ...HOURLY, payload: LARGE }, act: byHand },
];

async function succeedThenRun(bell: Bell): Promise<void> {
  await bell.ring(START + HOUR);
  const { at, token } = await start(bell);
  await bell.stub.complete(at, { token, result: { rows: 120 } });
  await bell.ring(START + 5 * HOUR);
  const run = await start(bell);
  await bell.stub.heartbeat(run.at, { token: run.token, progress: 0.5, note: "half" });
}

async function failOnce(bell: Bell): Promise<void> {
  await bell.ring(START + 5 * HOUR);
  const { at, token } = await start(bell);
  await bell.stub.fail(at, { token, error: "the warehouse did not answer" });
}

async function runAndLetWait(bell: Bell): Promise<void> {
  await bell.ring(START + HOUR);
  await start(bell);
  await bell.ring(START + 2 * HOUR);
  await bell.ring(START + 5 * HOUR);
}

async function pause(bell: Bell): Promise<void> {
  await bell.ring(START + 10 * MINUTE);
  const { at, token } = await start(bell);
  await bell.stub.complete(at, { token });
  await bell.stub.pause({ who: "recorder", note: "moving shelves", until: null });
  await bell.ring(START + 5 * HOUR);
}

async function succeedOnce(bell: Bell): Promise<void> {
  await bell.ring(START + HOUR);
  const { at, token } = await start(bell);
  await bell.stub.complete(at, { token });
}

async function sleepThrough(bell: Bell): Promise<void> {
  await bell.ring(START + HOUR);
  await bell.ring(START + 5 * HOUR);
}

async function removeWhileRunning(bell: Bell): Promise<void> {
  await bell.ring(START + HOUR);
  await start(bell);
  await bell.stub.remove({ who: "recorder" });
}

async function byHand(bell: Bell): Promise<void> {
  await bell.ring(START + HOUR);
  await bell.stub.trigger({ who: "recorder", payload: `${LARGE}!`, overlap: "allow" });
  await bell.stub.trigger({ who: "recorder", overlap: "buffer_all" });
}
