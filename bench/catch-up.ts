/** `kill -9` to everything, servers included, a while of nothing, and a restart: what becomes of the slots in between. */
import { LABELS, type Name } from "./contender.ts";
import { type Stand, withStand } from "./field.ts";
import type { Options } from "./options.ts";
import { median, table } from "./tables.ts";
import { namesOf, sleep } from "./watching.ts";

const NAMES: Name[] = ["carillon", "agents", "actors", "bullmq", "pg-boss", "graphile-worker", "croner"];
const SCHEDULES_MAX = 200;
const AT_ONCE = 16;
const BEFORE_MS = 5_000;
const AFTER_MS = 30_000; // long enough for whoever goes through them one by one

interface Outage {
  due: number;
  ran: number;
  twice: number;
  explained: { [reason: string]: number };
  /** From the command to start until the last run of a slot that had been due. */
  levelMs: number;
  backMs: number;
}

export async function catchUp({ rounds, schedules, every, down, root, only }: Options): Promise<void> {
  const size = Math.min(schedules, SCHEDULES_MAX);
  const seen = new Map<Name, Outage[]>();
  for (let round = 0; round < rounds; round++) {
    for (const name of NAMES.filter(only)) {
      const outage = await withStand(name, root, (stand) => suffer(stand, size, every, down));
      if (outage) seen.set(name, [...(seen.get(name) ?? []), outage]);
    }
  }
  console.log(`**Killed for ${down} s**: ${size} schedules, each every ${every} s\n`);
  table(
    [
      "",
      "due meanwhile",
      "run late",
      "on record as not run",
      "nobody knows",
      "twice",
      "ready after ms",
      "level after ms",
    ],
    [...seen].map(([name, rounds]) => {
      const of = (figure: (outage: Outage) => number) => median(rounds.map(figure));
      const told = Object.entries(rounds[0]!.explained).map(([reason, slots]) => `${slots} ${reason}`);
      return [
        LABELS[name],
        of(({ due }) => due),
        of(({ ran }) => ran),
        told.join(", ") || 0,
        of(({ due, ran, explained }) => due - ran - sum(Object.values(explained))),
        of(({ twice }) => twice),
        of(({ backMs }) => backMs),
        of(({ levelMs }) => levelMs),
      ];
    }),
  );
}

async function suffer(stand: Stand, size: number, every: number, down: number): Promise<Outage> {
  const begin = Math.ceil(Date.now() / 1_000) * 1_000;
  const rhythms = Array.from({ length: every }, (_, i) => ({
    first: begin + (i + 1) * 1_000,
    everySeconds: every,
  }));
  await stand.create(namesOf("outage", size), rhythms, AT_ONCE);
  await sleep(every * 1_000 + BEFORE_MS);
  await stand.runs();
  const before = await stand.unrun();
  // Between two seconds: no slot is due while everything ends.
  await sleep(1_500 - (Date.now() % 1_000));
  const killedAt = Date.now();
  await stand.kill();
  await sleep(down * 1_000);
  const startedAt = Date.now();
  await stand.restart();
  const backAt = Date.now();
  await sleep(AFTER_MS);
  const late = (await stand.runs()).filter(({ slot }) => slot > killedAt && slot <= backAt);
  const after = await stand.unrun();
  const distinct = new Set(late.map(({ schedule, slot }) => `${schedule} ${slot}`)).size;
  const seconds = Math.floor(backAt / 1_000) - Math.floor(killedAt / 1_000);
  const more = Object.entries(after).map(
    ([reason, slots]) => [reason, slots - (before[reason] ?? 0)] as const,
  );
  return {
    due: dueWithin(seconds, size, every),
    ran: distinct,
    twice: late.length - distinct,
    explained: Object.fromEntries(more.filter(([, slots]) => slots > 0)),
    levelMs: Math.max(...late.map(({ finishedAt }) => (finishedAt ?? 0) - startedAt)),
    backMs: backAt - startedAt,
  };
}

/** Every second the same share of the schedules is due. */
function dueWithin(seconds: number, size: number, every: number): number {
  return Math.round((seconds * size) / every);
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
