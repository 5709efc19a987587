/**
 * A table of several hundred questions with answers, drawn from peers' suites and users' bug reports and
 * worked out by a walk over local minutes (test/cases/time.json). Beyond the slots themselves, each case
 * is asked again from between them and backwards.
 */
import { describe, expect, it } from "vitest";
import table from "../cases/time.json" with { type: "json" };
import { ms, refusal, shown, timetable } from "./ask.ts";

interface Case {
  id: string;
  from: string;
  trigger: unknown;
  exclude?: unknown;
  expect?: string[];
  expectError?: string;
}

const cases = table as Case[];
const good = cases.filter((one) => one.expect !== undefined);

describe("cases", () => {
  it.each(good)("$id", ({ trigger, exclude, from, expect: expected = [] }) => {
    const { slots } = shown({ trigger, exclude }, from, Math.max(1, expected.length));
    expect(slots.map((slot) => slot.scheduledFor)).toEqual(expected);
  });

  it.each(good)(
    "$id, asked from between and backwards",
    ({ trigger, exclude, from, expect: expected = [] }) => {
      const asked = timetable({ trigger, exclude });
      let before = ms(from);
      for (const slot of expected.map(ms)) {
        expect(asked.next(Math.floor((before + slot) / 2)), "halfway").toBe(slot);
        expect(asked.next(slot - 1)).toBe(slot);
        expect(asked.prev(slot)).toBe(slot);
        expect(asked.prev(slot - 1) ?? -1).toBeLessThan(slot);
        expect(asked.count(before, slot)).toEqual({ count: 1, through: slot });
        before = slot;
      }
    },
  );

  it.each(cases.filter((one) => one.expectError !== undefined))(
    "$id is refused",
    ({ trigger, exclude, expectError }) => {
      expect(refusal({ trigger, exclude }).code).toBe(expectError);
    },
  );
});
