/** What can be done to a schedule by hand, each with a dialog that says what it will do. */
import { CATCH_UP_POLICIES, OVERLAPS, type CatchUpPolicy } from "../core/schedule.ts";
import type { ScheduleView } from "../schedule/stub.ts";
import { Dialog, Field, Opener } from "./dialogs.tsx";
import type { Viewer } from "./viewer.ts";
import { count, timeIn } from "./when.ts";

interface Of {
  view: ScheduleView;
  viewer: Viewer;
  /** Slots that have passed while it was paused. */
  passed: { count: number; isCut: boolean };
}

export function Buttons({ view, viewer }: Of) {
  const isOver = view.state === "completed" || view.state === "deleted";
  return (
    <>
      {viewer.can("trigger") && <Opener id="trigger">Run now…</Opener>}
      {viewer.can("trigger") && <Opener id="backfill">Backfill…</Opener>}
      {viewer.can("write") && view.state === "active" && <Opener id="pause">Pause…</Opener>}
      {viewer.can("write") && view.state === "paused" && (
        <Opener id="resume" isQuiet={false}>
          Resume…
        </Opener>
      )}
      {viewer.can("write") && (
        <a class="button quiet" href={viewer.link("/playground", { schedule: view.name })}>
          {isOver ? "Use as a draft" : "Edit a copy"}
        </a>
      )}
      {viewer.can("write") && <Opener id="delete">Delete…</Opener>}
    </>
  );
}

export function Dialogs(of: Of) {
  const { viewer, view } = of;
  return (
    <>
      {viewer.can("trigger") && <Trigger {...of} />}
      {viewer.can("trigger") && <Backfill {...of} />}
      {viewer.can("write") && view.state === "active" && <Pause {...of} />}
      {viewer.can("write") && view.state === "paused" && <Resume {...of} />}
      {viewer.can("write") && <Delete {...of} />}
    </>
  );
}

function Trigger({ view, viewer }: Of) {
  const { overlap, tracked } = view.definition;
  return (
    <Dialog
      id="trigger"
      title="Run it now"
      says="One run starts beside the plan. The slots ahead stay as they are, and what it does counts neither as a failure in a row nor towards maxOccurrences."
      api={`POST /v1/schedules/${view.name}/trigger`}
      then={viewer.link("/occurrences/{id}")}
      verb="Run now"
    >
      <Field id="trigger-payload" label="Payload, as JSON" hint="Empty: the one of the schedule.">
        <textarea
          id="trigger-payload"
          name="payload"
          data-type="json"
          spellcheck={false}
          aria-describedby="trigger-payload-hint"
        />
      </Field>
      {tracked === true && (
        <Field id="trigger-overlap" label="If a run is going">
          <select id="trigger-overlap" name="overlap">
            <option value="">{`As the schedule says (${overlap as string})`}</option>
            {OVERLAPS.map((one) => (
              <option value={one}>{OVERLAP_WORDS[one]}</option>
            ))}
          </select>
        </Field>
      )}
    </Dialog>
  );
}

export const OVERLAP_WORDS: Record<(typeof OVERLAPS)[number], string> = {
  skip: "skip: do not run",
  buffer_one: "buffer_one: wait, one at a time",
  buffer_all: "buffer_all: wait in line",
  cancel_other: "cancel_other: ask the oldest to stop, and wait",
  terminate_other: "terminate_other: end the oldest at once",
  allow: "allow: run beside it",
};

function Pause({ view, viewer }: Of) {
  return (
    <Dialog
      id="pause"
      title={`Pause ${view.name}`}
      says="No new slot will run. What is running goes on, and the slots that pass are kept in mind until it is resumed."
      api={`POST /v1/schedules/${view.name}/pause`}
      verb="Pause"
    >
      <Field id="pause-note" label="Why (everybody will read it)">
        <input id="pause-note" name="note" maxlength={1000} autocomplete="off" />
      </Field>
      <Field
        id="pause-until"
        label={`Until, on your clock (${viewer.zone})`}
        hint="Empty: until somebody resumes it. It then goes on by itself, and the slots that passed are recorded as paused."
      >
        <input
          id="pause-until"
          name="until"
          type="datetime-local"
          data-type="instant"
          aria-describedby="pause-until-hint"
        />
      </Field>
    </Dialog>
  );
}

const MADE_UP: Record<CatchUpPolicy, string> = {
  skip: "Record them as missed, and run none",
  latest: "Run once for all of them",
  all: "Run the missed ones one after another, as far as the limit goes",
};

function Resume({ view, viewer, passed }: Of) {
  const from = view.pause && timeIn(Date.parse(view.pause.from), viewer.zone, viewer.now);
  const slots = `${passed.isCut ? "More than " : ""}${count(passed.count)} ${passed.count === 1 ? "slot has" : "slots have"}`;
  return (
    <Dialog
      id="resume"
      title={`Resume ${view.name}`}
      says={`${slots} passed since it was paused${from ? ` at ${from}` : ""}. From now on it runs as planned; say what becomes of those.`}
      api={`POST /v1/schedules/${view.name}/resume`}
      verb="Resume"
    >
      <fieldset class="choices">
        <legend>The slots that passed</legend>
        <label>
          <input type="radio" name="catchUp" value="" checked />
          <span>Leave them: they are recorded as paused</span>
        </label>
        {CATCH_UP_POLICIES.map((policy) => (
          <label>
            <input type="radio" name="catchUp" value={policy} />
            <span>{MADE_UP[policy]}</span>
          </label>
        ))}
      </fieldset>
      <Field id="resume-note" label="Note">
        <input id="resume-note" name="note" maxlength={1000} autocomplete="off" />
      </Field>
    </Dialog>
  );
}

function Backfill({ view, viewer }: Of) {
  return (
    <dialog id="backfill" aria-labelledby="backfill-title" aria-describedby="backfill-says">
      <form method="dialog" data-api={`POST /v1/schedules/${view.name}/backfill`} data-backfill>
        <h2 id="backfill-title">Run a past range</h2>
        <p id="backfill-says">
          The slots of the range run under the current revision, behind those that are due. First see which
          they are: that runs nothing.
        </p>
        <div class="pair">
          <Field id="backfill-from" label={`From (${viewer.zone})`}>
            <input id="backfill-from" name="from" type="datetime-local" data-type="instant" required />
          </Field>
          <Field id="backfill-to" label="Up to, that one left out">
            <input id="backfill-to" name="to" type="datetime-local" data-type="instant" required />
          </Field>
        </div>
        <div class="pair">
          <Field id="backfill-order" label="Order">
            <select id="backfill-order" name="order">
              <option value="oldest">Oldest first</option>
              <option value="newest">Newest first</option>
            </select>
          </Field>
          <Field id="backfill-limit" label="At most">
            <input
              id="backfill-limit"
              name="limit"
              type="number"
              min="1"
              max="1000"
              value="100"
              data-type="number"
            />
          </Field>
        </div>
        <label class="check">
          <input type="checkbox" name="rerun" />
          <span>Also those that have succeeded, or are open</span>
        </label>
        <div class="outcome" role="status" data-outcome></div>
        <p class="trouble" role="alert"></p>
        <div class="actions">
          <button type="button" class="quiet" data-close>
            Leave it
          </button>
          <button name="dryRun" value="true" data-type="boolean">
            See what would run
          </button>
          <button name="dryRun" value="false" data-type="boolean" data-confirm hidden></button>
        </div>
      </form>
    </dialog>
  );
}

function Delete({ view, viewer }: Of) {
  const open = Object.values(view.open).reduce((sum, some) => sum + (some ?? 0), 0);
  return (
    <Dialog
      id="delete"
      title={`Delete ${view.name}`}
      says={`It will never run again. ${open === 0 ? "Nothing is open." : `Of the ${count(open)} open, what has not started is cancelled, and running work finishes.`} Its history stays.`}
      api={`DELETE /v1/schedules/${view.name}`}
      then={viewer.link("/schedules")}
      verb="Delete for good"
      isDanger
    />
  );
}
