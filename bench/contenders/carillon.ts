/** Ours, as it is shipped: its own configuration and bundle, the API in front, a consumer with the kit behind. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { call } from "../../scripts/api.ts";
import { ROOT } from "../../scripts/wrangler.ts";
import type { Bill, Open } from "../contender.ts";
import { cronOf, hasCron } from "../rhythm.ts";
import type { Run } from "../runs.ts";
import { startWorkers } from "../runtime.ts";

const WORKERS = join(import.meta.dirname, "../workers");
const TOKEN = "token-of-the-bench";

const SHIPPED = join(ROOT, "wrangler.toml");

interface Unrun {
  items: { kind: string; reason: string; count?: number }[];
  nextCursor: string | null;
}

function carillon(isTracked: boolean, isMetered: boolean): Open {
  return async (folder) => {
    const runtime = await startWorkers(folder, [
      {
        name: "carillon",
        config: isMetered ? meteredConfig(folder) : SHIPPED,
        bindings: { ADMIN_TOKEN: TOKEN },
        databases: { LEDGER: join(ROOT, "migrations") },
      },
      { name: "consumer", config: join(WORKERS, "consumer/wrangler.toml") },
    ]);
    const api = { url: runtime.url, token: TOKEN };
    return {
      async create(name, rhythm) {
        await call(api, "PUT", `/v1/schedules/${name}`, {
          trigger: hasCron(rhythm)
            ? { cron: cronOf(rhythm), timezone: "UTC" }
            : { every: `${rhythm.everySeconds}s`, anchor: new Date(rhythm.first).toISOString() },
          target: { queue: "LIBRARY" },
          payload: { a: 1 },
          tracked: isTracked,
        });
      },
      runs: () => runtime.ask<Run[]>("consumer", "/runs"),
      /** Runs of slots are gaps, with a count; one by itself is an occurrence of its own. */
      async unrun() {
        const slots: { [reason: string]: number } = {};
        for (const filter of ["kind=gap", "state=skipped"]) {
          let cursor = "";
          do {
            const page: Unrun = await call(api, "GET", `/v1/occurrences?${filter}&limit=100${cursor}`);
            for (const { kind, reason, count = 1 } of page.items) {
              if ((kind === "gap") === (filter === "kind=gap")) slots[reason] = (slots[reason] ?? 0) + count;
            }
            cursor = page.nextCursor === null ? "" : `&cursor=${encodeURIComponent(page.nextCursor)}`;
          } while (cursor !== "");
        }
        return slots;
      },
      ...(isMetered && {
        bill: async () => ({
          ...(await runtime.ask<Bill>("carillon", "/bench/bill")),
          ...(await runtime.ask<Bill>("consumer", "/bill")),
        }),
      }),
      stop: runtime.stop,
    };
  };
}

/** The shipped configuration, around the Worker with the meters. */
function meteredConfig(folder: string): string {
  const changed = readFileSync(SHIPPED, "utf8")
    .replace('main = "src/index.ts"', `main = "${join(WORKERS, "metered/index.ts")}"`)
    .replaceAll('"./src/', `"${ROOT}/src/`)
    .replace('migrations_dir = "migrations"', `migrations_dir = "${join(ROOT, "migrations")}"`);
  const file = join(folder, "metered.toml");
  writeFileSync(file, changed);
  return file;
}

export const tracked = carillon(true, false);
export const untracked = carillon(false, false);
export const metered = carillon(true, true);
export const meteredUntracked = carillon(false, true);
