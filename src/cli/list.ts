import type { ListedSchedule, ScheduleState } from "../client/index.ts";
import { LIMITS } from "../core/limits.ts";
import { type Command, EXIT, UsageError } from "./command.ts";
import { type Cell, table } from "./table.ts";
import type { Colour } from "./terminal.ts";
import { targetWords, triggerWords } from "./words.ts";

const SHOWN = 1_000;
const STATES: readonly string[] = ["active", "paused", "completed", "deleted"] satisfies ScheduleState[];

export const list: Command = {
  name: "list",
  takes: "[TEXT]",
  summary: "The schedules of a namespace, newest first",
  about: "TEXT is part of a name, description or tag.",
  flags: {
    state: { value: "STATE", about: STATES.join(", ") },
    health: { value: "WORD", about: "healthy, failing, stalled …" },
    tag: { value: "TAG", about: "only those that have it" },
    "managed-by": { value: "NAME", about: "only those of one manager" },
    limit: { value: "NUMBER", about: `at most so many; ${SHOWN} unless told otherwise` },
  },
  least: 0,
  most: 1,
  async run({ positionals, text, is, terminal, scheduler, signal }) {
    const limit = countOf(text("limit"), SHOWN);
    const state = text("state");
    if (state !== undefined && !STATES.includes(state))
      throw new UsageError(`There is no state ${state}.`, `There are ${STATES.join(", ")}.`);
    const filter = {
      state: state as ScheduleState | undefined,
      health: text("health"),
      tag: text("tag"),
      managedBy: text("managed-by"),
      q: positionals[0],
    };
    const pages = scheduler().schedules.list({
      ...filter,
      limit: Math.min(limit + 1, LIMITS.PAGE_MAX),
      signal,
    });
    const found = await pages.take(limit + 1);
    const shown = found.slice(0, limit);
    if (is("json")) terminal.print(JSON.stringify(shown, null, 2));
    else if (shown.length === 0) terminal.note("There are none.");
    else for (const line of table(shown.map(row), terminal.paint, HEADS)) terminal.print(line);
    if (found.length > limit) terminal.note(`There are more than ${limit}; --limit shows more.`);
    return EXIT.done;
  },
};

const HEADS = ["NAME", "STATE", "HEALTH", "NEXT", "TRIGGER", "TARGET", "MANAGED BY"];

function row({ name, state, health, nextSlot, trigger, target, managedBy }: ListedSchedule): Cell[] {
  return [
    { text: name, colour: "bold" },
    state === "active" ? state : { text: state, colour: "yellow" },
    { text: health, colour: healthColour(health) },
    nextSlot ?? "-",
    triggerWords(trigger),
    targetWords(target),
    managedBy ?? "-",
  ];
}

export function healthColour(health: string): Colour {
  if (health === "healthy") return "green";
  return health === "failing" || health === "stalled" || health === "late" ? "red" : "yellow";
}

export function countOf(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new UsageError(`${text} is no number from 1 to 999999.`);
}
