/** One world after another in a thread. */
import { parentPort } from "node:worker_threads";
import { World, type Plan } from "./world.ts";

parentPort?.on("message", (plan: Plan) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
  void new World(plan).live().then((report) => parentPort?.postMessage(report));
});
