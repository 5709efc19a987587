/**
 * What is measured: something that keeps schedules and runs them. Each stands in a process group of its own
 * (stand.ts), servers included, so that it can be weighed, and killed.
 */
import type { Rhythm } from "./rhythm.ts";
import type { Run } from "./runs.ts";

export interface Contender {
  create(name: string, rhythm: Rhythm): Promise<void>;
  /** Those that are over since it was last asked. */
  runs(): Promise<Run[]>;
  /** Ours: slots up to now that are on record as not run, and why. */
  unrun?(): Promise<{ [reason: string]: number }>;
  /** Ours, with a meter built in: what was billed since it was last asked. */
  bill?(): Promise<Bill>;
  /** Before it is killed, where something outside its folder is left otherwise. */
  stop?(): Promise<void>;
}

/** Units that Cloudflare bills, as this runtime counted them. */
export interface Bill {
  [unit: string]: number;
}

/** State that lies in the folder already is taken up again. */
export type Open = (folder: string) => Promise<Contender>;

/** What it needs is not on this machine. */
export class Absent extends Error {}

export const CONTENDERS = {
  carillon: () => import("./contenders/carillon.ts").then(({ tracked }) => tracked),
  untracked: () => import("./contenders/carillon.ts").then(({ untracked }) => untracked),
  metered: () => import("./contenders/carillon.ts").then(({ metered }) => metered),
  "metered-untracked": () =>
    import("./contenders/carillon.ts").then(({ meteredUntracked }) => meteredUntracked),
  agents: () => import("./contenders/objects.ts").then(({ agents }) => agents),
  actors: () => import("./contenders/objects.ts").then(({ actors }) => actors),
  floor: () => import("./contenders/objects.ts").then(({ floor }) => floor),
  bullmq: () => import("./contenders/bullmq.ts").then(({ bullmq }) => bullmq),
  "pg-boss": () => import("./contenders/pg-boss.ts").then(({ pgBoss }) => pgBoss),
  "graphile-worker": () =>
    import("./contenders/graphile-worker.ts").then(({ graphileWorker }) => graphileWorker),
  croner: () => import("./contenders/croner.ts").then(({ croner }) => croner),
} satisfies { [name: string]: () => Promise<Open> };

export type Name = keyof typeof CONTENDERS;

/** As the tables call them. */
export const LABELS: { [name in Name]: string } = {
  carillon: "Carillon, tracked",
  untracked: "Carillon, not tracked",
  metered: "Carillon, tracked, metered",
  "metered-untracked": "Carillon, not tracked, metered",
  agents: "Agents SDK, one Agent a schedule",
  actors: "@cloudflare/actors, one Actor a schedule",
  floor: "bare objects: wake, write one row",
  bullmq: "BullMQ on Redis",
  "pg-boss": "pg-boss on PostgreSQL",
  "graphile-worker": "graphile-worker on PostgreSQL",
  croner: "croner in memory: not durable",
};
