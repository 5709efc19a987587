/** Follows what happens by asking again and again: the history is what there is to follow. */
import { setTimeout as sleep } from "node:timers/promises";
import type { HistoryItem } from "../client/index.ts";
import { LIMITS } from "../core/limits.ts";
import { formatInstant, parseDuration } from "../core/time.ts";
import { type Command, EXIT, type Invocation, UsageError } from "./command.ts";
import { countOf } from "./list.ts";
import { historyRow } from "./show.ts";
import { table } from "./table.ts";

const EVERY = "2s";
const SEEN_MAX = 10_000;
const ITEMS_A_LOOK = 1_000;
const FINAL = new Set(["succeeded", "failed", "expired", "cancelled", "skipped"]);

export const tail: Command = {
  name: "tail",
  takes: "[NAME]",
  summary: "Follow what happens, of one schedule or of all",
  about:
    "A line whenever an occurrence changes its state, until interrupted. With --json each line is an item of the history.",
  flags: {
    interval: { value: "DURATION", about: `between two looks; ${EVERY} unless told otherwise` },
    since: { value: "DURATION", about: "begin with what happened since so long ago: 1h" },
    count: { value: "NUMBER", about: "end after so many lines" },
  },
  least: 0,
  most: 1,
  async run(call) {
    const intervalMs = durationOf(call.text("interval") ?? EVERY);
    const since = call.now - durationOf(call.text("since") ?? "0s");
    const most = call.text("count") === undefined ? Infinity : countOf(call.text("count"), 0);
    const seen = new Map<string, { stamp: string; at: number; isFinal: boolean }>();
    let [from, told] = [since, 0];
    while (!call.signal.aborted && told < most) {
      const items = await look(call, from);
      for (const item of items.toReversed()) {
        const stamp = stampOf(item);
        if (seen.get(keyOf(item))?.stamp === stamp || told >= most) continue;
        seen.set(keyOf(item), {
          stamp,
          at: instantOf(item),
          isFinal: item.kind === "gap" || FINAL.has(item.state),
        });
        tell(call, item);
        told++;
      }
      from = forget(seen, from);
      if (told < most) await sleep(intervalMs, undefined, { signal: call.signal }).catch(() => undefined);
    }
    return EXIT.done;
  },
};

async function look({ positionals, scheduler, signal }: Invocation, from: number): Promise<HistoryItem[]> {
  const [name] = positionals;
  const range = { from: formatInstant(from), limit: LIMITS.PAGE_MAX, signal };
  const { schedules, occurrences } = scheduler();
  const pages = name === undefined ? occurrences.list(range) : schedules.occurrences(name, range);
  return pages.take(ITEMS_A_LOOK);
}

/** What ended lies behind, but for the newest; what is open is looked at until it ends. */
function forget(seen: Map<string, { at: number; isFinal: boolean }>, from: number): number {
  const open = [...seen.values()].filter(({ isFinal }) => !isFinal).map(({ at }) => at);
  const newest = Math.max(from, ...[...seen.values()].map(({ at }) => at));
  const least = seen.size > SEEN_MAX ? newest : Math.min(newest, ...open);
  for (const [key, { at }] of seen) if (at < least) seen.delete(key);
  return least;
}

function tell({ is, terminal }: Invocation, item: HistoryItem): void {
  terminal.print(is("json") ? JSON.stringify(item) : table([historyRow(item)], terminal.paint)[0]!);
}

function keyOf(item: HistoryItem): string {
  return item.kind === "gap" ? `${item.schedule} ${item.from} ${item.reason}` : item.id;
}
function stampOf(item: HistoryItem): string {
  return item.kind === "gap" ? String(item.count) : `${item.state} ${item.attempt}`;
}
function instantOf(item: HistoryItem): number {
  return Date.parse(item.kind === "gap" ? item.from : item.scheduledFor);
}

function durationOf(text: string): number {
  const ms = parseDuration(text);
  if (!ms.ok) throw new UsageError(ms.error.message, ms.error.hint);
  return ms.value;
}
