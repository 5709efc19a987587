/**
 * The cron dialect: Open Cron Pattern Specification 1.0–1.4, and `LW` and `L-3` beyond it.
 *
 *   [second] minute hour day-of-month month day-of-week [year]     5, 6 or 7 fields; or a nickname
 *
 * Text in, fields out. An error says where, what was found, what was expected, and the pattern that was
 * probably meant, which is offered only after it has itself been parsed.
 */
import type { Result } from "./errors.ts";
import { fail, ok } from "./errors.ts";
import type { Field, FieldName, Mistake } from "./field.ts";
import { isMistake, parseField } from "./field.ts";
import { quote } from "./time.ts";

export interface Cron {
  /** As written, trimmed. */
  text: string;
  second: Field;
  minute: Field;
  hour: Field;
  dayOfMonth: Field;
  month: Field;
  dayOfWeek: Field;
  year: Field;
  /** Five fields: the pattern speaks of minutes. */
  wholeMinutes: boolean;
  /** A leading `+` in day-of-week: both day fields must agree. */
  bothDays: boolean;
}

/** A list of every year from 1970 to 2199 takes 1,150 characters; nobody needs more. */
export const CRON_LENGTH_MAX = 2_000;
/** Repairs are one a field at most; some repairs uncover a second fault in the same field. */
const REPAIRS_MAX = 12;

const NICKNAMES: Record<string, string> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

const ORDER: readonly FieldName[] = [
  "second",
  "minute",
  "hour",
  "day-of-month",
  "month",
  "day-of-week",
  "year",
];

export function parseCron(input: string): Result<Cron> {
  const parsed = read(input);
  if ("text" in parsed) return ok(parsed);
  const suggestion = repair(input, parsed);
  const { field, position, found, expected } = parsed;
  const where = field === null ? "" : ` in ${field}`;
  return fail(
    "invalid_trigger",
    `${quote(input)}: found ${quote(found)}${where} at position ${position}, expected ${expected}`,
    {
      hint: suggestion === null ? undefined : `Did you mean ${suggestion} ?`,
      data: { field, position, found, expected, ...(suggestion === null ? {} : { suggestion }) },
    },
  );
}

type Fault = Omit<Mistake, "field"> & { field: FieldName | null };

/** `@reboot` is a pattern of the dialect without instants: refused, but not as a mistake in writing. */
export const REBOOT = "@reboot";

function read(input: string): Cron | Fault {
  if (input.length > CRON_LENGTH_MAX) {
    return {
      field: null,
      position: CRON_LENGTH_MAX,
      found: input.slice(CRON_LENGTH_MAX, CRON_LENGTH_MAX + 20),
      expected: `at most ${CRON_LENGTH_MAX} characters`,
    };
  }
  const words = [...input.matchAll(/[^ \t]+/g)].map((match) => ({ text: match[0], position: match.index }));
  if (words[0]?.text.startsWith("@")) return readNickname(words);
  const strange = /[^\w *,\-/?#+@=:\t]/u.exec(input);
  if (strange)
    return {
      field: null,
      position: strange.index,
      found: strange[0],
      expected: "only letters, digits, spaces and * , - / ? # +",
    };
  const prefix = /^(?:CRON_)?TZ=\S*\s+/.exec(input);
  if (prefix)
    return {
      field: null,
      position: 0,
      found: prefix[0],
      expected: "the zone in the trigger's `timezone`",
      instead: "",
    };
  if (words.length < 5 || words.length > 7) return wrongCount(input, words);
  return readFields(input, words);
}

function wrongCount(input: string, words: Word[]): Fault {
  return {
    field: null,
    position: words[0]?.position ?? 0,
    found: input.trim(),
    expected: `5 fields (minute hour day-of-month month day-of-week), 6 with seconds first, or 7 with the year last; these are ${words.length}`,
  };
}

type Word = { text: string; position: number };

function readNickname(words: Word[]): Cron | Fault {
  const { text, position } = words[0]!;
  const pattern = NICKNAMES[text];
  if (pattern !== undefined && words.length === 1) return { ...(read(pattern) as Cron), text };
  if (text === REBOOT && words.length === 1) {
    return {
      field: null,
      position,
      found: text,
      expected:
        "a pattern of times: @reboot is valid cron, but a serverless scheduler has no start to run at",
    };
  }
  if (pattern !== undefined)
    return {
      field: null,
      position: words[1]!.position,
      found: words[1]!.text,
      expected: `nothing after ${text}`,
    };
  const lower = text.toLowerCase();
  return {
    field: null,
    position,
    found: text,
    expected: `one of ${Object.keys(NICKNAMES).join(" ")}, in lower case`,
    instead: lower in NICKNAMES ? lower : undefined,
  };
}

function readFields(input: string, words: Word[]): Cron | Fault {
  const names = words.length === 5 ? ORDER.slice(1, 6) : ORDER.slice(0, words.length);
  const fields = new Map<FieldName, Field>();
  let bothDays = false;
  for (const [i, name] of names.entries()) {
    let { text, position } = words[i]!;
    if (name === "day-of-week" && text.startsWith("+") && text.length > 1) {
      bothDays = true;
      text = text.slice(1);
      position++;
    }
    const field = parseField(name, text, position);
    if (isMistake(field)) return field;
    fields.set(name, field);
  }
  const given = (name: FieldName, otherwise: string) =>
    fields.get(name) ?? (parseField(name, otherwise, 0) as Field);
  return {
    text: input.trim(),
    second: given("second", "0"),
    minute: given("minute", "*"),
    hour: given("hour", "*"),
    dayOfMonth: given("day-of-month", "*"),
    month: given("month", "*"),
    dayOfWeek: given("day-of-week", "*"),
    year: given("year", "*"),
    wholeMinutes: words.length === 5,
    bothDays,
  };
}

/** The pattern with each fault replaced by what was probably meant, or null where one can't be guessed. */
function repair(input: string, first: Fault): string | null {
  let text = input;
  let fault: Cron | Fault = first;
  for (let repairs = 0; repairs < REPAIRS_MAX; repairs++) {
    if ("text" in fault) return fault.text;
    if (fault.instead === undefined) return null;
    text = text.slice(0, fault.position) + fault.instead + text.slice(fault.position + fault.found.length);
    fault = read(text);
  }
  return null;
}
