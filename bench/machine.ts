/** Where and of what the numbers are: they mean nothing without. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import type { Options } from "./options.ts";

const GIB = 2 ** 30;

export function describeMachine({ rounds, seed, root }: Options): string {
  const [cpu] = cpus();
  const { dependencies } = JSON.parse(readFileSync(join(import.meta.dirname, "package.json"), "utf8")) as {
    dependencies: { [name: string]: string };
  };
  const peers = Object.entries(dependencies).map(([name, version]) => `${name} ${version}`);
  const workerd = createRequire(createRequire(import.meta.url).resolve("wrangler"))(
    "workerd/package.json",
  ) as {
    version: string;
  };
  return [
    `${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpu?.model ?? "unknown"}, ${Math.round(totalmem() / GIB)} GiB, load ${loadavg()[0]!.toFixed(1)} at the start`,
    `Node ${process.versions.node}, workerd ${workerd.version}, ${version("redis-server") ?? "no Redis"}, ${version("postgres") ?? "no PostgreSQL"}`,
    peers.join(", "),
    `medians of ${rounds} rounds, contenders in turn; state in ${root}; seed ${seed}`,
  ].join("  \n");
}

function version(command: string): string | null {
  try {
    return execFileSync(command, ["--version"], { encoding: "utf8" }).trim().split("\n")[0] ?? null;
  } catch {
    return null;
  }
}
