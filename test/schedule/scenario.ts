/** What the scenario tests share: schedules in few words, and what became of them as short lines. */
import type { DefinitionInput } from "../../src/core/schedule.ts";
import { Bell, granted } from "./harness.ts";

export const HOUR = 3_600_000;
export const untracked = { tracked: false };
export const cron = (pattern: string, timezone = "UTC"): DefinitionInput["trigger"] => ({
  cron: pattern,
  timezone,
});

export function created(start: string, input: Partial<DefinitionInput>): Bell {
  const bell = new Bell(start);
  granted(bell.put(input));
  return bell;
}

export const slots = (bell: Bell) => bell.sent.map(({ slot }) => new Date(slot).toISOString().slice(0, 19));
export const times = (bell: Bell) => slots(bell).map((slot) => slot.slice(11));
export const gaps = (bell: Bell) =>
  [...bell.ledger.gaps.values()].map(({ count, reason }) => `${reason} ×${count}`);

export interface Scenario {
  id: string;
  wrong: string;
  check: () => void;
}
