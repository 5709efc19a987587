/** What a definition would do in a made-up world: runs as bars, slots that would not run hatched below, downtime behind both. */
import type { GapView } from "../../ledger/row.ts";
import type { OccurrenceView } from "../../schedule/stub.ts";

const WIDTH = 1000;
const LANE = 16;
const TICKS = 14;
const LANES_MAX = 6;
/** More than this is a wall whose bars nobody tells apart. */
const DRAWN_MAX = 800;

interface Props {
  occurrences: OccurrenceView[];
  gaps: GapView[];
  downtime: { from: number; to: number }[];
  from: number;
  to: number;
  summary: string;
}

export function Simulated({ occurrences, gaps, downtime, from, to, summary }: Props) {
  const x = (at: number) =>
    Math.round(((Math.min(to, Math.max(from, at)) - from) / (to - from)) * WIDTH * 10) / 10;
  const { bars, lanes } = laid(occurrences.slice(0, DRAWN_MAX), from, to);
  const height = lanes * (LANE + 3) + TICKS + 6;
  const skipped = occurrences.filter(({ state }) => state === "skipped").slice(0, DRAWN_MAX);
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${height}`}
      preserveAspectRatio="none"
      class="simulated"
      role="img"
      aria-label={summary}
      data-timeline
    >
      <title>{summary}</title>
      <rect class="ground" width={WIDTH} height={height} />
      {downtime.map((down) => (
        <rect
          class="down"
          x={x(down.from)}
          width={Math.max(1, x(down.to) - x(down.from))}
          height={height}
          data-band
        />
      ))}
      {bars.map(({ lane, begin, end, kind }) => (
        <rect
          class={kind}
          x={x(begin)}
          y={3 + lane * (LANE + 3)}
          width={Math.max(2, x(end) - x(begin))}
          height={LANE}
        />
      ))}
      {gaps.map((gap) => (
        <rect
          class="gone"
          x={x(Date.parse(gap.from)) - 1}
          y={height - TICKS}
          width={Math.max(3, x(Date.parse(gap.to)) - x(Date.parse(gap.from)) + 2)}
          height={TICKS - 3}
        />
      ))}
      {skipped.map(({ scheduledFor }) => (
        <rect
          class="gone"
          x={x(Date.parse(scheduledFor)) - 1}
          y={height - TICKS}
          width="3"
          height={TICKS - 3}
        />
      ))}
    </svg>
  );
}

interface Bar {
  lane: number;
  begin: number;
  end: number;
  kind: string;
}

/** Runs at the same time lie below each other. */
function laid(occurrences: OccurrenceView[], from: number, to: number): { bars: Bar[]; lanes: number } {
  const ends: number[] = [];
  const bars: Bar[] = [];
  const known = occurrences.flatMap(({ startedAt, dispatchedAt, finishedAt, state, kind }) => {
    const begin = Date.parse(startedAt ?? dispatchedAt ?? "");
    if (Number.isNaN(begin)) return [];
    return { begin, end: finishedAt ? Date.parse(finishedAt) : to, tone: toneOf(state, kind) };
  });
  for (const { begin, end, tone } of known.toSorted((a, b) => a.begin - b.begin)) {
    const free = ends.findIndex((last) => last <= begin);
    const lane = Math.min(free === -1 ? ends.length : free, LANES_MAX - 1);
    ends[lane] = Math.max(end, begin + (to - from) / 400);
    bars.push({ lane, begin, end, kind: tone });
  }
  return { bars, lanes: Math.max(1, ends.length) };
}

function toneOf(state: OccurrenceView["state"], kind: OccurrenceView["kind"]): string {
  if (state === "failed" || state === "expired") return "bad";
  if (state === "succeeded" || state === "dispatched") return kind === "catch_up" ? "odd" : "good";
  return "busy";
}
