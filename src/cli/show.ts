import type { HistoryItem, Preview, Schedule } from "../client/index.ts";
import { type Command, EXIT } from "./command.ts";
import { healthColour } from "./list.ts";
import { type Cell, table } from "./table.ts";
import type { Colour, Terminal } from "./terminal.ts";
import { targetWords } from "./words.ts";

const SLOTS = 3;
const RUNS = 5;

export const show: Command = {
  name: "show",
  takes: "NAME",
  summary: "One schedule: what it says, how it does, what comes next, what was last",
  flags: {},
  least: 1,
  most: 1,
  async run({ positionals, is, terminal, scheduler, signal }) {
    const [name = ""] = positionals;
    const { schedules } = scheduler();
    const schedule = await schedules.get(name, { signal });
    if (is("json")) {
      terminal.print(JSON.stringify(schedule, null, 2));
      return EXIT.done;
    }
    const [upcoming, last] = await Promise.all([
      schedules.upcoming(name, { count: SLOTS, signal }),
      schedules.occurrences(name, { limit: RUNS, signal }).page(),
    ]);
    tell(schedule, upcoming, terminal);
    for (const line of table(last.items.map(historyRow), terminal.paint)) terminal.print(line);
    return EXIT.done;
  },
};

function tell(schedule: Schedule, upcoming: Preview, { print, paint }: Terminal): void {
  const { name, description, state, revision, health, pause, tags, managedBy, target, overlap, warnings } =
    schedule;
  const rows: Cell[][] = [
    ["trigger", upcoming.description],
    ["target", targetWords(target)],
    ["overlap", overlap],
    ["state", `${state}, revision ${revision}`],
    [
      "health",
      {
        text: health.status + (health.message === null ? "" : `: ${health.message}`),
        colour: healthColour(health.status),
      },
    ],
  ];
  if (pause)
    rows.push([
      "paused",
      `from ${pause.from} by ${pause.who}${pause.note === null ? "" : `: ${pause.note}`}`,
    ]);
  if (tags.length > 0) rows.push(["tags", tags.join(", ")]);
  if (managedBy !== null) rows.push(["managed by", managedBy]);
  for (const { code, message } of warnings)
    rows.push(["warning", { text: `${code}: ${message}`, colour: "yellow" }]);
  for (const [index, { scheduledFor, localTime }] of upcoming.slots.entries())
    rows.push([index === 0 ? "next" : "", `${scheduledFor}  ${localTime}`]);
  print(paint("bold", name) + (description === null ? "" : `  ${description}`));
  for (const line of table(rows, paint)) print(`  ${line}`);
}

const STATE_COLOURS: { [state: string]: Colour } = {
  succeeded: "green",
  failed: "red",
  expired: "red",
  skipped: "yellow",
  cancelled: "yellow",
};

/** An occurrence or a gap row: when, what became of it, and why. */
export function historyRow(item: HistoryItem): Cell[] {
  if (item.kind === "gap")
    return [
      item.from,
      item.schedule,
      { text: "skipped", colour: "yellow" },
      `${item.count} up to ${item.to}: ${item.reason}`,
    ];
  const { scheduledFor, schedule, state, reason, error, result, kind } = item;
  const said = error ?? (result === null ? null : JSON.stringify(result));
  const about = [kind === "scheduled" ? null : kind, reason, said].filter((part) => part !== null);
  return [scheduledFor, schedule, { text: state, colour: STATE_COLOURS[state] ?? "bold" }, about.join(" ")];
}
