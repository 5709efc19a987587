/** Times and spans for people. A time is never shown without its offset, nor an instant without its zone. */
import { formatInstant } from "../core/time.ts";
import { localTimeIn } from "../core/zone.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

export interface Wall {
  /** `30 Nov`, with the year where it is another one; empty for today. */
  day: string;
  /** `13:00:05`, with milliseconds where there are some. */
  clock: string;
  /** `+01:00`, or `UTC`. */
  offset: string;
}

export function wallOf(at: number, zone: string, now: number): Wall {
  const local = localTimeIn(zone, at);
  const today = localTimeIn(zone, now);
  const [, clock = "", offset = ""] = /T([\d:.]+)(.*)$/.exec(local) ?? [];
  const day = Number(local.slice(8, 10));
  const month = MONTHS[Number(local.slice(5, 7)) - 1];
  const year = local.slice(0, 4) === today.slice(0, 4) ? "" : ` ${local.slice(0, 4)}`;
  return {
    day: local.slice(0, 10) === today.slice(0, 10) ? "" : `${day} ${month}${year}`,
    clock,
    offset: offset === "+00:00" ? "UTC" : offset,
  };
}

/** `30 Nov 13:00:05 +01:00` */
export function timeIn(at: number, zone: string, now: number): string {
  const { day, clock, offset } = wallOf(at, zone, now);
  return [day, clock, offset].filter(Boolean).join(" ");
}

/** In full, for whoever points at it: the viewer's and UTC. */
export function fullTime(at: number, zone: string): string {
  return `${localTimeIn(zone, at).replace("T", " ")} ${zone} · ${formatInstant(at)}`;
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** Two units at most: `12 ms`, `3.4 s`, `5 min 20 s`, `2 d 4 h`. */
export function span(ms: number): string {
  const length = Math.abs(ms);
  if (length < 1_000) return `${Math.round(length)} ms`;
  if (length < 10_000) return `${Math.round(length / 100) / 10} s`;
  const largest = UNITS.findIndex(([, size]) => length >= size);
  const [unit, size] = UNITS[largest]!;
  const [nextUnit, nextSize] = UNITS[largest + 1] ?? ["", 1];
  const whole = Math.floor(length / size);
  const rest = nextUnit === "" ? 0 : Math.floor((length - whole * size) / nextSize);
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${nextUnit}`;
}

/** `3 min ago`, `in 5 min`, `now` */
export function relative(at: number, now: number): string {
  const distance = at - now;
  if (Math.abs(distance) < 1_000) return "now";
  const largest = UNITS.find(([, size]) => Math.abs(distance) >= size)!;
  const text = `${Math.floor(Math.abs(distance) / largest[1])} ${largest[0]}`;
  return distance < 0 ? `${text} ago` : `in ${text}`;
}

/** `12,345` */
export function count(value: number): string {
  return value.toLocaleString("en-US");
}
