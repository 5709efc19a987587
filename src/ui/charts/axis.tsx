/**
 * The clock under a chart. Charts are drawn in percent of the width and in pixels of the height, so that they fill
 * a phone as well as a wall without their text growing or shrinking with them.
 */
import { localTimeIn } from "../../core/zone.ts";

const HOUR = 3_600_000;
const QUARTER = 900_000;

export interface Span {
  from: number;
  to: number;
}

export function percent(at: number, { from, to }: Span): string {
  return `${round(((at - from) / (to - from)) * 100)}%`;
}

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Every third hour of the zone's clock; every sixth is enough for a narrow screen. Zones may be off by quarters. */
export function hourTicks({ from, to }: Span, zone: string): { at: number; label: string; minor: boolean }[] {
  const ticks = [];
  for (let at = Math.ceil(from / QUARTER) * QUARTER; at < to; at += QUARTER) {
    const local = localTimeIn(zone, at);
    const hour = Number(local.slice(11, 13));
    if (local.slice(14, 16) !== "00" || hour % 3 !== 0) continue;
    ticks.push({ at, label: local.slice(11, 16), minor: hour % 6 !== 0 });
  }
  return ticks;
}

export function Hours({ span, zone, y, height }: { span: Span; zone: string; y: number; height: number }) {
  return (
    <g>
      {hourTicks(span, zone).map(({ at, label, minor }) => (
        <g class={minor ? "minor" : undefined}>
          <line class="axis" x1={percent(at, span)} x2={percent(at, span)} y1={y - height} y2={y} />
          {at - span.from > HOUR && span.to - at > HOUR && (
            <text x={percent(at, span)} y={y + 14} text-anchor="middle">
              {label}
            </text>
          )}
        </g>
      ))}
    </g>
  );
}

/** `14:00–14:30` */
export function clockRange(from: number, ms: number, zone: string): string {
  return `${localTimeIn(zone, from).slice(11, 16)}–${localTimeIn(zone, from + ms).slice(11, 16)}`;
}
