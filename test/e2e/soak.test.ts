/** The short soak: thirty schedules, half a minute of havoc. `npm run soak` is the long one. */
import { beforeAll, expect, it } from "vitest";
import { soak, type Outcome } from "./soak/soak.ts";

/** Enough to have met the havoc; how many become due depends on the machine. */
const SLOTS_MIN = 20;

let outcome: Outcome;
beforeAll(async () => {
  outcome = await soak({ seed: 7, schedules: 30, seconds: 20, calmSeconds: 6 });
}, 240_000);

it("accounts for every slot exactly once, after kills and failing ledgers and queues", () => {
  const { accounts, disasters } = outcome;
  expect(accounts.filter(({ discrepancies }) => discrepancies.length > 0)).toEqual([]);
  expect(accounts.reduce((sum, { expected }) => sum + expected, 0)).toBeGreaterThan(SLOTS_MIN);
  expect(disasters).not.toEqual({});
});

it("passes the scheduler's own audit", () => {
  const { expected, accounted, discrepancies } = outcome.audited;
  expect({ accounted, discrepancies }).toEqual({ accounted: expected, discrepancies: [] });
  expect(expected).toBeGreaterThan(SLOTS_MIN);
});
