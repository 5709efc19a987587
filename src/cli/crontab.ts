/** A crontab as schedules, with a word on every line of it. */
import type { NamedDefinition } from "../client/index.ts";
import type { Failure } from "../core/errors.ts";
import { parseCron } from "../core/cron.ts";
import { compile, parseTrigger } from "../core/trigger.ts";
import { type Job, type Line, readLine, zoned } from "./crontab-line.ts";
import { nameOf } from "./crontab-name.ts";

export interface CrontabOptions {
  /** Of the machine that the table is from. */
  timezone: string;
  queue: string;
  /** A user stands before each command: /etc/crontab, /etc/cron.d. */
  hasUsers: boolean;
}

export interface LineReport {
  line: number;
  verdict: "imported" | "changed" | "left out" | "refused";
  written: string;
  name: string | null;
  /** The rule in words, or why there is none; then what else is to be known. */
  about: string[];
}

export interface Imported {
  schedules: NamedDefinition[];
  report: LineReport[];
}

const DESCRIPTION_CHARS_MAX = 200;
const HEADER = /^(?:m|min(?:ute)?)\s+h(?:our)?\s|^[-*.|\s]+/i;

const VARIABLES: { [name: string]: string } = {
  MAILTO: "who is told of failures is said by `alerts` of a schedule",
  MAILFROM: "nothing is mailed",
  SHELL: "what runs the command is the consumer's choice",
  PATH: "the environment is the consumer's",
  HOME: "the environment is the consumer's",
  TZ: "cron gives it to the commands and does not go by it; the zone of the slots is --timezone, or CRON_TZ",
  RANDOM_DELAY: "say `jitter` in the schedule",
};

export function importTable(text: string, options: CrontabOptions): Imported {
  const lines = text.split(/\r?\n/);
  const isCut = lines.at(-1) !== "";
  const table = { schedules: [] as NamedDefinition[], report: [] as LineReport[] };
  let { timezone } = options;
  let comment: string[] = [];
  for (const [index, written] of lines.entries()) {
    const line = readLine(written, options.hasUsers);
    const place = { line: index + 1, name: null };
    if (line.kind === "comment") {
      const old = commentedOut(line.text);
      if (old !== null)
        table.report.push({ ...place, verdict: "left out", written: old, about: ["commented out"] });
      else if (!HEADER.test(line.text)) comment.push(line.text);
      continue;
    }
    if (line.kind === "variable" && line.name === "CRON_TZ") timezone = line.value;
    if (line.kind !== "blank") {
      const outcome = outcomeOf(line, { ...options, timezone }, { taken: table.schedules, comment });
      if (outcome.schedule) table.schedules.push(outcome.schedule);
      const about = [...outcome.about];
      if (isCut && index === lines.length - 1 && line.kind === "job")
        about.push("cron ignores a last line that no newline ends; it is imported all the same");
      table.report.push({ ...place, ...outcome.report, about });
    }
    comment = [];
  }
  return table;
}

interface LineOutcome {
  schedule: NamedDefinition | null;
  report: Pick<LineReport, "verdict" | "written" | "name">;
  about: string[];
}

function outcomeOf(
  line: Exclude<Line, { kind: "blank" | "comment" }>,
  options: CrontabOptions,
  around: { taken: NamedDefinition[]; comment: string[] },
): LineOutcome {
  if (line.kind === "unreadable")
    return {
      schedule: null,
      report: { verdict: "refused", written: "", name: null },
      about: [line.why, line.hint],
    };
  if (line.kind === "variable") return leftOut(line.name, options);
  return jobOutcome(line.job, options, around);
}

/** Values are not shown: passwords stand in crontabs. */
function leftOut(name: string, { timezone }: CrontabOptions): LineOutcome {
  const report = { verdict: "left out", written: name, name: null } as const;
  if (name === "CRON_TZ")
    return {
      schedule: null,
      report: { ...report, verdict: "imported" },
      about: [`the zone of what follows: ${timezone}`],
    };
  return {
    schedule: null,
    report,
    about: [VARIABLES[name] ?? "the environment is the consumer's: set it there"],
  };
}

function jobOutcome(
  job: Job,
  options: CrontabOptions,
  { taken, comment }: { taken: NamedDefinition[]; comment: string[] },
): LineOutcome {
  const { written, user, command, input, jitter, changes, notes } = job;
  const timezone = job.timezone ?? options.timezone;
  const rule = ruleOf(job, timezone);
  if (!rule.ok) {
    const { message, hint } = rule.error;
    const about = [message, ...(hint === undefined ? [] : [hint])];
    return { schedule: null, report: { verdict: "refused", written, name: null }, about };
  }
  const name = unused(nameOf(command) ?? "job", taken);
  const description = comment.join(" ").slice(0, DESCRIPTION_CHARS_MAX);
  const schedule: NamedDefinition = {
    name,
    ...(description === "" ? {} : { description }),
    trigger: rule.trigger,
    ...(jitter === null ? {} : { jitter }),
    target: { queue: options.queue },
    payload: { command, ...(user === null ? {} : { user }), ...(input === null ? {} : { input }) },
  };
  const about = [rule.description, ...changes, ...notes, ...rule.warnings];
  return { schedule, report: { verdict: changes.length > 0 ? "changed" : "imported", written, name }, about };
}

type Rule =
  | { ok: true; trigger: NamedDefinition["trigger"]; description: string; warnings: string[] }
  | { ok: false; error: Failure };

/** A step that starts at a number is taken as the core suggests; any other mistake is the author's to mend. */
function ruleOf(job: Job, timezone: string): Rule {
  const said = zoned(job, timezone);
  let trigger = parseTrigger(said);
  const suggestion = trigger.ok ? null : trigger.error.data?.["suggestion"];
  if ("cron" in said && typeof suggestion === "string" && /(?:^|[\s,])\d+\/\d+/.test(said.cron))
    trigger = parseTrigger({ cron: suggestion, timezone });
  if (!trigger.ok) return trigger;
  const timetable = compile({ trigger: trigger.value, exclude: [], startAt: null, endAt: null });
  if (!timetable.ok) return timetable;
  const warnings = timetable.value.warnings.map(({ code, message }) => `${code}: ${message}`);
  return { ok: true, trigger: trigger.value, description: timetable.value.description, warnings };
}

function unused(name: string, taken: NamedDefinition[]): string {
  const names = new Set(taken.map((schedule) => schedule.name));
  let free = name;
  for (let number = 2; names.has(free); number++) free = `${name}-${number}`;
  return free;
}

/** The fields of a job that somebody took out of service. */
function commentedOut(text: string): string | null {
  const [pattern] = /^(?:\S+\s+){5}(?=\S)/.exec(text) ?? [];
  return pattern !== undefined && parseCron(pattern.trim()).ok ? pattern.trim() : null;
}
