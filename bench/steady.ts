/** A load that goes on: schedules spread evenly over the seconds of their period. */
import { LABELS, type Name } from "./contender.ts";
import { type Stand, withStand } from "./field.ts";
import type { Options } from "./options.ts";
import type { Rhythm } from "./rhythm.ts";
import { medians, table } from "./tables.ts";
import { type Lateness, latenessOf, namesOf, sleep } from "./watching.ts";

const NAMES: Name[] = [
  "carillon",
  "untracked",
  "agents",
  "actors",
  "floor",
  "bullmq",
  "pg-boss",
  "graphile-worker",
  "croner",
];
const AT_ONCE = 16;
const RUN_IN_SECONDS = 5;
const HALF_SECOND_MS = 500;
const GRACE_MS = 3_000; // what began in the last second may end

export type Steady = Lateness & { perSecond: number; cpuMs: number; residentMiB: number };

export async function steady({ rounds, schedules, every, seconds, root, only }: Options): Promise<void> {
  const seen = new Map<Name, Steady[]>();
  for (let round = 0; round < rounds; round++) {
    for (const name of NAMES.filter(only)) {
      const measured = await withStand(name, root, (stand) => load(stand, schedules, every, seconds));
      if (measured) seen.set(name, [...(seen.get(name) ?? []), measured]);
    }
  }
  console.log(
    `**${schedules.toLocaleString("en-US")} schedules, each every ${every} s, for ${seconds} s**, ms after the slot\n`,
  );
  table(
    ["", "start p50", "p99", "max", "durable end p99", "a second", "CPU ms each", "MiB", "missed", "twice"],
    [...seen].map(([name, rounds]) => {
      const m = medians(rounds);
      const sum = (of: (one: Steady) => number) => rounds.reduce((total, one) => total + of(one), 0);
      return [
        LABELS[name],
        m.startP50,
        m.startP99,
        m.startMax,
        m.finishP99,
        m.perSecond,
        m.cpuMs,
        m.residentMiB,
        sum(({ missed }) => missed),
        sum(({ twice }) => twice),
      ];
    }),
  );
}

/**
 * The slots of a window of `seconds`, after creation and a few seconds to run in. `mark` is called at both ends of it,
 * between two seconds, when little is under way.
 */
export async function load(
  stand: Stand,
  schedules: number,
  every: number,
  seconds: number,
  mark: () => Promise<void> = async () => {},
): Promise<Steady> {
  const begin = Math.ceil(Date.now() / 1_000) * 1_000;
  const rhythms: Rhythm[] = Array.from({ length: every }, (_, i) => ({
    first: begin + (i + 1) * 1_000,
    everySeconds: every,
  }));
  await stand.create(namesOf("steady", schedules), rhythms, AT_ONCE);
  const from = (Math.ceil(Date.now() / 1_000) + RUN_IN_SECONDS + every) * 1_000;
  const to = from + seconds * 1_000;
  await sleep(from - HALF_SECOND_MS - Date.now());
  await mark();
  const before = stand.usage();
  await sleep(to - HALF_SECOND_MS - Date.now());
  const after = stand.usage();
  await mark();
  await sleep(GRACE_MS);
  const runs = (await stand.runs()).filter(({ slot }) => slot >= from && slot < to);
  const lateness = latenessOf(runs, (schedules * seconds) / every);
  return {
    ...lateness,
    perSecond: runs.length / seconds,
    cpuMs: (after.cpuMs - before.cpuMs) / Math.max(1, runs.length),
    residentMiB: after.residentBytes / 2 ** 20,
  };
}
