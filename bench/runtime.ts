/**
 * Workers in a local runtime, as they would be deployed: wrangler bundles them, Miniflare runs them in one workerd.
 * `wrangler dev` does more (a proxy in front, an inspector attached, a rebuild on every change), and all of it would
 * be measured along.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { unstable_getMiniflareWorkerOptions, unstable_splitSqlQuery } from "wrangler";
import { wrangler } from "../scripts/wrangler.ts";

interface Miniflare {
  ready: Promise<URL>;
  getD1Database(binding: string, worker: string): Promise<D1Database>;
  getWorker(name: string): Promise<{ fetch(url: string): Promise<Response> }>;
  dispose(): Promise<void>;
}

export interface WorkerSpec {
  name: string;
  /** Its wrangler.toml. */
  config: string;
  /** Secrets. */
  bindings?: Record<string, string>;
  /** Binding of a database → the folder of its migrations. */
  databases?: Record<string, string>;
}

export interface LocalRuntime {
  url: string;
  /** Asks another Worker than the first. */
  ask<T>(worker: string, path: string): Promise<T>;
  stop(): Promise<void>;
}

// Miniflare comes with wrangler, in exactly the version that wrangler would run.
const besideWrangler = createRequire(createRequire(import.meta.url).resolve("wrangler"));
const { Miniflare, convertV4MiniflareOptions } = besideWrangler("miniflare") as {
  Miniflare: new (options: object) => Miniflare;
  /** From the shape that wrangler makes of a configuration. */
  convertV4MiniflareOptions(options: object): object;
};

/** The first Worker answers at `url`. State that is there already is taken up again. */
export async function startWorkers(stateDir: string, specs: WorkerSpec[]): Promise<LocalRuntime> {
  const workers = [];
  for (const spec of specs) workers.push(await workerOf(stateDir, spec));
  const options = { workers, resourcePersistencePath: join(stateDir, "state"), host: "127.0.0.1", port: 0 };
  const miniflare = new Miniflare(convertV4MiniflareOptions(options));
  const { origin } = await miniflare.ready;
  for (const { name, databases = {} } of specs) {
    for (const [binding, folder] of Object.entries(databases)) {
      await migrate(await miniflare.getD1Database(binding, name), folder);
    }
  }
  return {
    url: origin,
    async ask<T>(worker: string, path: string) {
      const response = await (await miniflare.getWorker(worker)).fetch(`http://${worker}${path}`);
      return (await response.json()) as T;
    },
    stop: () => miniflare.dispose(),
  };
}

async function workerOf(stateDir: string, { name, config, bindings }: WorkerSpec): Promise<object> {
  const { workerOptions } = unstable_getMiniflareWorkerOptions(config);
  return {
    ...workerOptions,
    name,
    bindings: { ...(workerOptions.bindings as object), ...bindings },
    ...(await bundle(join(stateDir, "bundles", name), config)),
  };
}

async function bundle(folder: string, config: string): Promise<object> {
  const { main = "" } = unstable_getMiniflareWorkerOptions(config);
  const path = join(folder, basename(main).replace(/\.ts$/, ".js"));
  // A restart is the runtime's, not the bundler's.
  if (!existsSync(path)) await wrangler("deploy", "-c", config, "--dry-run", "--outdir", folder);
  // What is imported as text lies beside it, under its digest.
  const beside = readdirSync(folder).filter((file) => /^[0-9a-f]{40}-/.test(file));
  const texts = beside.map((file) => ({ type: "Text", path: join(folder, file) }));
  return { modules: [{ type: "ESModule", path }, ...texts], modulesRoot: folder, rootPath: folder };
}

async function migrate(database: D1Database, folder: string): Promise<void> {
  const known = await database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'bench_migrated'").first();
  if (known) return;
  const files = readdirSync(folder).toSorted();
  const statements = files.flatMap((file) =>
    unstable_splitSqlQuery(readFileSync(join(folder, file), "utf8")),
  );
  await database.batch(
    [...statements, "CREATE TABLE bench_migrated (id)"].map((sql) => database.prepare(sql)),
  );
}
