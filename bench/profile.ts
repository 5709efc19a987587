/**
 * Where the processor's time goes while a herd is served and while schedules are made, by Linux's perf: what the runtime
 * takes to open an object, to call it and to store, and what is left for the code inside. Only the thread that serves
 * everything is counted.
 */
import { execFileSync, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { LABELS, type Name } from "./contender.ts";
import { type Stand, withStand } from "./field.ts";
import type { Options } from "./options.ts";
import { median, table } from "./tables.ts";
import { gather, namesOf, sleep } from "./watching.ts";

const NAMES: Name[] = ["carillon", "untracked", "agents", "actors", "floor"];
const AT_ONCE = 16;
const CREATE_MS = 20; // each, on a slow machine
const COLD_MS = 12_000;
const BEFORE_MS = 300; // for perf to begin
const FAR_MS = 45 * 60_000; // none of those that are only made is due meanwhile
const WARM_UP = 50;
const PATIENCE_MS = 20_000;
const A_SECOND = 999; // samples; not in step with anything that is done each millisecond
const OUTPUT_MAX = 2 ** 30;

/** A stack belongs to the first of these that one of its frames matches. */
const GROUPS: [what: string, frame: RegExp][] = [
  ["collecting garbage", /Heap::CollectGarbage|MinorGC|Sweeper::|ConcurrentMarking/],
  ["opening the storage of cold objects", /worker_new_actor/],
  ["D1's statements", /SqlStorage::Statement::run/],
  ["SQL and alarms of objects", /SqlStorage::|DurableObjectStorage|ActorSqlite|SqliteDatabase::/],
  [
    "calls between Workers and objects",
    /JsRpc|capnp::|Fetcher::|WorkerEntrypoint|HttpService|api::(Body|Response|Request)/,
  ],
  ["JavaScript", /Builtins_|v8::internal::/],
  ["the rest of the runtime", /./],
];

export async function profile({ rounds, schedules, root, only }: Options): Promise<void> {
  if (!hasPerf()) return console.log("No perf on this machine: nothing is profiled.\n");
  const herds = new Map<Name, number[][]>();
  const makings = new Map<Name, number[][]>();
  for (let round = 0; round < rounds; round++) {
    for (const name of NAMES.filter(only)) {
      const file = join(root, `carillon-bench-${process.pid}.perf`);
      const herd = await withStand(name, root, (stand) => serve(stand, schedules, file));
      if (herd) herds.set(name, [...(herds.get(name) ?? []), herd]);
      // Whether a run is reported makes no difference to who makes its schedule.
      const making =
        name !== "untracked" && (await withStand(name, root, (stand) => make(stand, schedules, file)));
      if (making) makings.set(name, [...(makings.get(name) ?? []), making]);
    }
  }
  const many = schedules.toLocaleString("en-US");
  print(`**A herd of ${many}**: ms of the runtime's thread for each`, herds);
  print(`**Creating ${many}**, ${AT_ONCE} at once: ms of the runtime's thread for each`, makings);
}

function print(heading: string, seen: Map<Name, number[][]>): void {
  console.log(`${heading}\n`);
  const columns = [...seen.values()].map((rounds) =>
    GROUPS.map((_, group) => median(rounds.map((shares) => shares[group]!))),
  );
  table(
    ["", ...[...seen.keys()].map((name) => LABELS[name])],
    [
      ...GROUPS.map(([what], group) => [what, ...columns.map((column) => column[group]!)]),
      ["**all**", ...columns.map((column) => column.reduce((sum, ms) => sum + ms, 0))],
    ],
  );
}

function hasPerf(): boolean {
  try {
    execFileSync("perf", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

async function serve(stand: Stand, count: number, file: string): Promise<number[]> {
  const first = Math.ceil((Date.now() + count * CREATE_MS + COLD_MS) / 1_000) * 1_000;
  await stand.create(namesOf("herd", count), [{ first, everySeconds: 3_600 }], AT_ONCE);
  await sleep(first - BEFORE_MS - Date.now());
  return record(stand, file, async () => (await gather(stand, count, PATIENCE_MS)).length);
}

async function make(stand: Stand, count: number, file: string): Promise<number[]> {
  const rhythm = { first: Math.ceil((Date.now() + FAR_MS) / 1_000) * 1_000, everySeconds: 3_600 };
  await stand.create(namesOf("warm-up", WARM_UP), [rhythm], AT_ONCE);
  return record(stand, file, async () => {
    await sleep(BEFORE_MS);
    await stand.create(namesOf("made", count), [rhythm], AT_ONCE);
    return count;
  });
}

/** For each of what `act` did, in ms, by group. */
async function record(stand: Stand, file: string, act: () => Promise<number>): Promise<number[]> {
  const args = ["record", "-F", String(A_SECOND), "-g", "-p", stand.pids().join(), "-o", file];
  const perf = spawn("perf", args, { stdio: "ignore" });
  const ended = new Promise((resolve) => perf.once("exit", resolve));
  const done = await act();
  perf.kill("SIGINT");
  await ended;
  const script = ["script", "-i", file, "-F", "comm,tid,ip,sym"];
  const stacks = execFileSync("perf", script, { encoding: "utf8", maxBuffer: OUTPUT_MAX }).split("\n\n");
  rmSync(file);
  return groupsOf(busiest(stacks)).map((samples) => (samples * 1_000) / A_SECOND / done);
}

/** The stacks of the one thread that did most, among those of workerd. */
function busiest(stacks: string[]): string[] {
  const threads = Map.groupBy(
    stacks.filter((stack) => stack.trimStart().startsWith("workerd")),
    (stack) => stack.trimStart().split(/\s+/, 2)[1] ?? "",
  );
  return [...threads.values()].toSorted((a, b) => b.length - a.length)[0] ?? [];
}

function groupsOf(stacks: string[]): number[] {
  const counts = GROUPS.map(() => 0);
  for (const stack of stacks) {
    const names = stack.replaceAll(/<.*/g, ""); // what a template is made for is not what runs
    counts[GROUPS.findIndex(([, frame]) => frame.test(names))]!++;
  }
  return counts;
}
