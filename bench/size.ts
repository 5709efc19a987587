/** What a cold object loads, how long that takes, and the memory of objects that rest and that work. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { LABELS, type Name } from "./contender.ts";
import { type Stand, withStand } from "./field.ts";
import type { Options } from "./options.ts";
import { bundleSize } from "../scripts/size.ts";
import { ROOT, wrangler } from "../scripts/wrangler.ts";
import { medians, table } from "./tables.ts";
import { gather, namesOf, sleep } from "./watching.ts";

const NAMES: Name[] = ["carillon", "agents", "actors", "floor"];
const WORKERS = join(import.meta.dirname, "workers");
const CONFIGS: { [name in Name]?: string } = {
  carillon: join(ROOT, "wrangler.toml"),
  agents: join(WORKERS, "agents/wrangler.toml"),
  actors: join(WORKERS, "actors/wrangler.toml"),
  floor: join(WORKERS, "floor/wrangler.toml"),
};
const AT_ONCE = 16;
const SCHEDULES_MAX = 1_000;
const COLD_MS = 15_000;
const PEAK_EVERY_MS = 50;
const KIB = 1_024;

type Weight = { startUpMs: number; emptyMiB: number; idleKiB: number; busyKiB: number };

export async function size({ rounds, schedules, root, only }: Options): Promise<void> {
  const count = Math.min(schedules, SCHEDULES_MAX);
  const seen = new Map<Name, Weight[]>();
  for (let round = 0; round < rounds; round++) {
    for (const name of NAMES.filter(only)) {
      const startUpMs = await startUp(CONFIGS[name]!, join(root, `carillon-bench-${process.pid}.cpuprofile`));
      const weight = await withStand(name, root, (stand) => weigh(stand, count));
      if (weight) seen.set(name, [...(seen.get(name) ?? []), { startUpMs, ...weight }]);
    }
  }
  const { bytes, gzipBytes } = await bundleSize();
  console.log(`**Size**: bundle ${Math.round(bytes / KIB)} KiB, gzip ${Math.round(gzipBytes / KIB)} KiB\n`);
  table(
    ["", "start-up, CPU ms", "empty, MiB", "KiB per object at rest", "KiB per object at work"],
    [...seen].map(([name, rounds]) => {
      const { startUpMs, emptyMiB, idleKiB, busyKiB } = medians(rounds);
      return [LABELS[name], startUpMs, emptyMiB, idleKiB, busyKiB];
    }),
  );
}

interface Profile {
  nodes: { id: number; callFrame: { functionName: string } }[];
  samples: number[];
  timeDeltas: number[]; // µs
}

/** What the script takes until it stands, as `wrangler check startup` profiles it. */
async function startUp(config: string, file: string): Promise<number> {
  await wrangler("check", "startup", "-c", config, "--outfile", file);
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, "utf8")) as Profile;
  rmSync(file);
  const idle = new Set(
    nodes.filter(({ callFrame }) => callFrame.functionName === "(idle)").map(({ id }) => id),
  );
  return timeDeltas.reduce((sum, us, i) => sum + (idle.has(samples[i]!) ? 0 : us), 0) / 1_000;
}

async function weigh(stand: Stand, count: number): Promise<Omit<Weight, "startUpMs">> {
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
