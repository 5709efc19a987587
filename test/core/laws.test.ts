/** What holds for every rule, whatever it says. `TIME_LONG=1` tries a dozen times as many. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { between, compile, effectiveAt, parseExclude, parseTrigger } from "../../src/core/trigger.ts";
import type { TimeRule, Timetable } from "../../src/core/trigger.ts";
import { exclusions, instants, singles, triggers } from "./arbitrary.ts";

const RUNS = { numRuns: process.env["TIME_LONG"] === "1" ? 20_000 : 1_500, seed: 20261130 };

function rule(trigger: unknown, exclude: unknown = []): TimeRule {
  const parsed = parseTrigger(trigger);
  const left = parseExclude(exclude);
  if (!parsed.ok || !left.ok) throw new Error(JSON.stringify([parsed, left]));
  return { trigger: parsed.value, exclude: left.value, startAt: null, endAt: null };
}

/** Null for the few random rules that can never fire. */
function ready(trigger: unknown, exclude: unknown = []): Timetable | null {
  const compiled = compile(rule(trigger, exclude));
  if (!compiled.ok) expect(["never_fires", "too_sparse"]).toContain(compiled.error.code);
  return compiled.ok ? compiled.value : null;
}

describe("laws", () => {
  it("next goes forwards, prev comes back, and nothing lies between", () => {
    fc.assert(
      fc.property(
        triggers,
        exclusions,
        instants,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (trigger, exclude, at, share) => {
          const asked = ready(trigger, exclude);
          const next = asked?.next(at) ?? null;
          if (!asked || next === null) return;
          expect(next).toBeGreaterThan(at);
          const inside = at + Math.floor(share * (next - 1 - at));
          expect(asked.next(inside)).toBe(next);
          expect(asked.prev(next)).toBe(next);
          const prev = asked.prev(next - 1);
          if (prev !== null) {
            expect(prev).toBeLessThanOrEqual(at);
            expect(asked.next(prev)).toBe(next);
          }
          const after = asked.next(next);
          if (after !== null) expect(after).toBeGreaterThan(next);
        },
      ),
      RUNS,
    );
  });

  it("count is the number of slots", () => {
    fc.assert(
      fc.property(
        triggers,
        exclusions,
        instants,
        fc.integer({ min: 1, max: 200_000_000 }),
        (trigger, exclude, at, reach) => {
          const asked = ready(trigger, exclude);
          if (!asked) return;
          const counted = asked.count(at, at + reach);
          const walked = between(asked, { after: at, upTo: counted.through, limit: 300_000 });
          expect(counted.count).toBe(walked.length);
        },
      ),
      { ...RUNS, numRuns: RUNS.numRuns / 4 },
    );
  });

  it("a union is the sorted merge of its parts", () => {
    fc.assert(
      fc.property(fc.array(singles, { minLength: 2, maxLength: 3 }), instants, (parts, at) => {
        const asked = ready(parts);
        if (!asked) return;
        const upTo = between(asked, { after: at, upTo: Infinity, limit: 20 }).at(-1) ?? at;
        const range = { after: at, upTo, limit: 1000 };
        const merged = parts.flatMap((part) => {
          const one = ready(part);
          return one ? between(one, range) : [];
        });
        expect(between(asked, range)).toEqual([...new Set(merged)].toSorted((a, b) => a - b));
      }),
      { ...RUNS, numRuns: RUNS.numRuns / 4 },
    );
  });

  it("a parsed rule survives JSON and parses to itself", () => {
    fc.assert(
      fc.property(triggers, exclusions, (trigger, exclude) => {
        const once = rule(trigger, exclude);
        const again = rule(
          JSON.parse(JSON.stringify(once.trigger)),
          JSON.parse(JSON.stringify(once.exclude)),
        );
        expect(again).toEqual(once);
      }),
      RUNS,
    );
  });

  it("what is excluded is shown as such, what is a slot is described", () => {
    fc.assert(
      fc.property(singles, exclusions, instants, (trigger, exclude, at) => {
        const [asked, bare] = [ready(trigger, exclude), ready(trigger)];
        if (!asked || !bare) return;
        const all = between(bare, { after: at, upTo: at + 90_000_000, limit: 40 });
        const upTo = all.length === 40 ? all.at(-1)! : at + 90_000_000;
        const kept = between(asked, { after: at, upTo, limit: 40 });
        const lost = asked.suppressed(at, upTo, 5_000).filter(({ reason }) => reason === "excluded");
        // A moment that several zones name is shown once for each of them.
        expect(new Set(lost.map(({ localTime }) => Date.parse(localTime))).size).toBe(
          all.length - kept.length,
        );
        for (const slot of kept) expect(Date.parse(asked.describe(slot).localTime)).toBe(slot);
      }),
      { ...RUNS, numRuns: RUNS.numRuns / 4 },
    );
  });

  it("jitter delays, and never past the next slot", () => {
    fc.assert(
      fc.property(
        triggers,
        instants,
        fc.integer({ min: 0, max: 10_000_000 }),
        fc.string(),
        (trigger, at, jitter, seed) => {
          const asked = ready(trigger);
          const slot = asked?.next(at) ?? null;
          if (!asked || slot === null) return;
          const effective = effectiveAt(asked, seed, jitter, slot);
          expect(effective).toBeGreaterThanOrEqual(slot);
          expect(effective).toBeLessThan(Math.min(asked.next(slot) ?? Infinity, slot + Math.max(jitter, 1)));
          expect(effectiveAt(asked, seed, jitter, slot)).toBe(effective);
        },
      ),
      RUNS,
    );
  });
});
