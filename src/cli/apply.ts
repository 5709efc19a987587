/**
 * Schedules as code. A large set goes in parts, and so that the whole stays one decision, all parts are planned before
 * any is carried out, and what is left out is removed last, once everything else has been done.
 */
import { CarillonError, type ApplyOrder, type Applied, type Carillon, type Change } from "../client/index.ts";
import { type Command, EXIT, type Exit, type Invocation, UsageError } from "./command.ts";
import { faultOf, tellFaults } from "./faults.ts";
import { readText } from "./files.ts";
import { isFailed, planLines, sum } from "./plan-table.ts";
import { type Entry, type Fault, parseSource, type Source } from "./source.ts";

const FILES_MAX = 1_000;
/** Of one call: far below the scheduler's bounds, so that there is progress to tell. */
const PART_SCHEDULES = 50;
const PART_BYTES = 1024 * 1024;
const PRUNE_ROUNDS_MAX = 100; // of 1,000 schedules each

export const apply: Command = {
  name: "apply",
  takes: "FILE… [--plan] [--prune] [--managed-by NAME]",
  summary: "Make the schedules of one manager what the files say",
  about:
    "Files are YAML or JSON (- is stdin): a list of schedules, or { managedBy, schedules }.\n" +
    "Everything is planned before anything is changed, and nothing is changed while any\n" +
    "definition is invalid. What somebody else manages is a conflict and left alone; nothing\n" +
    "is paused or resumed that exists. With --plan, exit code 3 says that there is work to do.",
  flags: {
    plan: { about: "only say what would be done" },
    prune: { about: "remove the manager's schedules that the files leave out" },
    "managed-by": { value: "NAME", about: "the manager, where the files don't name it: ci" },
    "allow-empty": { about: "let --prune remove everything, if the files hold no schedule" },
  },
  least: 1,
  most: FILES_MAX,
  run,
};

async function run(call: Invocation): Promise<Exit> {
  const { terminal } = call;
  const sources = await Promise.all(
    call.positionals.map(async (file) => parseSource(file, await readText(file))),
  );
  const entries = sources.flatMap((source) => source.entries);
  const faults = [...sources.flatMap((source) => source.faults), ...doubled(entries)];
  if (faults.length > 0) return refused(faults, call);
  const managedBy = managerOf(sources, call.text("managed-by"));
  const prune = call.is("prune");
  if (prune && entries.length === 0 && !call.is("allow-empty")) {
    throw new UsageError(
      "The files hold no schedule, so --prune would remove all that there are.",
      "If that is what you want, add --allow-empty.",
    );
  }
  const crew = { scheduler: call.scheduler(), managedBy, signal: call.signal, terminal };
  const planned = await planAll(crew, entries, prune);
  if (!planned.ok) return refused(planned.faults, call);
  const { changes } = planned;
  const isIdle = changes.every(({ action }) => action === "unchanged" || action === "conflict");
  if (!call.is("json")) {
    const definitions = new Map(entries.map(({ definition }) => [definition.name, definition]));
    for (const line of planLines(changes, definitions, terminal.paint)) terminal.print(line);
    terminal.print(`Plan: ${sum(changes, "will")}.`);
  }
  const isInConflict = changes.some(({ action }) => action === "conflict");
  if (call.is("plan") || isIdle) {
    if (call.is("json"))
      terminal.print(JSON.stringify({ dryRun: call.is("plan"), failed: 0, changes }, null, 2));
    return isInConflict ? EXIT.failed : isIdle ? EXIT.done : EXIT.planned;
  }
  const done = await carryOut(crew, entries, changes);
  const failed = done.filter(isFailed);
  if (call.is("json"))
    terminal.print(JSON.stringify({ dryRun: false, failed: failed.length, changes: done }, null, 2));
  else {
    for (const line of planLines(failed, new Map(), terminal.paint)) terminal.note(line);
    terminal.print(`Done: ${sum(done, "was")}.`);
  }
  return failed.length > 0 || isInConflict ? EXIT.failed : EXIT.done;
}

function refused(faults: Fault[], { terminal, is }: Invocation): Exit {
  if (is("json")) terminal.print(JSON.stringify({ faults }, null, 2));
  else {
    tellFaults(faults, terminal);
    terminal.note(
      `Nothing was changed: ${faults.length === 1 ? "there is a mistake" : `there are ${faults.length} mistakes`}.`,
    );
  }
  return EXIT.failed;
}

/** Names must be told apart here already: two of a kind may go in different parts. */
function doubled(entries: Entry[]): Fault[] {
  const seen = new Map<string, Entry>();
  return entries.flatMap((entry) => {
    const { name } = entry.definition;
    const first = seen.get(name);
    if (!first) seen.set(name, entry);
    if (!first || typeof name !== "string") return [];
    const { file, line } = first.placeOf("/name");
    return [
      {
        ...entry.placeOf("/name"),
        field: "name",
        message: `${name} is named twice: at ${file}:${line} already.`,
      },
    ];
  });
}

function managerOf(sources: Source[], flag: string | undefined): string {
  const named = sources.flatMap(({ managedBy }) => (managedBy ? [managedBy] : []));
  const [first] = named;
  const manager = flag ?? first?.value;
  if (manager === undefined) {
    throw new UsageError(
      "Who manages these schedules?",
      'Say managedBy in the file, or --managed-by NAME; "ci", for example. Schedules of others are left alone.',
    );
  }
  const other = named.find(({ value }) => value !== manager);
  if (!other) return manager;
  const { file, line } = other.place;
  throw new UsageError(`One call has one manager: "${manager}", but ${file}:${line} says "${other.value}".`);
}

interface Crew {
  scheduler: Carillon;
  managedBy: string;
  signal: AbortSignal;
  terminal: Invocation["terminal"];
}

type Planned = { ok: true; changes: Change[] } | { ok: false; faults: Fault[] };

async function planAll(crew: Crew, entries: Entry[], prune: boolean): Promise<Planned> {
  const changes: Change[] = [];
  const faults: Fault[] = [];
  const parts = partsOf(entries);
  let looked = 0;
  for (const part of parts) {
    const answer = await ask(crew, part, { dryRun: true });
    if (answer.ok) changes.push(...answer.applied.changes);
    else faults.push(...answer.faults);
    looked += part.length;
    if (parts.length > 1) crew.terminal.progress(`planned ${looked} of ${entries.length}`);
  }
  if (faults.length > 0) return { ok: false, faults };
  if (prune) changes.push(...(await removals(crew, entries, true)));
  return { ok: true, changes };
}

async function carryOut(crew: Crew, entries: Entry[], planned: Change[]): Promise<Change[]> {
  const due = new Set(
    planned.flatMap(({ name, action }) => (action === "create" || action === "update" ? [name] : [])),
  );
  const done = new Map<string, Change>();
  let stopped: Change["error"] = null;
  const parts = partsOf(entries.filter(({ definition }) => due.has(definition.name)));
  for (const part of parts) {
    const changes = stopped
      ? part.map((entry) => failedFor(entry, stopped!))
      : await carryOutPart(crew, part);
    for (const change of changes) done.set(change.name, change);
    stopped ??= stopOf(changes);
    if (parts.length > 1) crew.terminal.progress(`applied ${done.size} of ${due.size}`);
  }
  const isComplete = ![...done.values()].some(isFailed);
  const isPruned = planned.some(({ action }) => action === "delete");
  const removed = isPruned && isComplete ? await removals(crew, entries, false) : [];
  for (const change of removed) done.set(change.name, change);
  return planned.map(
    (change) => done.get(change.name) ?? (change.action === "delete" ? heldBack(change) : change),
  );
}

/** A part that could not be carried out is told as such, whatever the reason: some of it may be done. */
async function carryOutPart(crew: Crew, part: Entry[]): Promise<Change[]> {
  try {
    const answer = await ask(crew, part, { dryRun: false });
    if (answer.ok) return answer.applied.changes;
    // Valid when it was planned, refused now: the clock goes on, and others are at work.
    const message = answer.faults.map((fault) => fault.message).join(" ");
    return part.map((entry) => failedFor(entry, { code: "refused", message, hint: null }));
  } catch (error) {
    if (!(error instanceof CarillonError)) throw error;
    return part.map((entry) =>
      failedFor(entry, { code: STOPPED, message: error.message, hint: error.hint ?? null }),
    );
  }
}

/** Nobody answers, even after some tries: the other parts are not tried. */
const STOPPED = "not_carried_out";

function stopOf(changes: Change[]): Change["error"] {
  return changes.find(({ error }) => error?.code === STOPPED)?.error ?? null;
}

function failedFor({ definition }: Entry, error: NonNullable<Change["error"]>): Change {
  return { name: definition.name, action: "update", diff: [], nextSlot: null, warnings: [], error };
}

function heldBack(change: Change): Change {
  return {
    ...change,
    error: { code: "held_back", message: "Not removed: what comes first has failed.", hint: null },
  };
}

type Answer = { ok: true; applied: Applied } | { ok: false; faults: Fault[] };

async function ask(
  { scheduler, managedBy, signal }: Crew,
  part: Entry[],
  more: Partial<ApplyOrder>,
): Promise<Answer> {
  const schedules = part.map(({ definition }) => definition);
  try {
    return { ok: true, applied: await scheduler.apply({ managedBy, schedules, ...more }, { signal }) };
  } catch (error) {
    const isInput =
      error instanceof CarillonError && error.errors.some(({ pointer }) => pointer?.startsWith("/schedules"));
    if (!isInput) throw error;
    return { ok: false, faults: error.errors.map((problem) => faultOf(problem, part)) };
  }
}

/** One call removes a bounded number; a plan shows those of the first. */
async function removals(
  { scheduler, managedBy, signal, terminal }: Crew,
  entries: Entry[],
  dryRun: boolean,
): Promise<Change[]> {
  const keep = entries.map(({ definition }) => definition.name);
  const removed: Change[] = [];
  for (let round = 0; round < PRUNE_ROUNDS_MAX; round++) {
    const order = { managedBy, schedules: [], prune: true, keep, dryRun };
    const { changes, more, failed } = await scheduler.apply(order, { signal });
    removed.push(...changes);
    if (dryRun && more) terminal.note(`There are more than ${changes.length} to delete.`);
    if (!more || dryRun || failed > 0) break;
    terminal.progress(`deleted ${removed.length}`);
  }
  return removed;
}

function partsOf(entries: Entry[]): Entry[][] {
  const parts: Entry[][] = [];
  let [part, bytes]: [Entry[], number] = [[], 0];
  for (const entry of entries) {
    const size = JSON.stringify(entry.definition).length;
    if (part.length > 0 && (part.length === PART_SCHEDULES || bytes + size > PART_BYTES)) {
      parts.push(part);
      [part, bytes] = [[], 0];
    }
    part.push(entry);
    bytes += size;
  }
  return part.length > 0 ? [...parts, part] : parts;
}
