/** What people do by hand. */
import type { CatchUpPolicy, Json, Overlap, Schedule } from "../client/index.ts";
import { nearest } from "../core/spelling.ts";
import { CATCH_UP_POLICIES, OVERLAPS } from "../core/schedule.ts";
import { type Command, EXIT, type Invocation, UsageError } from "./command.ts";
import { table } from "./table.ts";

const NAMES_MAX = 1_000;
const note = { value: "TEXT", about: "why, for whoever asks later" };

export const pause: Command = {
  name: "pause",
  takes: "NAME…",
  summary: "Stop new slots; what is open goes on",
  flags: { note, until: { value: "INSTANT", about: "resumes by itself then" } },
  least: 1,
  most: NAMES_MAX,
  run: (call) =>
    each(call, (name) =>
      call
        .scheduler()
        .schedules.pause(name, { note: call.text("note"), until: call.text("until"), signal: call.signal }),
    ),
};

export const resume: Command = {
  name: "resume",
  takes: "NAME…",
  summary: "Go on; what passed is recorded as paused, unless it is to be caught up",
  flags: { note, "catch-up": { value: "POLICY", about: CATCH_UP_POLICIES.join(", ") } },
  least: 1,
  most: NAMES_MAX,
  run(call) {
    const catchUp = oneOf<CatchUpPolicy>(call.text("catch-up"), CATCH_UP_POLICIES);
    return each(call, (name) =>
      call.scheduler().schedules.resume(name, { note: call.text("note"), catchUp, signal: call.signal }),
    );
  },
};

export const trigger: Command = {
  name: "trigger",
  takes: "NAME",
  summary: "Run now, beside the plan",
  flags: {
    payload: { value: "JSON", about: "instead of the definition's" },
    overlap: { value: "POLICY", about: OVERLAPS.join(", ") },
  },
  least: 1,
  most: 1,
  async run({ positionals, text, is, terminal, scheduler, signal }) {
    const [name = ""] = positionals;
    const overlap = oneOf<Overlap>(text("overlap"), OVERLAPS);
    const occurrence = await scheduler().schedules.trigger(name, {
      payload: jsonOf(text("payload")),
      overlap,
      signal,
    });
    terminal.print(
      is("json") ? JSON.stringify(occurrence, null, 2) : `${occurrence.id}  ${occurrence.state}`,
    );
    return EXIT.done;
  },
};

async function each({ positionals, is, terminal }: Invocation, act: (name: string) => Promise<Schedule>) {
  const schedules: Schedule[] = [];
  for (const name of positionals) schedules.push(await act(name));
  if (is("json")) terminal.print(JSON.stringify(schedules, null, 2));
  else {
    const rows = schedules.map(({ name, state, nextSlot }) => [name, state, `next ${nextSlot ?? "none"}`]);
    for (const line of table(rows, terminal.paint)) terminal.print(line);
  }
  return EXIT.done;
}

function oneOf<T extends string>(word: string | undefined, words: readonly T[]): T | undefined {
  const found = words.find((one) => one === word);
  if (word === undefined || found) return found;
  const meant = nearest(word, words);
  throw new UsageError(
    `${word} is none of ${words.join(", ")}.`,
    meant === null ? undefined : `Did you mean ${meant}?`,
  );
}

function jsonOf(text: string | undefined): Json | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new UsageError("--payload is not JSON.", `A text needs its quotes: --payload '"text"'.`);
  }
}
