/**
 * What request schemas are made of: valibot's own pieces where they fit, and `parsed` where core/ already
 * knows how to read a value and what to say about a bad one. Each piece has its JSON Schema, so validation,
 * types and the OpenAPI document cannot drift apart. A message that begins with "must" is completed by the
 * field's name.
 */
import * as v from "valibot";
import { fail, ok, type Failure, type Result } from "../core/errors.ts";
import type { Json } from "../core/schedule.ts";
import { nearest } from "../core/spelling.ts";
import { DURATION_PATTERN, formatDuration, parseDuration, parseInstant } from "../core/time.ts";

export interface JsonSchema {
  [keyword: string]: unknown;
}

/** A failure of core/ on its way through valibot; `validate.ts` unpacks it unchanged. */
export interface FailureIssue extends v.BaseIssue<unknown> {
  failure: Failure;
}
export interface HintedIssue extends v.BaseIssue<unknown> {
  hint: string | null;
}

export interface ParsedSchema<T> extends v.GenericSchema<unknown, T> {
  readonly type: "parsed";
  readonly jsonSchema: JsonSchema;
}

/** A value that core/ reads. Pointers in its failures start at the object that holds the value. */
export function parsed<T>(parse: (input: unknown) => Result<T>, jsonSchema: JsonSchema): ParsedSchema<T> {
  const blank = v.unknown() as v.GenericSchema<unknown, T>;
  return {
    ...blank,
    type: "parsed",
    jsonSchema,
    "~run"({ value }) {
      const result = parse(value);
      if (result.ok) return { typed: true, value: result.value };
      const failure = result.error;
      return { typed: false, value, issues: [{ ...issue("parsed", value, failure.message), failure }] };
    },
  };
}

function issue(type: string, input: unknown, message: string): v.BaseIssue<unknown> {
  return { kind: "schema", type, input, expected: null, received: "", message };
}

/** An object with these fields and no others; each other one is refused by name. */
export function fields<const E extends v.ObjectEntries>(entries: E): v.StrictObjectSchema<E, string> {
  const must = "must be an object";
  const [strict, known] = [v.strictObject(entries, must), v.object(entries, must)];
  return {
    ...strict,
    "~run"({ value }, config) {
      const result = known["~run"]({ value: isObject(value) ? value : null }, config);
      const unknown = isObject(value) ? unknownFields(value, Object.keys(entries)) : [];
      const issues: v.BaseIssue<unknown>[] = [...unknown, ...(result.issues ?? [])];
      const outcome = issues.length > 0 ? { typed: false, value, issues } : result;
      return outcome as ReturnType<(typeof strict)["~run"]>;
    },
  };
}

const UNKNOWN_SHOWN_MAX = 10;

function unknownFields(value: object, known: string[]): HintedIssue[] {
  return Object.entries(value)
    .filter(([key]) => !known.includes(key))
    .slice(0, UNKNOWN_SHOWN_MAX)
    .map(([key, input]) => ({
      ...issue("unknown_field", input, `${key} is not known here.`),
      path: [{ type: "unknown", origin: "key", input: value, key, value: input }],
      hint: didYouMean(nearest(key, known)) ?? `Known here: ${known.join(", ")}.`,
    }));
}

/** One of two schemas; the input says which. */
export function either<A extends v.GenericSchema, B extends v.GenericSchema>(
  isFirst: (input: unknown) => boolean,
  first: A,
  second: B,
): v.UnionSchema<[A, B], undefined> {
  const union = v.union([first, second]);
  return {
    ...union,
    "~run"(dataset, config) {
      const chosen = isFirst(dataset.value) ? first : second;
      return chosen["~run"](dataset, config) as ReturnType<(typeof union)["~run"]>;
    },
  };
}

/** With an example for the document. */
export function shown<S extends v.GenericSchema>(schema: S, example: unknown) {
  return v.pipe(schema, v.metadata({ examples: [example] }));
}

export function choice<const O extends readonly string[]>(options: O): v.PicklistSchema<O, string> {
  const list = v.picklist(options, `must be one of ${options.join(", ")}`);
  return {
    ...list,
    "~run"(dataset, config) {
      const word = dataset.value;
      const result = list["~run"](dataset, config);
      if (result.issues && typeof word === "string") {
        (result.issues as unknown as [HintedIssue])[0].hint = didYouMean(nearest(word, options));
      }
      return result;
    },
  };
}

function didYouMean(word: string | null): string | null {
  return word === null ? null : `Did you mean "${word}"?`;
}

export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export const flag = v.boolean("must be true or false");

export function whole(min: number, max: number) {
  const must = `must be a whole number from ${min} to ${max}`;
  return v.pipe(v.number(must), v.integer(must), v.minValue(min, must), v.maxValue(max, must));
}

export function decimal(min: number, max: number) {
  const must = `must be a number from ${min} to ${max}`;
  return v.pipe(v.number(must), v.minValue(min, must), v.maxValue(max, must));
}

/** Text for people. NUL and half characters are refused: databases and logs cut or change them. */
export function text(max: number, min = 0) {
  const must = `must be a text of ${min > 0 ? `${min} to ` : "at most "}${max} characters`;
  return v.pipe(
    v.string(must),
    v.minLength(min, must),
    v.maxLength(max, must),
    v.check((it) => it.isWellFormed() && !it.includes("\0"), "must be well-formed text without NUL"),
  );
}

/** What a worker says of its run: a report is never refused for its words, only cut to what is kept. */
export function cutText(max: number) {
  return v.pipe(
    v.string("must be a text"),
    v.transform((it) => it.toWellFormed().replaceAll("\0", "\uFFFD").slice(0, max)),
  );
}

export function list<const S extends v.GenericSchema>(item: S, max: number) {
  const must = `must be a list of at most ${max} entries`;
  return v.pipe(v.array(item, must), v.maxLength(max, must));
}

/** ISO 8601 or short, in; whole milliseconds, out. */
export function duration(min: number, max: number): ParsedSchema<number> {
  const bounds = `from ${formatDuration(min)} to ${formatDuration(max)}`;
  return parsed((input) => {
    if (typeof input !== "string") return fail("invalid_duration", 'must be a text such as "15m" or "PT15M"');
    const ms = parseDuration(input);
    if (!ms.ok || (ms.value >= min && ms.value <= max)) return ms;
    return fail("invalid_duration", `must be ${bounds}`);
  }, durationSchema(bounds));
}

/** No `format: duration`: that knows ISO 8601 only. */
export function durationSchema(bounds?: string): JsonSchema {
  return {
    type: "string",
    pattern: DURATION_PATTERN,
    minLength: 2,
    description: `ISO 8601 or short form${bounds === undefined ? "" : `, ${bounds}`}`,
    examples: ["PT15M", "15m"],
  };
}

/** RFC 3339, in; epoch milliseconds, out. */
export const instant: ParsedSchema<number> = parsed(
  (input) =>
    typeof input === "string"
      ? parseInstant(input)
      : fail("invalid_instant", 'must be a text such as "2026-11-30T14:00:00Z"'),
  { type: "string", format: "date-time" },
);

/** Any JSON, up to so many bytes as it is sent on. */
export function json(bytesMax: number): ParsedSchema<Json> {
  return parsed(
    (input) => {
      const bytes = new TextEncoder().encode(JSON.stringify(input)).length;
      return bytes <= bytesMax
        ? ok(input as Json)
        : fail("limit_exceeded", `must take at most ${bytesMax} bytes as JSON; it takes ${bytes}`);
    },
    { description: `Any JSON value of at most ${bytesMax} bytes` },
  );
}

/** A number in a query string. */
export function count(min: number, max: number, fallback: number) {
  const must = `must be a whole number from ${min} to ${max}`;
  return v.optional(
    parsed(
      (input) => {
        const value = typeof input === "string" && /^\d{1,9}$/.test(input) ? Number(input) : Number.NaN;
        return value >= min && value <= max ? ok(value) : fail("invalid_field", must);
      },
      { type: "integer", minimum: min, maximum: max, default: fallback },
    ),
    String(fallback),
  );
}

export type Renamed<T, N> = { [K in keyof T as K extends keyof N ? N[K] & string : K]: T[K] };

/** Durations carry their unit in their name once they are numbers: `jitter` → `jitterMs`. */
export function rename<T extends object, const N extends Partial<Record<keyof T, string>>>(names: N) {
  return v.transform((value: T) => {
    const renamed = Object.entries(value).map(([key, it]) => [names[key as keyof T] ?? key, it]);
    return Object.fromEntries(renamed) as Renamed<T, N>;
  });
}
