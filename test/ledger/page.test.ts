import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compare, merge, type Placed, type Position, type Stretch } from "../../src/ledger/page.ts";

const place = fc.record({
  slot: fc.nat(20),
  schedule: fc.constantFrom("default/a", "default/b"),
  variant: fc.constantFrom("", "~m1", "~r1"),
});

/** A source of rows as the ledger has them: newest first, `limit` at a time, or fewer with an end. */
function read(rows: Position[], before: Position | null, limit: number): Stretch<Position> {
  const below = rows
    .filter((at) => before === null || compare(at, before) < 0)
    .toSorted((a, b) => compare(b, a));
  const items: Placed<Position>[] = below.slice(0, limit).map((at) => ({ at, item: at }));
  return { items, end: below.length > limit ? items.at(-1)!.at : null };
}

function readAll(sources: Position[][], before: Position | null, limit: number): Stretch<Position> {
  return merge(
    sources.map((rows) => read(rows, before, limit)),
    limit,
  );
}

describe("pages over several sources", () => {
  it("give every item once, newest first, whatever the sources and the limit", () => {
    const sources = fc.array(fc.uniqueArray(place, { selector: (at) => JSON.stringify(at) }), {
      maxLength: 4,
    });
    fc.assert(
      fc.property(sources, fc.integer({ min: 1, max: 7 }), (sources, limit) => {
        const seen: Position[] = [];
        let before: Position | null = null;
        for (let pages = 0; pages < 500; pages++) {
          const page: Stretch<Position> = readAll(sources, before, limit);
          expect(page.items.length).toBeLessThanOrEqual(limit);
          seen.push(...page.items.map(({ item }) => item));
          before = page.end;
          if (before === null) break;
        }
        const all = [...new Map(sources.flat().map((at) => [JSON.stringify(at), at])).values()];
        expect(seen).toEqual(all.toSorted((a, b) => compare(b, a)));
      }),
      { numRuns: 500 },
    );
  });

  it("take what two sources have from the first", () => {
    const at = { slot: 1, schedule: "default/a", variant: "" };
    const live = { items: [{ at, item: "live" }], end: null };
    const recorded = { items: [{ at, item: "recorded" }], end: null };
    expect(merge([live, recorded], 5).items).toEqual([{ at, item: "live" }]);
  });

  it("show nothing below what one source has not looked at yet", () => {
    const at = (slot: number) => ({ slot, schedule: "default/a", variant: "" });
    const bounded = { items: [{ at: at(9), item: 9 }], end: at(5) };
    const whole = { items: [7, 4].map((slot) => ({ at: at(slot), item: slot })), end: null };
    expect(merge([bounded, whole], 10)).toEqual({
      items: [
        { at: at(9), item: 9 },
        { at: at(7), item: 7 },
      ],
      end: at(5),
    });
  });
});
