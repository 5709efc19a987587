/**
 * Where the tests' clock begins. The runtime keeps alarms by its own clock, which no test can move: an instant
 * that is past for it rings at once, in the middle of a test. So the tests live in a year like 2026, far ahead.
 */
export const START = Date.parse("2093-12-01T00:00:00Z");

/** 67 years with the same days of the week: from when the first releases were recorded. */
const AHEAD = START - Date.parse("2026-12-01T00:00:00Z");

/** What was recorded in December 2026, moved to where the clock begins; nothing else about it changes. */
export function moveAhead<T>(recorded: T): T {
  const moved = JSON.stringify(recorded)
    .replace(/(?<!\d)179\d{10}(?!\d)/g, (instant) => String(Number(instant) + AHEAD))
    .replaceAll(/2026-(?=1[12]-\d\dT?)/g, "2093-");
  return JSON.parse(moved) as T;
}
