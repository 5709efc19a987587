import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Position } from "../../src/ledger/page.ts";
import type { LedgerReads } from "../../src/ledger/reads.ts";
import {
  beside,
  brief,
  change,
  changeTo,
  EVER,
  gap,
  HOUR,
  ledger,
  MINUTE,
  NOW,
  occurrence,
  record,
  schedule,
} from "./rows.ts";

async function history(limit: number, range: object = {}): Promise<{ seen: string[]; pages: number }> {
  const entry = await ledger.schedule("default", "nightly");
  const seen: string[] = [];
  let before: Position | null = null;
  for (let pages = 1; ; pages++) {
    const page: Awaited<ReturnType<LedgerReads["history"]>> = await ledger.history(entry!, {
      ...EVER,
      ...range,
      before,
      limit,
    });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    seen.push(...page.items.map(({ item }) => brief(item)));
    if (page.end === null) return { seen, pages };
    before = page.end;
  }
}

describe("the history of a schedule is recomputed, then looked up by key", () => {
  it("finds what each definition named while it was in force, and nothing else", async () => {
    await record(
      schedule("nightly"),
      change(NOW - 5 * HOUR, "PT1H"),
      change(NOW - 2 * HOUR, "PT20M"),
      ...[280, 240, 180, 120, 100, 80, 60].map((ago) => occurrence(NOW - ago * MINUTE)),
    );
    // The row 280 minutes ago lies on no slot of the hour: no definition names it.
    expect((await history(50)).seen).toEqual(["60", "80", "100", "120", "180", "240"]);
    expect((await history(2)).seen).toEqual(["60", "80", "100", "120", "180", "240"]);
  });

  it("merges what no definition names, and gap rows", async () => {
    await record(
      schedule("nightly"),
      change(NOW - 10 * HOUR, "PT1H"),
      ...[1, 2, 8].map((ago) => occurrence(NOW - ago * HOUR)),
      gap(NOW - 7 * HOUR, NOW - 3 * HOUR, { count: 5 }),
      beside(NOW - 90 * MINUTE, "~m1"),
      beside(NOW - 5 * HOUR, "~b2"),
      beside(NOW - 8 * HOUR, "~r1"),
    );
    const all = ["60", "90~m1", "120", "420..180", "300~b2", "480~r1", "480"];
    for (const limit of [50, 3, 1]) expect((await history(limit)).seen).toEqual(all);
  });

  it("keeps to [from, to), and shows a gap row that reaches into it", async () => {
    await record(
      schedule("nightly"),
      change(NOW - 10 * HOUR, "PT1H"),
      ...[1, 2, 8].map((ago) => occurrence(NOW - ago * HOUR)),
      gap(NOW - 7 * HOUR, NOW - 3 * HOUR),
    );
    const range = (from: number, to: number) => ({ from: NOW - from * HOUR, to: NOW - to * HOUR });
    expect((await history(50, range(2, 1))).seen).toEqual(["120"]);
    expect((await history(50, range(6, 5))).seen).toEqual(["420..180"]);
    expect((await history(1, range(8, 5))).seen).toEqual(["420..180", "480"]);
  });

  it("finds a one-off that lay a little before the definition and fired at once", async () => {
    const definition = { trigger: { at: "2093-11-30T23:00:00Z" }, target: { queue: "LIBRARY" } };
    const cursor = NOW - HOUR - 1;
    await record(
      schedule("nightly"),
      changeTo(NOW - HOUR + 2 * MINUTE, definition, { cursor }),
      occurrence(NOW - HOUR),
    );
    expect((await history(50)).seen).toEqual(["60"]);
  });

  it("reaches over a deletion and a recreation", async () => {
    await record(
      schedule("nightly"),
      change(NOW - 9 * HOUR, "PT1H"),
      change(NOW - 6 * HOUR, null),
      change(NOW - 3 * HOUR, "PT1H"),
      ...[1, 2, 6, 7].map((ago) => occurrence(NOW - ago * HOUR)),
    );
    expect((await history(50)).seen).toEqual(["60", "120", "360", "420"]);
  });

  it("jumps a gap row of a year of seconds", async () => {
    const year = 365 * 24 * HOUR;
    await record(
      schedule("nightly"),
      change(NOW - 2 * year, "PT1S"),
      occurrence(NOW),
      gap(NOW - year, NOW - 1_000),
      occurrence(NOW - year - 1_000),
    );
    expect(await history(3)).toMatchObject({
      seen: ["0", `${year / MINUTE}..${1 / 60}`, String((year + 1_000) / MINUTE)],
      pages: 1,
    });
  });

  it("ends a page where it finds nothing for long, and goes on from there", async () => {
    await record(
      schedule("nightly"),
      change(NOW - 10 * HOUR, "PT1S"),
      occurrence(NOW - HOUR),
      occurrence(NOW - 1_000),
    );
    const { seen, pages } = await history(50);
    expect(seen).toEqual([String(1 / 60), "60"]);
    expect(pages).toBeGreaterThan(1);
    expect(pages).toBeLessThan(4);
  });

  it("is what a scan of all rows would find, whatever was recorded and however it is paged", async () => {
    const slots = fc.uniqueArray(fc.nat(60), { maxLength: 20 });
    const manual = fc.uniqueArray(fc.nat(200), { maxLength: 8 });
    const gaps = fc.uniqueArray(fc.nat(9), { maxLength: 3 });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        slots,
        manual,
        gaps,
        fc.integer({ min: 1, max: 9 }),
        async (slots, manual, gaps, limit) => {
          const name = `round-${round++}`;
          const own = { schedule: `default/${name}` };
          const inGap = (ago: number) => gaps.some((g) => ago >= g * 4 && ago <= g * 4 + 2);
          const recorded = slots.filter((ago) => !inGap(ago) && (ago <= 42 || ago % 2 === 0));
          await record(
            schedule(name),
            change(NOW - 30 * HOUR, "PT20M", name),
            change(NOW - 7 * HOUR, "PT10M", name),
            ...recorded.map((ago) => occurrence(NOW - ago * 10 * MINUTE, own)),
            ...manual.map((ago, i) =>
              occurrence(NOW - ago * MINUTE, { ...own, variant: `~m${i}`, kind: "manual", computed: 0 }),
            ),
            ...gaps.map((g) => gap(NOW - (g * 4 + 2) * 10 * MINUTE, NOW - g * 4 * 10 * MINUTE, own)),
          );
          const expected = [
            ...recorded.map((ago) => ({ ago: ago * 10, variant: "", is: String(ago * 10) })),
            ...manual.map((ago, i) => ({ ago, variant: `~m${i}`, is: `${ago}~m${i}` })),
            ...gaps.map((g) => ({ ago: g * 40, variant: "", is: `${g * 40 + 20}..${g * 40}` })),
          ].toSorted((a, b) => a.ago - b.ago || (a.variant < b.variant ? 1 : -1));
          const entry = await ledger.schedule("default", name);
          const seen: string[] = [];
          let before: Position | null = null;
          do {
            const page: Awaited<ReturnType<LedgerReads["history"]>> = await ledger.history(entry!, {
              ...EVER,
              before,
              limit,
            });
            seen.push(...page.items.map(({ item }) => brief(item)));
            before = page.end;
          } while (before);
          expect(seen).toEqual(expected.map(({ is }) => is));
        },
      ),
      { numRuns: 30 },
    );
  });
});
