/** The times of day of a cron pattern in words. */
import { two } from "./calendar.ts";
import type { Cron } from "./cron.ts";
import { valuesOf } from "./pattern.ts";
import { join, ordinal, plural, ranges } from "./words.ts";

/** Up to so many times of a day are listed one by one. */
const LISTED_MAX = 6;

/** `at 02:30`, `every 15 minutes`, `every 20 minutes from 09:00 to 17:59` */
export function describeTimes(cron: Cron): string {
  const [seconds, minutes, hours] = [valuesOf(cron.second), valuesOf(cron.minute), valuesOf(cron.hour)];
  if (hours.length < 24 && seconds.length === 1 && hours.length * minutes.length <= LISTED_MAX) {
    const suffix = seconds[0] === 0 ? "" : `:${two(seconds[0]!)}`;
    return `at ${join(
      hours.flatMap((h) => minutes.map((m) => `${two(h)}:${two(m)}${suffix}`)),
      "and",
    )}`;
  }
  const onTheMinute = seconds.length === 1 && seconds[0] === 0;
  const onTheHour = onTheMinute && minutes.length === 1 && minutes[0] === 0;
  if (onTheHour) return describeHourly(hours);
  const first = onTheMinute ? rate(minutes, 60, "minute") : rate(seconds, 60, "second");
  const parts = [first ?? `at ${named(onTheMinute ? minutes : seconds, onTheMinute ? "minute" : "second")}`];
  if (!onTheMinute && minutes.length < 60) parts.push(`of ${named(minutes, "minute")}`);
  if (!onTheMinute && minutes.length === 60 && first === null) parts.push("of every minute");
  // A rate says it all when nothing narrows it.
  const whole = first !== null && (onTheMinute || minutes.length === 60);
  if (hours.length < 24 || !whole) parts.push(hoursOf(hours, whole));
  return parts.join(" ");
}

function describeHourly(hours: number[]): string {
  const every = rate(hours, 24, "hour");
  if (every !== null) return every;
  const [first, last] = [hours[0]!, hours.at(-1)!];
  if (last - first + 1 === hours.length) return `every hour from ${two(first)}:00 to ${two(last)}:00`;
  return `at ${ranges(hours, (hour) => `${two(hour)}:00`, "and")}`;
}

/** `of every hour`, `from 09:00 to 17:59`, `of every 2nd hour`, `of hours 9, 12 and 15` */
function hoursOf(hours: number[], whole: boolean): string {
  if (hours.length === 24) return "of every hour";
  const [first, last] = [hours[0]!, hours.at(-1)!];
  if (last - first + 1 === hours.length) {
    return `${whole ? "" : "of every hour "}from ${two(first)}:00 to ${two(last)}:59`;
  }
  const step = stepOf(hours, 24);
  return step === null ? `of ${named(hours, "hour")}` : `of every ${ordinal(step)} hour`;
}

function named(values: number[], unit: string): string {
  return `${unit}${values.length === 1 ? "" : "s"} ${ranges(values, String, "and")}`;
}

/** `every minute`, `every 15 minutes`; null when the values are not evenly spread over the whole `size`. */
function rate(values: number[], size: number, unit: string): string | null {
  const step = stepOf(values, size);
  if (step === null) return null;
  return step === 1 ? `every ${unit}` : `every ${plural(step, unit)}`;
}

function stepOf(values: number[], size: number): number | null {
  const step = size / values.length;
  const even = values.length > 1 && values.every((value, i) => value === i * step);
  return even ? step : null;
}
