/**
 * All schedules due in the same second: from the slot to the start of the handler, and to its durable end. Objects
 * have been left alone for long enough to be cold, as at nine in the morning.
 */
import { LABELS, type Name } from "./contender.ts";
import { type Stand, withStand } from "./field.ts";
import type { Options } from "./options.ts";
import { medians, table } from "./tables.ts";
import { gather, type Lateness, latenessOf, namesOf, sleep } from "./watching.ts";

const SMALL: Name[] = [
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
const LARGE: Name[] = ["carillon", "untracked", "floor", "bullmq"];
const LARGE_FROM = 2_000; // schedules
const COLD_MS = 12_000; // the runtime lets an idle object go after ten seconds
const WARM_UP = 100;
const CREATE_MS = 20; // each, sixteen at once, on a slow machine
const AT_ONCE = 16;
const PATIENCE_MS = 20_000;
const HOUR_SECONDS = 3_600;
const TRIES_MAX = 4;

export async function herd({ rounds, herds, root, only }: Options): Promise<void> {
  for (const size of herds) {
    const names = (size < LARGE_FROM ? SMALL : LARGE).filter(only);
    const seen = new Map<Name, Lateness[]>();
    for (let round = 0; round < rounds; round++) {
      for (const name of names) {
        const lateness = await withStand(name, root, (stand) => once(stand, size));
        if (lateness) seen.set(name, [...(seen.get(name) ?? []), lateness]);
      }
    }
    print(size, seen);
  }
}

async function once(stand: Stand, size: number): Promise<Lateness> {
  // The first herd warms the code up, and tells how long creation takes.
  const few = Math.min(WARM_UP, size);
  const { createMs } = await ring(stand, "warm-up", few, few * CREATE_MS);
  const { lateness } = await ring(stand, "herd", size, (createMs / few) * size * 1.2);
  return lateness;
}

/** Tries again, with more time, if creation takes longer than `createMs` and the first objects are still warm. */
async function ring(
  stand: Stand,
  prefix: string,
  size: number,
  createMs: number,
): Promise<{ lateness: Lateness; createMs: number }> {
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const begin = Date.now();
    const first = Math.ceil((begin + createMs * 2 ** attempt + COLD_MS) / 1_000) * 1_000;
    const names = namesOf(`${prefix}-${attempt}`, size);
    await stand.create(names, [{ first, everySeconds: HOUR_SECONDS }], AT_ONCE);
    const createdAt = Date.now();
    await sleep(first - Date.now());
    const runs = await gather(stand, size, PATIENCE_MS);
    if (createdAt <= first - COLD_MS)
      return { lateness: latenessOf(runs, size), createMs: createdAt - begin };
  }
  throw new Error(`${stand.name}: creating ${size} schedules took longer than it should, ${TRIES_MAX} times`);
}

function print(size: number, seen: Map<Name, Lateness[]>): void {
  const floor = seen.get("floor");
  const drain = floor ? medians(floor).finishMax : null;
  console.log(`**${size.toLocaleString("en-US")} schedules due in the same second**, ms after the slot\n`);
  table(
    ["", "start p50", "p99", "max", "durable end p50", "p99", "max", "× floor's max", "missed", "twice"],
    [...seen].map(([name, rounds]) => {
      const m = medians(rounds);
      return [
        LABELS[name],
        m.startP50,
        m.startP99,
        m.startMax,
        m.finishP50,
        m.finishP99,
        m.finishMax,
        drain && m.finishMax / drain,
        rounds.reduce((sum, { missed }) => sum + missed, 0),
        rounds.reduce((sum, { twice }) => sum + twice, 0),
      ];
    }),
  );
}
