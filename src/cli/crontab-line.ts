/**
 * One line of a crontab, and what it says in our dialect. Crons differ: what is written down here is how Vixie's cron
 * and cronie read a table, since that is what the tables that people have were written for.
 */
import type { Trigger } from "../client/index.ts";
import { parseDuration } from "../core/time.ts";

export type Line =
  | { kind: "blank" }
  | { kind: "comment"; text: string }
  | { kind: "variable"; name: string; value: string }
  | { kind: "job"; job: Job }
  | { kind: "unreadable"; why: string; hint: string };

export interface Job {
  /** Fields as they were written. */
  written: string;
  trigger: { cron: string } | { every: string };
  /** `CRON_TZ=…` on the line itself. */
  timezone: string | null;
  jitter: string | null;
  user: string | null;
  command: string;
  /** What stands behind the first `%`. */
  input: string | null;
  /** How it differs from what was written. */
  changes: string[];
  notes: string[];
}

const VARIABLE = /^([A-Za-z_]\w*)\s*=\s*(.*)$/;
const ZONE_PREFIX = /^(?:CRON_)?TZ\s*=\s*(\S+)\s+(\S.*)$/;
const FIELDS = 5;

export function readLine(text: string, hasUsers: boolean): Line {
  const line = text.trim();
  if (line === "") return { kind: "blank" };
  if (line.startsWith("#")) return { kind: "comment", text: line.replace(/^#+\s*/, "") };
  const prefixed = ZONE_PREFIX.exec(line);
  if (prefixed) return jobOf(prefixed[2]!, hasUsers, prefixed[1]!);
  const variable = VARIABLE.exec(line);
  if (variable) return { kind: "variable", name: variable[1]!, value: unquoted(variable[2]!) };
  return jobOf(line, hasUsers, null);
}

function unquoted(text: string): string {
  return /^(["']).*\1$/.test(text) ? text.slice(1, -1) : text;
}

function jobOf(line: string, hasUsers: boolean, timezone: string | null): Line {
  const changes: string[] = [];
  const notes: string[] = [];
  const quiet = /^-(?=[\d*])/.test(line);
  if (quiet) changes.push("the leading - (SUSE: don't log it) is left out");
  const words = [...(quiet ? line.slice(1) : line).matchAll(/\S+/g)].map((match) => match[0]);
  const split = words[0]!.startsWith("@") ? nickname(words) : fields(words);
  if ("why" in split) return split;
  const [user, rest] = hasUsers ? [split.rest[0] ?? null, split.rest.slice(1)] : [null, split.rest];
  if (!hasUsers && split.rest[0] === "root")
    notes.push("the command begins with root: a system table has users, and is read with --system");
  if (rest.length === 0) return unreadable("there is no command", "A line is five fields and a command.");
  const behind = line.slice(line.length - lengthFrom(line, words.length - rest.length, quiet));
  const { command, input } = percents(behind);
  if (input !== null)
    notes.push("what stands behind the first % is the command's input, and becomes `input` of the payload");
  changes.push(...split.changes);
  const { trigger, jitter, written } = split;
  return { kind: "job", job: { written, trigger, jitter, timezone, user, command, input, changes, notes } };
}

/** What is left of a line behind its first words, with all its spaces. */
function lengthFrom(line: string, skipped: number, quiet: boolean): number {
  const body = quiet ? line.slice(1) : line;
  const start = [...body.matchAll(/\S+/g)][skipped]!.index;
  return body.length - start;
}

interface Split {
  written: string;
  trigger: { cron: string } | { every: string };
  jitter: string | null;
  rest: string[];
  changes: string[];
}
type Unreadable = Extract<Line, { kind: "unreadable" }>;

function unreadable(why: string, hint: string): Unreadable {
  return { kind: "unreadable", why, hint };
}

function nickname([word = "", ...rest]: string[]): Split | Unreadable {
  const plain = { written: word, jitter: null, changes: [] };
  switch (word.toLowerCase()) {
    case "@reboot":
      return unreadable(
        "@reboot names no instant: there is no machine that boots",
        "Start it with what it belongs to, or by `carillon trigger`.",
      );
    case "@every": {
      const [span = "", ...command] = rest;
      const written = `${word} ${span}`;
      if (!parseDuration(span).ok) return unreadable(`${written}: that is no duration`, "@every 1h30m");
      const changes = ["@every counts from 1970, not from the start of a daemon"];
      return { ...plain, written, trigger: { every: span }, rest: command, changes };
    }
    case "@every_minute":
      return { ...plain, trigger: { cron: "* * * * *" }, rest };
    default:
      return { ...plain, trigger: { cron: word }, rest };
  }
}

/** Digits and signs only; names of days are programs just as well. */
const SIGNS = /^[\d*?/,\-LW#]+$/;

function fields(words: string[]): Split | Unreadable {
  const count = extraFields(words);
  const written = words.slice(0, count).join(" ");
  if (words.length < FIELDS)
    return unreadable(
      `${words.length} fields, and a table has ${FIELDS}`,
      "minute hour day month weekday command",
    );
  const rest = words.slice(count);
  const changes: string[] = [];
  if (count > FIELDS) {
    changes.push(
      `${count} fields, as Quartz and Spring have them: seconds first${count === 7 ? ", the year last" : ""}; no cron reads this`,
    );
    if (/\d/.test(words[5]!))
      changes.push("Quartz counts weekdays from 1 = SUN, here 0 and 7 are SUN: look at the weekday");
    return { written, trigger: { cron: written }, jitter: null, rest, changes };
  }
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = words;
  const random = /^(?:(\d{1,2})~(\d{1,2})|~)$/.exec(minute);
  if (random) {
    const [from, to] = [Number(random[1] ?? 0), Number(random[2] ?? 59)];
    changes.push(`a random minute becomes the first one, and jitter up to ${to - from} minutes`);
    const cron = withBothDays([String(from), hour, day, month, weekday], changes);
    return { written, trigger: { cron }, jitter: to > from ? `${to - from}m` : null, rest, changes };
  }
  const five = [minute, hour, day, month, weekday].map((field) => openSteps(field, changes));
  return { written, trigger: { cron: withBothDays(five, changes) }, jitter: null, rest, changes };
}

/** A sixth word that can only be a field: cron would have run a command of that name. */
function extraFields(words: string[]): number {
  const isField = (word: string | undefined) => word !== undefined && SIGNS.test(word);
  if (!isField(words[5])) return FIELDS;
  return isField(words[6]) ? 7 : 6;
}

/** Cronie's `5/15` is `5-59/15`; ours is refused, since others read it otherwise. The core knows each field's end. */
function openSteps(field: string, changes: string[]): string {
  if (/(?:^|,)\d+\/\d+/.test(field))
    changes.push(`${field}: a step that starts at a number goes on to the field's end`);
  return field;
}

/** Vixie: two restricted day fields are joined by OR, but by AND as soon as one of them begins with `*`. */
function withBothDays(
  [minute = "", hour = "", day = "", month = "", weekday = ""]: string[],
  changes: string[],
): string {
  const isBare = (field: string) => field === "*" || field === "?";
  const isBoth = !isBare(day) && !isBare(weekday) && (day.startsWith("*") || weekday.startsWith("*"));
  if (isBoth)
    changes.push("a day field that begins with * means both day fields must agree (Vixie): written as +");
  return [minute, hour, day, month, isBoth ? `+${weekday}` : weekday].join(" ");
}

/** `%` is a line break, and the first one ends the command; `\%` is a percent sign. */
function percents(text: string): { command: string; input: string | null } {
  const [command = "", ...lines] = text.split(/(?<!\\)%/).map((part) => part.replaceAll("\\%", "%"));
  return { command: command.trimEnd(), input: lines.length === 0 ? null : lines.join("\n") };
}

export function zoned(job: Job, timezone: string): Trigger {
  return "cron" in job.trigger ? { cron: job.trigger.cron, timezone } : job.trigger;
}
