/** What an edit changes, field by field, of definitions as they are shown. */
import type { Json } from "./schedule.ts";

export interface Difference {
  /** `jitter`, or `retry.maxAttempts`. */
  field: string;
  from: Json;
  to: Json;
}

type Fields = { [field: string]: Json };

/** Compared one level deep; everything else is one value. */
const GROUPS = new Set(["catchUp", "retry", "timeouts", "alerts", "target"]);
/** Longer values are told by their size: a plan is read by people. */
const SHOWN_CHARS_MAX = 2_000;

export function differences(before: Fields, after: Fields): Difference[] {
  return [...fieldsOf(before, after)].flatMap((field) => {
    const [from = null, to = null] = [before[field], after[field]];
    if (same(from, to)) return [];
    if (!GROUPS.has(field) || !isFields(from) || !isFields(to)) return [difference(field, from, to)];
    return [...fieldsOf(from, to)]
      .filter((inner) => !same(from[inner] ?? null, to[inner] ?? null))
      .map((inner) => difference(`${field}.${inner}`, from[inner] ?? null, to[inner] ?? null));
  });
}

function fieldsOf(...objects: Fields[]): Set<string> {
  return new Set(objects.flatMap((object) => Object.keys(object)));
}

function difference(field: string, from: Json, to: Json): Difference {
  return { field, from: bounded(from), to: bounded(to) };
}

function bounded(value: Json): Json {
  const { length } = JSON.stringify(value);
  return length <= SHOWN_CHARS_MAX ? value : `(${length} characters of JSON)`;
}

/** The order of an object's fields says nothing. */
function same(a: Json, b: Json): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((it, i) => same(it, b[i]!));
  if (!isFields(a) || !isFields(b)) return a === b;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && same(a[name]!, b[name]!))
  );
}

function isFields(value: Json): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
