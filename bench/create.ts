/** How fast schedules are made, one after another and sixteen at once: from the client's call to its answer. */
import { LABELS, type Name } from "./contender.ts";
import { type Stand, withStand } from "./field.ts";
import type { Options } from "./options.ts";
import { medians, percentile, table } from "./tables.ts";
import { namesOf } from "./watching.ts";

const NAMES: Name[] = ["carillon", "agents", "actors", "floor", "bullmq", "pg-boss", "graphile-worker"];
const WARM_UP = 50;
const MEASURED = { alone: 150, together: 600 };
const AT_ONCE = 16;
const FAR_MS = 45 * 60_000; // none of them is due while we measure

type Rates = {
  alone: number;
  aloneP50: number;
  aloneP99: number;
  together: number;
  togetherP50: number;
  togetherP99: number;
};

export async function create({ rounds, root, only }: Options): Promise<void> {
  const seen = new Map<Name, Rates[]>();
  for (let round = 0; round < rounds; round++) {
    for (const name of NAMES.filter(only)) {
      const rates = await withStand(name, root, measure);
      if (rates) seen.set(name, [...(seen.get(name) ?? []), rates]);
    }
  }
  console.log("**Creating a schedule**, answers a second and ms\n");
  table(
    ["", "one by one", "p50", "p99", `${AT_ONCE} at once`, "p50", "p99"],
    [...seen].map(([name, rounds]) => {
      const m = medians(rounds);
      const figures = [m.alone, m.aloneP50, m.aloneP99, m.together, m.togetherP50, m.togetherP99];
      return [LABELS[name], ...figures];
    }),
  );
}

async function measure(stand: Stand): Promise<Rates> {
  const first = Math.ceil((Date.now() + FAR_MS) / 1_000) * 1_000;
  const make = async (prefix: string, count: number, atOnce: number) => {
    const begin = performance.now();
    const rhythm = { first, everySeconds: 3_600 };
    const latencies = await stand.create(namesOf(prefix, count), [rhythm], atOnce);
    const rate = (count * 1_000) / (performance.now() - begin);
    return { rate, p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
  };
  await make("warm-up", WARM_UP, AT_ONCE);
  const alone = await make("alone", MEASURED.alone, 1);
  const together = await make("together", MEASURED.together, AT_ONCE);
  return {
    alone: alone.rate,
    aloneP50: alone.p50,
    aloneP99: alone.p99,
    together: together.rate,
    togetherP50: together.p50,
    togetherP99: together.p99,
  };
}
