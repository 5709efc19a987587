/**
 * `npm run demo`: the library's schedules at a faster cadence, on a fresh runtime that is gone afterwards. Prints
 * what ran, and ends with 0 only if every job did as expected.
 */
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Api, call, eventually, history, type Occurrence, occurrences } from "./api.ts";
import { freePort, migrate, startRuntime } from "./runtime.ts";
import { ROOT } from "./wrangler.ts";

interface Definition {
  name: string;
  trigger: object;
  payload: { job: string };
}

const HEADINGS = ["schedule", "slot", "late", "state", "result"];
const BRANCHES = 5;
const RUNS_EACH = 2;
const WAIT_MS_MAX = 60_000;
const CADENCE: { [job: string]: object } = {
  "overdue-notices": { every: "3s" },
  "inventory-summary": { every: "2s" },
};
const FINAL = new Set(["succeeded", "failed", "expired", "cancelled"]);

const stateDir = await mkdtemp(join(tmpdir(), "carillon-demo-"));
process.once("exit", () => rmSync(stateDir, { recursive: true, force: true, maxRetries: 3 }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

console.log("Starting the scheduler and the library on a fresh state …");
await migrate(stateDir);
const token = randomBytes(24).toString("base64url");
const flags = ["--port", String(await freePort()), "--var", `ADMIN_TOKEN:${token}`];
const runtime = await startRuntime({ stateDir, flags });
try {
  process.exitCode = (await demonstrate({ url: runtime.url, token })) ? 0 : 1;
} catch (error) {
  console.error(runtime.output());
  throw error;
} finally {
  await runtime.stop();
}

async function demonstrate(api: Api): Promise<boolean> {
  const definitions = JSON.parse(
    await readFile(join(ROOT, "examples/library/schedules.json"), "utf8"),
  ) as Definition[];
  for (const { name, ...definition } of definitions) {
    const trigger = CADENCE[definition.payload.job] ?? definition.trigger;
    await call(api, "PUT", `/v1/schedules/${name}`, { ...definition, trigger });
    // A month is long to wait: the report is asked for by hand.
    if (trigger === definition.trigger) await call(api, "POST", `/v1/schedules/${name}/trigger`, {});
  }
  console.log(`${definitions.length} schedules at ${api.url}; waiting until each has run …\n`);
  let [ran, surprises] = [0, 0];
  console.log(aligned(HEADINGS));
  for (const { name, payload } of definitions) {
    for (const occurrence of await runsOf(api, name, CADENCE[payload.job] ? RUNS_EACH : 1)) {
      console.log(aligned(cells(occurrence)));
      ran++;
      if (!isAsExpected(payload.job, occurrence)) surprises++;
    }
  }
  console.log(`\n${ran} runs of ${definitions.length} schedules, ${surprises} not as expected.`);
  return surprises === 0;
}

/** The schedule's first finished runs, oldest first. */
function runsOf(api: Api, name: string, count: number): Promise<Occurrence[]> {
  return eventually(`${name} has run ${count} times`, WAIT_MS_MAX, async () => {
    const finished = occurrences(await history(api, name)).filter(({ state }) => FINAL.has(state));
    return finished.length < count ? null : finished.toReversed().slice(0, count);
  });
}

/** A day's notices go out with its first run; a summary covers all branches; a report is new on a fresh state. */
function isAsExpected(job: string, { state, result }: Occurrence): boolean {
  const { overdue, sent, branches, new: isNew } = (result ?? {}) as { [field: string]: number | boolean };
  if (state !== "succeeded") return false;
  if (job === "overdue-notices") return Number(overdue) > 0 && (sent === overdue || sent === 0);
  if (job === "inventory-summary") return branches === BRANCHES;
  return branches === BRANCHES && isNew === true;
}

function cells({ schedule, scheduledFor, latenessMs, state, result, error }: Occurrence): string[] {
  return [schedule, scheduledFor, `${latenessMs ?? "?"} ms`, state, error ?? JSON.stringify(result)];
}

function aligned([schedule = "", slot = "", late = "", state = "", result = ""]: string[]): string {
  return [schedule.padEnd(26), slot.padEnd(25), late.padStart(8), " ", state.padEnd(10), result].join(" ");
}
