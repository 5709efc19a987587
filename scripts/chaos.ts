/**
 * `npm run chaos`: worlds of hundreds of schedules, each from one seed, live through hours in seconds, under every
 * fault that the platform knows. Ends with the audit and a table; exit code 1 where a promise was broken.
 *
 *   npm run chaos                                 about two minutes
 *   npm run chaos -- --occurrences 10000000       a night's worth
 *   npm run chaos -- --seed 7 --only s042         one world again, and what befell one of its schedules
 *   npm run chaos -- --liars                      sabotaged: Couriers that lie; it has to end with violations
 *   npm run chaos -- --real --seconds 60          the real runtime under kill -9: `npm run soak`
 */
import { spawnSync } from "node:child_process";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { linesOf, sumOf } from "../test/chaos/table.ts";
import type { Plan, Report } from "../test/chaos/world.ts";
import { ROOT } from "./wrangler.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    /** The seeds that follow are taken one after another, until so many have been simulated. */
    occurrences: { type: "string" },
    schedules: { type: "string", default: "200" },
    hours: { type: "string", default: "6" },
    only: { type: "string" },
    /** Sabotage: is it found? */
    liars: { type: "boolean", default: false },
    threads: { type: "string", default: String(Math.min(2, cpus().length)) },
    real: { type: "boolean", default: false },
    seconds: { type: "string", default: "300" },
  },
});
const OCCURRENCES = 200_000; // by default
const TRACE_BEFORE = 60; // lines shown of the schedule that broke a promise, up to where it did

if (values.real) {
  const args = ["scripts/soak.ts", "--seed", values.seed, "--seconds", values.seconds];
  process.exit(spawnSync(process.execPath, args, { cwd: ROOT, stdio: "inherit" }).status ?? 1);
}

/** A thread whose clock its worlds rule, one after another. */
class Thread {
  readonly #worker = new Worker(join(ROOT, "test/chaos/thread.ts"), {
    execArgv: ["--import", join(ROOT, "test/chaos/platform.ts")],
  });

  live(plan: Plan): Promise<Report> {
    return new Promise((resolve, reject) => {
      this.#worker.once("error", reject);
      this.#worker.once("message", (report: Report) => {
        this.#worker.off("error", reject);
        resolve(report);
      });
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
      this.#worker.postMessage(plan);
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

const startedAt = Date.now();
const isAgain = values.only !== undefined;
const wanted = isAgain ? 1 : Number(values.occurrences ?? OCCURRENCES);
const reports = await liveUntil(wanted, isAgain ? 1 : Number(values.threads));
const total = sumOf(reports);
const seconds = (Date.now() - startedAt) / 1_000;
for (const line of linesOf(total, { seconds, firstSeed: Number(values.seed), worlds: reports.length }))
  console.log(line);

const broken = reports.find(({ violations }) => violations.length > 0);
if (broken) {
  process.exitCode = 1;
  const [first] = broken.violations;
  const name = values.only ?? first!.schedule.split("/")[1]!;
  const measure = `--schedules ${values.schedules} --hours ${values.hours}${values.liars ? " --liars" : ""}`;
  console.log(`\nAgain: npm run chaos -- --seed ${broken.seed} ${measure} --only ${name}`);
  const { trace } = isAgain ? broken : await again(broken.seed, name);
  const at = broken.violations.find(({ schedule }) => schedule.endsWith(`/${name}`))?.at ?? first!.at;
  const end = trace.findIndex((line) => line > `${at}~`);
  const upTo = end === -1 ? trace.length : end;
  console.log(trace.slice(Math.max(0, upTo - TRACE_BEFORE), upTo + 3).join("\n"));
} else if (isAgain) {
  console.log(reports[0]!.trace.join("\n"));
}

function planOf(seed: number): Plan {
  return {
    seed,
    schedules: Number(values.schedules),
    hours: Number(values.hours),
    only: values.only,
    liars: values.liars,
  };
}

async function again(seed: number, only: string): Promise<Report> {
  const thread = new Thread();
  const report = await thread.live({ ...planOf(seed), only });
  await thread.end();
  return report;
}

/** A world on each thread, and the next seed when one is done. */
async function liveUntil(occurrences: number, threads: number): Promise<Report[]> {
  const reports: Report[] = [];
  let seed = Number(values.seed);
  let seen = 0;
  const work = async () => {
    const thread = new Thread();
    while (seen < occurrences) {
      const report = await thread.live(planOf(seed++));
      reports.push(report);
      seen += report.occurrences;
      const { violations } = report;
      console.log(
        `seed ${report.seed}: ${report.occurrences.toLocaleString("en")} occurrences, ${violations.length} violations`,
      );
      for (const { schedule, at, what } of violations) console.log(`  ${schedule} ${at} ${what}`);
      if (violations.length > 0) seen = Infinity;
    }
    await thread.end();
  };
  await Promise.all(Array.from({ length: threads }, work));
  return reports.toSorted((a, b) => a.seed - b.seed);
}
