/** How late a day's slots left, by half hour: the middle one as a dot, the slowest of a hundred as a bar above it. */
import { BUCKET_MS, LATE_BOUNDS, type Behind, type Late } from "../behind.ts";
import { span } from "../when.ts";
import { clockRange, Hours, percent, round } from "./axis.tsx";

const TOP = 12;
const BOTTOM = 76;
const HEIGHT = 94;
const LINES = [100, 10_000] as const;

const LEAST = Math.log(LATE_BOUNDS[0] / 2);
const MOST = Math.log(LATE_BOUNDS.at(-1)! * 2);

/** By magnitude: ten milliseconds and an hour have to fit into one picture. */
function heightOf(ms: number): number {
  const at = (Math.log(Math.min(ms, LATE_BOUNDS.at(-1)! * 2)) - LEAST) / (MOST - LEAST);
  return round(BOTTOM - at * (BOTTOM - TOP));
}

export function Lateness({ behind, zone, now }: { behind: Behind; zone: string; now: number }) {
  return (
    <svg class="chart" height={HEIGHT} role="img" aria-labelledby="lateness-title lateness-desc">
      <title id="lateness-title">Lateness of the last 24 hours, by half hour</title>
      <desc id="lateness-desc">{describeLate(behind.late)}</desc>
      <Hours span={behind} zone={zone} y={BOTTOM} height={BOTTOM - TOP} />
      {LINES.map((ms) => (
        <g>
          <line class="axis" x1="0" x2="100%" y1={heightOf(ms)} y2={heightOf(ms)} />
          <text x="0" y={heightOf(ms) - 3}>
            {span(ms)}
          </text>
        </g>
      ))}
      {behind.stretches.map(({ from, late }) => {
        if (late.p50 === null || late.p99 === null) return null;
        const x = percent(from + BUCKET_MS * 0.39, behind);
        return (
          <g>
            <title>{`${clockRange(from, BUCKET_MS, zone)}: ${describeLate(late)}`}</title>
            <rect x={percent(from, behind)} width="2%" y={TOP} height={BOTTOM - TOP} fill="transparent" />
            <line class="stem" x1={x} x2={x} y1={heightOf(late.p50)} y2={heightOf(late.p99)} />
            <rect class="cap" x={percent(from, behind)} width="1.63%" y={heightOf(late.p99) - 1} height="2" />
            <circle class="tone-good" cx={x} cy={heightOf(late.p50)} r="2.5" />
          </g>
        );
      })}
      <line class="now" x1={percent(now, behind)} x2={percent(now, behind)} y1={TOP} y2={BOTTOM} />
    </svg>
  );
}

export function describeLate({ p50, p99 }: Late): string {
  if (p50 === null || p99 === null) return "Nothing was dispatched.";
  return `Half left ${atMost(p50)} late, 99 of 100 ${atMost(p99)}.`;
}

/** `≤ 50 ms`, `> 1 h` */
export function atMost(ms: number): string {
  return ms === Infinity ? `> ${span(LATE_BOUNDS.at(-1)!)}` : `≤ ${span(ms)}`;
}
