/** `GET /alerts`: what the sweep has found, open and resolved. */
import { Hono } from "hono";
import type { Deps } from "../http/context.ts";
import { alertsQuery } from "../http/requests.ts";
import { alertsOf, type AlertView } from "../http/watching.ts";
import { Choice, Filters } from "./filters.tsx";
import { AlertMark } from "./marks.tsx";
import { show } from "./page.tsx";
import { Empty, Heading, Pager, Time } from "./parts.tsx";
import { readQuery } from "./query.ts";
import type { PageEnv, Viewer } from "./viewer.ts";
import { span } from "./when.ts";

export function alerts(deps: Deps): Hono<PageEnv> {
  const app = new Hono<PageEnv>();

  app.get("/alerts", async (c) => {
    const { viewer } = c.var;
    const { query, given, troubles } = readQuery(c, alertsQuery);
    const { items, nextCursor } = await alertsOf(deps, c.var, query);
    const isFiltered = Object.keys(given).length > 0;
    return show(
      c,
      { title: "Alerts", section: "alerts" },
      <>
        <Heading
          title="Alerts"
          lead="Raised once and resolved once, by the sweep that compares what happened with what was promised."
        />
        <section class="card" aria-label="Alerts">
          <Filters path="/alerts" viewer={viewer} troubles={troubles} isFiltered={isFiltered}>
            <Choice name="state" label="State" options={["open", "resolved"]} value={given.state} any="any" />
            <div class="grow">
              <label for="schedule">Schedule</label>
              <input id="schedule" name="schedule" value={given.schedule} maxlength={128} />
            </div>
          </Filters>
          {items.length === 0 ? (
            <NoAlerts isFiltered={isFiltered} />
          ) : (
            <AlertTable items={items} viewer={viewer} />
          )}
          <Pager viewer={viewer} path="/alerts" query={given} next={nextCursor} />
        </section>
      </>,
    );
  });

  return app;
}

function AlertTable({ items, viewer }: { items: AlertView[]; viewer: Viewer }) {
  return (
    <table class="stacked">
      <thead>
        <tr>
          <th scope="col">State</th>
          <th scope="col">Schedule</th>
          <th scope="col">What</th>
          <th scope="col">Raised</th>
          <th scope="col">Lasted</th>
        </tr>
      </thead>
      <tbody>
        {items.map(({ schedule, kind, state, raisedAt, resolvedAt, message, occurrence }) => (
          <tr>
            <td data-label="State">
              <AlertMark isOpen={state === "open"} />
            </td>
            <th scope="row" data-label="Schedule">
              <a href={viewer.link(`/schedules/${schedule}`)}>{schedule}</a>
            </th>
            <td data-label="What">
              {message} <small>{kind}</small>
              {occurrence && (
                <p class="small">
                  <a href={viewer.link(`/occurrences/${occurrence}`)}>{occurrence}</a>
                </p>
              )}
            </td>
            <td data-label="Raised">
              <Time at={raisedAt} viewer={viewer} />
            </td>
            <td data-label="Lasted">
              {span((resolvedAt === null ? viewer.now : Date.parse(resolvedAt)) - Date.parse(raisedAt))}
              {resolvedAt === null && " so far"}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function NoAlerts({ isFiltered }: { isFiltered: boolean }) {
  return (
    <Empty>
      <b>{isFiltered ? "No alert is like this." : "No alert has been raised."}</b>
      <p>
        The sweep looks every minute. What else should raise one is said by <code>alerts</code> in a
        schedule's definition.
      </p>
    </Empty>
  );
}
