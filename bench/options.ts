/** What may be said on the command line, and what holds where nothing is. */
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import type { Name } from "./contender.ts";

const MEMORY_DISK = "/dev/shm";

export interface Options {
  parts: string[];
  rounds: number;
  /** Sizes of the herds. */
  herds: number[];
  /** Of the steady load. */
  schedules: number;
  every: number;
  seconds: number;
  /** Of the catch-up: how long it is down. */
  down: number;
  growth: number[];
  seed: number;
  /** Folder for the state of everything that is measured. */
  root: string;
  only: (name: Name) => boolean;
}

/**
 * State lies on a disk in memory where there is one, for all alike: what is measured is code, not the disk of a
 * laptop. `--disk DIR` puts it elsewhere.
 */
export function readOptions(args: string[]): Options {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      rounds: { type: "string", default: "3" },
      schedules: { type: "string" },
      every: { type: "string", default: "10" },
      seconds: { type: "string", default: "60" },
      down: { type: "string", default: "60" },
      seed: { type: "string", default: "1" },
      disk: { type: "string", default: existsSync(MEMORY_DISK) ? MEMORY_DISK : tmpdir() },
      only: { type: "string" },
    },
  });
  const given = values.schedules?.split(",").map(Number);
  const chosen = values.only?.split(",");
  return {
    parts: positionals,
    rounds: Number(values.rounds),
    herds: given ?? [1_000, 5_000],
    schedules: given?.[0] ?? 1_000,
    growth: given ?? [100, 1_000, 10_000],
    every: Number(values.every),
    seconds: Number(values.seconds),
    down: Number(values.down),
    seed: Number(values.seed),
    root: values.disk,
    only: (name) => chosen?.includes(name) ?? true,
  };
}
