/** What the playground answers: the rule in words and on a calendar, what its policies would do, and both to take along. */
import type { PreviewResponse } from "../core/preview.ts";
import { formatInstant } from "../core/time.ts";
import { definitionOf } from "../http/preview.ts";
import type { SimulationView } from "../http/simulations.ts";
import { Month } from "./charts/month.tsx";
import { Simulated } from "./charts/simulated.tsx";
import { Json, Warnings, Words } from "./definition.tsx";
import { SLOTS_MAX, type worldOf } from "./draft.ts";
import { StateMark } from "./marks.tsx";
import { Time } from "./parts.tsx";
import { reasonWords } from "./reasons.ts";
import { Upcoming } from "./upcoming.tsx";
import type { Viewer } from "./viewer.ts";
import { count } from "./when.ts";

const LISTED = 8;
const LOST_MAX = 4;

interface RuleProps {
  preview: PreviewResponse;
  definition: Record<string, unknown> | null;
  from: number;
  viewer: Viewer;
}

export function Rule({ preview, definition, from, viewer }: RuleProps) {
  const { slots, suppressed, description, warnings, exhausted } = preview;
  const listed = slots.slice(0, LISTED);
  const last = listed.at(-1)?.localTime.slice(0, 19) ?? "";
  const lost = suppressed.filter(({ localTime }) => slots.length <= LISTED || localTime.slice(0, 19) <= last);
  return (
    <section class="card" aria-labelledby="rule">
      <div class="body">
        <div role="status">
          <h2 id="rule" class="rule">
            {description}
          </h2>
        </div>
        <Warnings warnings={warnings} />
        {definition && (
          <details class="more">
            <summary>The policies in words</summary>
            <Words description={description} definition={definitionOf({ definition: definition as never })} />
          </details>
        )}
        <div class="ahead-grid">
          <div>
            <h3>Next slots</h3>
            {listed.length === 0 ? (
              <p class="muted">
                {exhausted ? "Nothing comes after this." : "None in the coming two months."}
              </p>
            ) : (
              <Upcoming slots={listed} suppressed={lost.slice(0, LOST_MAX)} viewer={viewer} />
            )}
          </div>
          <Calendar preview={preview} from={from} viewer={viewer} />
        </div>
      </div>
    </section>
  );
}

function Calendar({
  preview: { slots, suppressed },
  from,
  viewer,
}: {
  preview: PreviewResponse;
  from: number;
  viewer: Viewer;
}) {
  const zone = slots[0]?.timezones[0] ?? suppressed[0]?.timezone ?? viewer.zone;
  const begin = new Date(Date.parse(slots[0]?.scheduledFor ?? formatInstant(from)));
  const months = [0, 1].map(
    (ahead) => new Date(Date.UTC(begin.getUTCFullYear(), begin.getUTCMonth() + ahead, 1)),
  );
  return (
    <div class="months">
      {months.map((first) => (
        <Month
          year={first.getUTCFullYear()}
          month={first.getUTCMonth() + 1}
          zone={zone}
          slots={slots.map(({ localTime }) => localTime)}
          lost={suppressed.map(({ localTime }) => localTime)}
        />
      ))}
      <p class="muted note-line">
        {`On the clock of ${zone}; ◷ marks a change of the clock.`}
        {slots.length === SLOTS_MAX && ` The first ${count(SLOTS_MAX)} slots are shown.`}
      </p>
    </div>
  );
}

interface WhatIfProps {
  told: SimulationView;
  world: ReturnType<typeof worldOf>;
  viewer: Viewer;
}

export function WhatIf({ told, world, viewer }: WhatIfProps) {
  const { counts, occurrences, gaps, truncated, reached } = told;
  const states = STATES.filter((state) => (counts[state] ?? 0) > 0);
  const reasons = Object.entries(counts).filter(([word]) => !(STATES as readonly string[]).includes(word));
  const summary = `${states.map((state) => `${count(counts[state] ?? 0)} ${state}`).join(", ") || "No slot"} in this stretch.`;
  return (
    <section class="card" aria-labelledby="what-if">
      <header>
        <h2 id="what-if">What would run</h2>
        <p>Drag over the picture to take the scheduler down, or use the sliders</p>
      </header>
      <div class="body">
        <Simulated
          occurrences={occurrences}
          gaps={gaps}
          downtime={world.downtime}
          from={world.from}
          to={world.to}
          summary={summary}
        />
        <p class="ends muted">
          <Time at={world.from} viewer={viewer} />
          <Time at={world.to} viewer={viewer} />
        </p>
        <ul class="legend">
          {states.map((state) => (
            <li>
              <StateMark state={state} word={`${count(counts[state] ?? 0)} ${state}`} />
            </li>
          ))}
          {occurrences.some(({ kind }) => kind === "catch_up") && (
            <li class="odd">{`${count(occurrences.filter(({ kind }) => kind === "catch_up").length)} of them as catch-up`}</li>
          )}
          {world.downtime.length > 0 && <li>▒ the scheduler is away</li>}
        </ul>
        {reasons.length > 0 && (
          <ul class="policies">
            {reasons.map(([reason, slots]) => (
              <li>{`${count(slots)} ${reason}: ${reasonWords(reason)}`}</li>
            ))}
          </ul>
        )}
        {truncated && (
          <p class="muted note-line">
            It was followed up to <Time at={reached} viewer={viewer} />: there is too much going on to look
            further.
          </p>
        )}
      </div>
    </section>
  );
}

const STATES = [
  "succeeded",
  "dispatched",
  "running",
  "retrying",
  "buffered",
  "failed",
  "expired",
  "cancelled",
  "skipped",
] as const;

/** Quoted for a shell: what stands in single quotes is only ended by one. */
function curl(path: string, body: object): string {
  const quoted = JSON.stringify(body).replaceAll("'", `'\\''`);
  return `curl -X POST "$CARILLON/${path}" -H "authorization: Bearer $TOKEN" -H "content-type: application/json" -d '${quoted}'`;
}

export function Copies({ definition, world }: { definition: object; world: object }) {
  return (
    <section class="card" aria-labelledby="copies">
      <header>
        <h2 id="copies">Take it along</h2>
      </header>
      <div class="body">
        <Json id="as-json" name="The definition" value={definition} />
        <details class="more">
          <summary>This simulation as curl</summary>
          <div class="json">
            <button type="button" class="quiet small" data-copy="as-curl">
              Copy
            </button>
            <pre id="as-curl" tabindex={0} role="region" aria-label="The simulation as curl">
              {curl("v1/simulate", world)}
            </pre>
          </div>
        </details>
      </div>
    </section>
  );
}

// ── the form ─────────────────────────────────────────────────────────────────────────────────────
