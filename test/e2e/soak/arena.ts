/** A runtime to be maltreated: killed and started again on what it left, its ledger and queues told to fail. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Api } from "../../../scripts/api.ts";
import { freePort, migrate, probe, type Runtime, startRuntime } from "../../../scripts/runtime.ts";
import { ROOT } from "../../../scripts/wrangler.ts";

export interface Arena {
  api: Api;
  /** `kill -9` to the whole group, and a new start. */
  kill(): Promise<void>;
  /** What fails from now on; nothing, if nothing is named. */
  fail(...what: ("ledger" | "queue")[]): Promise<void>;
  /** Cron Triggers don't fire in a local runtime. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

export async function openArena(): Promise<Arena> {
  const stateDir = await mkdtemp(join(tmpdir(), "carillon-soak-"));
  const token = "token-of-the-soak";
  const port = await freePort();
  const scheduler = await configure(stateDir);
  const consumer = "test/e2e/faulty/wrangler.toml";
  const flags = ["--port", String(port), "--var", `ADMIN_TOKEN:${token}`];
  await migrate(stateDir);
  let runtime: Runtime = await startRuntime({ stateDir, scheduler, consumer, flags });
  const { url } = runtime;
  return {
    api: { url, token },
    async kill() {
      await runtime.kill();
      runtime = await startRuntime({ stateDir, scheduler, consumer, flags });
    },
    async fail(...what) {
      await fetch(`${url}/soak/faults?${what.join("&")}`);
    },
    async sweep() {
      await probe(`${url}/cdn-cgi/local/scheduled`);
    },
    async close() {
      await runtime.stop();
      await rm(stateDir, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** The shipped configuration, around a Worker that can be told to fail. */
async function configure(directory: string): Promise<string> {
  const shipped = await readFile(join(ROOT, "wrangler.toml"), "utf8");
  const changed = shipped
    .replace('main = "src/index.ts"', `main = "${join(import.meta.dirname, "worker.ts")}"`)
    .replaceAll('"./src/', `"${ROOT}/src/`)
    .replace('migrations_dir = "migrations"', `migrations_dir = "${join(ROOT, "migrations")}"`);
  const file = join(directory, "wrangler.toml");
  await writeFile(file, changed);
  return file;
}
