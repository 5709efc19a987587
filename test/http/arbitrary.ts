/** Values from JSON schemas: valid ones, ones broken in one place, and hostile ones. */
import * as fc from "fast-check";

export interface Schema {
  $ref?: string;
  type?: string;
  const?: unknown;
  enum?: unknown[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
}

/** What this world knows by name: tried wherever a field of that name is asked for. */
export type Known = Record<string, readonly unknown[]>;

const ITEMS_MAX = 3;
const TEXT_MAX = 40;
const DAY_MS = 86_400_000;
const FIRST = Date.UTC(2026, 0, 1);

export function valid(schema: Schema, lookUp: (ref: string) => Schema, known: Known): fc.Arbitrary<unknown> {
  const inner = (one: Schema) => valid(one, lookUp, known);
  if (schema.$ref !== undefined) return inner(lookUp(schema.$ref));
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const oneOf = schema.oneOf ?? schema.anyOf;
  if (oneOf) return fc.oneof(...oneOf.map(inner));
  if (schema.allOf) throw new Error("no request is made of allOf");
  const examples = schema.examples?.map((example) => fc.constant(example)) ?? [];
  const made = ofType(schema, inner, known);
  return examples.length > 0 ? fc.oneof({ arbitrary: made, weight: 3 }, ...examples) : made;
}

function ofType(schema: Schema, inner: (one: Schema) => fc.Arbitrary<unknown>, known: Known) {
  switch (schema.type) {
    case "string":
      return textOf(schema);
    case "integer":
      return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1e6, 2 ** 31 - 1) });
    case "number":
      return fc.double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6, noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(inner(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? ITEMS_MAX, ITEMS_MAX),
      });
    case "object":
      return objectOf(schema, inner, known);
    default:
      return json;
  }
}

function objectOf(
  { properties = {}, required = [] }: Schema,
  inner: (one: Schema) => fc.Arbitrary<unknown>,
  known: Known,
) {
  const fields = Object.entries(properties).map(([name, field]) => {
    const made = inner(field);
    const ours = known[name];
    return [name, ours ? fc.oneof(made, { arbitrary: fc.constantFrom(...ours), weight: 3 }) : made] as const;
  });
  // Few of many optional fields at a time: a definition in which all is said is rarely one that is accepted.
  return fc
    .record(Object.fromEntries(fields), { requiredKeys: required })
    .chain((value) =>
      fc
        .subarray(Object.keys(value).filter((key) => !required.includes(key)))
        .map((left) =>
          Object.fromEntries(Object.entries(value).filter(([key]) => left.length > 3 || !left.includes(key))),
        ),
    );
}

function textOf({ format, pattern, minLength = 0, maxLength = TEXT_MAX }: Schema): fc.Arbitrary<string> {
  const instants = fc
    .integer({ min: 0, max: 1_500 * DAY_MS })
    .map((ms) => new Date(FIRST + ms).toISOString());
  if (format === "date-time") return instants.map((text) => text.replace(/\.\d+/, ""));
  if (format === "date") return instants.map((text) => text.slice(0, 10));
  // Of all our patterns, that of durations alone looks ahead, which fast-check can't.
  if (pattern?.includes("(?="))
    return fc.constantFrom("PT0S", "1s", "30s", "PT15M", "1h30m", "P1D", "26h", "400d");
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern), { maxLength: TEXT_MAX });
  return fc.string({ minLength, maxLength: Math.min(maxLength, TEXT_MAX) });
}

// ── what nobody means well by ───────────────────────────────────────────────────────────────────

const WORDS = [
  "",
  " ",
  "null",
  "*",
  "..",
  "../../etc/passwd",
  "%2e%2e%2f",
  "__proto__",
  "constructor",
  "toString",
  "\0",
  "\uD800",
  "\u202Enoitcurtsbo",
  "näächtlich",
  "😀".repeat(20),
  "a\r\nset-cookie: a=b",
  "'; DROP TABLE occurrences; --",
  "<script>alert(1)</script>",
  "${jndi:ldap://x}",
  "1e309",
  "9".repeat(40),
  "-1",
  "0x10",
  "15m",
  "P1Y",
  "PT99999999999999S",
  "@reboot",
  "* * * * * *",
  "0 0 30 2 *",
  "2026-13-01T00:00:00Z",
  "0000-01-01T00:00:00Z",
  "9999-12-31T23:59:59Z",
  "1969-12-31T23:59:59.999Z",
  "x".repeat(5_000),
];
export const word = fc.oneof(fc.constantFrom(...WORDS), fc.string({ unit: "binary", maxLength: 20 }));
const number = fc.constantFrom(-1, 0, 0.5, 1e21, 2 ** 31, 2 ** 53, -0, 1e-320, 1.7976931348623157e308);
const scalar = fc.oneof(
  word,
  number,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);
export const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie("json"), { maxLength: 3 }),
    fc.dictionary(word, tie("json"), { maxKeys: 3 }),
  ),
}));

/** A valid value of which one place is something else, is gone, or has company. */
export function broken(good: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(good, fc.nat(), json, fc.constantFrom("replace", "remove", "add"))
    .map(([value, nth, bad, how]) => {
      const copy = structuredClone(value);
      const places = placesIn(copy);
      const place = places[nth % Math.max(places.length, 1)];
      if (!place) return bad;
      const { parent, key } = place;
      if (how === "replace") parent[key] = bad;
      else if (how === "remove") delete parent[key];
      else Object.defineProperty(parent, `${key}x`, { value: bad, enumerable: true });
      return copy;
    });
}

interface Place {
  parent: Record<string, unknown>;
  key: string;
}

function placesIn(value: unknown): Place[] {
  if (typeof value !== "object" || value === null) return [];
  const parent = value as Record<string, unknown>;
  return Object.keys(parent).flatMap((key) => [{ parent, key }, ...placesIn(parent[key])]);
}

const DEEP = 100_000;

/** Bodies that no serializer makes. */
export const rawBody = fc.oneof(
  fc.string({ unit: "binary", maxLength: 100 }),
  fc.constantFrom(
    "",
    "{",
    "[]",
    "null",
    "\uFEFF{}",
    '{"__proto__":{"tracked":false}}',
    '{"constructor":{"prototype":{"polluted":true}}}',
    '{"trigger":{"every":"15m"},"trigger":{"every":"1s"},"target":{"queue":"LIBRARY"}}',
    '{"payload":1e999}',
    "[".repeat(DEEP) + "]".repeat(DEEP),
    '{"a":'.repeat(DEEP) + "1" + "}".repeat(DEEP),
    `{"payload":"${"x".repeat(300_000)}"}`,
  ),
);
