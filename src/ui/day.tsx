/** The day behind and the day ahead: a picture each, its words, and the same again as a table. */
import type { Ahead } from "./ahead.ts";
import { BUCKET_MS, type Behind } from "./behind.ts";
import { DayAhead, describeAhead } from "./charts/ahead.tsx";
import { clockRange } from "./charts/axis.tsx";
import { atMost, describeLate, Lateness } from "./charts/lateness.tsx";
import { ABOVE, BELOW, describeOutcomes, Outcomes, sizeOf } from "./charts/outcomes.tsx";
import { Empty } from "./parts.tsx";
import type { Viewer } from "./viewer.ts";
import { count } from "./when.ts";
import { formatInstant } from "../core/time.ts";

const GROUPS = [...ABOVE, ...BELOW];

export function BehindCard({ behind, viewer }: { behind: Behind; viewer: Viewer }) {
  const { zone, now } = viewer;
  const isCut = behind.stretches.some((stretch) => stretch.isCut);
  return (
    <section class="card" aria-labelledby="behind">
      <header>
        <h2 id="behind">The last 24 hours</h2>
        <p>{describeOutcomes(behind)}</p>
      </header>
      <div class="body">
        <Outcomes behind={behind} zone={zone} now={now} />
        <ul class="legend">
          {GROUPS.filter((group) => sizeOf(group, behind) > 0).map(({ name, className, fill }) => (
            <li>
              <svg width="12" height="12" aria-hidden="true">
                <rect class={`swatch ${className}`} fill={fill} width="12" height="12" />
              </svg>
              {name}
            </li>
          ))}
        </ul>
        <h3>Lateness</h3>
        <p class="muted small">{describeLate(behind.late)}</p>
        {behind.late.p50 !== null && <Lateness behind={behind} zone={zone} now={now} />}
        {isCut && (
          <p class="muted small">
            Some half hours hold more occurrences than were counted; their bars end early.
          </p>
        )}
        <BehindTable behind={behind} viewer={viewer} />
      </div>
    </section>
  );
}

function BehindTable({ behind, viewer }: { behind: Behind; viewer: Viewer }) {
  const shown = behind.stretches.filter((one) => GROUPS.some((group) => sizeOf(group, one) > 0)).toReversed();
  const groups = GROUPS.filter((group) => sizeOf(group, behind) > 0);
  if (shown.length === 0) return null;
  return (
    <details class="more">
      <summary>As a table</summary>
      <div class="scroll" tabindex={0} role="region" aria-label="The last 24 hours as a table">
        <table>
          <thead>
            <tr>
              <th scope="col">{viewer.zone}</th>
              {groups.map(({ name }) => (
                <th scope="col" class="number">
                  {name}
                </th>
              ))}
              <th scope="col" class="number">
                half late
              </th>
              <th scope="col" class="number">
                99 %
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((one) => (
              <tr>
                <th scope="row">
                  <a
                    href={viewer.link("/occurrences", {
                      from: formatInstant(one.from),
                      to: formatInstant(one.from + BUCKET_MS),
                    })}
                  >
                    {clockRange(one.from, BUCKET_MS, viewer.zone)}
                  </a>
                </th>
                {groups.map((group) => (
                  <td class="number">{count(sizeOf(group, one))}</td>
                ))}
                <td class="number">{one.late.p50 === null ? "–" : atMost(one.late.p50)}</td>
                <td class="number">{one.late.p99 === null ? "–" : atMost(one.late.p99)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

/** Herds are worth a hint: most of them are a round hour that nobody meant. */
export function AheadCard({ ahead, viewer }: { ahead: Ahead; viewer: Viewer }) {
  const { zone, now } = viewer;
  const { counted, schedules, delays, herds } = ahead;
  return (
    <section class="card" aria-labelledby="ahead">
      <header>
        <h2 id="ahead">The next 24 hours</h2>
        <p>{describeAhead(ahead, zone)}</p>
      </header>
      <div class="body">
        {schedules === 0 ? (
          <Empty>
            <b>No active schedule.</b>
            <p>
              Try a trigger in the <a href={viewer.link("/playground")}>playground</a>, and create one from
              it.
            </p>
          </Empty>
        ) : (
          <>
            <DayAhead ahead={ahead} zone={zone} now={now} />
            <ul class="legend">
              <li>
                <svg width="12" height="12" aria-hidden="true">
                  <rect class="ahead" width="12" height="12" />
                </svg>
                slots in half an hour
              </li>
              <li>
                <svg width="12" height="12" aria-hidden="true">
                  <rect class="peak" width="12" height="12" />
                </svg>
                of these, in the fullest minute
              </li>
            </ul>
            {herds.length > 0 && (
              <p class="muted small">
                Many slots in one minute are a herd: <code>jitter</code> spreads them.
              </p>
            )}
            {delays > 0 && (
              <p class="muted small">
                Without {count(delays)} with a fixed delay: each of their slots follows the end of the run
                before.
              </p>
            )}
            {counted < schedules && (
              <p class="muted small">
                {count(counted)} of {count(schedules)} schedules are counted so far; the others follow in a
                moment.
              </p>
            )}
            <AheadTable ahead={ahead} viewer={viewer} />
          </>
        )}
      </div>
    </section>
  );
}

function AheadTable({ ahead, viewer }: { ahead: Ahead; viewer: Viewer }) {
  const shown = ahead.buckets.filter(({ slots }) => slots > 0);
  if (shown.length === 0) return null;
  return (
    <details class="more">
      <summary>As a table</summary>
      <div class="scroll" tabindex={0} role="region" aria-label="The next 24 hours as a table">
        <table>
          <thead>
            <tr>
              <th scope="col">{viewer.zone}</th>
              <th scope="col" class="number">
                slots
              </th>
              <th scope="col" class="number">
                in the fullest minute
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ from, slots, peak }) => (
              <tr>
                <th scope="row">{clockRange(from, BUCKET_MS, viewer.zone)}</th>
                <td class="number">{count(slots)}</td>
                <td class="number">{count(peak)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
