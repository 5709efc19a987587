import { CarillonError, type Preview } from "../client/index.ts";
import { preview } from "../core/preview.ts";
import { formatInstant, parseInstant } from "../core/time.ts";
import { parseTrigger, resolveTrigger } from "../core/trigger.ts";
import { type Command, EXIT, type Invocation, UsageError } from "./command.ts";
import { countOf } from "./list.ts";
import { table } from "./table.ts";

const SLOTS = 10;
const RULES = ["cron", "every", "at"] as const;

export const next: Command = {
  name: "next",
  takes: 'NAME | --cron "0 2 * * *" --timezone Europe/Berlin',
  summary: "The next slots, of a schedule or of a rule that nobody has saved",
  about: "A rule is computed here, and asks no scheduler.",
  flags: {
    cron: { value: "EXPRESSION", about: "five fields; six with seconds first, seven with the year last" },
    every: { value: "DURATION", about: "15m, 1h30m, PT15M" },
    at: { value: "TIME", about: "an instant, or a local time with --timezone" },
    timezone: { value: "ZONE", about: "Europe/Berlin; for --cron and --at" },
    from: { value: "INSTANT", about: "after this one; now, unless told otherwise" },
    count: { value: "NUMBER", about: `${SLOTS} unless told otherwise` },
  },
  least: 0,
  most: 1,
  async run(call) {
    const { positionals, text, is, terminal } = call;
    const said = RULES.filter((rule) => text(rule) !== undefined);
    const [name] = positionals;
    if ((name === undefined) === (said.length === 0) || said.length > 1)
      throw new UsageError("Name one schedule, or one rule: --cron, --every or --at.");
    const count = countOf(text("count"), SLOTS);
    const answer =
      name === undefined
        ? compute(call, said[0]!, count)
        : await call.scheduler().schedules.upcoming(name, { count, from: text("from"), signal: call.signal });
    if (is("json")) terminal.print(JSON.stringify(answer, null, 2));
    else tell(answer, call);
    return EXIT.done;
  },
};

function compute({ text, now }: Invocation, rule: (typeof RULES)[number], count: number): Preview {
  const timezone = text("timezone");
  if (rule === "cron" && timezone === undefined)
    throw new UsageError("A cron expression needs a zone.", "--timezone Europe/Berlin, or --timezone UTC.");
  const said = { [rule]: text(rule), ...(timezone === undefined ? {} : { timezone }) };
  const from = parseInstant(text("from") ?? formatInstant(now));
  const trigger = parseTrigger(said);
  if (!from.ok) throw refusal(from.error);
  if (!trigger.ok) throw refusal(trigger.error);
  const time = { trigger: resolveTrigger(trigger.value, now), exclude: [], startAt: null, endAt: null };
  const answer = preview({ rule: time, jitterMs: 0, seed: "", from: from.value, until: null, count });
  if (!answer.ok) throw refusal(answer.error);
  return answer.value;
}

function refusal({ code, message, hint }: { code: string; message: string; hint?: string }): CarillonError {
  return new CarillonError({ code, detail: message, hint }, { status: 0 });
}

function tell(
  { description, slots, suppressed, warnings, exhausted }: Preview,
  { terminal }: Invocation,
): void {
  const { print, note, paint } = terminal;
  note(paint("dim", description));
  for (const { code, message } of warnings) note(paint("yellow", `${code}: ${message}`));
  const rows = slots.map(({ scheduledFor, localTime, timezones, notes }) => [
    scheduledFor,
    localTime,
    timezones.join(", "),
    notes.join(", "),
  ]);
  for (const line of table(rows, paint)) print(line);
  for (const { localTime, timezone, reason } of suppressed)
    note(`No slot at ${localTime} (${timezone}): ${reason}.`);
  if (exhausted) note("There are no more.");
}
