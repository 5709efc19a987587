/**
 * One schedule in a made-up world: a clock that the test moves, a queue, a ledger, durable storage, and the
 * faults of all of them. What drives the machine here does what object.ts does, step by step.
 */
import type { Message } from "../../src/core/message.ts";
import type { DefinitionInput } from "../../src/core/schedule.ts";
import { pendingHandOver, type HandedOver, type HandOver } from "../../src/schedule/handover.ts";
import { step, type CommandName, type CommandOf, type ReplyOf } from "../../src/schedule/machine.ts";
import { freshState, type Open, type World } from "../../src/schedule/state.ts";
import type { Address, PatchCommand, ResumeCommand } from "../../src/schedule/stub.ts";
import { guardAt, wakeAt } from "../../src/schedule/wake.ts";
import type { Witness } from "./invariants.ts";
import { Ledger } from "./ledger.ts";

/** Where a process may die: before and after each durable commit, and between what leaves and what is noted. */
export const CRASH_POINTS = ["before_T1", "T1", "sent", "T2"] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number];

class Crash extends Error {}

export interface Sent {
  slot: number;
  variant: string;
  attempt: number;
  at: number;
  message: Message;
}

const DRAIN_ROUNDS_MAX = 20;

export class Bell implements Witness {
  now: number;
  alarm: number | null = null;
  readonly ledger = new Ledger();
  /** In flight: the test delivers, doubles, drops and reorders them. */
  queue: Sent[] = [];
  /** All that ever left. */
  readonly sent: Sent[] = [];
  crashAt: CrashPoint | null = null;
  readonly faults = { queue: false, ledger: false, queueAck: false, ledgerAck: false, binding: false };
  /** Sees every durable commit: the world that storage held, and the one that takes its place. */
  onSave: (before: World, after: World, name: CommandName) => void = () => {};
  #durable: string | null = null;
  #saved: World;
  #world: World;

  constructor(start: string | number = "2026-03-02T00:00:00Z") {
    this.now = at(start);
    this.#world = { state: freshState("default", "job", "LEDGER", this.now), revisions: {} };
    this.#saved = this.#world;
  }

  get world(): World {
    return this.#world;
  }
  get state(): World["state"] {
    return this.#world.state;
  }
  get open(): Open[] {
    return this.state.open;
  }

  // ── what the invariants look at ──────────────────────────────────────────────────────────────────

  recorded(row: Parameters<Witness["recorded"]>[0]): number {
    return this.ledger.version(row);
  }
  told(key: string) {
    return this.ledger.occurrences.get(key)?.state;
  }
  left(key: string, attempt: number): boolean {
    return this.sent.some((sent) => `${sent.slot}${sent.variant}` === key && sent.attempt === attempt);
  }
  record(): Ledger {
    return this.ledger;
  }

  // ── commands ───────────────────────────────────────────────────────────────────────────────────

  put(input: Partial<DefinitionInput>, more: { ifMatch?: number; paused?: boolean } = {}) {
    const definition = { trigger: { every: "1m" }, target: { queue: "LIBRARY" }, ...input };
    return this.command("put", { namespace: "default", name: "job", who: "ann", input: definition, ...more });
  }
  patch(patch: PatchCommand["patch"]) {
    return this.command("patch", { who: "ann", patch });
  }
  pause(until: string | number | null = null) {
    return this.command("pause", { who: "ann", note: null, until: until === null ? null : at(until) });
  }
  resume(catchUp: ResumeCommand["catchUp"] = null) {
    return this.command("resume", { who: "ann", note: null, catchUp });
  }
  remove() {
    return this.command("remove", { who: "ann" });
  }
  trigger(more: Omit<CommandOf<"trigger">, "who"> = {}) {
    return this.command("trigger", { who: "ann", ...more });
  }
  backfill(from: string | number, to: string | number, more: Partial<CommandOf<"backfill">> = {}) {
    return this.command("backfill", {
      who: "ann",
      from: at(from),
      to: at(to),
      order: "oldest",
      limit: 100,
      rerun: false,
      dryRun: false,
      revision: this.state.revision,
      succeeded: this.ledger.succeeded,
      ...more,
    });
  }
  /** As the door does it: the original's payload from its row, its definition from the record of changes. */
  replay({ slot, variant = "" }: { slot: number; variant?: string }, revision?: "current") {
    const row = this.ledger.row(slot, variant);
    if (!row) throw new Error(`the ledger has no ${slot}${variant}`);
    const definition = this.ledger.definition(row.revision);
    const original = revision === "current" ? null : { revision: row.revision, definition };
    const payload = row.body.payload ?? null;
    return this.command("replay", { who: "ann", slot, variant, original, payload });
  }
  cancel(address: Address) {
    return this.command("cancel", { who: "ann", ...address });
  }
  start(sent: Address & { attempt?: number }, worker = "w1") {
    const { slot, variant, attempt = 1 } = sent;
    return this.command("start", { slot, variant, attempt, worker });
  }

  /** As an RPC call to the object: one commit, then what it owes is handed over. */
  command<N extends CommandName>(name: N, command: CommandOf<N>): ReplyOf<N> {
    const reply = this.#commit(name, command, true);
    this.#drain();
    this.#settleAlarm();
    return reply;
  }

  // ── the clock ──────────────────────────────────────────────────────────────────────────────────

  /** Moves the clock, and the alarm rings whenever it is due on the way. */
  to(until: string | number, onWake: () => void = () => {}): this {
    const end = at(until);
    for (let wakes = 0; this.alarm !== null && this.alarm <= end; wakes++) {
      if (wakes > 200_000) throw new Error(`hot loop at ${new Date(this.now).toISOString()}`);
      this.now = Math.max(this.now, this.alarm);
      this.ring();
      onWake();
    }
    this.now = Math.max(this.now, end);
    return this;
  }

  /** The platform was away: the clock moves on, and the alarm rings late. */
  sleepTo(until: string | number): this {
    this.now = at(until);
    if (this.alarm !== null && this.alarm <= this.now) this.ring();
    return this;
  }

  /** What the platform does: the alarm stays stored until its handler has returned. */
  ring(): void {
    const armed = this.alarm;
    this.alarm = null;
    try {
      this.#commit("wake", null, false);
      this.#drain();
      this.#settleAlarm();
    } catch (error) {
      this.alarm ??= armed;
      throw error;
    }
  }

  /** Runs what may die on the way; afterwards the object is what storage remembers. Whether it died. */
  dying(what: () => void): boolean {
    try {
      what();
      return false;
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      this.reload();
      return true;
    } finally {
      this.crashAt = null;
    }
  }

  /** Evicted: memory is gone. */
  reload(): void {
    this.#world =
      this.#durable === null
        ? { state: freshState("default", "job", "LEDGER", this.now), revisions: {} }
        : frozen(JSON.parse(this.#durable) as World);
    this.#saved = this.#world;
  }

  // ── what object.ts does ────────────────────────────────────────────────────────────────────────

  #step<N extends CommandName>(name: N, command: CommandOf<N>) {
    const result = step(this.#world, name, command, this.now);
    const after = { state: frozen(result.world.state), revisions: frozen(result.world.revisions) };
    return { ...result, world: after };
  }

  #commit<N extends CommandName>(name: N, command: CommandOf<N>, guarded: boolean): ReplyOf<N> {
    this.#mayDie("before_T1");
    const { world, reply, changed } = this.#step(name, command);
    if (changed) {
      this.#save(world, name);
      const at = guarded ? guardAt(world, pendingHandOver(world, this.now), this.now) : null;
      if (at !== null) this.#guard(at);
    }
    this.#mayDie("T1");
    return reply;
  }

  #drain(): void {
    for (let round = 0; round < DRAIN_ROUNDS_MAX; round++) {
      const pending = pendingHandOver(this.#world, this.now);
      if (pending.messages.length === 0 && pending.rows.length === 0) return;
      const outcome = this.#handOver(pending);
      this.#mayDie("sent");
      const { world, reply } = this.#step("handedOver", outcome);
      if (reply.ok && reply.value) {
        this.#save(world, "handedOver");
        this.#settleAlarm();
      }
      this.#world = world;
      this.#mayDie("T2");
      if (outcome.unrecorded || outcome.recorded.length === 0) return;
    }
  }

  /** The Courier: messages first, then the rows; what travels with a message that stayed, stays too. */
  #handOver({ messages, rows }: HandOver): HandedOver {
    const outcome: HandedOver = { sent: [], unsent: [], recorded: [], unrecorded: false };
    let going = structuredClone(rows);
    for (const { key, attempt, message } of messages) {
      const error = this.faults.binding ? "unknown_queue" : this.faults.queue ? "queue is down" : null;
      if (error === null) this.#send(key, attempt, message);
      const told = error ?? (this.faults.queueAck ? "no answer" : null);
      if (told === null) {
        outcome.sent.push({ key, attempt, at: this.now });
        for (const row of going)
          if (row.key === key && row.table === "occurrences") row.row.dispatched_at ??= this.now;
      } else {
        outcome.unsent.push({ key, attempt, error: told });
        going = going.filter((row) => row.key !== key);
      }
    }
    if (!this.faults.ledger) this.ledger.record(going);
    if (!this.faults.ledger && !this.faults.ledgerAck)
      outcome.recorded = going.map(({ key, version }) => ({ key, version }));
    outcome.unrecorded = outcome.recorded.length < going.length;
    return outcome;
  }

  #send(key: string, attempt: number, message: Message): void {
    const [, slot = "", variant = ""] = /^(\d+)(.*)$/.exec(key) ?? [];
    const sent = { slot: Number(slot), variant, attempt, at: this.now, message };
    this.sent.push(sent);
    this.queue.push(sent);
  }

  #save(world: World, name: CommandName): void {
    this.onSave(this.#saved, world, name);
    this.#durable = JSON.stringify(world);
    this.#saved = world;
    this.#world = world;
  }

  #guard(target: number): void {
    if (this.alarm === null || this.alarm > target) this.alarm = Math.max(target, this.now + 1);
  }

  #settleAlarm(): void {
    const target = wakeAt(this.#world, this.now);
    const isOpen = this.open.length > 0;
    if (target === null) this.alarm = null;
    else if (this.alarm === null || target < this.alarm || (target > this.alarm && !isOpen))
      this.alarm = Math.max(target, this.now + 1);
  }

  #mayDie(point: CrashPoint): void {
    if (this.crashAt === point) throw new Crash(point);
  }
}

export function at(instant: string | number): number {
  if (typeof instant === "number") return instant;
  return Date.parse(instant.includes("T") ? instant : `2026-03-02T${instant}Z`);
}

/** Deeply frozen, so that a step which writes to what it was given fails; and nothing in it that JSON would lose. */
function frozen<T>(value: T, path = "state"): T {
  if (typeof value === "object" && value !== null) {
    if (Object.isFrozen(value)) return value;
    for (const [key, inner] of Object.entries(value)) frozen(inner, `${path}.${key}`);
    Object.freeze(value);
  } else if (value === undefined || (typeof value === "number" && !Number.isFinite(value))) {
    throw new Error(`${path} is ${String(value)}, which JSON loses`);
  }
  return value;
}

/** The answer of a call that must have succeeded. */
export function granted<T>(
  reply: { ok: true; value: T } | { ok: false; error: { code: string; message: string } },
): T {
  if (!reply.ok) throw new Error(`${reply.error.code}: ${reply.error.message}`);
  return reply.value;
}

/** The code of a call that must have been refused. */
export function refusal(reply: { ok: true } | { ok: false; error: { code: string } }): string {
  if (reply.ok) throw new Error("it was granted");
  return reply.error.code;
}
