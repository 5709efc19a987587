/** `/occurrences/{id}`: why it ran or did not, how its attempts went, what it was given and what came of it. */
import { Hono, type Context } from "hono";
import { explain } from "../core/explain.ts";
import { isFinal, parseOccurrenceId, type Occurrence } from "../core/occurrence.ts";
import { presentOccurrence } from "../core/present.ts";
import type { Json as JsonValue } from "../core/schedule.ts";
import { formatInstant } from "../core/time.ts";
import type { Deps } from "../http/context.ts";
import { explained, type Explained } from "../http/explain.ts";
import type { OccurrenceView } from "../schedule/stub.ts";
import { Attempts, lanesOf } from "./charts/attempts.tsx";
import { Json } from "./definition.tsx";
import { Dialog, Opener } from "./dialogs.tsx";
import { Evidence, Sentences } from "./explanation.tsx";
import { Progress } from "./flight.tsx";
import { Facts, KindWords } from "./occurrence-facts.tsx";
import { StateMark } from "./marks.tsx";
import { show, showPart } from "./page.tsx";
import { Heading, Live, Time } from "./parts.tsx";
import { troubled } from "./trouble.tsx";
import type { PageEnv, Viewer } from "./viewer.ts";

const LIVE_SECONDS = 3;

/** An occurrence with all that its page shows of it. */
interface Found {
  own: Occurrence;
  run: OccurrenceView;
  told: Explained;
  /** The others of its slot. */
  beside: OccurrenceView[];
  isOver: boolean;
}

export function occurrencePage(deps: Deps): Hono<PageEnv> {
  const app = new Hono<PageEnv>();

  app.get("/occurrences/:id", async (c) => {
    const address = parseOccurrenceId(c.req.param("id"));
    if (!address.ok) return troubled(c, address.error);
    const { name, slot, variant } = address.value;
    const [told, recorded] = await Promise.all([
      lookAt(deps, c, address.value),
      deps.ledger.occurrence(c.var.namespace, name, { slot, variant }),
    ]);
    if (!told.ok) return troubled(c, told.error);
    const found = told.value;
    const { viewer } = c.var;
    // Nothing of its own stands there, but why that is so can be told.
    if (found === null)
      return c.redirect(viewer.link(`/schedules/${name}/explain`, { at: formatInstant(slot) }), 303);
    const { run, own } = found;
    const defined = found.told.record.changes.findLast(
      ({ revision, definition }) => revision === own.revision && definition !== null,
    );
    const payload: JsonValue = recorded?.payload
      ? recorded.payload.value
      : (defined?.definition?.payload ?? null);
    return show(
      c,
      { title: run.id, section: "occurrences" },
      <>
        <Heading
          title={
            <>
              <a class="plain" href={viewer.link(`/schedules/${name}`)}>
                <bdi>{name}</bdi>
              </a>{" "}
              <span class="at">
                <Time at={run.scheduledFor} viewer={viewer} />
              </span>
            </>
          }
          lead={<KindWords run={run} viewer={viewer} />}
        >
          <Buttons found={found} viewer={viewer} />
        </Heading>
        {found.isOver ? (
          <Now found={found} viewer={viewer} />
        ) : (
          <Live id="run" from={viewer.link(`/occurrences/${run.id}/now`)} every={LIVE_SECONDS}>
            <Now found={found} viewer={viewer} />
          </Live>
        )}
        <div class="grid">
          <Facts run={found.run} beside={found.beside} viewer={viewer} />
          <div>
            {run.error !== null && (
              <section class="card" aria-labelledby="error">
                <header>
                  <h2 id="error">Error</h2>
                </header>
                <div class="body">
                  <pre class="error" tabindex={0} role="region" aria-label="The error in full">
                    <bdi>{run.error}</bdi>
                  </pre>
                </div>
              </section>
            )}
            <section class="card" aria-labelledby="result-title">
              <header>
                <h2 id="result-title">Result</h2>
              </header>
              <div class="body">
                {run.result === null ? (
                  <p class="muted">{found.isOver ? "It gave none." : "Not yet."}</p>
                ) : (
                  <Json id="result" name="The result" value={run.result} />
                )}
              </div>
            </section>
            <section class="card" aria-labelledby="payload-title">
              <header>
                <h2 id="payload-title">Payload</h2>
                <p>{recorded?.payload ? "Its own" : `Of revision ${run.revision}`}</p>
              </header>
              <div class="body">
                {payload === null ? (
                  <p class="muted">It was given none.</p>
                ) : (
                  <Json id="payload" name="The payload" value={payload} />
                )}
              </div>
            </section>
          </div>
        </div>
        <Dialogs found={found} viewer={viewer} />
      </>,
    );
  });

  app.get("/occurrences/:id/now", async (c) => {
    const address = parseOccurrenceId(c.req.param("id"));
    if (!address.ok) return troubled(c, address.error);
    const told = await lookAt(deps, c, address.value);
    if (!told.ok) return troubled(c, told.error);
    return showPart(c, told.value && <Now found={told.value} viewer={c.var.viewer} />);
  });

  return app;
}

type Address = { name: string; slot: number; variant: string };

/** The explanation of its slot has it, and all that ran beside it. Null: there is none. */
async function lookAt(deps: Deps, c: Context<PageEnv>, { name, slot, variant }: Address) {
  const { namespace, now } = c.var;
  const told = await explained(deps, { namespace, name }, formatInstant(slot), now);
  if (!told.ok) return told;
  const { record } = told.value;
  const all = [record.occurrence, ...record.beside].filter((one) => one !== null);
  const own = all.find((one) => one.variant === variant);
  if (!own) return { ok: true as const, value: null };
  const others = all.filter((one) => one !== own);
  const itself = { ...record, occurrence: own, beside: others };
  const found: Found = {
    own,
    run: presentOccurrence(namespace, name, own),
    told: { ...explain(itself), record: itself },
    beside: others.map((one) => presentOccurrence(namespace, name, one)),
    isOver: isFinal(own.state, own.tracked),
  };
  return { ok: true as const, value: found };
}

/** What changes while it is looked at. */
function Now({ found: { run, told, isOver }, viewer }: { found: Found; viewer: Viewer }) {
  const lanes = lanesOf(run);
  return (
    <section class="card" aria-labelledby="why">
      <div class="body">
        <div class="verdict">
          <h2 id="why">
            <StateMark state={run.state} />
          </h2>
          {run.state === "running" && <Progress run={run} />}
        </div>
        <Sentences sentences={told.sentences.filter((sentence) => !sentence.startsWith("Last error:"))} />
        {lanes.length > 0 && <Attempts lanes={lanes} from={Date.parse(run.effectiveAt)} now={viewer.now} />}
        {lanes.length > 0 && <AttemptTable run={run} viewer={viewer} />}
        {isOver && <Evidence told={told} viewer={viewer} />}
      </div>
    </section>
  );
}

function AttemptTable({ run, viewer }: { run: OccurrenceView; viewer: Viewer }) {
  return (
    <details class="more">
      <summary>The attempts as a table</summary>
      <div class="scroll" tabindex={0} role="region" aria-label="Attempts">
        <table>
          <thead>
            <tr>
              <th>#</th>
              <th>Dispatched</th>
              <th>Started</th>
              <th>Ended</th>
              <th>Outcome</th>
            </tr>
          </thead>
          <tbody>
            {run.attempts.map(({ attempt, dispatchedAt, startedAt, endedAt, outcome, error }) => (
              <tr>
                <td>{attempt}</td>
                <td>
                  <Time at={dispatchedAt} viewer={viewer} />
                </td>
                <td>
                  <Time at={startedAt} viewer={viewer} />
                </td>
                <td>
                  <Time at={endedAt} viewer={viewer} />
                </td>
                <td>
                  {outcome?.replaceAll("_", " ") ?? "–"}
                  {error && (
                    <p class="muted clip">
                      <bdi>{error.slice(0, 300)}</bdi>
                    </p>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function Buttons({ found: { isOver, run }, viewer }: { found: Found; viewer: Viewer }) {
  return (
    <>
      {viewer.can("trigger") && !isOver && <Opener id="cancel">Cancel…</Opener>}
      {viewer.can("trigger") && isOver && (
        <Opener id="replay" isQuiet={run.state === "succeeded"}>
          Replay…
        </Opener>
      )}
    </>
  );
}

function Dialogs({ found: { isOver, run }, viewer }: { found: Found; viewer: Viewer }) {
  if (!viewer.can("trigger")) return null;
  if (!isOver) {
    const says =
      run.state === "running"
        ? "Its worker is asked to stop with its next heartbeat. If it still completes, that counts; it is not tried again."
        : "It ends at once, and is not tried again.";
    return (
      <Dialog
        id="cancel"
        title="Cancel this run"
        says={says}
        api={`POST /v1/occurrences/${run.id}/cancel`}
        verb="Cancel the run"
        isDanger
      />
    );
  }
  return (
    <Dialog
      id="replay"
      title="Run it again"
      says="It runs once more, now, under a new identity that is linked to this one. This record stays as it is."
      api={`POST /v1/occurrences/${run.id}/replay`}
      then={viewer.link("/occurrences/{id}")}
      verb="Replay"
    >
      <fieldset class="choices">
        <legend>Payload and policies</legend>
        <label>
          <input type="radio" name="revision" value="" checked />
          <span>Its own: revision {run.revision}</span>
        </label>
        <label>
          <input type="radio" name="revision" value="current" />
          <span>Those in force now, except for a payload of its own</span>
        </label>
      </fieldset>
    </Dialog>
  );
}
