/**
 * What a definition would do in a made-up world: downtime of the scheduler, pauses, runs that take their time or fail.
 * It is the very machine that runs, between a clock that jumps from event to event and a ledger that is an object.
 */
import { affordably } from "../core/effort.ts";
import { ok, type Result } from "../core/errors.ts";
import { BOUNDS } from "../core/limits.ts";
import { presentOccurrence } from "../core/present.ts";
import type { CatchUpPolicy, DefinitionInput } from "../core/schedule.ts";
import { pendingHandOver, type HandedOver } from "./handover.ts";
import { step, type CommandName, type CommandOf, type ReplyOf } from "./machine.ts";
import { occurrenceOf } from "./rows.ts";
import { freshState, type GapRow, type OccurrenceRow, type World } from "./state.ts";
import type { OccurrenceView } from "./stub.ts";
import { viewOpen } from "./view.ts";
import { wakeAt } from "./wake.ts";

/** What one simulation may cost, in steps of a machine with little on its mind: about half a second's worth. */
export const SIMULATED_STEPS_MAX = 5_000;
const OPEN_A_STEP = 10; // a step copies what is open, so it costs one more for every so many

export interface Stretch {
  /** Inclusive, and exclusive. */
  from: number;
  to: number;
}

export interface SimulateRequest {
  namespace: string;
  name: string;
  definition: DefinitionInput;
  /** Created paused; the end of a pause resumes it. */
  paused?: boolean;
  /** The schedule is created at this instant. */
  from: number;
  until: number;
  /** The scheduler is away: no alarm rings and no report arrives; what runs goes on. */
  downtime: Stretch[];
  pauses: (Stretch & { catchUp: CatchUpPolicy | null })[];
  run: {
    /** In turn, one an attempt. */
    durationsMs: number[];
    /** Every so many attempts fail; null: none. */
    failEvery: number | null;
  };
}

export interface Simulation {
  /** Oldest first; those that are open or wait at the end included. */
  occurrences: OccurrenceView[];
  gaps: GapRow[];
  counts: { [stateOrReason: string]: number };
  /** How far the clock came: `until`, or less where the bound was hit. */
  reached: number;
  /** The bound was hit: what comes after `reached` is left out. */
  truncated: boolean;
}

export function simulate(request: SimulateRequest): Result<Simulation> {
  return affordably(BOUNDS.ASKED_STEPS_MAX, () => {
    const made = new MadeUpWorld(request);
    const created = made.create();
    if (!created.ok) return created;
    made.run();
    return ok(made.told());
  });
}

interface Event {
  at: number;
  /** A run that ends at t does not block t: reports come first. */
  rank: number;
  act: () => void;
}

class MadeUpWorld {
  readonly #request: SimulateRequest;
  readonly #downtime: Stretch[];
  readonly #occurrences = new Map<string, OccurrenceRow>();
  readonly #gaps = new Map<number, GapRow>();
  #world: World;
  #now: number;
  #events: Event[] = [];
  #steps = 0;
  #attempts = 0;

  constructor(request: SimulateRequest) {
    const { namespace, name, from, pauses } = request;
    this.#request = request;
    this.#downtime = request.downtime.toSorted((a, b) => a.from - b.from);
    this.#now = from;
    this.#world = { state: freshState(namespace, name, "none", from), revisions: {} };
    for (const { from, to, catchUp } of pauses) {
      this.#plan(from, 1, () => this.#do("pause", { who: "simulation", note: null, until: null }));
      this.#plan(to, 1, () => this.#do("resume", { who: "simulation", note: null, catchUp }));
    }
  }

  create(): ReplyOf<"put"> {
    const { namespace, name, definition: input, paused } = this.#request;
    return this.#do("put", { namespace, name, input, paused, who: "simulation" });
  }

  /** From event to event; a step that hits a bound of its own is followed by the next at once. */
  run(): void {
    while (this.#steps < SIMULATED_STEPS_MAX) {
      const alarm = wakeAt(this.#world, this.#now);
      const rings = alarm === null ? Infinity : this.#awake(Math.max(alarm, this.#now));
      const next = this.#events[0];
      const at = Math.min(rings, next?.at ?? Infinity);
      if (at > this.#request.until) {
        this.#now = this.#request.until;
        return;
      }
      this.#now = at;
      if (next && next.at <= rings) this.#events.shift()!.act();
      else this.#do("wake", null);
    }
  }

  told(): Simulation {
    const occurrences = this.#told();
    const gaps = [...this.#gaps.values()].toSorted((a, b) => a.from_at - b.from_at);
    const counts: Simulation["counts"] = {};
    const count = (word: string, by: number) => (counts[word] = (counts[word] ?? 0) + by);
    for (const { state, reason } of occurrences) {
      count(state, 1);
      if (reason !== null) count(reason, 1);
    }
    for (const gap of gaps) {
      count("skipped", gap.count);
      count(gap.reason, gap.count);
    }
    const truncated = this.#now < this.#request.until;
    return { occurrences, gaps, counts, reached: this.#now, truncated };
  }

  /** As the ledger has them, and what is still open as the object has it. */
  #told(): OccurrenceView[] {
    const { namespace, name } = this.#request;
    const recorded = [...this.#occurrences.values()].map((row) =>
      presentOccurrence(namespace, name, occurrenceOf(row)),
    );
    const byId = new Map([...recorded, ...viewOpen(this.#world)].map((one) => [one.id, one]));
    const at = ({ scheduledFor }: OccurrenceView) => Date.parse(scheduledFor);
    return [...byId.values()].toSorted((a, b) => at(a) - at(b));
  }

  /** One command, and what it owes handed over at once. */
  #do<N extends CommandName>(name: N, command: CommandOf<N>): ReplyOf<N> {
    const { open, rows, waiting } = this.#world.state;
    this.#steps += 1 + Math.floor((open.length + rows.length + waiting.length) / OPEN_A_STEP);
    const { world, reply } = step(this.#world, name, command, this.#now);
    this.#world = world;
    if (world.state.revision > 0) this.#handOver();
    return reply;
  }

  #handOver(): void {
    const { messages, rows } = pendingHandOver(this.#world, this.#now);
    if (messages.length === 0 && rows.length === 0) return;
    const sent = messages.map(({ key, attempt }) => ({ key, attempt, at: this.#now }));
    const recorded = rows.map(({ key, version }) => ({ key, version }));
    for (const row of rows) {
      if (row.table === "occurrences") this.#occurrences.set(row.key, row.row);
      if (row.table === "gaps") this.#gaps.set(row.row.from_at, row.row);
    }
    for (const { key, attempt, message } of messages) {
      const row = this.#occurrences.get(key);
      if (row) row.dispatched_at ??= this.#now;
      if (message.tracked) this.#plan(this.#now, 0, () => this.#start(key, attempt));
    }
    this.#do("handedOver", { sent, unsent: [], recorded, unrecorded: false } satisfies HandedOver);
  }

  /** A worker takes the message at once, keeps its lease alive, and reports at the end of the run. */
  #start(key: string, attempt: number): void {
    const address = addressOf(key);
    const worker = `${key} #${attempt}`;
    const started = this.#do("start", { ...address, attempt, worker });
    if (!started.ok) return;
    const { token, leaseUntil } = started.value;
    const { durationsMs, failEvery } = this.#request.run;
    const number = this.#attempts++;
    const end = this.#now + (durationsMs[number % durationsMs.length] ?? 0);
    const fails = failEvery !== null && (number + 1) % failEvery === 0;
    this.#plan(end, 0, () => {
      if (fails) this.#do("fail", { ...address, token, error: "failEvery" });
      else this.#do("complete", { ...address, token });
    });
    this.#renew({ ...address, token }, Date.parse(leaseUntil), end);
  }

  #renew(held: { slot: number; variant: string; token: number }, leaseUntil: number, end: number): void {
    if (leaseUntil >= end) return;
    this.#plan(leaseUntil, 0, () => {
      const renewed = this.#do("heartbeat", held);
      if (renewed.ok) this.#renew(held, Date.parse(renewed.value.leaseUntil), end);
    });
  }

  #plan(at: number, rank: number, act: () => void): void {
    this.#events.push({ at: this.#awake(at), rank, act });
    this.#events.sort((a, b) => a.at - b.at || a.rank - b.rank);
  }

  /** While the scheduler is away nothing reaches it: what was to happen does so when it is back. */
  #awake(at: number): number {
    return this.#downtime.reduce((back, { from, to }) => (from <= back && back < to ? to : back), at);
  }
}

function addressOf(key: string): { slot: number; variant: string } {
  const [, slot = "", variant = ""] = /^(\d+)(.*)$/.exec(key) ?? [];
  return { slot: Number(slot), variant };
}
