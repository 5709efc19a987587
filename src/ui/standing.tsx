/** How a schedule stands now: state and health, what comes, what runs, what has become of its slots. */
import type { Child } from "hono/jsx";
import type { OccurrenceView, ScheduleView } from "../schedule/stub.ts";
import { Progress } from "./flight.tsx";
import { HealthMark, StateMark } from "./marks.tsx";
import { Since, Time } from "./parts.tsx";
import type { Viewer } from "./viewer.ts";
import { count, span } from "./when.ts";

const RUNNING = 8;

interface Props {
  view: ScheduleView;
  running: OccurrenceView[];
  passed: { count: number; isCut: boolean };
  viewer: Viewer;
}

export function Standing({ view, running, passed, viewer }: Props) {
  const { health, nextSlot, pause, state } = view;
  const waiting = view.open.buffered ?? 0;
  return (
    <>
      {pause && (
        <p class="banner">
          <span>
            Paused <Since at={pause.from} viewer={viewer} /> by <bdi>{pause.who}</bdi>
            {pause.note && (
              <>
                : <bdi class="quote">{pause.note}</bdi>
              </>
            )}
          </span>
          <span class="muted">
            {pause.until ? (
              <>
                It goes on by itself <Since at={pause.until} viewer={viewer} />.
              </>
            ) : (
              "It waits for somebody to resume it."
            )}{" "}
            {passed.count > 0 &&
              `${passed.isCut ? "More than " : ""}${count(passed.count)} ${passed.count === 1 ? "slot has" : "slots have"} passed.`}
          </span>
        </p>
      )}
      <dl class="stats">
        <Stat name="Health">
          <HealthMark health={health.status} />
          {health.message && !pause && (
            <small>
              <bdi>{health.message}</bdi>
            </small>
          )}
        </Stat>
        <Stat name={state === "paused" ? "Next slot, if resumed" : "Next slot"}>
          {nextSlot ? (
            <>
              <Since at={nextSlot} viewer={viewer} />
              <small>
                <Time at={nextSlot} viewer={viewer} />
              </small>
            </>
          ) : (
            <span class="muted">{NOTHING_NEXT[state] ?? "none known yet"}</span>
          )}
        </Stat>
        <Stat name="Last success">
          {health.lastSucceededAt ? (
            <>
              <Since at={health.lastSucceededAt} viewer={viewer} />
              <small>
                {health.lastDurationMs !== null && `the last run took ${span(health.lastDurationMs)}`}
              </small>
            </>
          ) : (
            <span class="muted">none yet</span>
          )}
        </Stat>
        <Stat name="Last failure">
          {health.lastFailedAt ? (
            <>
              <Since at={health.lastFailedAt} viewer={viewer} />
              <small>
                {health.consecutiveFailures > 0
                  ? `${count(health.consecutiveFailures)} in a row now`
                  : Date.parse(health.lastSucceededAt ?? "") > Date.parse(health.lastFailedAt)
                    ? "it has succeeded since"
                    : ""}
              </small>
            </>
          ) : (
            <span class="muted">none</span>
          )}
        </Stat>
        <Stat name="Since it was created">
          <Counts counts={health.counts} />
        </Stat>
      </dl>
      {running.length > 0 && (
        <ul class="running">
          {running.slice(0, RUNNING).map((run) => (
            <li>
              <StateMark state={run.state} />
              <a href={viewer.link(`/occurrences/${run.id}`)}>
                <Time at={run.scheduledFor} viewer={viewer} />
              </a>
              <Progress run={run} />
            </li>
          ))}
        </ul>
      )}
      {waiting > 0 && (
        <p class="muted note-line">{`${count(waiting)} more ${waiting === 1 ? "waits" : "wait"} for a seat.`}</p>
      )}
    </>
  );
}

const NOTHING_NEXT: { [state: string]: string } = {
  completed: "none: it is completed",
  deleted: "none: it is deleted",
};

function Stat({ name, children }: { name: string; children?: Child }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const COUNTED = ["succeeded", "failed", "expired", "cancelled", "skipped", "dispatched"] as const;

function Counts({ counts }: { counts: { [word: string]: number } }) {
  const some = COUNTED.filter((state) => (counts[state] ?? 0) > 0);
  if (some.length === 0) return <span class="muted">nothing has ended yet</span>;
  return (
    <ul class="counts">
      {some.map((state) => (
        <li>
          <StateMark state={state} word={`${count(counts[state] ?? 0)} ${state}`} />
        </li>
      ))}
    </ul>
  );
}
