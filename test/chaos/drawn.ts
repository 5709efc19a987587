/** What a seed makes: when it all begins, which definitions there are, and what they become. */
import * as fc from "fast-check";
import type { DefinitionInput } from "../../src/core/schedule.ts";
import { definitionWith } from "../schedule/actions.ts";

const HOUR = 3_600_000;

/** Each world begins some hours before clocks change somewhere, or years do. */
const CHANGES = [
  "2026-03-29T01:00:00Z", // Berlin, forward
  "2026-10-25T01:00:00Z", // Berlin, back
  "2026-03-08T07:00:00Z", // New York, forward
  "2026-11-01T06:00:00Z", // New York, back
  "2026-04-04T15:00:00Z", // Lord Howe, half an hour back
  "2026-10-03T15:30:00Z", // Lord Howe, half an hour forward
  "2027-01-01T00:00:00Z",
  "2028-02-29T00:00:00Z",
] as const;

export function startOf(seed: number): number {
  return Date.parse(CHANGES[seed % CHANGES.length]!) - 3 * HOUR;
}

function triggersFrom(start: number): DefinitionInput["trigger"][] {
  const iso = (ms: number) => new Date(start + ms).toISOString();
  return [
    { every: "10s" },
    { every: "15s" },
    { every: "20s" },
    { every: "30s" },
    { every: "1m" },
    { every: "1m", anchor: "2026-01-01T00:00:30Z" },
    { every: "7m" },
    { cron: "*/12 * * * * *", timezone: "UTC" },
    { cron: "*/30 * * * * *", timezone: "Asia/Kolkata" },
    { cron: "* * * * *", timezone: "Australia/Lord_Howe" },
    { cron: "*/5 * * * *", timezone: "America/New_York" },
    { cron: "*/20 * * * *", timezone: "Europe/Berlin" },
    { cron: "30 2 * * *", timezone: "Europe/Berlin", dst: { gap: "shift", fold: "both" } },
    { cron: "30 1,2 * * *", timezone: ["America/New_York", "Australia/Lord_Howe", "Europe/Berlin"] },
    { cron: "0 0 L * *", timezone: "Pacific/Apia" },
    { after: "20s" },
    { after: "5m" },
    { at: iso(2 * HOUR) },
    { in: "45m" },
    [{ every: "1m" }, { cron: "*/5 * * * *", timezone: "UTC" }, { at: iso(HOUR / 2 + 30_000) }],
  ];
}

export function definitionsOf(seed: number, start: number, count: number): DefinitionInput[] {
  const drawn = fc.sample(definitionWith(triggersFrom(start), start), { seed, numRuns: count });
  return drawn.map((input, n) => ({
    trigger: { every: "1m" },
    ...input,
    target: { queue: n % 40 === 39 ? "GONE" : "LIBRARY" },
    payload: n,
  }));
}
