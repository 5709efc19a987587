/** Schedules of every kind, drawn by a seeded dice: the same seed makes the same fleet, and the same havoc. */
import { pick, type Dice } from "../../dice.ts";

export interface Member {
  name: string;
  kind: Kind;
  definition: { [field: string]: unknown };
}

export const KINDS = ["every", "cron", "after", "at", "in"] as const;
export type Kind = (typeof KINDS)[number];

const STEPS = [10, 12, 15, 20, 30] as const; // seconds; divisors of a minute, so that cron can say them
const OVERLAPS = ["skip", "buffer_one", "buffer_all", "cancel_other", "terminate_other", "allow"] as const;
const DEEDS = ["ok", "ok", "ok", "flaky", "throw", "give_up", "more", "slow"] as const;
const MIX: readonly Kind[] = [
  "every",
  "every",
  "every",
  "cron",
  "cron",
  "cron",
  "after",
  "after",
  "at",
  "in",
];

export function fleetOf(dice: Dice, size: number, now: number, spanMs: number): Member[] {
  return Array.from({ length: size }, (_, i) => {
    const kind = MIX[i % MIX.length]!;
    const tracked = kind === "after" || dice() < 0.7;
    const definition = {
      trigger: triggerOf(kind, dice, now, spanMs),
      target: { queue: "LIBRARY" },
      payload: { deed: pick(dice, DEEDS) },
      tracked,
      jitter: dice() < 0.2 ? "2s" : "0s",
      ...(tracked ? trackedParts(kind, dice) : {}),
      ...(dice() < 0.1 && kind === "every" ? { maxOccurrences: 5 } : {}),
    };
    return { name: `${kind}-${String(i).padStart(3, "0")}`, kind, definition };
  });
}

function trackedParts(kind: Kind, dice: Dice) {
  return {
    overlap: kind === "after" ? "skip" : pick(dice, OVERLAPS),
    catchUp: {
      policy: pick(dice, ["skip", "latest", "all"]),
      limit: 5,
      grace: pick(dice, ["2s", "1m"]),
      rate: 20,
    },
    retry: { maxAttempts: pick(dice, [1, 2, 3]), initial: "1s", max: "4s", maxElapsed: "40s" },
    maxBuffered: 3,
    timeouts: { start: "15s", lease: "5s", run: "10s", cancel: "3s" },
  };
}

export function triggerOf(kind: Kind, dice: Dice, now: number, spanMs: number): object {
  const step = pick(dice, STEPS);
  switch (kind) {
    case "every":
      return { every: `${step}s` };
    case "cron":
      return {
        cron: `*/${step} * * * * *`,
        timezone: pick(dice, ["UTC", "Europe/Berlin", "America/New_York"]),
      };
    case "after":
      return { after: `${pick(dice, [5, 8, 13])}s` };
    case "at":
      return { at: new Date(now + spanMs * (0.1 + 0.8 * dice())).toISOString() };
    case "in":
      return { in: `${Math.ceil((spanMs / 1_000) * (0.1 + 0.6 * dice()))}s` };
  }
}
