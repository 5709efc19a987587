/** `GET /occurrences`: what became of the slots of a namespace, newest first. */
import { Hono } from "hono";
import { SKIP_REASONS, STATES } from "../core/occurrence.ts";
import type { Deps } from "../http/context.ts";
import { itemsOf } from "../http/history.ts";
import { occurrencesQuery } from "../http/requests.ts";
import { ITEM_KINDS } from "../ledger/reads.ts";
import type { GapView, HistoryItem } from "../ledger/row.ts";
import type { OccurrenceView } from "../schedule/stub.ts";
import { Choice, Filters, Moment } from "./filters.tsx";
import { StateMark } from "./marks.tsx";
import { show } from "./page.tsx";
import { Empty, Heading, Pager, Time } from "./parts.tsx";
import { readQuery } from "./query.ts";
import type { PageEnv, Viewer } from "./viewer.ts";
import { count, span } from "./when.ts";

export function occurrences(deps: Deps): Hono<PageEnv> {
  const app = new Hono<PageEnv>();

  app.get("/occurrences", async (c) => {
    const { viewer } = c.var;
    const { query, given, troubles } = readQuery(c, occurrencesQuery);
    const { items, nextCursor } = await itemsOf(deps, c.var, query);
    const isFiltered = Object.keys(given).length > 0;
    return show(
      c,
      { title: "Occurrences", section: "occurrences" },
      <>
        <Heading title="Occurrences" />
        <section class="card" aria-label="Occurrences">
          <Filters path="/occurrences" viewer={viewer} troubles={troubles} isFiltered={isFiltered}>
            <div class="grow">
              <label for="schedule">Schedule</label>
              <input id="schedule" name="schedule" value={given.schedule} maxlength={128} />
            </div>
            <Choice name="state" label="State" options={STATES} value={given.state} any="any" />
            <Choice name="reason" label="Reason" options={SKIP_REASONS} value={given.reason} any="any" />
            <Choice name="kind" label="Kind" options={ITEM_KINDS} value={given.kind} any="any" />
            <Moment name="from" label="From" at={query.from} viewer={viewer} />
            <Moment name="to" label="Before" at={query.to} viewer={viewer} />
          </Filters>
          {items.length === 0 ? (
            <NoOccurrences isFiltered={isFiltered} goesOn={nextCursor !== null} viewer={viewer} />
          ) : (
            <OccurrenceTable items={items} viewer={viewer} />
          )}
          <Pager viewer={viewer} path="/occurrences" query={given} next={nextCursor} />
        </section>
      </>,
    );
  });

  return app;
}

export function OccurrenceTable({ items, viewer }: { items: HistoryItem[]; viewer: Viewer }) {
  return (
    <table class="stacked">
      <thead>
        <tr>
          <th scope="col">Slot</th>
          <th scope="col">Schedule</th>
          <th scope="col">Outcome</th>
          <th scope="col">Kind</th>
          <th scope="col" class="number">
            Late
          </th>
          <th scope="col" class="number">
            Ran for
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) =>
          item.kind === "gap" ? <GapRow gap={item} viewer={viewer} /> : <Row item={item} viewer={viewer} />,
        )}
      </tbody>
    </table>
  );
}

function Row({ item, viewer }: { item: OccurrenceView; viewer: Viewer }) {
  const { id, schedule, scheduledFor, state, reason, kind, attempt, error, latenessMs, durationMs } = item;
  return (
    <tr>
      <th scope="row">
        <a href={viewer.link(`/occurrences/${id}`)}>
          <Time at={scheduledFor} viewer={viewer} />
        </a>
      </th>
      <td data-label="Schedule">
        <a href={viewer.link(`/schedules/${schedule}`)}>{schedule}</a>
      </td>
      <td data-label="Outcome">
        <StateMark state={state} /> {reason && <small>{reason}</small>}
        {attempt > 1 && <small> after {attempt} attempts</small>}
        {error && <p class="muted small clipped">{error.slice(0, ERROR_SHOWN)}</p>}
      </td>
      <td data-label="Kind">{kind}</td>
      <td data-label="Late" class="number">
        {latenessMs === null ? "–" : span(latenessMs)}
      </td>
      <td data-label="Ran for" class="number">
        {durationMs === null ? "–" : span(durationMs)}
      </td>
    </tr>
  );
}

const ERROR_SHOWN = 200;

/** Slots that did not run, in a row and for the same reason: one line for all of them. */
function GapRow({ gap, viewer }: { gap: GapView; viewer: Viewer }) {
  return (
    <tr>
      <th scope="row">
        <Time at={gap.to} viewer={viewer} />
        {gap.count > 1 && (
          <p class="muted small">
            back to <Time at={gap.from} viewer={viewer} />
          </p>
        )}
      </th>
      <td data-label="Schedule">
        <a href={viewer.link(`/schedules/${gap.schedule}`)}>{gap.schedule}</a>
      </td>
      <td data-label="Outcome">
        <StateMark state="skipped" word={`${count(gap.count)} skipped`} /> <small>{gap.reason}</small>
      </td>
      <td data-label="Kind">gap</td>
      <td data-label="Late" class="number">
        –
      </td>
      <td data-label="Ran for" class="number">
        –
      </td>
    </tr>
  );
}

interface NoneProps {
  isFiltered: boolean;
  goesOn: boolean;
  viewer: Viewer;
}

/** A filter looks at a bounded stretch at a time, so an empty page may have others below it. */
function NoOccurrences({ isFiltered, goesOn, viewer }: NoneProps) {
  if (goesOn) {
    return (
      <Empty>
        <b>Nothing like this in the stretch that was searched.</b>
        <p>There may be some further back: go on to the older ones.</p>
      </Empty>
    );
  }
  return (
    <Empty>
      <b>{isFiltered ? "No occurrence is like this." : "Nothing has been due yet."}</b>
      <p>
        {isFiltered ? (
          <>
            Ask for less, or <a href={viewer.link("/occurrences")}>see all of them</a>.
          </>
        ) : (
          "Each slot that comes due is listed here, whether it ran or not."
        )}
      </p>
    </Empty>
  );
}
