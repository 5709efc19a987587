/** What an operator has to look into: open alerts, schedules that are ill without one, a sweep that has stopped. */
import type { Deps } from "../http/context.ts";
import { BOUNDS } from "../core/limits.ts";
import type { Alert } from "../ledger/alerts.ts";
import type { Unwell } from "../ledger/overview.ts";
import { splitKey } from "../ledger/row.ts";
import { AlertMark, HealthMark } from "./marks.tsx";
import { Since } from "./parts.tsx";
import type { Viewer } from "./viewer.ts";
import { relative } from "./when.ts";

const SHOWN = 5;

export interface Attention {
  alerts: Alert[];
  unwell: Unwell[];
  /** Instant of the last pass; null: it never passed. */
  sweptAt: number | null;
  isSweepLate: boolean;
}

export async function gatherAttention(deps: Deps, viewer: Viewer): Promise<Attention> {
  const { namespace, schedules, now } = viewer;
  const part = { namespace, schedules };
  const open = { ...part, state: "open", schedule: null, before: null, limit: SHOWN } as const;
  const [alerts, unwell, sweep, isOld] = await Promise.all([
    deps.ledger.alerts(open),
    deps.ledger.unwell({ ...part, limit: 2 * SHOWN }),
    deps.ledger.lastSweep(),
    deps.ledger.hasActiveSince(now - BOUNDS.SWEEP_STALE_MS),
  ]);
  const told = new Set(alerts.map(({ schedule }) => splitKey(schedule).name));
  return {
    alerts,
    unwell: unwell.filter(({ name }) => !told.has(name)),
    sweptAt: sweep?.passedAt ?? null,
    isSweepLate: isOld && (sweep?.passedAt ?? 0) < now - BOUNDS.SWEEP_STALE_MS,
  };
}

const WORDS: { [health: string]: string } = {
  late: "A due slot has not been handled yet.",
  failing: "Its last runs failed or expired.",
  stalled: "Its consumer does not report.",
};

export function AttentionList({ attention, viewer }: { attention: Attention; viewer: Viewer }) {
  const { sweptAt, isSweepLate } = attention;
  const alerts = attention.alerts.slice(0, SHOWN);
  const unwell = attention.unwell.slice(0, SHOWN - alerts.length);
  const isMore = alerts.length + unwell.length < attention.alerts.length + attention.unwell.length;
  if (!isSweepLate && alerts.length + unwell.length === 0)
    return <AllWell sweptAt={sweptAt} viewer={viewer} />;
  return (
    <ul class="attention">
      {isSweepLate && (
        <li>
          <HealthMark health="stalled" />
          <p>
            <b>The sweep does not pass.</b>{" "}
            {sweptAt === null ? "It never has" : `The last time was ${relative(sweptAt, viewer.now)}`}, so
            nobody notices a missing run. Check the Worker's Cron Trigger.
          </p>
        </li>
      )}
      {alerts.map((alert) => {
        const { name } = splitKey(alert.schedule);
        return (
          <li>
            <AlertMark isOpen />
            <p>
              <a href={viewer.link(`/schedules/${name}`)}>{name}</a> {alert.message}
            </p>
            <Since at={alert.raisedAt} viewer={viewer} />
          </li>
        );
      })}
      {unwell.map(({ name, health, updatedAt }) => (
        <li>
          <HealthMark health={health} />
          <p>
            <a href={viewer.link(`/schedules/${name}`)}>{name}</a> {WORDS[health]}
          </p>
          <Since at={updatedAt} viewer={viewer} />
        </li>
      ))}
      {isMore && (
        <li class="rest">
          <p>
            There is more: <a href={viewer.link("/alerts", { state: "open" })}>open alerts</a>,{" "}
            {Object.keys(WORDS).map((health, i) => (
              <>
                {i > 0 && ", "}
                <a href={viewer.link("/schedules", { health })}>{health}</a>
              </>
            ))}{" "}
            schedules.
          </p>
        </li>
      )}
    </ul>
  );
}

function AllWell({ sweptAt, viewer }: { sweptAt: number | null; viewer: Viewer }) {
  return (
    <div class="empty">
      <p>
        <HealthMark health="healthy" />
      </p>
      <b>Nothing needs attention.</b>
      <p>
        No alert is open, and no schedule is late, failing or stalled.
        {sweptAt !== null && ` The sweep passed ${relative(sweptAt, viewer.now)}.`}
      </p>
    </div>
  );
}
