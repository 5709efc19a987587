/** How a row of the decision table is written, run and read: one day, times of day as text, outcomes as short lines. */
import { expect } from "vitest";
import { compile } from "../../src/core/trigger.ts";
import { complete, type CatchUp, type DefinitionInput } from "../../src/core/schedule.ts";
import { plan, type Plan, type Rule, type Skip, type Waiting } from "../../src/core/plan.ts";

export interface Row {
  name: string;
  /** Default: every minute, overlap skip, catchUp latest with a grace of 5 minutes. */
  trigger?: DefinitionInput["trigger"];
  policy?: Partial<DefinitionInput>;
  cursor: string;
  now: string;
  seats?: { slot: string; running?: boolean; cancelling?: boolean }[];
  waiting?: Partial<Waiting & { from: string; at: string; heldUntil: string; of: Rule }>[];
  /** Left until `maxOccurrences`. */
  left?: number;
  rateAt?: string;
  paused?: boolean;
  /** What a resume named. */
  resume?: Partial<CatchUp>;
  expect: {
    fire?: string[];
    waiting?: string[];
    skips?: string[];
    cancel?: string[];
    terminate?: string[];
    /** Default: the cursor as it was. */
    cursor?: string;
    rateAt?: string;
    again?: boolean;
  };
}

const DAY = Date.UTC(2026, 2, 2);
export const SEED = "default/table";

export function at(time: string): number {
  if (time.includes("T")) return Date.parse(time);
  const [h = 0, m = 0, s = 0] = time.split(":").map(Number);
  return DAY + Math.round(((h * 60 + m) * 60 + s) * 1_000);
}

export function clock(ms: number): string {
  const iso = new Date(ms).toISOString();
  if (iso.slice(0, 10) !== "2026-03-02") return iso.replace(/\.000Z$/, "Z");
  return iso
    .slice(11, 23)
    .replace(/\.000$/, "")
    .replace(/:00$/, "");
}

export function ruleWith(input: Partial<DefinitionInput>, revision = 1): Rule {
  const definition = complete({ trigger: { every: "1m" }, target: { queue: "Q" }, ...input });
  if (!definition.ok) throw new Error(definition.error.message);
  const timetable = compile(definition.value);
  if (!timetable.ok) throw new Error(timetable.error.message);
  return { revision, definition: definition.value, timetable: timetable.value };
}

function ruleOf({ trigger, policy }: Pick<Row, "trigger" | "policy">): Rule {
  return ruleWith({ ...(trigger ? { trigger } : {}), ...policy }, 2);
}

export function run(row: Omit<Row, "name" | "expect">): Plan {
  const rule = ruleOf(row);
  const older = new Map<number, Rule>([[2, rule]]);
  const waiting = (row.waiting ?? []).map(({ from, at: slot, heldUntil, of, ...rest }): Waiting => {
    if (of) older.set(of.revision, of);
    const upTo = rest.upTo ?? at(slot ?? from ?? "0");
    return {
      kind: "scheduled",
      revision: of?.revision ?? 2,
      variant: "",
      after: (from === undefined ? upTo : at(from)) - 1,
      upTo,
      count: 1,
      newestFirst: false,
      notBefore: heldUntil === undefined ? null : at(heldUntil),
      buffered: true,
      payload: null,
      replayOf: null,
      ...rest,
    };
  });
  return plan(
    {
      rule,
      ruleOf: (revision) => older.get(revision) ?? rule,
      seed: SEED,
      cursor: at(row.cursor),
      waiting,
      seats: (row.seats ?? []).map(({ slot, running = true, cancelling = false }) => ({
        key: slot,
        slot: at(slot),
        running,
        cancelling,
      })),
      left: row.left ?? null,
      rateAt: row.rateAt === undefined ? 0 : at(row.rateAt),
      paused: row.paused ?? false,
      catchUp: { ...rule.definition.catchUp, ...row.resume },
    },
    at(row.now),
  );
}

export function check(row: Row): void {
  const result = run(row);
  const { fire, waiting, skips, cancel, terminate, cursor, rateAt, again } = row.expect;
  expect({
    fire: result.fire.map(({ kind, slot, variant }) => `${kind} ${clock(slot)}${variant}`),
    waiting: result.waiting.map((range) => describeRange(range, ruleOf(row))),
    skips: result.skips.map(describeSkip),
    cancel: result.cancel,
    terminate: result.terminate,
    cursor: clock(result.cursor),
    again: result.again,
    ...(rateAt === undefined ? {} : { rateAt: clock(result.rateAt) }),
  }).toEqual({
    fire: fire ?? [],
    waiting: waiting ?? [],
    skips: skips ?? [],
    cancel: cancel ?? [],
    terminate: terminate ?? [],
    cursor: cursor ?? clock(at(row.cursor)),
    again: again ?? false,
    ...(rateAt === undefined ? {} : { rateAt }),
  });
}

/** `kind first..last ×count`, `(buffered)` where it counts against maxBuffered, `held until` its jitter is over. */
function describeRange(range: Waiting, { timetable }: Rule): string {
  const first = range.count === 1 ? range.upTo : (timetable.next(range.after) ?? range.upTo);
  const span =
    range.count === 1 ? clock(range.upTo) : `${clock(first)}..${clock(range.upTo)} ×${range.count}`;
  const held = range.notBefore === null ? "" : ` held until ${clock(range.notBefore)}`;
  return `${range.kind} ${span}${range.variant}${range.buffered ? " (buffered)" : ""}${held}`;
}

export function describeSkip({ from, to, count, reason }: Skip): string {
  return count === 1 ? `${reason} ${clock(from)}` : `${reason} ${clock(from)}..${clock(to)} ×${count}`;
}
