/** `npx carillon`. */
import manifest from "../../package.json" with { type: "json" };
import { run } from "./run.ts";

const enough = new AbortController();
process.once("SIGINT", () => enough.abort());
// `carillon list | head`: nobody reads on, and that is no fault.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  out: process.stdout,
  err: process.stderr,
  signal: enough.signal,
  now: Date.now(),
  version: manifest.version,
});
