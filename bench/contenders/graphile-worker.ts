/** Its crontab knows minutes only; so each run adds its successor, as with pg-boss. */
import { Logger, run } from "graphile-worker";
import type { Contender } from "../contender.ts";
import type { Rhythm } from "../rhythm.ts";
import { begin, finish, taken } from "../runs.ts";
import { startPostgres } from "../servers.ts";

const CONCURRENCY = 24; // more only queue up for the ten connections
const POLL_MS = 100; // due jobs are found by looking; its default of 2 s would be all that is measured

interface Bell {
  name: string;
  rhythm: Rhythm;
  slot: number;
}

export async function graphileWorker(folder: string): Promise<Contender> {
  const connectionString = await startPostgres(folder);
  const runner = await run({
    connectionString,
    concurrency: CONCURRENCY,
    pollInterval: POLL_MS,
    noHandleSignals: true,
    logger: new Logger(() => () => {}),
    taskList: {
      async ring(payload, { job, addJob }) {
        const { name, rhythm, slot } = payload as Bell;
        begin(job.id, name, slot);
        const successor: Bell = { name, rhythm, slot: slot + rhythm.everySeconds * 1_000 };
        await addJob("ring", successor, { runAt: new Date(successor.slot) });
      },
    },
  });
  runner.events.on("job:complete", ({ job }) => finish(job.id));
  return {
    async create(name, rhythm) {
      const bell: Bell = { name, rhythm, slot: rhythm.first };
      await runner.addJob("ring", bell, { runAt: new Date(rhythm.first) });
    },
    runs: async () => taken(),
  };
}
