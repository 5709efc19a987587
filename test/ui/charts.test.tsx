import { describe, expect, it } from "vitest";
import { Measure, niceAbove } from "../../src/ui/charts/measure.tsx";
import { Strip } from "../../src/ui/charts/strip.tsx";

function written(element: { toString(): string }): string {
  return element.toString();
}

describe("a measure", () => {
  it("says in words what it draws", () => {
    const points = [10, 20, 30].map((value) => ({ value, tone: "good" as const }));
    const svg = written(<Measure id="late" title="Late by" points={points} />);
    expect(svg).toContain("3 runs, oldest first: median 20 ms, 95th percentile 30 ms, longest 30 ms.");
    expect(svg).toContain('aria-labelledby="late-title late-desc"');
    expect(svg.match(/M[\d.]+ 88v-/g)).toHaveLength(3);
  });

  it("cuts off what would flatten everything else, and says how long it was", () => {
    const points = [...Array.from({ length: 50 }, () => 10), 60_000].map((value) => ({
      value,
      tone: "good" as const,
    }));
    expect(written(<Measure id="a" title="A" points={points} />)).toContain("longest 1 min");
  });

  it("of no run says so", () => {
    expect(written(<Measure id="a" title="A" points={[]} />)).toContain("No run has been measured yet.");
  });

  it.each([
    [0, 10],
    [11, 20],
    [100, 100],
    [501, 1_000],
  ])("an axis that holds %d ends at %d", (value, top) => {
    expect(niceAbove(value)).toBe(top);
  });
});

describe("a strip", () => {
  const cell = {
    href: "/a",
    label: "09:00 · skipped",
    tone: "idle",
    shape: "low",
    isHatched: true,
    slots: 5_000,
  } as const;

  it("has one cell in the tab order, and hatches what was skipped", () => {
    const html = written(<Strip name="Slots" cells={[cell, { ...cell, isHatched: false }]} />);
    expect(html.match(/tabindex="-1"/g)).toHaveLength(1);
    expect(html.match(/hatched/g)).toHaveLength(1);
    expect(html).toContain('class="w8"');
  });
});
