/** A plan as people read it: what changes, one line a field, and a sum. */
import type { Change, Json, NamedDefinition } from "../client/index.ts";
import { type Cell, table } from "./table.ts";
import type { Paint } from "./terminal.ts";
import { targetWords, triggerWords } from "./words.ts";

const SIGNS = {
  create: { text: "+", colour: "green" },
  update: { text: "~", colour: "yellow" },
  delete: { text: "-", colour: "red" },
  conflict: { text: "!", colour: "red" },
  unchanged: { text: " ", colour: "dim" },
} as const;
const VALUE_CHARS_MAX = 60;

/** Without what stays as it is. */
export function planLines(
  changes: readonly Change[],
  definitions: ReadonlyMap<string, NamedDefinition>,
  paint: Paint,
): string[] {
  const rows = changes
    .filter(({ action }) => action !== "unchanged")
    .flatMap((change) => rowsOf(change, definitions.get(change.name)));
  return table(rows, paint);
}

function rowsOf(change: Change, definition: NamedDefinition | undefined): Cell[][] {
  const [first = [], ...others] = aboutOf(change, definition);
  const warnings = change.warnings.map(({ code, message }): Cell[] => [
    { text: `${code}: ${message}`, colour: "yellow" },
  ]);
  return [
    [SIGNS[change.action], { text: change.name, colour: "bold" }, ...first],
    ...[...others, ...warnings].map((cells): Cell[] => ["", "", ...cells]),
  ];
}

function aboutOf({ action, diff, error }: Change, definition: NamedDefinition | undefined): Cell[][] {
  if (error) return [[{ text: error.message, colour: "red" }]];
  if (action === "create" && definition)
    return [[`${triggerWords(definition.trigger)} → ${targetWords(definition.target)}`]];
  return diff.map(({ field, from, to }) => [`${field}: ${short(from)} → ${short(to)}`]);
}

function short(value: Json): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= VALUE_CHARS_MAX ? text : `${text.slice(0, VALUE_CHARS_MAX - 1)}…`;
}

const WORDS = [
  ["create", "to create", "created"],
  ["update", "to update", "updated"],
  ["delete", "to delete", "deleted"],
  ["unchanged", "unchanged", "unchanged"],
  ["conflict", "in conflict", "in conflict"],
] as const;

/** `2 to create, 1 in conflict`; what failed is counted for itself. */
export function sum(changes: readonly Change[], tense: "will" | "was"): string {
  const failed = changes.filter(isFailed);
  const counts = WORDS.map(([action, will, was]) => {
    const count = changes.filter((change) => change.action === action && !isFailed(change)).length;
    return count === 0 ? "" : `${count} ${tense === "will" ? will : was}`;
  });
  const all = [...counts, failed.length === 0 ? "" : `${failed.length} failed`].filter(Boolean);
  return all.length === 0 ? "nothing at all" : all.join(", ");
}

export function isFailed({ action, error }: Change): boolean {
  return error !== null && action !== "conflict";
}
