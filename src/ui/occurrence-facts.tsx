/** What is on record of an occurrence: its slot, its times, its place among the others of that slot. */
import type { OccurrenceView } from "../schedule/stub.ts";
import { StateMark } from "./marks.tsx";
import { Since, Time } from "./parts.tsx";
import { reasonWords } from "./reasons.ts";
import type { Viewer } from "./viewer.ts";
import { span } from "./when.ts";

interface FactsProps {
  run: OccurrenceView;
  /** The others of its slot. */
  beside: OccurrenceView[];
  viewer: Viewer;
}

export function KindWords({ run, viewer }: { run: OccurrenceView; viewer: Viewer }) {
  const original = run.replayOf && (
    <a href={viewer.link(`/occurrences/${run.replayOf}`)}>
      <bdi>{run.replayOf}</bdi>
    </a>
  );
  switch (run.kind) {
    case "scheduled":
      return <>A slot of its plan</>;
    case "catch_up":
      return <>A catch-up: it made up for slots that were missed</>;
    case "manual":
      return <>A run by hand, beside the plan</>;
    case "backfill":
      return <>Part of a backfill</>;
    case "replay":
      return <>A replay of {original ?? "an earlier run"}</>;
    case "continuation":
      return <>It goes on with what {original ?? "the run before"} left to do</>;
  }
}

export function Facts({ run, beside, viewer }: FactsProps) {
  const { locals, effectiveAt, scheduledFor, latenessMs, queueWaitMs, durationMs, reason } = run;
  const took = (ms: number | null) => (ms === null ? <span class="muted">–</span> : span(ms));
  return (
    <section class="card" aria-labelledby="facts">
      <header>
        <h2 id="facts">On record</h2>
      </header>
      <div class="body">
        <dl class="facts">
          <dt>Slot</dt>
          <dd>
            <code>{scheduledFor}</code>, <Since at={scheduledFor} viewer={viewer} />
          </dd>
          {locals.map(({ timezone }) => (
            <>
              <dt>
                <bdi>{timezone}</bdi>
              </dt>
              <dd>
                <Time at={scheduledFor} viewer={viewer} zone={timezone} />
              </dd>
            </>
          ))}
          {effectiveAt !== scheduledFor && (
            <>
              <dt>With jitter</dt>
              <dd>
                <Time at={effectiveAt} viewer={viewer} />
              </dd>
            </>
          )}
          {reason && (
            <>
              <dt>Reason</dt>
              <dd>
                <bdi>{reasonWords(reason)}</bdi>
              </dd>
            </>
          )}
          <dt>Late by</dt>
          <dd>{took(latenessMs)}</dd>
          <dt>Waited</dt>
          <dd>{took(queueWaitMs)}</dd>
          <dt>Ran for</dt>
          <dd>{took(durationMs)}</dd>
          <dt>Revision</dt>
          <dd>{run.revision}</dd>
          <dt>Key</dt>
          <dd>
            <code>{run.key}</code>
          </dd>
          {beside.length > 0 && (
            <>
              <dt>Same slot</dt>
              <dd>
                <ul class="plain-list">
                  {beside.map(({ id, kind, state }) => (
                    <li>
                      <StateMark state={state} />{" "}
                      <a href={viewer.link(`/occurrences/${id}`)}>
                        {id.includes("~")
                          ? `${kind.replace("_", "-")} ${id.slice(id.indexOf("~"))}`
                          : "the slot itself"}
                      </a>
                    </li>
                  ))}
                </ul>
              </dd>
            </>
          )}
        </dl>
      </div>
    </section>
  );
}
