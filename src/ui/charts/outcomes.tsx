/** What became of the slots of a day: good ones stand on the line, what went wrong hangs below it. */
import type { State } from "../../core/occurrence.ts";
import { BUCKET_MS, type Behind, type Stretch } from "../behind.ts";
import { count } from "../when.ts";
import { clockRange, Hours, percent, round } from "./axis.tsx";

const TOP = 20;
const BOTTOM = 148;
const HEIGHT = 168;
/** However many there are beside it: what is there is seen. */
const LEAST = 3;
const SHARE = (BUCKET_MS / 86_400_000) * 100;
const WIDTH = `${round(SHARE * 0.78)}%`;

interface Group {
  name: string;
  states: readonly State[];
  className: string;
  fill?: string;
}

/** From the line upwards, and from the line downwards. */
export const ABOVE: readonly Group[] = [
  { name: "succeeded", states: ["succeeded"], className: "tone-good" },
  { name: "dispatched", states: ["dispatched", "running", "retrying"], className: "tone-way" },
  { name: "skipped", states: ["skipped"], className: "tone-skipped", fill: "url(#hatched)" },
  { name: "cancelled", states: ["cancelled"], className: "tone-idle" },
];
export const BELOW: readonly Group[] = [
  { name: "failed", states: ["failed"], className: "tone-bad" },
  { name: "expired", states: ["expired"], className: "tone-odd" },
];

export function sizeOf({ states }: Group, { byState }: Pick<Stretch, "byState">): number {
  return states.reduce((sum, state) => sum + (byState[state] ?? 0), 0);
}

export function Outcomes({ behind, zone, now }: { behind: Behind; zone: string; now: number }) {
  const { stretches } = behind;
  const most = Math.max(1, ...stretches.map((one) => total(ABOVE, one)));
  const worst = Math.max(0, ...stretches.map((one) => total(BELOW, one)));
  const scale = (BOTTOM - TOP) / (most + worst);
  // What hangs below the line is drawn to the same scale, and has room for the least that is seen.
  const line = Math.round(BOTTOM - Math.max(2 * LEAST, worst * scale));
  return (
    <svg class="chart" height={HEIGHT} role="img" aria-labelledby="outcomes-title outcomes-desc">
      <title id="outcomes-title">Outcomes of the last 24 hours, by half hour</title>
      <desc id="outcomes-desc">{describeOutcomes(behind)}</desc>
      <Hours span={behind} zone={zone} y={BOTTOM} height={BOTTOM - TOP} />
      {stretches.map((one) => (
        <g>
          <title>{tellStretch(one, zone)}</title>
          <rect
            x={percent(one.from, behind)}
            width={WIDTH}
            y={TOP}
            height={BOTTOM - TOP}
            fill="transparent"
          />
          {stack(ABOVE, one, Math.min(scale, (line - TOP) / most)).map(({ group, offset, size }) => (
            <Bar x={percent(one.from, behind)} group={group} y={line - offset - size} height={size} />
          ))}
          {stack(BELOW, one, scale).map(({ group, offset, size }) => (
            <Bar x={percent(one.from, behind)} group={group} y={line + 1 + offset} height={size} />
          ))}
        </g>
      ))}
      <line class="base" x1="0" x2="100%" y1={line + 0.5} y2={line + 0.5} />
      <line class="now" x1={percent(now, behind)} x2={percent(now, behind)} y1={TOP - 6} y2={BOTTOM} />
      <text x="0" y={TOP - 8}>
        {`${count(most)} in half an hour`}
      </text>
    </svg>
  );
}

function total(groups: readonly Group[], one: Stretch): number {
  return groups.reduce((sum, group) => sum + sizeOf(group, one), 0);
}

function Bar({ x, group, y, height }: { x: string; group: Group; y: number; height: number }) {
  const { className, fill } = group;
  return <rect class={className} fill={fill} x={x} width={WIDTH} y={round(y)} height={round(height)} />;
}

function stack(groups: readonly Group[], one: Stretch, scale: number) {
  let offset = 0;
  return groups.flatMap((group) => {
    const value = sizeOf(group, one);
    if (value === 0) return [];
    const size = Math.max(LEAST, value * scale);
    offset += size;
    return [{ group, offset: offset - size, size }];
  });
}

function tellStretch(one: Stretch, zone: string): string {
  const what = tell(one) || "nothing was due";
  return `${clockRange(one.from, BUCKET_MS, zone)}: ${what}${one.isCut ? " (and more)" : ""}`;
}

export function describeOutcomes(behind: Behind): string {
  const told = tell(behind);
  return told === "" ? "No slot was due." : `In all ${told}.`;
}

function tell(of: Pick<Stretch, "byState">): string {
  const sizes = [...ABOVE, ...BELOW].map((group) => ({ name: group.name, value: sizeOf(group, of) }));
  return sizes
    .filter(({ value }) => value > 0)
    .map(({ name, value }) => `${count(value)} ${name}`)
    .join(", ");
}
