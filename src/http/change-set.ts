/**
 * Schedules as code: what a set of definitions comes to, and its carrying out. The plan is asked of the objects
 * themselves, which run the very put that would be made; nothing is carried out while any definition is refused.
 */
import { callAll } from "../at-once.ts";
import { differences, type Difference } from "../core/difference.ts";
import { purseOf } from "../core/effort.ts";
import type { Failure, Result } from "../core/errors.ts";
import { BOUNDS, LIMITS } from "../core/limits.ts";
import type { Warning } from "../core/schedule.ts";
import { foreseeNew } from "../schedule/foresee.ts";
import type { Foreseeable, Foreseen, ScheduleStub } from "../schedule/stub.ts";
import type { Caller, Deps } from "./context.ts";
import { putCommand, refuseDefinition } from "./defining.ts";
import type { Definition } from "./definition.ts";
import { fromThrown, type Refusal } from "./problem.ts";
import { refuseMore } from "./quota.ts";

export interface Order {
  managedBy: string;
  schedules: (Definition & { name: string })[];
}

export interface Change {
  name: string;
  action: "create" | "update" | "unchanged" | "delete" | "conflict";
  /** Of an update. */
  diff: Difference[];
  nextSlot: string | null;
  warnings: Warning[];
  /** Why it was, or would be, left undone. */
  error: { code: string; message: string; hint: string | null } | null;
}

/** A change, and what it takes to carry it out: nothing, where nothing is to be done. */
export interface Step {
  change: Change;
  carryOut: (() => Promise<Result<unknown>>) | null;
}

/** What can be told without asking anybody. */
export function refuseOrder(deps: Deps, caller: Caller, { managedBy, schedules }: Order): Refusal[] {
  const seen = new Map<string, number>();
  return schedules.flatMap(({ name, ...definition }, index) => {
    const refusals: Refusal[] = [];
    const first = seen.get(name);
    if (first === undefined) seen.set(name, index);
    else {
      const message = `${name} is named twice, at /schedules/${first} already.`;
      refusals.push({ code: "invalid_field", message, pointer: "/name" });
    }
    if ((definition.managedBy ?? managedBy) !== managedBy) {
      const message = `managedBy is ${JSON.stringify(managedBy)} for all schedules of one call.`;
      refusals.push({ code: "invalid_field", message, pointer: "/managedBy", hint: "Leave it out." });
    }
    const beyond = refuseDefinition(deps, caller, name, definition);
    return [...refusals, ...(beyond ? [beyond] : [])].map((refusal) => within(index, refusal));
  });
}

/** What each definition comes to, in their order; or why some are refused. */
export async function plan(
  deps: Deps,
  caller: Caller,
  { managedBy, schedules }: Order,
): Promise<{ steps: Step[]; refusals: Refusal[] }> {
  const known = await deps.ledger.known(
    caller.namespace,
    schedules.map(({ name }) => name),
  );
  const affordably = purseOf(BOUNDS.APPLIED_STEPS_MAX);
  const foreseen = await callAll(schedules, async ({ name, ...definition }) => {
    const stub = deps.schedule(caller.namespace, name);
    const command = putCommand(deps, caller, name, { ...definition, managedBy });
    const put = (ifMatch?: number) => putPlanned(stub, command, ifMatch);
    // Most of a first apply is new: its objects need not wake to say so. Should the ledger be behind, the put will fail.
    const isNew = !known.has(name) && isOpen(command);
    const reply = isNew ? affordably(() => foreseeNew(command, caller.now)) : await stub.foresee(command);
    return { name, reply, put };
  });
  const refusals = foreseen.flatMap(({ reply }, index) => (reply.ok ? [] : [within(index, reply.error)]));
  const steps = foreseen.flatMap(({ name, reply, put }) =>
    reply.ok ? [stepOf(name, managedBy, reply.value, put)] : [],
  );
  const created = steps.filter(({ change }) => change.action === "create").length;
  const tooMany = refusals.length > 0 ? null : await refuseMore(deps, caller, created);
  return { steps, refusals: tooMany ? [tooMany] : refusals };
}

/** Without secrets, which only the object can seal. */
function isOpen(command: Foreseeable): command is Parameters<typeof foreseeNew>[0] {
  return !("secrets" in command.input.target);
}

/** Creates what is not there, replaces the revision that was planned for; whoever came in between is left alone. */
function putPlanned(stub: ScheduleStub, command: Foreseeable, ifMatch?: number) {
  const { paused, ...same } = command;
  return stub.put(ifMatch === undefined ? { ...same, paused, createOnly: true } : { ...same, ifMatch });
}

function stepOf(
  name: string,
  managedBy: string,
  { before, outcome, schedule }: Foreseen,
  put: (ifMatch?: number) => Promise<Result<unknown>>,
): Step {
  const { nextSlot, warnings } = schedule;
  const change: Change = { name, action: "create", diff: [], nextSlot, warnings, error: null };
  if (before === null) return { change, carryOut: () => put() };
  if (before.definition["managedBy"] !== managedBy) {
    const error = heldBy(name, before.definition["managedBy"]);
    return { change: { ...change, action: "conflict", nextSlot: before.nextSlot, error }, carryOut: null };
  }
  if (outcome === "unchanged") return { change: { ...change, action: "unchanged" }, carryOut: null };
  const diff = differences(before.definition, schedule.definition);
  return { change: { ...change, action: "update", diff }, carryOut: () => put(before.revision) };
}

function heldBy(name: string, owner: unknown): Change["error"] {
  return {
    code: "managed_elsewhere",
    message: `${name} is managed ${typeof owner === "string" ? `by ${JSON.stringify(owner)}` : "by hand"}, and left as it is.`,
    hint: "To take it over, PATCH its managedBy first.",
  };
}

/** Schedules of this manager that the list leaves out. Bounded: `more` says that another call would find more. */
export async function pruning(
  deps: Deps,
  { namespace, principal }: Caller,
  { managedBy }: Order,
  kept: ReadonlySet<string>,
): Promise<{ steps: Step[]; more: boolean }> {
  const steps: Step[] = [];
  const { schedules } = principal;
  const all = { namespace, schedules, state: null, health: null, tag: null, managedBy, q: null };
  const limit = LIMITS.APPLY_SCHEDULES_MAX;
  let before: { createdAt: number; name: string } | null = null;
  for (;;) {
    const found = await deps.ledger.schedules({ ...all, before, limit });
    const page = found.slice(0, limit);
    for (const { name, revision } of page.filter((entry) => !kept.has(entry.name))) {
      if (steps.length === limit) return { steps, more: true };
      const change: Change = { name, action: "delete", diff: [], nextSlot: null, warnings: [], error: null };
      const remove = () => deps.schedule(namespace, name).remove({ ifMatch: revision, who: principal.who });
      steps.push({ change, carryOut: remove });
    }
    const last = page.at(-1);
    if (!last || found.length <= limit) return { steps, more: false };
    before = { createdAt: last.createdAt, name: last.name };
  }
}

/** What is left out is removed last, and only once everything else is there: it may have got another name. */
export async function carryOutAll(steps: Step[], pruned: Step[]): Promise<Change[]> {
  const changes = await carryOut(steps);
  const removed = changes.some(isFailed) ? pruned.map(heldBack) : await carryOut(pruned);
  return [...changes, ...removed];
}

export function isFailed({ action, error }: Change): boolean {
  return error !== null && action !== "conflict";
}

function heldBack({ change }: Step): Change {
  const message = `${change.name} was not removed, since something else failed.`;
  return { ...change, error: { code: "held_back", message, hint: "The same call again does the rest." } };
}

/** Each schedule by itself: one that fails is told, and holds up no other. */
function carryOut(steps: Step[]): Promise<Change[]> {
  return callAll(steps, async ({ change, carryOut }) => {
    if (!carryOut) return change;
    try {
      const reply = await carryOut();
      return reply.ok ? change : { ...change, error: told(reply.error) };
    } catch (error) {
      return { ...change, error: told(fromThrown(error)) };
    }
  });
}

function told({ code, message, hint }: Refusal | Failure): Change["error"] {
  return { code, message, hint: hint ?? null };
}

function within(index: number, refusal: Refusal | Failure): Refusal {
  return { ...refusal, pointer: `/schedules/${index}${refusal.pointer ?? ""}` };
}
