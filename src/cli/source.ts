/** Files of schedules, YAML or JSON (which is YAML too), with the place of everything in them. */
import {
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  type Document,
  type Node,
  type Pair,
} from "yaml";
import type { NamedDefinition } from "../client/index.ts";
import { nearest } from "../core/spelling.ts";

export interface Place {
  file: string;
  line: number;
  column: number;
}

/** A mistake in a file, told with its place. */
export interface Fault extends Partial<Place> {
  /** `trigger.cron of nightly`, where a field is to blame. */
  field?: string;
  message: string;
  hint?: string;
}

export interface Entry {
  definition: NamedDefinition;
  /** Where the field is that a JSON pointer into the definition names; where it is missing, what it is missing from. */
  placeOf(pointer: string): Place;
}

export interface Source {
  managedBy: { value: string; place: Place } | null;
  entries: Entry[];
  faults: Fault[];
}

const FORM = "A file is a list of schedules, or { managedBy, schedules }.";
const KNOWN = ["managedBy", "schedules"];

export function parseSource(file: string, text: string): Source {
  const lines = new LineCounter();
  const source: Source = { managedBy: null, entries: [], faults: [] };
  const documents = parseAllDocuments(text, { lineCounter: lines, merge: true, prettyErrors: false });
  if (!Array.isArray(documents)) return source; // an empty file
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  for (const document of documents) {
    const faults = document.errors.map(({ message, pos }) => ({
      ...at(pos[0]),
      message,
      hint: hintFor(text, pos[0]),
    }));
    source.faults.push(...faults);
    if (faults.length === 0) readDocument(document, at, source);
  }
  return source;
}

/** `* * * * *` without quotes is an alias to YAML. */
function hintFor(text: string, offset: number): string | undefined {
  const around = text.slice(Math.max(0, offset - 1), offset + 2);
  return around.includes("*") ? 'Put a cron expression in quotes: "* * * * *".' : undefined;
}

function readDocument(document: Document.Parsed, at: (offset: number) => Place, source: Source): void {
  const root = document.contents;
  if (root === null) return;
  const placed = (node: unknown) => at(isNode(node) ? (node.range?.[0] ?? 0) : 0);
  const list = isMap(root) ? root.get("schedules", true) : root;
  if (isMap(root)) {
    for (const { key } of root.items as Pair<Node>[]) {
      const name = isScalar(key) ? String(key.value) : "";
      if (KNOWN.includes(name)) continue;
      const meant = nearest(name, KNOWN);
      source.faults.push({
        ...placed(key),
        message: `${name} is not known here.`,
        hint: meant === null ? FORM : `Did you mean "${meant}"?`,
      });
    }
    const manager = root.get("managedBy", true);
    if (isScalar(manager) && typeof manager.value === "string")
      source.managedBy = { value: manager.value, place: placed(manager) };
    else if (manager !== undefined)
      source.faults.push({ ...placed(manager), message: "managedBy must be a text." });
  }
  if (!isSeq(list)) {
    source.faults.push({ ...placed(list ?? root), message: FORM });
    return;
  }
  for (const item of list.items) {
    if (isMap(item)) source.entries.push(entryOf(document, item, at));
    else
      source.faults.push({
        ...placed(item),
        message: "A schedule is an object with a name, a trigger and a target.",
      });
  }
}

function entryOf(document: Document.Parsed, item: Node, at: (offset: number) => Place): Entry {
  return {
    definition: item.toJS(document) as NamedDefinition,
    placeOf: (pointer) => at(offsetOf(item, pointer.split("/").slice(1).map(unescape))),
  };
}

function unescape(key: string): string {
  return key.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Of the last step that exists: of a field's key, and of its value once the path ends there. */
function offsetOf(item: Node, path: string[]): number {
  let [node, offset]: [unknown, number] = [item, item.range?.[0] ?? 0];
  for (const [depth, key] of path.entries()) {
    const next: unknown = isMap(node)
      ? pairOf(node.items as Pair<Node>[], key)
      : isSeq(node)
        ? node.items[Number(key)]
        : null;
    if (!next) return offset;
    const isPair = !isNode(next);
    const value = isPair ? (next as Pair<Node>).value : next;
    const isLast = depth === path.length - 1;
    const shown = isPair && !(isLast && isScalar(value)) ? (next as Pair<Node>).key : value;
    offset = (isNode(shown) && shown.range?.[0]) || offset;
    node = value;
  }
  return offset;
}

function pairOf(pairs: Pair<Node>[], name: string): Pair<Node> | undefined {
  return pairs.find(({ key }) => isScalar(key) && String(key.value) === name);
}
