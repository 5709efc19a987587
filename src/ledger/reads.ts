/**
 * All that is read from the ledger, over however many databases keep it. The first one is the directory;
 * each schedule's occurrences and gap rows are in the one that its entry names.
 */
import { invariant } from "../core/errors.ts";
import { isFinal, KINDS, SKIP_REASONS, type Kind, type State } from "../core/occurrence.ts";
import type { OccurrenceBody } from "../schedule/state.ts";
import type { Knowledge, OccurrenceView } from "../schedule/stub.ts";
import type { Change } from "../core/eras.ts";
import type { DefinitionInput, Json } from "../core/schedule.ts";
import { auditPage, type AuditPage, type AuditQuery } from "./audit.ts";
import { listRevisions, readRevision } from "./changes.ts";
import { listAlerts, type Alert, type AlertQuery } from "./alerts.ts";
import {
  countSchedules,
  knownNames,
  listNamespaces,
  listSchedules,
  readSchedule,
  schedulesAfter,
  type DirectoryQuery,
  type Entry,
} from "./directory.ts";
import { changesWith, evidenceAt, type SlotEvidence } from "./evidence.ts";
import { listGaps } from "./gaps.ts";
import { readHistory, type HistoryQuery } from "./history.ts";
import { listOccurrences, listWork, readOccurrence, succeededAmong, type WorkQuery } from "./occurrences.ts";
import {
  addUp,
  dayBehind,
  gapsSince,
  inFlight,
  rulesAhead,
  unwellSchedules,
  type Bucket,
  type DayQuery,
  type Part,
  type SharedRule,
  type SkippedStretch,
  type Unwell,
} from "./overview.ts";
import { compare, merge, type Position, type Stretch } from "./page.ts";
import {
  occurrenceOf,
  placeGap,
  placeOccurrence,
  scheduleKey,
  splitKey,
  viewOf,
  type HistoryItem,
} from "./row.ts";
import {
  countOpenAlerts,
  countSchedules as countByState,
  readNumbers,
  type Numbers,
  type NumbersQuery,
  type OpenAlerts,
  type Standing,
} from "./stats.ts";
import { readTrail, type TrailItem, type TrailQuery } from "./trail.ts";
import { hasActiveSince, lastSweep, type SweepPass } from "./sweep.ts";
import { inGaps, lastLinks, rowsOf } from "./watched.ts";

/** What an item of history may be: an occurrence of some kind, or a gap row. */
export const ITEM_KINDS = [...KINDS, "gap"] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];

export interface ItemFilter {
  state: State | null;
  reason: string | null;
  kind: ItemKind | null;
}

export interface ItemsQuery extends ItemFilter {
  namespace: string;
  /** Only of these; null: all. */
  schedules: string[] | null;
  from: number;
  before: Position;
  limit: number;
}

/** An occurrence as the ledger keeps it, and the token that settled it. */
export interface Recorded {
  occurrence: OccurrenceView;
  isFinal: boolean;
  token: number | null;
  queue: string | null;
  /** A payload of its own, that its definition doesn't have. */
  payload: { value: Json } | null;
}

/** Slots looked up by one statement: their list is bound as one text, of at most 2 MB. */
const SLOTS_A_LOOK = 5_000;

/** More than a menu shows. */
const NAMESPACES_MAX = 200;

export interface LedgerReads {
  schedule(namespace: string, name: string): Promise<Entry | null>;
  /** One more than asked for, if there is one. */
  schedules(query: DirectoryQuery): Promise<Entry[]>;
  /** Of these names, those that are or were a schedule's. */
  known(namespace: string, names: string[]): Promise<Set<string>>;
  /** How many there are, counted no further than `upTo`. */
  count(namespace: string, upTo: number): Promise<number>;
  /** One schedule's occurrences and gap rows. */
  history(entry: Entry, query: Omit<HistoryQuery, "schedule">): Promise<Stretch<HistoryItem>>;
  /** Those of a namespace. */
  occurrences(query: ItemsQuery): Promise<Stretch<HistoryItem>>;
  occurrence(
    namespace: string,
    name: string,
    address: { slot: number; variant: string },
  ): Promise<Recorded | null>;
  /** Every change that is known, oldest first: those on record, and those that the object has not told yet. */
  changes(namespace: string, name: string, unrecorded: Knowledge["unrecorded"]): Promise<Change[]>;
  evidence(entry: Entry, query: Parameters<typeof evidenceAt>[2]): Promise<SlotEvidence>;
  /** One page of the audit of one schedule. */
  audit(entry: Entry, query: AuditQuery): Promise<AuditPage>;
  /** In the order of names after `name`, deleted ones included. */
  schedulesAfter(query: Parameters<typeof schedulesAfter>[1]): Promise<Entry[]>;
  /** Creates and edits, newest first; one more than asked for, if there is one. */
  revisions(
    namespace: string,
    name: string,
    query: { before: number | null; limit: number },
  ): Promise<Change[]>;
  /** Who changed what in a namespace, newest first. */
  trail(query: TrailQuery): Promise<Stretch<TrailItem>>;
  /** What a revision said. */
  revision(namespace: string, name: string, revision: number): Promise<DefinitionInput | null>;
  /** Of these slots, those that some run has seen to its end. */
  succeeded(entry: Entry, slots: number[]): Promise<number[]>;
  work(query: WorkQuery): Promise<Position[]>;
  lastSweep(): Promise<SweepPass | null>;
  /** Those of a namespace; one more than asked for, if there is one. */
  alerts(query: AlertQuery): Promise<Alert[]>;
  /** The recent past, both ends in. */
  numbers(query: NumbersQuery): Promise<Numbers>;
  /** Is there a schedule to look after that is older than this? */
  hasActiveSince(since: number): Promise<boolean>;
  /** Those that have a schedule. */
  namespaces(): Promise<string[]>;
  /** How many schedules there are of each state and health. */
  standing(part: Part): Promise<Standing[]>;
  openAlerts(part: Part): Promise<OpenAlerts[]>;
  /** A bucket each, oldest first, and the gap rows that reach into them. */
  dayBehind(query: DayQuery): Promise<{ buckets: Bucket[]; gaps: SkippedStretch[] }>;
  rulesAhead(part: Part): Promise<SharedRule[]>;
  unwell(query: Part & { limit: number }): Promise<Unwell[]>;
  /** Newest first. */
  inFlight(query: Part & { limit: number }): Promise<OccurrenceView[]>;
  /** What became of these slots; of a fixed delay (slot null), of its last one. By schedule's name. */
  outcomes(wanted: Wanted[]): Promise<Map<string, Outcome>>;
}

export interface Wanted {
  entry: Entry;
  slot: number | null;
}
export interface Outcome {
  slot: number;
  state: State;
}

export function openLedger(databases: ReadonlyMap<string, D1Database>): LedgerReads {
  const shards = [...databases.values()];
  const [directory] = shards;
  invariant(directory, "there is a ledger");

  function shardOf(entry: Entry): D1Database {
    const shard = databases.get(entry.shard);
    invariant(shard, `the database ${entry.shard} is bound`);
    return shard;
  }

  return {
    schedule: (namespace, name) => readSchedule(directory, namespace, name),
    schedules: (query) => listSchedules(directory, query),
    known: (namespace, names) => knownNames(directory, namespace, names),
    count: (namespace, upTo) => countSchedules(directory, namespace, upTo),
    history: (entry, query) =>
      readHistory(shardOf(entry), directory, {
        ...query,
        schedule: scheduleKey(entry.namespace, entry.name),
      }),
    async occurrences(query) {
      return merge(await Promise.all(shards.flatMap((shard) => stretchesOf(shard, query))), query.limit);
    },
    async occurrence(namespace, name, address) {
      const entry = await readSchedule(directory, namespace, name);
      const key = { ...address, schedule: scheduleKey(namespace, name) };
      const row = entry && (await readOccurrence(shardOf(entry), key));
      if (!row) return null;
      const { state, tracked } = occurrenceOf(row);
      const { payload = null } = JSON.parse(row.body) as OccurrenceBody;
      return {
        occurrence: viewOf(row),
        isFinal: isFinal(state, tracked),
        token: row.token,
        queue: row.queue,
        payload,
      };
    },
    changes: (namespace, name, unrecorded) =>
      changesWith(directory, scheduleKey(namespace, name), unrecorded),
    evidence: (entry, query) => evidenceAt(shardOf(entry), scheduleKey(entry.namespace, entry.name), query),
    audit: (entry, query) =>
      auditPage(shardOf(entry), directory, scheduleKey(entry.namespace, entry.name), query),
    schedulesAfter: (query) => schedulesAfter(directory, query),
    revisions: (namespace, name, { before, limit }) =>
      listRevisions(directory, { schedule: scheduleKey(namespace, name), before, limit: limit + 1 }),
    trail: (query) => readTrail(directory, query),
    revision: (namespace, name, revision) => readRevision(directory, scheduleKey(namespace, name), revision),
    async succeeded(entry, slots) {
      const key = scheduleKey(entry.namespace, entry.name);
      const found: number[] = [];
      for (let i = 0; i < slots.length; i += SLOTS_A_LOOK)
        found.push(...(await succeededAmong(shardOf(entry), key, slots.slice(i, i + SLOTS_A_LOOK))));
      return found;
    },
    async work(query) {
      const found = await Promise.all(shards.map((shard) => listWork(shard, query)));
      return found.flat().toSorted(compare).slice(0, query.limit);
    },
    lastSweep: () => lastSweep(directory),
    alerts: (query) => listAlerts(directory, query),
    numbers: (query) => readNumbers(directory, shards, query),
    hasActiveSince: (since) => hasActiveSince(directory, since),
    namespaces: () => listNamespaces(directory, NAMESPACES_MAX),
    standing: ({ namespace, schedules }) => countByState(directory, { namespaces: [namespace], schedules }),
    openAlerts: ({ namespace, schedules }) =>
      countOpenAlerts(directory, { namespaces: [namespace], schedules }),
    async dayBehind(query) {
      const [buckets, gaps] = await Promise.all([
        Promise.all(shards.map((shard) => dayBehind(shard, query))),
        Promise.all(shards.map((shard) => gapsSince(shard, query))),
      ]);
      return { buckets: addUp(buckets), gaps: gaps.flat() };
    },
    rulesAhead: (part) => rulesAhead(directory, part),
    unwell: (query) => unwellSchedules(directory, query),
    async inFlight(query) {
      const found = await Promise.all(shards.map((shard) => inFlight(shard, query)));
      const rows = found.flat().toSorted((a, b) => b.slot - a.slot);
      return rows.slice(0, query.limit).map(viewOf);
    },
    async outcomes(wanted) {
      const byShard = Map.groupBy(wanted, ({ entry }) => shardOf(entry));
      const found = await Promise.all([...byShard].map(([shard, part]) => outcomesIn(shard, part)));
      return new Map(found.flat());
    },
  };
}

function stretchesOf(shard: D1Database, query: ItemsQuery): Promise<Stretch<HistoryItem>>[] {
  const { kind, state } = query;
  return [
    ...(kind === "gap"
      ? []
      : statesOf(query).map((one) => occurrencesIn(shard, { ...query, kind, state: one }))),
    ...((kind === null || kind === "gap") && (state === null || state === "skipped")
      ? [gapsIn(shard, query)]
      : []),
  ];
}

/** Only what did not go well has a reason: asked for one, just those states are read, each by its index. */
function statesOf({ state, reason }: ItemsQuery): (State | null)[] {
  if (state !== null || reason === null) return [state];
  if (reason === "superseded") return ["skipped", "expired", "cancelled"];
  return SKIP_REASONS.some((skipped) => skipped === reason)
    ? ["skipped"]
    : ["failed", "expired", "cancelled"];
}

async function occurrencesIn(shard: D1Database, query: ItemsQuery & { kind: Kind | null }) {
  const { rows, end } = await listOccurrences(shard, query);
  return { items: rows.map(placeOccurrence), end };
}

async function gapsIn(shard: D1Database, query: ItemsQuery) {
  const { rows, end } = await listGaps(shard, query);
  return { items: rows.map(placeGap), end };
}

async function outcomesIn(shard: D1Database, wanted: Wanted[]): Promise<[name: string, Outcome][]> {
  const named = wanted.map(({ entry, slot }) => ({
    schedule: scheduleKey(entry.namespace, entry.name),
    slot,
  }));
  const dated = named.flatMap(({ schedule, slot }) => (slot === null ? [] : [{ schedule, slot }]));
  const delays = named.filter(({ slot }) => slot === null).map(({ schedule }) => schedule);
  const [rows, skipped, links] = await Promise.all([
    rowsOf(shard, dated),
    inGaps(shard, dated),
    delays.length === 0 ? [] : lastLinks(shard, delays),
  ]);
  return [...skipped.map((one) => ({ ...one, state: "skipped" as const })), ...links, ...rows].map(
    ({ schedule, slot, state }) => [splitKey(schedule).name, { slot, state }],
  );
}
