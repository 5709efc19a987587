/** A row of `occurrences` and of `gaps`, and what each means. */
import type { Occurrence } from "../core/occurrence.ts";
import { presentOccurrence } from "../core/present.ts";
import { formatInstant } from "../core/time.ts";
import { occurrenceOf as readRow } from "../schedule/rows.ts";
import type { GapRow, OccurrenceBody, OccurrenceRow as Written } from "../schedule/state.ts";
import type { OccurrenceView } from "../schedule/stub.ts";
import type { Placed } from "./page.ts";

export type { GapRow };
export type OccurrenceRow = Omit<Written, "body"> & { body: string };

/** Consecutive slots that did not run for the same reason, as history shows them. */
export interface GapView {
  kind: "gap";
  namespace: string;
  schedule: string;
  from: string;
  to: string;
  count: number;
  reason: string;
  revision: number;
}

export type HistoryItem = OccurrenceView | GapView;

export function occurrenceOf(row: OccurrenceRow): Occurrence {
  return readRow({ ...row, body: JSON.parse(row.body) as OccurrenceBody });
}

export function viewOf(row: OccurrenceRow): OccurrenceView {
  const { namespace, name } = splitKey(row.schedule);
  return presentOccurrence(namespace, name, occurrenceOf(row));
}

export function placeOccurrence(row: OccurrenceRow): Placed<HistoryItem> {
  const { slot, schedule, variant } = row;
  return { at: { slot, schedule, variant }, item: viewOf(row) };
}

export function gapView({ schedule: key, from_at, to_at, count, reason, revision }: GapRow): GapView {
  const { namespace, name: schedule } = splitKey(key);
  const [from, to] = [formatInstant(from_at), formatInstant(to_at)];
  return { kind: "gap", namespace, schedule, from, to, count, reason, revision };
}

export function placeGap(row: GapRow): Placed<HistoryItem> {
  return { at: { slot: row.to_at, schedule: row.schedule, variant: "" }, item: gapView(row) };
}

/** `<namespace>/<name>`: how rows name a schedule. */
export function scheduleKey(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

export function splitKey(key: string): { namespace: string; name: string } {
  const slash = key.indexOf("/");
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
