/**
 * Schedules that live: the real machine behind the stub, without a platform. Each world is a value, so that the whole
 * population can be put back, and compared, by reference.
 */
import { fail, ok, type Result } from "../../src/core/errors.ts";
import type { Env } from "../../src/env.ts";
import type { Engine } from "../../src/schedule/engine.ts";
import { foresee } from "../../src/schedule/foresee.ts";
import { pendingHandOver } from "../../src/schedule/handover.ts";
import { readKnowledge, readLive } from "../../src/schedule/knowledge.ts";
import {
  readMessage,
  readOccurrence,
  readOpen,
  readSchedule,
  step,
  type CommandName,
  type CommandOf,
  type ReplyOf,
} from "../../src/schedule/machine.ts";
import { Secrets } from "../../src/schedule/secrets.ts";
import { freshState, type World } from "../../src/schedule/state.ts";
import type { Foreseen, ScheduleStub } from "../../src/schedule/stub.ts";

const ENVIRONMENT = { SECRETS_KEY: btoa("k".repeat(32)) } as unknown as Env;

export type Population = Map<string, World>;

export function livingStub(population: Population, key: string, now: () => number): ScheduleStub {
  const [namespace = "", name = ""] = key.split("/");
  const unknown = () => fail("not_found", `There is no schedule ${name} in namespace ${namespace}.`);

  /** As the engine does it: what was refused, and changed nothing, leaves nothing behind. */
  function run<N extends CommandName>(command: N, content: CommandOf<N>): ReplyOf<N> {
    const before = population.get(key);
    if (!before && command !== "put") return unknown() as ReplyOf<N>;
    const blank = { state: freshState(namespace, name, "LEDGER", now()), revisions: {} };
    const { world, reply, changed } = step(before ?? blank, command, content, now());
    if (changed) population.set(key, handOver(world, now()));
    return reply;
  }

  function ask<T>(question: (world: World) => Result<T>): Promise<Result<T>> {
    const world = population.get(key);
    return Promise.resolve(world ? question(world) : unknown());
  }

  function foreseeing(asked: object): Promise<Result<Foreseen>> {
    const world = population.get(key) ?? {
      state: freshState(namespace, name, "LEDGER", now()),
      revisions: {},
    };
    return Promise.resolve(foresee(world, asked as CommandOf<"put">, now()));
  }

  const does = (command: CommandName) =>
    ((content: object) => Promise.resolve(run(command, content as never))) as never;
  const hears = (command: CommandName) =>
    ((address: object, report: object) =>
      Promise.resolve(run(command, { ...address, ...report } as never))) as never;
  const engine = { ask, run: (name: CommandName, content: never) => Promise.resolve(run(name, content)) };
  const secrets = new Secrets(engine as unknown as Engine, ENVIRONMENT, key);
  return {
    put: (command) => secrets.put(command),
    foresee: foreseeing,
    patch: (command) => secrets.patch(command),
    remove: does("remove"),
    pause: does("pause"),
    resume: does("resume"),
    trigger: does("trigger"),
    cancel: does("cancel"),
    backfill: does("backfill"),
    cancelBackfill: does("cancelBackfill"),
    replay: does("replay"),
    poke: does("poke"),
    deadLettered: does("deadLettered"),
    start: hears("start"),
    heartbeat: hears("heartbeat"),
    complete: hears("complete"),
    fail: hears("fail"),
    defer: hears("defer"),
    read: () => ask((world) => readSchedule(world, now())),
    open: () => ask((world) => readOpen(world, now())),
    knowledge: () => ask((world) => readKnowledge(world, now())),
    live: (slot) => ask((world) => ok(readLive(world, slot))),
    occurrence: (address) => ask((world) => readOccurrence(world, address)),
    call: (address, query) => secrets.call(address, query),
    message: (address) => ask((world) => readMessage(world, address)),
  };
}

const ROUNDS_MAX = 20;

/** Everything leaves, and is recorded, at once. */
function handOver(world: World, now: number): World {
  let current = world;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const { messages, rows } = pendingHandOver(current, now);
    if (messages.length === 0 && rows.length === 0) break;
    const sent = messages.map(({ key, attempt }) => ({ key, attempt, at: now }));
    const recorded = rows.map(({ key, version }) => ({ key, version }));
    current = step(current, "handedOver", { sent, unsent: [], recorded, unrecorded: false }, now).world;
  }
  return current;
}
