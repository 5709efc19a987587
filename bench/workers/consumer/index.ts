/** Carillon's consumer: a job that does nothing, with the kit around it; and when each run began and was reported. */
import { consume } from "../../../src/consumer/index.ts";
import type { Runs } from "../../../src/consumer/index.ts";
import { begin, finish, taken } from "../../runs.ts";

let batches = 0;

interface Env {
  RUNS: Runs;
}

const deliver = consume<Env>(
  (run) => {
    begin(run.key, run.schedule, Date.parse(run.scheduledFor));
    if (!run.tracked) finish(run.key);
  },
  {
    runs: ({ RUNS }) => ({
      start: (key, report) => RUNS.start(key, report),
      heartbeat: (key, report) => RUNS.heartbeat(key, report),
      async complete(key, report) {
        const answer = await RUNS.complete(key, report);
        if (answer.ok) finish(key);
        return answer;
      },
      fail: (key, report) => RUNS.fail(key, report),
      defer: (key, report) => RUNS.defer(key, report),
    }),
  },
);

export default {
  queue(batch, env) {
    batches++;
    return deliver(batch, env);
  },
  fetch({ url }) {
    if (new URL(url).pathname === "/runs") return Response.json(taken());
    const consumed = batches;
    batches = 0;
    return Response.json({ workerRequests: consumed });
  },
} satisfies ExportedHandler<Env>;
