/** Lists of occurrences and gap rows, newest first: of one schedule, and of a namespace. */
import { Hono } from "hono";
import type * as v from "valibot";
import { parseOccurrenceId } from "../core/occurrence.ts";
import { compare, merge, type Placed, type Position, type Stretch } from "../ledger/page.ts";
import type { ItemFilter } from "../ledger/reads.ts";
import { scheduleKey, type HistoryItem } from "../ledger/row.ts";
import type { OccurrenceView } from "../schedule/stub.ts";
import type { AppEnv, Deps } from "./context.ts";
import { cursorOf } from "./cursor.ts";
import { operation } from "./operation.ts";
import { coversSchedule } from "./principal.ts";
import { refuse } from "./problem.ts";
import { historyQuery, namePath, occurrencesQuery } from "./requests.ts";
import { accept } from "./validate.ts";
import * as views from "./views.ts";

/** The object's clock may be a little ahead of ours, and its newest occurrence with it. */
const CLOCKS_DIFFER_MS = 60_000;

const items = views.page(views.occurrence, views.gap);

export function histories(deps: Deps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();

  app.get(
    "/v1/schedules/:name/occurrences",
    operation({
      id: "listScheduleOccurrences",
      tag: "Schedules",
      scope: "read",
      summary: "The history of a schedule: its occurrences, and gap rows for runs of slots that did not run",
      description:
        "`[from, to)` by slot. A page may hold fewer items than `limit`, even none, and still have a cursor: go on until it is null.",
      answers: { 200: { description: "A page", schema: items } },
      refuses: ["invalid_instant"],
    }),
    accept("param", namePath),
    accept("query", historyQuery),
    async (c) => {
      const { name } = c.req.valid("param");
      const query = rangeOf(c.req.valid("query"), c.var.now);
      const stretch = await historyOf(deps, { namespace: c.var.namespace, name, ...query });
      const message = `There is no schedule ${name} here, and there never was.`;
      return stretch ? c.json(page(stretch)) : refuse(c, { code: "not_found", message });
    },
  );

  app.get(
    "/v1/occurrences",
    operation({
      id: "listOccurrences",
      tag: "Occurrences",
      scope: "read",
      summary: "Occurrences and gap rows of a namespace, as far as the ledger knows them",
      description:
        "`[from, to)` by slot. A filter looks at a bounded stretch of time: a page may hold fewer items than `limit`, even none, and still have a cursor.",
      answers: { 200: { description: "A page", schema: items } },
      refuses: ["invalid_instant"],
    }),
    accept("query", occurrencesQuery),
    async (c) => c.json(await itemsOf(deps, c.var, c.req.valid("query"))),
  );

  return app;
}

/** A page of what `GET /v1/occurrences` lists. */
export async function itemsOf(
  deps: Deps,
  { namespace, principal, now }: AppEnv["Variables"],
  query: v.InferOutput<typeof occurrencesQuery>,
) {
  const { state = null, reason = null, kind = null, schedule, ...range } = query;
  const { schedules } = principal;
  const { from, to, before, limit } = rangeOf(range, now);
  const filter = { state, reason, kind };
  if (schedule !== undefined) {
    const isSeen = coversSchedule(principal, schedule);
    const stretch = isSeen
      ? await historyOf(deps, { namespace, name: schedule, from, to, before, limit })
      : null;
    return page(only(filter, stretch ?? { items: [], end: null }));
  }
  const start = before ?? { slot: to, schedule: "", variant: "" };
  return page(await deps.ledger.occurrences({ ...filter, namespace, schedules, from, before: start, limit }));
}

interface Range {
  from: number;
  to: number;
  before: Position | null;
  limit: number;
}

function rangeOf(
  query: { from?: number; to?: number; cursor?: Position; limit: number },
  now: number,
): Range {
  const { from = 0, to = now + CLOCKS_DIFFER_MS, cursor = null, limit } = query;
  return { from, to, before: cursor, limit };
}

/** What one schedule has done lately, newest first. Null: there is none, and there never was. */
export function lately(
  deps: Deps,
  subject: { namespace: string; name: string },
  now: number,
  limit: number,
): Promise<Stretch<HistoryItem> | null> {
  return historyOf(deps, { ...subject, ...rangeOf({ limit }, now) });
}

/** The ledger's history with the object's open occurrences over it: the ledger has them late, or not yet. */
async function historyOf(
  deps: Deps,
  { namespace, name, ...range }: Range & { namespace: string; name: string },
): Promise<Stretch<HistoryItem> | null> {
  const [entry, open] = await Promise.all([
    deps.ledger.schedule(namespace, name),
    deps.schedule(namespace, name).open(),
  ]);
  if (!entry && !open.ok) return null;
  const recorded = entry ? await deps.ledger.history(entry, range) : { items: [], end: null };
  const live = open.ok ? placeOpen(scheduleKey(namespace, name), open.value, range) : [];
  return merge([{ items: live, end: null }, recorded], range.limit);
}

function placeOpen(
  schedule: string,
  open: OccurrenceView[],
  { from, to, before }: Range,
): Placed<HistoryItem>[] {
  return open
    .flatMap((item) => {
      const id = parseOccurrenceId(item.id);
      return id.ok ? [{ at: { slot: id.value.slot, schedule, variant: id.value.variant }, item }] : [];
    })
    .filter(({ at }) => at.slot >= from && at.slot < to && (!before || compare(at, before) < 0));
}

function only(filter: ItemFilter, { items, end }: Stretch<HistoryItem>): Stretch<HistoryItem> {
  const isAsked = (item: HistoryItem) =>
    (filter.kind === null || item.kind === filter.kind) &&
    (filter.reason === null || item.reason === filter.reason) &&
    (filter.state === null || filter.state === ("state" in item ? item.state : "skipped"));
  return { items: items.filter(({ item }) => isAsked(item)), end };
}

function page({ items, end }: Stretch<HistoryItem>) {
  return { items: items.map(({ item }) => item), nextCursor: cursorOf(end) };
}
