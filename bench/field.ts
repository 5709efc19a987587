/** Puts contenders up, one at a time, each on a fresh folder; and takes them down, whatever happens. */
import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Absent, type Bill, type Name } from "./contender.ts";
import { descendants, type Usage, usageOf } from "./processes.ts";
import type { Rhythm } from "./rhythm.ts";
import type { Run } from "./runs.ts";
import type { Order, Report } from "./stand.ts";

export interface Stand {
  name: Name;
  create(names: string[], rhythms: Rhythm[], concurrency: number): Promise<number[]>;
  runs(): Promise<Run[]>;
  unrun(): Promise<{ [reason: string]: number }>;
  bill(): Promise<Bill>;
  usage(): Usage;
  /** Of its processes, servers included. */
  pids(): number[];
  /** SIGKILL to all of it at once. */
  kill(): Promise<void>;
  /** On what it left. */
  restart(): Promise<void>;
}

type Unnumbered = Order extends infer O ? (O extends Order ? Omit<O, "id"> : never) : never;

/** Null where it can't stand on this machine or failed; why is printed. */
export async function withStand<T>(
  name: Name,
  root: string,
  measure: (stand: Stand) => Promise<T>,
): Promise<T | null> {
  const folder = mkdtempSync(join(root, `carillon-bench-${name}-`));
  const tidy = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  process.once("exit", tidy);
  let actor: Actor | null = null;
  const standing = () => actor ?? never(name);
  try {
    actor = await put(name, folder);
    return await measure({
      name,
      create: (names, rhythms, concurrency) =>
        standing().ask({ what: "create", names, rhythms, concurrency }) as Promise<number[]>,
      runs: () => standing().ask({ what: "runs" }) as Promise<Run[]>,
      unrun: () => standing().ask({ what: "unrun" }) as Promise<{ [reason: string]: number }>,
      bill: () => standing().ask({ what: "bill" }) as Promise<Bill>,
      usage: () => usageOf(standing().pid),
      pids: () => descendants(standing().pid).map(({ pid }) => pid),
      kill: () => standing().kill(),
      async restart() {
        actor = await put(name, folder);
      },
    });
  } catch (error) {
    leaveOut(name, error);
    return null;
  } finally {
    await actor?.ask({ what: "stop" }).catch(() => null); // killed next, if it can't stop by itself
    await actor?.kill();
    process.removeListener("exit", tidy);
    tidy();
  }
}

function never(name: Name): never {
  throw new Error(`${name} does not stand`);
}

const absentees = new Set<Name>();

/** What is not on this machine is said once; a failure is said each time, and is the bench's. */
function leaveOut(name: Name, error: unknown): void {
  if (error instanceof Absent) {
    if (!absentees.has(name)) console.log(`${name} is left out: ${error.message}.\n`);
    absentees.add(name);
    return;
  }
  console.log(`${name} failed: ${String(error)}\n`);
  process.exitCode = 1;
}

interface Actor {
  pid: number;
  ask(order: Unnumbered): Promise<unknown>;
  kill(): Promise<void>;
}

async function put(name: Name, folder: string): Promise<Actor> {
  const child = fork(join(import.meta.dirname, "stand.ts"), [name, folder], { detached: true });
  const pid = child.pid ?? 0;
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const killAll = () => killTree(pid);
  process.once("exit", killAll); // however we end, nothing is left running
  const pending = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  child.on("message", (report: Report) => {
    if (report.what === "done") pending.get(report.id)?.resolve(report.value);
    if (report.what === "failed") pending.get(report.id)?.reject(new Error(`${name}: ${report.why}`));
  });
  child.once("exit", (code) => {
    for (const { reject } of pending.values()) reject(new Error(`${name} ended with ${code}`));
  });
  let last = 0;
  await readiness(name, child).catch((error: unknown) => {
    killAll();
    throw error;
  });
  return {
    pid,
    ask(order) {
      const id = ++last;
      return new Promise((resolve, reject) => {
        pending.set(id, { resolve, reject });
        child.send({ id, ...order });
      }).finally(() => pending.delete(id));
    },
    async kill() {
      killAll();
      process.removeListener("exit", killAll);
      await ended;
    },
  };
}

function readiness(name: Name, child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on("message", (report: Report) => {
      if (report.what === "ready") resolve();
      if (report.what === "absent") reject(new Absent(report.why));
    });
    child.once("exit", (code) => reject(new Error(`${name} ended with ${code} before it was ready`)));
  });
}

/** Its group, whose leader may be gone, and those who left the group. */
function killTree(root: number): void {
  for (const pid of [-root, ...descendants(root).map((process) => process.pid)]) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      continue; // has ended by itself
    }
  }
}
