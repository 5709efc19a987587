/**
 * Reconciliation from the outside, over the API alone and by other means than the scheduler's own: the slots are
 * plain multiples, and each of them has to be one occurrence, or lie in one gap row.
 */
import { type Api, call, history, type HistoryItem } from "../../../scripts/api.ts";
import type { Kind, Member } from "./fleet.ts";

export interface Account {
  name: string;
  kind: Kind;
  /** Slots that its definitions name, up to its cursor. */
  expected: number;
  states: { [state: string]: number };
  gapSlots: number;
  latestMs: number;
  discrepancies: string[];
}

interface Shown {
  state: string;
  cursor: string;
  open: { [state: string]: number };
  tracked: boolean;
}
interface Revision {
  at: string;
  definition: { trigger: { [field: string]: string } };
}

const FINAL = new Set(["succeeded", "failed", "expired", "cancelled", "skipped"]);

export async function accountOf(api: Api, { name, kind }: Member): Promise<Account> {
  const shown: Shown = await call(api, "GET", `/v1/schedules/${name}`);
  const items = await history(api, name);
  const revisions = await revisionsOf(api, name);
  const covered = coverage(items);
  const expected = expectedSlots(kind, revisions, Date.parse(shown.cursor));
  const discrepancies = [
    ...Object.entries(shown.open).map(([state, count]) => `${count} still ${state}`),
    ...unfinished(items, shown.tracked),
    ...(expected === null ? chainFaults(covered) : slotFaults(expected, covered)),
  ];
  const account = { name, kind, expected: expected?.length ?? covered.size, discrepancies };
  return { ...account, ...tally(items) };
}

async function revisionsOf(api: Api, name: string): Promise<Revision[]> {
  const revisions: Revision[] = [];
  let cursor = "";
  do {
    const path = `/v1/schedules/${name}/revisions?limit=100${cursor}`;
    const page: { items: Revision[]; nextCursor: string | null } = await call(api, "GET", path);
    revisions.push(...page.items);
    cursor = page.nextCursor === null ? "" : `&cursor=${page.nextCursor}`;
  } while (cursor !== "");
  return revisions.toReversed();
}

/** Null for fixed delay, whose slots nobody can know beforehand. */
function expectedSlots(kind: Kind, revisions: Revision[], cursor: number): number[] | null {
  if (kind === "after") return null;
  return revisions.flatMap(({ at, definition: { trigger } }, i) => {
    const after = Date.parse(at);
    const upTo = Math.min(cursor, Date.parse(revisions[i + 1]?.at ?? "9999-01-01T00:00:00Z"));
    const once = trigger["dueAt"] ?? trigger["at"];
    if (once !== undefined) {
      const slot = Date.parse(once);
      return slot > after && slot <= upTo ? [slot] : [];
    }
    return multiples(stepOf(trigger), after, upTo);
  });
}

function stepOf({ every, cron }: Revision["definition"]["trigger"]): number {
  const seconds = /^PT(?:(\d+)M)?(?:(\d+)S)?$/.exec(every ?? "");
  if (seconds) return (Number(seconds[1] ?? 0) * 60 + Number(seconds[2] ?? 0)) * 1_000;
  const step = /^\*\/(\d+) /.exec(cron ?? "")?.[1];
  if (step === undefined) throw new Error(`no arithmetic for ${JSON.stringify({ every, cron })}`);
  return Number(step) * 1_000;
}

/** In (after, upTo]. */
function multiples(step: number, after: number, upTo: number): number[] {
  const first = (Math.floor(after / step) + 1) * step;
  const count = Math.max(0, Math.floor((upTo - first) / step) + 1);
  return Array.from({ length: count }, (_, i) => first + i * step);
}

interface Covered {
  /** Slots with an occurrence of their own, and how many. */
  slots: Map<number, number>;
  gaps: { from: number; to: number; count: number }[];
  size: number;
}

/** What the plan made; runs by hand and continuations have no slot of their own. */
function coverage(items: HistoryItem[]): Covered {
  const slots = new Map<number, number>();
  const gaps: Covered["gaps"] = [];
  for (const item of items) {
    if (item.kind === "gap") {
      gaps.push({ from: Date.parse(item.from), to: Date.parse(item.to), count: item.count });
    } else if (!item.id.includes("~")) {
      const slot = Date.parse(item.scheduledFor);
      slots.set(slot, (slots.get(slot) ?? 0) + 1);
    }
  }
  return { slots, gaps, size: slots.size };
}

function slotFaults(expected: number[], { slots, gaps }: Covered): string[] {
  const named = new Set(expected);
  const faults = [...slots.keys()]
    .filter((slot) => !named.has(slot))
    .map((slot) => `${iso(slot)} is no slot`);
  const inGap = new Map(gaps.map((gap) => [gap, 0]));
  for (const slot of expected) {
    const around = gaps.filter(({ from, to }) => from <= slot && slot <= to);
    for (const gap of around) inGap.set(gap, inGap.get(gap)! + 1);
    const times = (slots.get(slot) ?? 0) + around.length;
    if (times !== 1) faults.push(`${iso(slot)} is accounted for ${times} times`);
  }
  for (const [{ from, count }, found] of inGap)
    if (found !== count) faults.push(`the gap row of ${iso(from)} counts ${count} slots and covers ${found}`);
  return faults;
}

function chainFaults({ slots }: Covered): string[] {
  return [...slots].filter(([, times]) => times > 1).map(([slot]) => `${iso(slot)} twice`);
}

function unfinished(items: HistoryItem[], tracked: boolean): string[] {
  return items.flatMap((item) => {
    if (item.kind === "gap" || FINAL.has(item.state)) return [];
    return tracked || item.state !== "dispatched" ? [`${item.id} is ${item.state}`] : [];
  });
}

function tally(items: HistoryItem[]): Pick<Account, "states" | "gapSlots" | "latestMs"> {
  const states: { [state: string]: number } = {};
  let [gapSlots, latestMs] = [0, 0];
  for (const item of items) {
    if (item.kind === "gap") gapSlots += item.count;
    else {
      states[item.state] = (states[item.state] ?? 0) + 1;
      latestMs = Math.max(latestMs, item.kind === "scheduled" ? (item.latenessMs ?? 0) : 0);
    }
  }
  return { states, gapSlots, latestMs };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
