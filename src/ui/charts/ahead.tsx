/** What a day will bring, by half hour, and how much of it falls into one minute: herds are dark and have their time. */
import { localTimeIn } from "../../core/zone.ts";
import type { Ahead, AheadBucket, Herd } from "../ahead.ts";
import { BUCKET_MS, BUCKETS } from "../behind.ts";
import { count } from "../when.ts";
import { clockRange, Hours, percent, round, type Span } from "./axis.tsx";

const TOP = 34;
const LINE = 236;
const HEIGHT = 256;
const LEAST = 2;
const WIDTH = `${round((100 / BUCKETS) * 0.78)}%`;

export function DayAhead({ ahead, zone, now }: { ahead: Ahead; zone: string; now: number }) {
  const span = { from: ahead.from, to: ahead.from + BUCKETS * BUCKET_MS };
  const most = Math.max(1, ...ahead.buckets.map(({ slots }) => slots));
  const height = (slots: number) => (slots === 0 ? 0 : round(Math.max(LEAST, (slots / most) * (LINE - TOP))));
  return (
    <svg class="chart" height={HEIGHT} role="img" aria-labelledby="ahead-title ahead-desc">
      <title id="ahead-title">Slots of the next 24 hours, by half hour</title>
      <desc id="ahead-desc">{describeAhead(ahead, zone)}</desc>
      <Hours span={span} zone={zone} y={LINE} height={LINE - TOP} />
      {ahead.buckets.map((bucket) => {
        const [x, all, peak] = [percent(bucket.from, span), height(bucket.slots), height(bucket.peak)];
        return (
          <g>
            <title>{tellBucket(bucket, zone)}</title>
            <rect x={x} width={WIDTH} y={TOP} height={LINE - TOP} fill="transparent" />
            {all > 0 && <rect class="ahead" x={x} width={WIDTH} y={LINE - all} height={all} />}
            {bucket.peak > 1 && <rect class="peak" x={x} width={WIDTH} y={LINE - peak} height={peak} />}
          </g>
        );
      })}
      {ahead.herds.map((herd, i) => (
        <g class={i === 0 ? undefined : "minor"}>
          <HerdMark herd={herd} span={span} zone={zone} />
        </g>
      ))}
      <line class="base" x1="0" x2="100%" y1={LINE + 0.5} y2={LINE + 0.5} />
      <line class="now" x1={percent(now, span)} x2={percent(now, span)} y1={TOP - 6} y2={LINE} />
    </svg>
  );
}

function HerdMark({ herd: { at, slots }, span, zone }: { herd: Herd; span: Span; zone: string }) {
  const x = percent(at, span);
  const share = (at - span.from) / (span.to - span.from);
  const anchor = share < 0.1 ? "start" : share > 0.9 ? "end" : "middle";
  return (
    <>
      <line class="stem" x1={x} x2={x} y1={TOP - 14} y2={LINE} />
      <text class="strong" x={x} y={TOP - 20} text-anchor={anchor}>
        {`${localTimeIn(zone, at).slice(11, 16)} × ${count(slots)}`}
      </text>
    </>
  );
}

function tellBucket({ from, slots, peak }: AheadBucket, zone: string): string {
  const herd = peak > 1 ? `, ${count(peak)} in the fullest minute` : "";
  return `${clockRange(from, BUCKET_MS, zone)}: ${count(slots)} slots${herd}`;
}

export function describeAhead({ buckets, herds }: Ahead, zone: string): string {
  const slots = buckets.reduce((sum, bucket) => sum + bucket.slots, 0);
  if (slots === 0) return "No slot lies ahead.";
  const told = herds.map(({ at, slots: n }) => `${count(n)} at ${localTimeIn(zone, at).slice(11, 16)}`);
  return `${count(slots)} slots.${told.length === 0 ? "" : ` Fullest minutes: ${told.join(", ")}.`}`;
}
