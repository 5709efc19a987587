/** What a cold object loads, how long that takes, and the memory of objects that rest and that work. */
import { LABELS, type Name } from "./contender.ts";
import { type Stand, withStand } from "./field.ts";
import type { Options } from "./options.ts";
import { bundleSize } from "../scripts/size.ts";
import { medians, table } from "./tables.ts";
import { gather, namesOf, sleep } from "./watching.ts";

const NAMES: Name[] = ["carillon", "agents", "actors", "floor"];
const AT_ONCE = 16;
const SCHEDULES_MAX = 1_000;
const COLD_MS = 15_000;
const PEAK_EVERY_MS = 50;
const KIB = 1_024;

type Memory = { emptyMiB: number; idleKiB: number; busyKiB: number };

export async function size({ rounds, schedules, root, only }: Options): Promise<void> {
  const count = Math.min(schedules, SCHEDULES_MAX);
  const seen = new Map<Name, Memory[]>();
  for (let round = 0; round < rounds; round++) {
    for (const name of NAMES.filter(only)) {
      const memory = await withStand(name, root, (stand) => weigh(stand, count));
      if (memory) seen.set(name, [...(seen.get(name) ?? []), memory]);
    }
  }
  const { bytes, gzipBytes } = await bundleSize();
  console.log(`**Size**: bundle ${Math.round(bytes / KIB)} KiB, gzip ${Math.round(gzipBytes / KIB)} KiB\n`);
  table(
    ["", "empty, MiB", "KiB per object at rest", "KiB per object at work"],
    [...seen].map(([name, rounds]) => {
      const { emptyMiB, idleKiB, busyKiB } = medians(rounds);
      return [LABELS[name], emptyMiB, idleKiB, busyKiB];
    }),
  );
}

async function weigh(stand: Stand, count: number): Promise<Memory> {
  const empty = stand.usage().residentBytes;
  const first = Math.ceil((Date.now() + COLD_MS * 2 + count * 100) / 1_000) * 1_000;
  await stand.create(namesOf("object", count), [{ first, everySeconds: 3_600 }], AT_ONCE);
  await sleep(COLD_MS);
  const idle = stand.usage().residentBytes;
  await sleep(first - Date.now());
  const busy = await peak(stand, gather(stand, count, COLD_MS));
  const each = (bytes: number) => (bytes - empty) / count / KIB;
  return { emptyMiB: empty / KIB / KIB, idleKiB: each(idle), busyKiB: each(busy) };
}

/** The most that it took at any time until then. */
async function peak(stand: Stand, until: Promise<unknown>): Promise<number> {
  let most = stand.usage().residentBytes;
  const watching = setInterval(() => (most = Math.max(most, stand.usage().residentBytes)), PEAK_EVERY_MS);
  await until.finally(() => clearInterval(watching));
  return most;
}
