/**
 * The machine: (world, command, now) → (world, reply). Synchronous and pure; the object around it only loads,
 * saves, sends and sets the alarm. It runs in Node under the model test and the simulation just the same.
 *
 *   command ──► draft (private copy) ──► handler ──► what the clock has made due ──► step
 */
import { fail, ok, type Result } from "../core/errors.ts";
import type { Message } from "../core/message.ts";
import { presentOccurrence } from "../core/present.ts";
import type { Sealed } from "../core/secrets.ts";
import { originOf, type UrlTarget } from "../core/target.ts";
import { definitionOf, draftOf, findOpen, isEqual, touch, type Draft, isGone, notFound } from "./draft.ts";
import { backfill, cancelBackfill } from "./backfill.ts";
import { patch, put, reseal } from "./edit.ts";
import { pause, remove, resume } from "./steer.ts";
import { handedOver, type HandedOver } from "./handover.ts";
import { poke } from "./poke.ts";
import { cancel, restore, trigger, type RestoreCommand } from "./recover.ts";
import { replay } from "./replay.ts";
import { complete, deadLettered, defer, failed, heartbeat, messageFor, start } from "./run.ts";
import { isUnfinished } from "./rows.ts";
import { drawUp } from "./settle.ts";
import type { World } from "./state.ts";
import type { Address, CallQuery } from "./stub.ts";
import { firingsOf, healthOf, viewOpen, viewSchedule } from "./view.ts";
import { wake } from "./wake.ts";

/** Every command by name. What changes the state by the clock, does so before (edits) or after (reports) it. */
const COMMANDS = {
  wake: (draft: Draft, command: null) => ok(wake(draft) ?? command),
  poke,
  put,
  patch,
  pause,
  resume,
  remove,
  trigger,
  cancel,
  backfill,
  cancelBackfill,
  replay,
  reseal,
  restore: (draft: Draft, command: RestoreCommand) => restore(draft, command),
  start: clockFirst(start),
  heartbeat: clockAfter(heartbeat),
  complete: clockAfter(complete),
  fail: clockAfter(failed),
  defer: clockAfter(defer),
  deadLettered: clockAfter(deadLettered),
  handedOver: (draft: Draft, outcome: HandedOver) => ok(handedOver(draft, outcome)),
} as const;

export type CommandName = keyof typeof COMMANDS;
export type CommandOf<N extends CommandName> = Parameters<(typeof COMMANDS)[N]>[1];
export type ReplyOf<N extends CommandName> = ReturnType<(typeof COMMANDS)[N]>;

export interface Step<R> {
  world: World;
  reply: R;
  changed: boolean;
}

/** One command against one world. The world that was passed in is left as it was. */
export function step<N extends CommandName>(
  world: World,
  name: N,
  command: CommandOf<N>,
  at: number,
): Step<ReplyOf<N>> {
  const { state } = world;
  // A clock that stepped back: time stands still at the cursor, so nothing fires twice.
  const now = state.revision === 0 ? at : Math.max(at, state.cursor);
  const draft = draftOf(world, now);
  const handler = COMMANDS[name] as (draft: Draft, command: CommandOf<N>) => ReplyOf<N>;
  const reply = handler(draft, command);
  if (draft.state.revision > 0) {
    noteHealth(draft);
    if (isUnfinished(draft.state) !== isUnfinished(state)) touch(draft);
    dropRevisions(draft);
    if (draft.state.status === "deleted") draft.state.secrets = [];
  }
  const changed = !isEqual(draft.state, state);
  return { world: { state: draft.state, revisions: draft.revisions }, reply, changed };
}

/** A worker's report counts before the clock does: a run that ends at t does not block t. */
function clockAfter<C, R>(handler: (draft: Draft, command: C) => R) {
  return (draft: Draft, command: C): R => {
    const reply = handler(draft, command);
    if (draft.state.revision > 0) wake(draft);
    return reply;
  };
}

/** Who asks for a lease has to find the lapsed ones lapsed. */
function clockFirst<C, R>(handler: (draft: Draft, command: C) => R) {
  return (draft: Draft, command: C): R => {
    if (draft.state.revision > 0) wake(draft);
    return handler(draft, command);
  };
}

/** The ledger's directory shows the health; it hears of it when the word changes, `waiting` and `late` aside. */
function noteHealth(draft: Draft): void {
  const { status } = healthOf(draft, draft.now);
  if (status === "waiting" || status === "late" || status === draft.state.health.status) return;
  draft.state.health.status = status;
  touch(draft);
}

/** Forgets revisions that nothing refers to any more; the ledger's changes keep them all. */
function dropRevisions({ state, revisions }: Draft): void {
  const used = new Set([
    state.revision,
    ...state.open.map((o) => o.revision),
    ...state.waiting.map((w) => w.revision),
  ]);
  for (const revision of Object.keys(revisions).map(Number))
    if (!used.has(revision)) delete revisions[revision];
}

// ── questions, which change nothing ──────────────────────────────────────────────────────────────

export function readSchedule(world: World, now: number) {
  const draft: Draft = { ...world, now };
  return isGone(draft) ? notFound(draft) : ok(viewSchedule(draft));
}

export function readOpen(world: World, now: number) {
  const draft: Draft = { ...world, now };
  return draft.state.revision === 0 ? notFound(draft) : ok(viewOpen(world));
}

/** An open or waiting occurrence; what is settled is the ledger's to tell. */
export function readOccurrence(world: World, { slot, variant }: Address) {
  const { state } = world;
  const open = state.open.find((o) => o.slot === slot && o.variant === variant);
  if (open) return ok(presentOccurrence(state.namespace, state.name, open));
  for (const range of state.waiting.filter(
    (r) => r.variant === variant && slot > r.after && slot <= r.upTo,
  )) {
    const firing = firingsOf(world, range, range.count).find((f) => f.slot === slot);
    if (firing) return ok(presentOccurrence(state.namespace, state.name, drawUp(world, firing)));
  }
  return fail("not_found", "It is neither open nor waiting.");
}

export type TargetRead = { target: Required<UrlTarget>; secrets: readonly Sealed[] };

/** For the caller: the target of an attempt that it holds. Secrets go only where the target in force has them go. */
export function readTarget(world: World, query: Address & CallQuery): Result<TargetRead> {
  const { state, revisions } = world;
  const open = findOpen(state, query);
  if (state.status === "deleted" && !open) return fail("not_found", "The schedule is deleted.");
  if ((query.token !== null || open?.tracked) && (!open?.token || open.token !== query.token)) {
    return fail("lease_lost", "This token does not hold the occurrence.");
  }
  // An untracked occurrence is forgotten once it has left; its revision may be, too.
  const known = open?.revision ?? (query.revision in revisions ? query.revision : state.revision);
  const { target } = definitionOf(world, known);
  if ("queue" in target) return fail("not_found", "The schedule has no URL any more.");
  const isInForce = originOf(target) === originOf(definitionOf(world, state.revision).target);
  return ok({ target: target as Required<UrlTarget>, secrets: isInForce ? state.secrets : [] });
}

/** For those who poll for work: the message again, while it waits for somebody to start. */
export function readMessage(world: World, address: Address): Result<Message> {
  const open = findOpen(world.state, address);
  if (open?.state === "dispatched" && open.tracked) return ok(messageFor(world, open));
  return fail("not_found", "It does not wait for a start.");
}
