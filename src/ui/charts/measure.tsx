/** One number of each run over the last runs, as bars from oldest to newest. */
import { percentile } from "../../watch/measures.ts";
import { span } from "../when.ts";
import type { Tone } from "../marks.tsx";

export interface Point {
  /** In ms. */
  value: number;
  tone: Tone;
}

const WIDTH = 400;
const HEIGHT = 88;
/** A few runs make no wall of a chart. */
const BARS_LEAST = 40;
/** What sticks out further than this many times the 95th percentile is cut off, and says so. */
const OUTLIER = 3;

export function Measure({ id, title, points }: { id: string; title: string; points: Point[] }) {
  const values = points.map(({ value }) => value);
  const [p50, p95, max] = [0.5, 0.95, 1].map((share) => percentile(values, share) ?? 0) as [
    number,
    number,
    number,
  ];
  const top = niceAbove(max > OUTLIER * p95 && p95 > 0 ? OUTLIER * p95 : max);
  const step = WIDTH / Math.max(points.length, BARS_LEAST);
  const heightOf = (value: number) => Math.max(1.5, (Math.min(value, top) / top) * HEIGHT);
  const byTone = Map.groupBy(points.entries(), ([, { tone }]) => tone);
  const y = (value: number) => HEIGHT - (value / top) * HEIGHT;
  return (
    <figure class="measure">
      <figcaption>
        <h3>{title}</h3>
        {points.length > 0 && (
          <p>
            <b>{span(p50)}</b> <small>median</small> <b>{span(p95)}</b> <small>p95</small>
          </p>
        )}
      </figcaption>
      {points.length === 0 ? (
        <p class="muted">No run has been measured yet.</p>
      ) : (
        <svg
          class="chart"
          viewBox={`0 -6 ${WIDTH} ${HEIGHT + 8}`}
          role="img"
          aria-labelledby={`${id}-title ${id}-desc`}
        >
          <title id={`${id}-title`}>{title}</title>
          <desc id={`${id}-desc`}>
            {`${points.length} runs, oldest first: median ${span(p50)}, 95th percentile ${span(p95)}, longest ${span(max)}.`}
          </desc>
          <path class="axis" d={`M0 ${HEIGHT}H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 0H${WIDTH}`} fill="none" />
          {[...byTone].map(([tone, bars]) => (
            <path
              class={`stroke-${tone}`}
              fill="none"
              stroke-width={round(Math.min(step * 0.68, 7))}
              d={bars
                .map(
                  ([i, { value }]) =>
                    `M${round(WIDTH - (points.length - i - 0.5) * step)} ${HEIGHT}v${round(-heightOf(value))}`,
                )
                .join("")}
            />
          ))}
          <path class="middle" d={`M0 ${round(y(Math.min(p50, top)))}H${WIDTH}`} fill="none" />
          <text class="halo" x="0" y="9">
            {span(top)}
          </text>
          {max > top && <text class="halo" x={WIDTH} y="9" text-anchor="end">{`longest ${span(max)}`}</text>}
        </svg>
      )}
    </figure>
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** The least of 1, 2, 5 × 10ⁿ that is not below, and 10 at least: nobody needs a chart of single milliseconds. */
export function niceAbove(value: number): number {
  if (value <= 10) return 10;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5, 10].find((digit) => digit * power >= value) ?? 10);
}
