/** What a schedule has done lately: its last slots as a strip, what did not go well in words, and how long it took. */
import type { GapView, HistoryItem } from "../ledger/row.ts";
import type { OccurrenceView } from "../schedule/stub.ts";
import { Measure, type Point } from "./charts/measure.tsx";
import { Strip, type Cell } from "./charts/strip.tsx";
import { StateMark, toneOf } from "./marks.tsx";
import { Empty, Time } from "./parts.tsx";
import { reasonWords } from "./reasons.ts";
import type { Viewer } from "./viewer.ts";
import { count, span, timeIn } from "./when.ts";

const SLOTS = 200;
const UNWELL = 30;

/** The newest slots, oldest first. A row of skipped slots counts as many as it holds. */
export function lastSlots(items: HistoryItem[]): HistoryItem[] {
  let slots = 0;
  const kept: HistoryItem[] = [];
  for (const item of items) {
    if (slots >= SLOTS) break;
    slots += item.kind === "gap" ? item.count : 1;
    kept.push(item);
  }
  return kept.toReversed();
}

export function Past({ items, viewer, name }: { items: HistoryItem[]; viewer: Viewer; name: string }) {
  if (items.length === 0) {
    return (
      <Empty>
        <b>Nothing has run yet.</b>
        The first slot stands below, under “What comes next”.
      </Empty>
    );
  }
  return (
    <>
      <Strip
        cells={items.map((item) => cellOf(item, viewer))}
        name={`The last slots of ${name}, oldest first`}
      />
      <Legend items={items} />
    </>
  );
}

/** The cells that are not as they should be, newest first, with the reason in words. */
export function Unwell({ items, viewer }: { items: HistoryItem[]; viewer: Viewer }) {
  const unwell = items.filter((item) => item.kind === "gap" || isUnwell(item)).toReversed();
  if (unwell.length === 0) return null;
  return (
    <details class="more">
      <summary>{`What did not run, or not well, and why (${unwell.length})`}</summary>
      <ul class="lines">
        {unwell.slice(0, UNWELL).map((item) => (
          <li>
            <StateMark state={item.kind === "gap" ? "skipped" : item.state} />
            <span>
              <a href={hrefOf(item, viewer)}>{whenOf(item, viewer)}</a>
            </span>
            <bdi class="muted">{whyOf(item)}</bdi>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Lateness is of the plan; the others are of every run. */
export function Measures({ items }: { items: HistoryItem[] }) {
  const runs = items.filter((item): item is OccurrenceView => item.kind !== "gap");
  const points = (of: (run: OccurrenceView) => number | null): Point[] =>
    runs.flatMap((run) => {
      const value = of(run);
      return value === null ? [] : [{ value: Math.max(0, value), tone: toneOf(run.state) }];
    });
  return (
    <div class="measures">
      <Measure
        id="late"
        title="Late by"
        points={points(({ kind, latenessMs }) => (kind === "scheduled" ? latenessMs : null))}
      />
      <Measure id="wait" title="Waited in the queue" points={points(({ queueWaitMs }) => queueWaitMs)} />
      <Measure id="ran" title="Ran for" points={points(({ durationMs }) => durationMs)} />
    </div>
  );
}

const NUMBERS = 60;

/** The charts above as numbers, newest first. */
export function MeasuresTable({ items, viewer }: { items: HistoryItem[]; viewer: Viewer }) {
  const runs = items.filter(
    (item): item is OccurrenceView => item.kind !== "gap" && item.state !== "skipped",
  );
  const shown = (ms: number | null) => (ms === null ? "–" : span(ms));
  return (
    <details class="more">
      <summary>These charts as a table</summary>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th>Slot</th>
              <th>State</th>
              <th class="number">Late by</th>
              <th class="number">Waited</th>
              <th class="number">Ran for</th>
            </tr>
          </thead>
          <tbody>
            {runs
              .toReversed()
              .slice(0, NUMBERS)
              .map((run) => (
                <tr>
                  <td>
                    <a href={hrefOf(run, viewer)}>
                      <Time at={run.scheduledFor} viewer={viewer} />
                    </a>
                  </td>
                  <td>
                    <StateMark state={run.state} />
                  </td>
                  <td class="number">{shown(run.latenessMs)}</td>
                  <td class="number">{shown(run.queueWaitMs)}</td>
                  <td class="number">{shown(run.durationMs)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function Legend({ items }: { items: HistoryItem[] }) {
  const states = new Map<OccurrenceView["state"], number>();
  for (const item of items) {
    const [state, slots] =
      item.kind === "gap" ? (["skipped", item.count] as const) : ([item.state, 1] as const);
    states.set(state, (states.get(state) ?? 0) + slots);
  }
  return (
    <ul class="legend">
      {[...states].map(([state, slots]) => (
        <li>
          <StateMark state={state} word={`${count(slots)} ${state}`} />
        </li>
      ))}
    </ul>
  );
}

function isUnwell({ state }: OccurrenceView): boolean {
  return ["failed", "expired", "cancelled", "skipped", "retrying"].includes(state);
}

function cellOf(item: HistoryItem, viewer: Viewer): Cell {
  const isGap = item.kind === "gap";
  const state = isGap ? "skipped" : item.state;
  const isHatched = state === "skipped";
  return {
    href: hrefOf(item, viewer),
    label: [whenOf(item, viewer), isGap ? "" : kindOf(item), state, whyOf(item)].filter(Boolean).join(" · "),
    tone: toneOf(state),
    shape:
      isHatched || state === "cancelled" || state === "buffered"
        ? "low"
        : state === "succeeded" || state === "dispatched"
          ? "mid"
          : "full",
    isHatched,
    slots: isGap ? item.count : 1,
  };
}

/** An occurrence has a page of its own; of slots that did not run, the last is explained. */
function hrefOf(item: HistoryItem, viewer: Viewer): string {
  return item.kind === "gap"
    ? viewer.link(`/schedules/${item.schedule}/explain`, { at: item.to })
    : viewer.link(`/occurrences/${item.id}`);
}

function whenOf(item: HistoryItem, viewer: Viewer): string {
  const at = (text: string) => timeIn(Date.parse(text), viewer.zone, viewer.now);
  if (item.kind !== "gap") return at(item.scheduledFor);
  return item.count === 1 ? at(item.to) : `${count(item.count)} slots, ${at(item.from)} to ${at(item.to)}`;
}

function kindOf({ kind }: OccurrenceView): string {
  return kind === "scheduled" ? "" : kind.replace("_", "-");
}

function whyOf(item: GapView | OccurrenceView): string {
  if (item.kind === "gap") return reasonWords(item.reason);
  if (isUnwell(item)) return reasonWords(item.reason) || (item.error ?? "").slice(0, 160);
  return item.durationMs === null ? "" : `ran for ${span(item.durationMs)}`;
}
