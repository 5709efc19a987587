/** `GET /`: what needs attention, then the day behind and the day ahead, then the schedules. */
import { Hono } from "hono";
import type { Deps } from "../http/context.ts";
import { schedulesQuery } from "../http/requests.ts";
import { entriesOf } from "../http/schedules.ts";
import type { Part, SharedRule } from "../ledger/overview.ts";
import type { OpenAlerts, Standing } from "../ledger/stats.ts";
import * as v from "valibot";
import { createAhead, type Ahead } from "./ahead.ts";
import { AttentionList, gatherAttention } from "./attention.tsx";
import { BUCKET_MS, BUCKETS, behindFrom, behindOf, LATE_BOUNDS, type Behind } from "./behind.ts";
import { AheadCard, BehindCard } from "./day.tsx";
import { Filters, Search } from "./filters.tsx";
import { Flight, FLIGHT_SHOWN } from "./flight.tsx";
import { keepFor } from "./kept.ts";
import { show, showPart } from "./page.tsx";
import { Heading, Live, Pager } from "./parts.tsx";
import { NoSchedules, rowsOf, ScheduleTable } from "./schedules.tsx";
import { Tiles } from "./tiles.tsx";
import type { PageEnv, Viewer } from "./viewer.ts";

const SCHEDULES_SHOWN = "25";
/** A day's picture changes slowly, and costs a look at a day's rows. */
const KEPT_MS = 60_000;

export interface Day {
  behind: Behind;
  ahead: Ahead;
}

export interface Counts {
  standing: Standing[];
  alerts: OpenAlerts[];
}

export function overview(deps: Deps): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  const dayOf = createDay(deps);

  app.get("/", async (c) => {
    const { viewer } = c.var;
    const query = v.parse(schedulesQuery, { limit: SCHEDULES_SHOWN });
    const [attention, runs, counts, day, list] = await Promise.all([
      gatherAttention(deps, viewer),
      runsOf(deps, viewer),
      countsOf(deps, viewer),
      dayOf(viewer),
      entriesOf(deps, c.var, query),
    ]);
    const rows = await rowsOf(deps, list.entries, viewer.now);
    return show(
      c,
      { title: "Overview", section: "overview" },
      <>
        <Heading title="Overview" />
        <Tiles counts={counts} day={day} />
        <div class="grid">
          <section class="card" aria-labelledby="attention">
            <header>
              <h2 id="attention">Needs attention</h2>
            </header>
            <Live id="attention-list" from={viewer.link("/parts/attention")} every={10}>
              <AttentionList attention={attention} viewer={viewer} />
            </Live>
          </section>
          <section class="card" aria-labelledby="flight">
            <header>
              <h2 id="flight">Under way</h2>
            </header>
            <Live id="flight-list" from={viewer.link("/parts/flight")} every={5}>
              <Flight runs={runs} viewer={viewer} />
            </Live>
          </section>
          <BehindCard behind={day.behind} viewer={viewer} />
          <AheadCard ahead={day.ahead} viewer={viewer} />
        </div>
        <section class="card" aria-labelledby="schedules">
          <header>
            <h2 id="schedules">Schedules</h2>
          </header>
          <Filters path="/schedules" viewer={viewer} isFiltered={false}>
            <Search value={undefined} label="Name, description or tag" />
          </Filters>
          {rows.length === 0 ? (
            <NoSchedules isFiltered={false} viewer={viewer} />
          ) : (
            <ScheduleTable rows={rows} viewer={viewer} />
          )}
          <Pager
            viewer={viewer}
            path="/schedules"
            query={{ limit: SCHEDULES_SHOWN }}
            next={list.nextCursor}
          />
        </section>
      </>,
    );
  });

  app.get("/parts/attention", async (c) => {
    const { viewer } = c.var;
    return showPart(c, <AttentionList attention={await gatherAttention(deps, viewer)} viewer={viewer} />);
  });

  app.get("/parts/flight", async (c) => {
    const { viewer } = c.var;
    return showPart(c, <Flight runs={await runsOf(deps, viewer)} viewer={viewer} />);
  });

  return app;
}

function runsOf(deps: Deps, { namespace, schedules }: Viewer) {
  return deps.ledger.inFlight({ namespace, schedules, limit: FLIGHT_SHOWN + 1 });
}

async function countsOf(deps: Deps, { namespace, schedules }: Viewer): Promise<Counts> {
  const part = { namespace, schedules };
  const [standing, alerts] = await Promise.all([deps.ledger.standing(part), deps.ledger.openAlerts(part)]);
  return { standing, alerts };
}

/** Kept by isolate: whoever else looks within the minute reads nothing. */
function createDay(deps: Deps): (viewer: Viewer) => Promise<Day> {
  const behinds = keepFor<Behind>(KEPT_MS);
  const rules = keepFor<SharedRule[]>(KEPT_MS);
  const aheadOf = createAhead();
  return async ({ namespace, schedules, now }) => {
    const part: Part = { namespace, schedules };
    const key = JSON.stringify(part);
    const [behind, shared] = await Promise.all([
      behinds.get(key, now, () => gatherBehind(deps, part, now)),
      rules.get(key, now, () => deps.ledger.rulesAhead(part)),
    ]);
    return { behind, ahead: aheadOf(shared, now) };
  };
}

async function gatherBehind(deps: Deps, part: Part, now: number): Promise<Behind> {
  const from = behindFrom(now);
  const query = { ...part, from, bucketMs: BUCKET_MS, buckets: BUCKETS, bounds: LATE_BOUNDS };
  const { buckets, gaps } = await deps.ledger.dayBehind(query);
  return behindOf(from, buckets, gaps);
}
