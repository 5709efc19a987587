/** One job scheduler a schedule, one worker; Redis with its log on disk every second, as BullMQ asks for. */
import { Queue, Worker } from "bullmq";
import type { Contender } from "../contender.ts";
import { cronOf } from "../rhythm.ts";
import { begin, finish, taken } from "../runs.ts";
import { startRedis } from "../servers.ts";

const QUEUE = "bench";
const CONCURRENCY = 100; // as many as one batch of our consumer

export async function bullmq(folder: string): Promise<Contender> {
  const port = await startRedis(folder);
  const connection = { host: "127.0.0.1", port };
  const queue = new Queue(QUEUE, { connection });
  const worker = new Worker(
    QUEUE,
    async ({ id = "", data, opts }) => begin(id, data.name, opts.prevMillis ?? Number.NaN),
    { connection: { ...connection, maxRetriesPerRequest: null }, concurrency: CONCURRENCY },
  );
  worker.on("completed", ({ id = "" }) => finish(id));
  worker.on("error", (error) => console.error(`bullmq: ${error.message}`));
  await worker.waitUntilReady();
  return {
    async create(name, rhythm) {
      const repeat = { pattern: cronOf(rhythm), tz: "UTC" };
      await queue.upsertJobScheduler(name, repeat, { name: "ring", data: { name, a: 1 } });
    },
    runs: async () => taken(),
  };
}
