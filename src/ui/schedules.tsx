/** `GET /schedules`: all of them, found by name, tag, state and health. */
import { Hono } from "hono";
import { compile } from "../core/trigger.ts";
import type { Deps } from "../http/context.ts";
import { schedulesQuery } from "../http/requests.ts";
import { entriesOf } from "../http/schedules.ts";
import { SCHEDULE_STATES, type Entry } from "../ledger/directory.ts";
import type { Outcome } from "../ledger/reads.ts";
import { Choice, Filters, Search } from "./filters.tsx";
import { HealthMark, StateMark } from "./marks.tsx";
import { show } from "./page.tsx";
import { Empty, Heading, Pager, Since, Time } from "./parts.tsx";
import { readQuery } from "./query.ts";
import type { PageEnv, Viewer } from "./viewer.ts";

const HEALTHS = ["healthy", "late", "failing", "stalled", "waiting"] as const;

export function schedules(deps: Deps): Hono<PageEnv> {
  const app = new Hono<PageEnv>();

  app.get("/schedules", async (c) => {
    const { viewer } = c.var;
    const { query, given, troubles } = readQuery(c, schedulesQuery);
    const { entries, nextCursor } = await entriesOf(deps, c.var, query);
    const rows = await rowsOf(deps, entries, viewer.now);
    const isFiltered = Object.keys(given).length > 0;
    return show(
      c,
      { title: "Schedules", section: "schedules" },
      <>
        <Heading title="Schedules">
          {viewer.can("write") && (
            <a class="button" href={viewer.link("/playground")}>
              New schedule
            </a>
          )}
        </Heading>
        <section class="card" aria-label="Schedules">
          <Filters path="/schedules" viewer={viewer} troubles={troubles} isFiltered={isFiltered}>
            <Search value={given.q} label="Name, description or tag" />
            <Choice
              name="state"
              label="State"
              options={SCHEDULE_STATES}
              value={given.state}
              any="all but deleted"
            />
            <Choice name="health" label="Health" options={HEALTHS} value={given.health} any="any" />
            <div>
              <label for="tag">Tag</label>
              <input id="tag" name="tag" value={given.tag} maxlength={64} />
            </div>
          </Filters>
          {rows.length === 0 ? (
            <NoSchedules isFiltered={isFiltered} viewer={viewer} />
          ) : (
            <ScheduleTable rows={rows} viewer={viewer} />
          )}
          <Pager viewer={viewer} path="/schedules" query={given} next={nextCursor} />
        </section>
      </>,
    );
  });

  return app;
}

export interface ScheduleRow {
  entry: Entry;
  words: string;
  next: number | null;
  last: Outcome | null;
}

/** What the ledger's entry does not say: its rule in words, the slot ahead, and what became of the one behind. */
export async function rowsOf(deps: Deps, entries: Entry[], now: number): Promise<ScheduleRow[]> {
  const read = entries.map((entry) => {
    const { trigger, exclude = [], startAt = null, endAt = null } = entry.definition;
    const compiled = compile({ trigger, exclude, startAt, endAt });
    const timetable = compiled.ok ? compiled.value : null;
    const isActive = entry.state === "active";
    return {
      entry,
      words: timetable?.description ?? "",
      next: isActive ? (timetable?.next(now) ?? null) : null,
      slot: timetable?.prev(now) ?? null,
      isDelay: timetable?.kind === "delay",
    };
  });
  const wanted = read.filter(({ slot, isDelay }) => slot !== null || isDelay);
  const outcomes = await deps.ledger.outcomes(wanted);
  return read.map(({ entry, words, next }) => ({
    entry,
    words,
    next,
    last: outcomes.get(entry.name) ?? null,
  }));
}

export function ScheduleTable({ rows, viewer }: { rows: ScheduleRow[]; viewer: Viewer }) {
  return (
    <table class="stacked">
      <thead>
        <tr>
          <th scope="col">Schedule</th>
          <th scope="col">Health</th>
          <th scope="col">Last slot</th>
          <th scope="col">Next slot</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ entry, words, next, last }) => (
          <tr>
            <th scope="row">
              <a href={viewer.link(`/schedules/${entry.name}`)}>{entry.name}</a>{" "}
              {entry.tags.slice(0, TAGS_SHOWN).map((tag) => (
                <a class="tag" href={viewer.link("/schedules", { tag })}>
                  {tag}
                </a>
              ))}
              <p class="muted small">{words}</p>
            </th>
            <td data-label="Health">
              <HealthMark health={entry.state === "active" ? entry.health : entry.state} />
            </td>
            <td data-label="Last slot">
              {last ? (
                <>
                  <StateMark state={last.state} />{" "}
                  <small>
                    <Since at={last.slot} viewer={viewer} />
                  </small>
                </>
              ) : (
                <span class="muted">none yet</span>
              )}
            </td>
            <td data-label="Next slot">
              {next === null ? (
                <span class="muted">{nothingAhead(entry)}</span>
              ) : (
                <>
                  <Time at={next} viewer={viewer} />{" "}
                  <small>
                    <Since at={next} viewer={viewer} />
                  </small>
                </>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const TAGS_SHOWN = 3;

function nothingAhead({ state, definition: { trigger } }: Entry): string {
  if (state !== "active") return state;
  return "after" in [trigger].flat()[0]! ? "after its last run" : "none";
}

export function NoSchedules({ isFiltered, viewer }: { isFiltered: boolean; viewer: Viewer }) {
  if (isFiltered) {
    return (
      <Empty>
        <b>No schedule is like this.</b>
        <p>
          Ask for less, or <a href={viewer.link("/schedules")}>see all of them</a>.
        </p>
      </Empty>
    );
  }
  return (
    <Empty>
      <b>There is no schedule in the namespace {viewer.namespace} yet.</b>
      <p>
        Try a trigger in the <a href={viewer.link("/playground")}>playground</a> and create one from it, or
        send <code>PUT /v1/schedules/&lt;name&gt;</code>.
      </p>
    </Empty>
  );
}
