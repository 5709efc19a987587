/**
 * What searching for slots costs, counted in steps and never in time, so that the same question is refused or answered
 * on every machine. A step is one exclusion or one source looked at, some 50 ns.
 *
 * Searches are synchronous, so one count serves them all: whoever answers a request bounds what is done inside
 * `affordably`. The throw is how a search ends in the middle; it never leaves that call.
 */
import type { Result } from "./errors.ts";
import { fail } from "./errors.ts";

class Spent extends Error {}

let steps = 0;
let stepsMax = Infinity;
let givenUp = 0;

export function spend(count: number): void {
  steps += count;
  if (steps > stepsMax) throw new Spent("a search has cost more than it may");
}

/** A search has reached a bound of its own, and answers that there is nothing. */
export function giveUp(): void {
  givenUp++;
}

/** What `act` answers, or `too_expensive` where it takes more than `budget` steps. Inside another, the smaller bound holds. */
export function affordably<T>(budget: number, act: () => Result<T>): Result<T> {
  const outer = stepsMax;
  stepsMax = Math.min(outer, steps + budget);
  try {
    return act();
  } catch (error) {
    if (!(error instanceof Spent)) throw error;
    return fail(
      "too_expensive",
      "Finding these slots takes more steps of search than one request may take.",
      {
        pointer: "/trigger",
        hint: "Ask for fewer slots, or send fewer schedules at once, or reduce what each is searched among: triggers, their time zones, and entries of `exclude`. Exclude whole days or hours rather than minutes or seconds.",
        data: { budget },
      },
    );
  } finally {
    stepsMax = outer;
  }
}

/** One budget for many questions, with whatever lies between them. */
export function purseOf(budget: number): <T>(act: () => Result<T>) => Result<T> {
  let left = budget;
  return (act) => {
    const { value, steps } = metered(() => affordably(left, act));
    left = Math.max(0, left - steps);
    return value;
  };
}

/** With what it cost, and whether a search in it gave up. */
export function metered<T>(act: () => T): { value: T; steps: number; gaveUp: boolean } {
  const before = { steps, givenUp };
  const value = act();
  return { value, steps: steps - before.steps, gaveUp: givenUp > before.givenUp };
}
