/** Redis and PostgreSQL for one run: on a free port, in a folder of the run's own; they end with their process group. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { accessSync, chmodSync, chownSync, constants, existsSync, mkdirSync, readdirSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { eventually } from "../scripts/api.ts";
import { freePort } from "../scripts/runtime.ts";
import { Absent } from "./contender.ts";

const READY_MS_MAX = 30_000;
const POSTGRES_FOLDERS = "/usr/lib/postgresql";

export async function startRedis(folder: string): Promise<number> {
  const redis = found("redis-server", (process.env["PATH"] ?? "").split(":"));
  const port = await freePort();
  const data = join(folder, "redis");
  mkdirSync(data, { recursive: true });
  const log = ["--appendonly", "yes", "--appendfsync", "everysec", "--save", ""];
  const child = spawn(redis, ["--port", String(port), "--bind", "127.0.0.1", "--dir", data, ...log], {
    stdio: "ignore",
  });
  await listening(port, child);
  return port;
}

export async function startPostgres(folder: string): Promise<string> {
  const folders = existsSync(POSTGRES_FOLDERS)
    ? readdirSync(POSTGRES_FOLDERS).map((version) => join(POSTGRES_FOLDERS, version, "bin"))
    : [];
  const path = [...(process.env["PATH"] ?? "").split(":"), ...folders.toReversed()];
  const initdb = found("initdb", path);
  const postgres = found("postgres", path);
  const port = await freePort();
  const data = join(folder, "postgres");
  const user = unprivileged();
  if (!existsSync(data)) {
    mkdirSync(data, { recursive: true });
    if (user) {
      chownSync(data, user.uid, user.gid);
      chmodSync(folder, 0o711); // its parent is root's, and has to be passed through
    }
    const how = ["-D", data, "-U", "bench", "-A", "trust", "--no-sync", "-E", "UTF8"];
    execFileSync(initdb, how, { stdio: "ignore", cwd: data, ...user });
  }
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=100"];
  settings.push("dynamic_shared_memory_type=mmap"); // in its folder: it will be killed, and nothing may be left
  const flags = ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])];
  const child = spawn(postgres, flags, { stdio: ["ignore", "ignore", "pipe"], cwd: data, ...user });
  await saying("ready to accept connections", child); // its port is open long before
  return `postgres://bench@127.0.0.1:${port}/postgres`;
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ["postgres", "nobody"]) {
    try {
      const id = (flag: string) =>
        Number(execFileSync("id", [flag, name], { stdio: ["ignore", "pipe", "ignore"] }));
      return { uid: id("-u"), gid: id("-g") };
    } catch {
      continue; // no such user here
    }
  }
  throw new Absent("no user but root to run PostgreSQL as");
}

function found(command: string, folders: string[]): string {
  for (const folder of folders) {
    const file = join(folder, command);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      continue;
    }
  }
  throw new Absent(`no ${command} on this machine`);
}

async function saying(text: string, child: ChildProcess): Promise<void> {
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (more: string) => (said += said.includes(text) ? "" : more));
  await eventually(`${child.spawnfile} says it is ready`, READY_MS_MAX, async () => {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}: ${said}`);
    return said.includes(text) || null;
  });
}

async function listening(port: number, child: ChildProcess): Promise<void> {
  await eventually(`port ${port} is open`, READY_MS_MAX, async () => {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`);
    return (await isOpen(port)) ? true : null;
  });
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, "127.0.0.1");
    const answer = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket.once("connect", () => answer(true)).once("error", () => answer(false));
  });
}
