/** What is under way now, with the progress that it reports. */
import { StateMark } from "./marks.tsx";
import { Since } from "./parts.tsx";
import type { OccurrenceView } from "../schedule/stub.ts";
import type { Viewer } from "./viewer.ts";

export const FLIGHT_SHOWN = 6;

export function Flight({ runs, viewer }: { runs: OccurrenceView[]; viewer: Viewer }) {
  if (runs.length === 0) {
    return (
      <div class="empty">
        <b>No long run is under way.</b>
        <p>A run appears here with its first heartbeat, and one that is to be tried again as it waits.</p>
      </div>
    );
  }
  return (
    <ul class="attention">
      {runs.slice(0, FLIGHT_SHOWN).map((run) => (
        <li>
          <StateMark state={run.state} />
          <div>
            <a href={viewer.link(`/occurrences/${run.id}`)}>{run.schedule}</a> <Progress run={run} />
          </div>
          <Since at={run.startedAt ?? run.dispatchedAt ?? run.scheduledFor} viewer={viewer} />
        </li>
      ))}
      {runs.length > FLIGHT_SHOWN && (
        <li class="rest">
          <p>
            There is more: <a href={viewer.link("/occurrences", { state: "running" })}>all that runs</a>.
          </p>
        </li>
      )}
    </ul>
  );
}

export function Progress({ run: { progress, attempt, state } }: { run: OccurrenceView }) {
  const value = progress?.value ?? null;
  const note = progress?.note ?? (state === "running" ? "" : `attempt ${attempt}`);
  return (
    <>
      <bdi class="muted clip">{note}</bdi>
      {value !== null && value >= 0 && value <= 1 && (
        <span class="progress">
          <progress value={value} max={1} aria-label="Progress" />
          <small>{Math.round(value * 100)} %</small>
        </span>
      )}
    </>
  );
}
