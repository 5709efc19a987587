/** The peers that are Durable Objects, and the floor beneath all of them: the same runtime, one object a schedule. */
import { join } from "node:path";
import type { Open } from "../contender.ts";
import { cronOf } from "../rhythm.ts";
import type { Run } from "../runs.ts";
import { startWorkers } from "../runtime.ts";

const WORKERS = join(import.meta.dirname, "../workers");

function objects(name: string): Open {
  return async (folder) => {
    const runtime = await startWorkers(folder, [{ name, config: join(WORKERS, name, "wrangler.toml") }]);
    return {
      async create(schedule, rhythm) {
        const { first, everySeconds } = rhythm;
        const body = JSON.stringify({ cron: cronOf(rhythm), first, everyMs: everySeconds * 1_000 });
        const response = await fetch(`${runtime.url}/${schedule}`, { method: "POST", body });
        const text = await response.text();
        if (!response.ok) throw new Error(`${name}: ${response.status} ${text}`);
      },
      runs: () => runtime.ask<Run[]>(name, "/runs"),
      stop: runtime.stop,
    };
  };
}

export const agents = objects("agents");
export const actors = objects("actors");
export const floor = objects("floor");
