/**
 * architecture.md's invariants, asserted against what the schedule did: nothing here is taken from the machine but
 * its durable states, its messages and its ledger rows. The timetables are compiled anew.
 */
import { BOUNDS } from "../../src/core/limits.ts";
import { isFinal, TRANSITIONS } from "../../src/core/occurrence.ts";
import { complete, type Definition } from "../../src/core/schedule.ts";
import { compile, type Timetable } from "../../src/core/trigger.ts";
import type { CommandName } from "../../src/schedule/machine.ts";
import type {
  ChangeRow,
  OccurrenceRow,
  Open,
  PendingRow,
  ScheduleState,
  World,
} from "../../src/schedule/state.ts";
import { Ledger } from "./ledger.ts";

const DAY = 86_400_000;
const ROWS_PER_WAKE_MAX = 300;
const WAITING_RANGES_MAX = 400;

/** What is seen of a schedule from outside: one in a test's hands (harness.ts), or one of hundreds (test/chaos). */
export interface Witness {
  readonly now: number;
  readonly alarm: number | null;
  /** As storage has it. */
  readonly state: ScheduleState;
  /** The version under which the ledger has a row; 0: it has not. */
  recorded(row: Pick<PendingRow, "table" | "key" | "version">): number;
  /** What the ledger says of an occurrence. */
  told(key: string): OccurrenceRow["state"] | undefined;
  /** Whether the message of an attempt was ever accepted by its queue. */
  left(key: string, attempt: number): boolean;
  /** All that is on record. */
  record(): Pick<Ledger, "occurrences" | "gaps" | "changes">;
}

interface Rule {
  definition: Definition;
  timetable: Timetable;
}

/** Consecutive slots of one revision that are accounted for in one place. */
interface Piece {
  from: number;
  to: number;
  where: string;
}

const keyOf = ({ slot, variant }: Pick<Open, "slot" | "variant">) => `${slot}${variant}`;

export class Invariants {
  readonly #seen: Witness;
  readonly #rules = new Map<number, Rule>();
  readonly #claimed = new Set<string>();
  /** How each occurrence ended, once it had left the object. */
  readonly #ended = new Map<string, string>();
  /** The latest reading of the clock, wherever it has stepped back to since. */
  #latest = 0;
  /** A call asked for a run beyond the seats. */
  asked = false;

  constructor(seen: Witness) {
    this.#seen = seen;
  }

  rule(revision: number): Rule {
    const rule = this.#rules.get(revision);
    return rule ?? broken(`revision ${revision} was never seen`);
  }

  /** The clock is read; and before it is set back, once more. */
  tick(): void {
    this.#latest = Math.max(this.#latest, this.#seen.now);
  }

  /** A durable commit: the world that storage held, and the one that takes its place. */
  onSave(before: World, after: World, name: CommandName): void {
    this.tick();
    for (const [revision, input] of Object.entries(after.revisions)) {
      if (this.#rules.has(Number(revision))) continue;
      const definition = complete(input);
      const timetable = definition.ok && compile(definition.value);
      if (!definition.ok || !timetable || !timetable.ok) throw new Error("a stored definition does not hold");
      this.#rules.set(Number(revision), { definition: definition.value, timetable: timetable.value });
    }
    if (after.state.revision === 0) return;
    // What the ledger gives back was claimed by another life.
    if (name === "restore") for (const open of after.state.open) this.#claimed.add(keyOf(open));
    if (name === "restore") return;
    this.#cursorNeverGoesBack(before.state, after.state);
    this.#oneClaimPerSlot(before.state, after.state);
    this.#seats(before.state, after.state);
    this.#noteEnds(before.state, after.state);
    this.#handOversAreConfirmed(before.state, after.state);
    this.#bounded(before.state, after.state, name);
  }

  /** Storage was lost: what it alone knew may come again. */
  forget(): void {
    for (const key of this.#claimed) if (this.#seen.told(key) === undefined) this.#claimed.delete(key);
  }

  /** I3 */
  #cursorNeverGoesBack(before: ScheduleState, after: ScheduleState): void {
    if (before.revision > 0 && after.cursor < before.cursor) broken("I3: the cursor went back");
    if (before.revision > 0 && after.counter < before.counter) broken("the counter went back");
  }

  /** I1, and no slot before its effective instant. */
  #oneClaimPerSlot(before: ScheduleState, after: ScheduleState): void {
    const known = new Set(before.open.map(keyOf));
    for (const open of after.open) {
      const key = keyOf(open);
      if (known.has(key)) continue;
      if (this.#claimed.has(key)) broken(`I1: ${key} is claimed twice`);
      if (this.#seen.told(key) !== undefined) broken(`I1: ${key} was accounted for before it was claimed`);
      this.#claimed.add(key);
      // Where the clock stepped back, it was due by an earlier reading.
      if (open.variant === "" && open.effectiveAt > this.#latest)
        broken(`${key} was claimed before its effective instant`);
    }
  }

  #noteEnds(before: ScheduleState, after: ScheduleState): void {
    const open = new Set(after.open.map(keyOf));
    for (const key of before.open.map(keyOf).filter((k) => !open.has(k))) {
      const row = after.rows.find((pending) => pending.key === key);
      const state = row?.table === "occurrences" ? row.row.state : this.#seen.told(key);
      if (state === undefined) broken(`${key} left without a row`);
      this.#ended.set(key, state);
    }
  }

  /**
   * I4: a row of the ledger moves along the table, and never out of a final state. What the object does not
   * know yet is no end: a row says `dispatched` ahead of the acknowledgement, and a crash or a cancel may come first.
   */
  onReplace(before: OccurrenceRow, after: OccurrenceRow): void {
    const ended = this.#ended.get(`${before.slot}${before.variant}`) ?? after.state;
    const sentAgain = before.state === "dispatched" && after.state === "claimed";
    if (!(leadsTo(before.state, after.state) || sentAgain) || after.state !== ended)
      broken(`I4: ${before.state} became ${after.state}`);
  }

  /** I6: what is open never exceeds the seats by anything but a call that asked for it, or an edit that took seats. */
  #seats(before: ScheduleState, after: ScheduleState): void {
    // An edit settles first, under the seats that were.
    const rules = [before.revision || after.revision, after.revision].map((revision) => this.rule(revision));
    const seats = rules.map(({ definition }) => definition.maxConcurrent ?? Number.POSITIVE_INFINITY);
    const maxConcurrent = Math.max(...seats);
    const known = new Set(before.open.map(keyOf));
    const isNew = after.open.some((open) => !known.has(keyOf(open)));
    if (!isNew || this.asked) return;
    if (after.open.length > Math.max(maxConcurrent, before.open.length)) {
      broken(`I6: ${after.open.length} are open, and ${maxConcurrent} may be`);
    }
  }

  /** I8 */
  #handOversAreConfirmed(before: ScheduleState, after: ScheduleState): void {
    const pending = new Map(after.rows.map((row) => [row.key, row.version]));
    const openNow = new Map(after.open.map((open) => [keyOf(open), open]));
    for (const row of before.rows) {
      if ((pending.get(row.key) ?? 0) >= row.version || this.#seen.recorded(row) >= row.version) continue;
      broken(`I8: the row ${row.key} v${row.version} was forgotten and not recorded`);
    }
    for (const open of before.open) {
      const key = keyOf(open);
      const now = openNow.get(key);
      const version = open.unrecorded ?? 0;
      const kept = Math.max(now?.unrecorded ?? 0, pending.get(key) ?? 0);
      const recorded = () => this.#seen.recorded({ table: "occurrences", key, version });
      if (kept < version && recorded() < version)
        broken(`I8: the row of ${key} v${version} was forgotten and not recorded`);
      if (!now && !pending.has(key) && recorded() === 0) broken(`I8: ${key} left without a row`);
      const cleared = open.send !== null && now?.send === null && now.attempt === open.attempt;
      if (cleared && now.state === "dispatched" && !this.#seen.left(key, open.attempt))
        broken(`I8: the message of ${key} never left`);
    }
  }

  /** I9, and a state that stays small. */
  #bounded(before: ScheduleState, after: ScheduleState, name: CommandName): void {
    const known = new Set(before.open.map(keyOf));
    const claims = after.open.filter((open) => !known.has(keyOf(open))).length;
    if (claims > BOUNDS.CLAIMS_PER_WAKE + 1) broken(`I9: ${claims} claims at once`);
    const rows = after.rows.length - before.rows.length;
    if (name === "wake" && rows > ROWS_PER_WAKE_MAX) broken(`I9: ${rows} rows in one wake`);
    if (after.finals.length > BOUNDS.FINALS_KEPT) broken("the last finals grow");
    if (after.waiting.length > WAITING_RANGES_MAX) broken(`${after.waiting.length} ranges wait`);
    for (const open of after.open) {
      const { retry } = this.rule(open.revision).definition;
      if (open.attempts.length > BOUNDS.ATTEMPTS_KEPT) broken("attempts grow");
      if (open.attempt > retry.maxAttempts) broken(`attempt ${open.attempt} of ${retry.maxAttempts}`);
      if (isFinal(open.state, open.tracked)) broken(`${keyOf(open)} is ${open.state} and still open`);
    }
  }

  /** I7: an active schedule with something ahead, or anything under way, has an alarm within a day. */
  alarm(): void {
    const { state, alarm } = this.#seen;
    // After a step back it lies as far away as it did before.
    this.tick();
    if (alarm !== null && alarm > this.#latest + DAY) broken("I7: the alarm is more than a day away");
    if (alarm !== null || state.revision === 0) return;
    const { timetable } = this.rule(state.revision);
    const ahead = state.status === "active" && (state.delayDueAt ?? timetable.next(state.cursor)) !== null;
    if (ahead || this.owesRows() || state.open.length > 0 || state.waiting.length > 0)
      broken("I7: nothing will wake it");
  }

  /** Acknowledged rows are forgotten in memory alone: after an eviction they are there again, and recorded. */
  owesRows(): boolean {
    const { rows, unrecorded } = this.#seen.state;
    const own =
      unrecorded === null ? [] : [{ table: "schedules", key: "schedule", version: unrecorded } as const];
    return [...own, ...rows].some((row) => this.#seen.recorded(row) < row.version);
  }

  /** I2: the slots of each revision up to the cursor, from its change rows, are covered once, without a hole. */
  accounts(): void {
    const { state } = this.#seen;
    if (state.revision === 0) return;
    const view = this.#ledgerAsItWillBe();
    const pieces = this.#pieces(view);
    for (const [revision, { from, to }] of inForce(view, state)) {
      const own = (pieces.get(revision) ?? []).toSorted((a, b) => a.from - b.from);
      pieces.delete(revision);
      const { timetable } = this.rule(revision);
      if (timetable.kind === "delay") assertApart(own);
      else assertCover(own, timetable, { from, to, revision });
    }
    if ([...pieces.values()].some((left) => left.length > 0))
      broken("I2: slots of a revision that never was");
  }

  #ledgerAsItWillBe(): Ledger {
    const view = new Ledger();
    const { occurrences, gaps, changes } = this.#seen.record();
    for (const [key, row] of occurrences) view.occurrences.set(key, row);
    for (const [key, row] of gaps) view.gaps.set(key, row);
    for (const [key, row] of changes) view.changes.set(key, row);
    view.record(this.#seen.state.rows);
    return view;
  }

  #pieces(view: Ledger): Map<number, Piece[]> {
    const pieces = new Map<number, Piece[]>();
    const add = (revision: number, piece: Piece) =>
      void (pieces.get(revision)?.push(piece) ?? pieces.set(revision, [piece]));
    const single = new Map<string, { slot: number; revision: number }>();
    for (const row of view.occurrences.values()) if (row.variant === "") single.set(`${row.slot}`, row);
    for (const open of this.#seen.state.open) if (open.variant === "") single.set(`${open.slot}`, open);
    for (const { slot, revision } of single.values())
      add(revision, { from: slot, to: slot, where: "occurrence" });
    for (const gap of view.gaps.values()) {
      const { from_at: from, to_at: to, count, revision, reason } = gap;
      const { timetable } = this.rule(revision);
      if (timetable.kind === "calendar" && countAll(timetable, from, to) !== count)
        broken(`I2: the gap ${from}..${to} says ${count} slots`);
      add(revision, { from, to, where: `gap/${reason}` });
    }
    for (const range of this.#seen.state.waiting.filter((r) => r.variant === "")) {
      const { timetable } = this.rule(range.revision);
      const from = range.count === 1 ? range.upTo : (timetable.next(range.after) ?? range.upTo);
      if (range.count > 1 && countAll(timetable, from, range.upTo) !== range.count)
        broken(`I2: a waiting range says ${range.count} slots`);
      add(range.revision, { from, to: range.upTo, where: "waiting" });
    }
    return pieces;
  }
}

/** When each revision was in force, by slot: from what the ledger's changes say, as an audit would read them. */
function inForce(view: Ledger, state: ScheduleState): Map<number, { from: number; to: number }> {
  const spans = new Map<number, { from: number; to: number }>();
  let current: { from: number; to: number } | null = null;
  const end = (to: number) => {
    if (current) current.to = Math.min(current.to, to);
    current = null;
  };
  for (const change of [...view.changes.values()].toSorted((a, b) => a.version - b.version)) {
    if (change.action === "create" || change.action === "edit") {
      const from = cursorOf(change);
      end(from);
      current = { from, to: state.cursor };
      spans.set(change.revision, current);
    } else if (change.action === "complete") end(cursorOf(change));
    else if (change.action === "delete") end(change.at);
  }
  return spans;
}

function cursorOf({ body, action }: ChangeRow): number {
  return body.cursor ?? broken(`a change row (${action}) lacks its cursor`);
}

function assertApart(pieces: Piece[]): void {
  pieces.forEach((piece, n) => {
    const before = pieces[n - 1];
    if (before && before.to >= piece.from) broken(`I2: ${piece.from} is ${before.where} and ${piece.where}`);
  });
}

function assertCover(
  pieces: Piece[],
  timetable: Timetable,
  { from, to, revision }: { from: number; to: number; revision: number },
): void {
  let covered = from;
  for (const piece of pieces) {
    const next = timetable.next(covered);
    if (next !== piece.from) {
      const what = piece.from <= covered ? "is accounted for twice or was none" : `comes before ${next} is`;
      broken(`I2: slot ${piece.from} (${piece.where}, revision ${revision}) ${what}`);
    }
    covered = piece.to;
  }
  const missing = timetable.next(covered);
  if (missing !== null && missing <= to)
    broken(`I2: slot ${missing} of revision ${revision} is not accounted for`);
  if (covered > Math.max(to, from)) broken(`I2: slot ${covered} lies beyond what was in force`);
}

function countAll(timetable: Timetable, from: number, to: number): number {
  let counted = 0;
  for (let after = from - 1; after < to;) {
    const { count, through } = timetable.count(after, to);
    counted += count;
    after = through;
  }
  return counted;
}

function leadsTo(from: keyof typeof TRANSITIONS, to: keyof typeof TRANSITIONS): boolean {
  const reached = new Set([from]);
  for (const state of reached) for (const next of TRANSITIONS[state]) reached.add(next);
  return reached.has(to);
}

export function broken(what: string): never {
  throw new Error(what);
}
