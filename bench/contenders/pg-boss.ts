/**
 * Its own schedules know minutes only, and look every half minute; so each run sends its successor, due one period
 * after its own slot: the finest that pg-boss can do.
 */
import { PgBoss } from "pg-boss";
import type { Contender } from "../contender.ts";
import type { Rhythm } from "../rhythm.ts";
import { begin, finish, taken } from "../runs.ts";
import { startPostgres } from "../servers.ts";

const QUEUE = "bench";
const BATCH = 100; // as our consumer
const POLL_SECONDS = 0.5; // the shortest it takes

interface Bell {
  name: string;
  rhythm: Rhythm;
  slot: number;
}

export async function pgBoss(folder: string): Promise<Contender> {
  const connectionString = await startPostgres(folder);
  const boss = new PgBoss({ connectionString, max: 10 });
  boss.on("error", (error) => console.error(`pg-boss: ${error.message}`));
  await boss.start();
  await boss.createQueue(QUEUE);
  const next = ({ name, rhythm, slot }: Bell): Bell => ({
    name,
    rhythm,
    slot: slot + rhythm.everySeconds * 1_000,
  });
  await boss.work(QUEUE, { batchSize: BATCH, pollingIntervalSeconds: POLL_SECONDS }, async (jobs) => {
    const bells = jobs.map(({ data }) => data as Bell);
    for (const [i, { name, slot }] of bells.entries()) begin(jobs[i]!.id, name, slot);
    const successors = bells.map(next);
    await boss.insert(
      QUEUE,
      successors.map((data) => ({ data, startAfter: new Date(data.slot) })),
    );
  });
  const reported = new Set<string>();
  return {
    async create(name, rhythm) {
      const data: Bell = { name, rhythm, slot: rhythm.first };
      await boss.send(QUEUE, data, { startAfter: new Date(rhythm.first) });
    },
    // A batch is completed after its handler has returned: only the table knows when.
    async runs() {
      const { rows } = await boss
        .getDb()
        .executeSql(
          "SELECT id, extract(epoch FROM completed_on) * 1000 AS at FROM pgboss.job WHERE state = 'completed' AND name = $1",
          [QUEUE],
        );
      for (const { id, at } of rows) {
        if (reported.has(String(id))) continue;
        reported.add(String(id));
        finish(String(id), Number(at));
      }
      return taken();
    },
  };
}
