/**
 * The proof, proved: whatever happens to a schedule, its books agree; and whatever is taken out of the books, or put
 * into them, is found, and nothing else.
 */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judge, unnamed, walk, type Books, type Discrepancy } from "../../src/core/audit.ts";
import { judgeChain } from "../../src/core/audit-chain.ts";
import { erasOf } from "../../src/core/eras.ts";
import type { DefinitionInput } from "../../src/core/schedule.ts";
import { changeOf } from "../../src/ledger/changes.ts";
import { readKnowledge } from "../../src/schedule/knowledge.ts";
import { at, Bell, granted } from "./harness.ts";

const MINUTE = 60_000;
const SETTLE = 15_000;
const START = at("2026-03-02T00:00:00Z");

function changesOf(bell: Bell) {
  return [...bell.ledger.changes.values()]
    .toSorted((a, b) => a.version - b.version)
    .map(({ body, ...row }) => changeOf(row, body as Parameters<typeof changeOf>[1]));
}

function booksOf(bell: Bell): Books {
  const knowledge = granted(readKnowledge(bell.world, bell.now));
  const gaps = [...bell.ledger.gaps.values()].map(
    ({ from_at: from, to_at: to, count, reason, revision }) => ({ from, to, count, reason, revision }),
  );
  return {
    seed: "default/job",
    eras: erasOf(changesOf(bell)),
    gaps: gaps.toSorted((a, b) => a.from - b.from),
    standing: knowledge,
    held: new Set(knowledge.held.filter(({ variant }) => variant === "").map(({ slot }) => slot)),
  };
}

/** The whole audit of one schedule, in pages of `limit`. */
function audit(
  bell: Bell,
  limit = 1_000,
): { expected: number; accounted: number; discrepancies: Discrepancy[] } {
  const books = booksOf(bell);
  const slots = [...bell.ledger.occurrences.values()]
    .filter(({ variant }) => variant === "")
    .map(({ slot }) => slot);
  const range = { from: START, upTo: bell.now, settledAt: bell.now - SETTLE };
  const total = { expected: 0, accounted: 0, discrepancies: unnamed(books.eras, slots) };
  for (let page = walk(books, range, null, limit); ; page = walk(books, range, page.next, limit)) {
    const judged = judge(books, page, new Set(slots));
    total.expected += page.expected;
    total.accounted += judged.accounted;
    total.discrepancies.push(...judged.discrepancies);
    if (page.next === null) return total;
  }
}

// ── whatever happens ─────────────────────────────────────────────────────────────────────────────

type Act = (bell: Bell) => void;
const definitions: Partial<DefinitionInput>[] = [
  { trigger: { every: "1m" } },
  { trigger: { every: "1m" }, overlap: "buffer_all", maxBuffered: 3 },
  { trigger: { every: "2m" }, overlap: "cancel_other" },
  { trigger: { cron: "*/5 * * * *", timezone: "Europe/Berlin" }, catchUp: { policy: "all", limit: 3 } },
  { trigger: { every: "1m" }, catchUp: { policy: "skip", graceMs: 10_000 }, jitterMs: 40_000 },
  { trigger: { every: "7m" }, jitterMs: 300_000, catchUp: { windowMs: 600_000 } },
  { trigger: { every: "30s" }, tracked: false },
  { trigger: { every: "1m" }, exclude: [{ cron: "*/3 * * * *", timezone: "UTC" }] },
  { trigger: { every: "1m" }, maxOccurrences: 25 },
];

const minutes = fc.integer({ min: 1, max: 90 });
const acts: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: minutes.map((n) => (bell: Bell) => void bell.to(bell.now + n * 37_000)) },
  { weight: 2, arbitrary: minutes.map((n) => (bell: Bell) => void bell.sleepTo(bell.now + n * MINUTE)) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(...definitions)
      .map((input) => (bell: Bell) => void bell.put(input, { ifMatch: bell.state.revision })),
  },
  {
    weight: 1,
    arbitrary: fc
      .option(minutes)
      .map((n) => (bell: Bell) => void bell.pause(n === null ? null : bell.now + n * MINUTE)),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(null, "skip", "latest", "all")
      .map((policy) => (bell: Bell) => void bell.resume(policy as "all" | null)),
  },
  { weight: 1, arbitrary: fc.constant((bell: Bell) => void bell.trigger({ overlap: "allow" })) },
  {
    weight: 1,
    arbitrary: fc.constant(
      (bell: Bell) => void bell.backfill(bell.now - 60 * MINUTE, bell.now, { limit: 5 }),
    ),
  },
  { weight: 1, arbitrary: fc.constant((bell: Bell) => void bell.remove()) },
  { weight: 4, arbitrary: fc.constant(finishOne) },
  { weight: 1, arbitrary: fc.constant((bell: Bell) => void (bell.faults.ledger = !bell.faults.ledger)) },
);

function finishOne(bell: Bell): void {
  const open = bell.open[0];
  if (!open) return;
  const started = bell.start(open, `w${bell.now}`);
  if (started.ok)
    bell.command("complete", { slot: open.slot, variant: open.variant, token: started.value.token });
}

function lived(input: Partial<DefinitionInput>, life: Act[]): Bell {
  const bell = new Bell(START);
  granted(bell.put(input));
  for (const act of life) act(bell);
  bell.faults.ledger = false;
  return bell.to(bell.now + 10 * MINUTE);
}

const lives = {
  first: fc.constantFrom(...definitions),
  life: fc.array(acts, { minLength: 5, maxLength: 25 }),
};

describe("the books agree", () => {
  it("after any life of downtimes, edits, pauses, runs by hand, and a ledger that was away", () => {
    fc.assert(
      fc.property(lives.first, lives.life, (first, life) => {
        const { expected, accounted, discrepancies } = audit(lived(first, life));
        expect(discrepancies).toEqual([]);
        expect(accounted).toBe(expected);
      }),
      { numRuns: 60 },
    );
  });

  it("in pages as well as in one", () => {
    fc.assert(
      fc.property(lives.first, lives.life, fc.integer({ min: 1, max: 9 }), (first, life, limit) => {
        const bell = lived(first, life);
        expect(audit(bell, limit)).toEqual(audit(bell, 100_000));
      }),
      { numRuns: 15 },
    );
  });

  it("in a gap of a year of seconds, by its count", () => {
    const bell = new Bell(START);
    granted(bell.put({ trigger: { every: "1s" } }));
    bell.sleepTo(START + 365 * 86_400_000);
    expect(audit(bell)).toMatchObject({ discrepancies: [], expected: expect.any(Number) });
    expect(audit(bell).expected).toBeGreaterThan(31_000_000);
  });
});

// ── whatever is wrong ────────────────────────────────────────────────────────────────────────────

/** Rows at 00:01, :02, gap rows for :03–:09 and for a pause, then rows again. */
function told(): Bell {
  const bell = new Bell(START);
  granted(bell.put({ trigger: { every: "1m" }, tracked: false }));
  bell.to("00:02:30").sleepTo("00:10:10").to("00:20:10");
  granted(bell.pause());
  bell.to("00:30:10");
  granted(bell.resume());
  return bell.to("00:40:30");
}

describe("exactly what is wrong is found", () => {
  it("nothing, to begin with", () => {
    expect(audit(told())).toMatchObject({ expected: 40, accounted: 40, discrepancies: [] });
    expect([...told().ledger.gaps.values()].map(({ count }) => count)).toEqual([7, 10]);
  });

  const slotOf = (time: string) => at(`00:${time}:00`);
  const MUTATIONS: {
    name: string;
    wrong: (bell: Bell) => void;
    found: { kind: Discrepancy["kind"]; slot: number }[];
  }[] = [
    {
      name: "a row is gone",
      wrong: (bell) => bell.ledger.occurrences.delete(`${slotOf("15")}`),
      found: [{ kind: "missing", slot: slotOf("15") }],
    },
    {
      name: "the first row is gone",
      wrong: (bell) => bell.ledger.occurrences.delete(`${slotOf("01")}`),
      found: [{ kind: "missing", slot: slotOf("01") }],
    },
    {
      name: "a gap row is gone",
      wrong: (bell) => bell.ledger.gaps.delete(slotOf("21")),
      found: Array.from({ length: 10 }, (_, n) => ({
        kind: "missing" as const,
        slot: slotOf(String(21 + n)),
      })),
    },
    {
      name: "a gap row says one too few",
      wrong: (bell) => alter(bell, "03", { count: 6 }),
      found: [{ kind: "miscounted", slot: slotOf("03") }],
    },
    {
      name: "a gap row ends early",
      wrong: (bell) => alter(bell, "03", { to_at: slotOf("08") }),
      found: [
        { kind: "miscounted", slot: slotOf("03") },
        { kind: "missing", slot: slotOf("09") },
      ],
    },
    {
      name: "a gap row names a revision that never was",
      wrong: (bell) => alter(bell, "03", { revision: 9, count: 7 }),
      found: [
        { kind: "unnamed", slot: slotOf("03") },
        ...Array.from({ length: 7 }, (_, n) => ({ kind: "missing" as const, slot: slotOf(`0${3 + n}`) })),
      ],
    },
    {
      name: "two gap rows overlap",
      wrong: (bell) =>
        bell.ledger.gaps.set(slotOf("05"), {
          ...bell.ledger.gaps.get(slotOf("03"))!,
          from_at: slotOf("05"),
          count: 5,
        }),
      found: [{ kind: "overlapping", slot: slotOf("05") }],
    },
    {
      name: "a slot is both",
      wrong: (bell) => move(bell, "15", "25", true),
      found: [{ kind: "doubled", slot: slotOf("25") }],
    },
    {
      name: "a row moves to an instant that is no slot",
      wrong: (bell) => move(bell, "15", "15:30", false),
      found: [
        { kind: "unnamed", slot: at("00:15:30") },
        { kind: "missing", slot: slotOf("15") },
      ],
    },
  ];

  it.each(MUTATIONS)("$name", ({ wrong, found }) => {
    const bell = told();
    wrong(bell);
    const { expected, accounted, discrepancies } = audit(bell);
    expect(discrepancies.map(({ kind, slot }) => ({ kind, slot }))).toEqual(found);
    expect(expected - accounted).toBe(found.filter(({ kind }) => kind === "missing").length);
  });

  function alter(bell: Bell, time: string, change: object): void {
    bell.ledger.gaps.set(slotOf(time), { ...bell.ledger.gaps.get(slotOf(time))!, ...change });
  }
  function move(bell: Bell, from: string, to: string, keep: boolean): void {
    const row = bell.ledger.occurrences.get(`${slotOf(from)}`)!;
    const slot = to.includes(":") ? at(`00:${to}`) : slotOf(to);
    bell.ledger.occurrences.set(`${slot}`, { ...row, slot });
    if (!keep) bell.ledger.occurrences.delete(`${row.slot}`);
  }

  it("a schedule that fell asleep: its slots are missing, and the reason is said", () => {
    const bell = told();
    bell.now = at("00:45:30");
    expect(audit(bell).discrepancies).toMatchObject(
      ["41", "42", "43", "44", "45"].map((time) => ({
        kind: "missing",
        slot: slotOf(time),
        found: "nothing: the schedule has not come that far",
      })),
    );
  });
});

// ── fixed delay ──────────────────────────────────────────────────────────────────────────────────

describe("the chain of a fixed delay", () => {
  function chained(): Bell {
    const bell = new Bell(START);
    granted(bell.put({ trigger: { after: "10m" } }));
    for (let n = 0; n < 4; n++) {
      bell.to(bell.state.delayDueAt!);
      bell.to(bell.now + 90_000);
      finishOne(bell);
    }
    granted(bell.pause());
    bell.to(bell.now + 30 * MINUTE);
    granted(bell.resume());
    bell.to(bell.state.delayDueAt!).to(bell.now + MINUTE);
    finishOne(bell);
    return bell.to(bell.now + 5 * MINUTE);
  }

  function links(bell: Bell, nth = 0) {
    const books = booksOf(bell);
    const era = books.eras[nth]!;
    const rows = [...bell.ledger.occurrences.values()]
      .filter(({ kind, slot }) => kind !== "manual" && slot > era.after)
      .toSorted((a, b) => a.slot - b.slot);
    return judgeChain({
      era,
      changes: changesOf(bell),
      links: rows.map(({ slot, version, finished_at: settledAt, due_at }) => ({
        slot,
        version,
        settledAt,
        nextDueAt: settledAt === null ? null : due_at,
      })),
      standing: books.standing,
      held: books.held,
      from: START,
      upTo: bell.now - SETTLE,
    });
  }

  it("holds from its beginning to the slot that is due next, over a pause", () => {
    expect(links(chained())).toEqual({ accounted: 6, discrepancies: [] });
  });

  it("counts from the last of several resumes before it was due", () => {
    const bell = new Bell(START);
    granted(bell.put({ trigger: { after: "10m" } }));
    for (const minutes of [6, 8, 9]) {
      bell.to(bell.now + minutes * MINUTE);
      granted(bell.pause());
      granted(bell.resume());
    }
    bell.to(bell.state.delayDueAt!).to(bell.now + MINUTE);
    finishOne(bell);
    expect(links(bell.to(bell.now + 5 * MINUTE))).toEqual({ accounted: 1, discrepancies: [] });
  });

  it("counts from the instant at which a pause ended by itself, though that is noticed late", () => {
    const bell = new Bell(START);
    granted(bell.put({ trigger: { after: "10m" } }));
    granted(bell.pause(START + 4 * MINUTE));
    bell.sleepTo(START + 13 * MINUTE); // 00:10 was due meanwhile, had nobody paused it
    expect(bell.state.delayDueAt).toBe(START + 14 * MINUTE);
    bell.to(START + 15 * MINUTE);
    finishOne(bell);
    expect(bell.ledger.story).toEqual(["00:14:00 succeeded"]);
    expect(links(bell.to(bell.now + 5 * MINUTE))).toEqual({ accounted: 1, discrepancies: [] });
  });

  it("counts from a resume that comes after the clock was set back", () => {
    const bell = new Bell(START);
    granted(bell.put({ trigger: { after: "10m" }, jitterMs: 20 * MINUTE }));
    bell.to(bell.state.delayDueAt!).to(bell.now + 20 * MINUTE);
    finishOne(bell);
    granted(bell.pause());
    bell.now -= 5 * MINUTE;
    granted(bell.resume());
    bell.to(bell.now + 40 * MINUTE);
    finishOne(bell);
    expect(links(bell.to(bell.now + MINUTE))).toEqual({ accounted: 2, discrepancies: [] });
  });

  it("goes on from what a resume that catches up has settled at once", () => {
    const bell = new Bell(START);
    granted(bell.put({ trigger: { after: "10m" } }));
    granted(bell.pause());
    bell.to(bell.now + 30 * MINUTE);
    granted(bell.resume("skip")); // what passed is settled as missed, at the very instant of the resume
    bell.to(bell.state.delayDueAt!).to(bell.now + MINUTE);
    finishOne(bell);
    expect(bell.ledger.story).toEqual(["00:10:00 skipped/missed", "00:40:00 succeeded"]);
    expect(links(bell.to(bell.now + 5 * MINUTE))).toEqual({ accounted: 2, discrepancies: [] });
  });

  it("goes on from a slot that its jitter held across an edit, which the era before answers for", () => {
    const bell = new Bell(START);
    granted(bell.put({ trigger: { after: "10m" }, jitterMs: 20 * MINUTE }));
    bell.to(bell.state.delayDueAt! + 1); // due by name, and held
    granted(bell.patch({ description: "edited meanwhile" }));
    bell.to(bell.now + 20 * MINUTE);
    finishOne(bell);
    bell.to(bell.now + 30 * MINUTE);
    finishOne(bell);
    const judged = links(bell.to(bell.now + MINUTE), 1);
    expect(judged).toEqual({ accounted: 1, discrepancies: [] });
  });

  it("is broken where a link is gone, and owes one where the last is", () => {
    const bell = chained();
    const slots = [...bell.ledger.occurrences.values()].map(({ slot }) => slot).toSorted((a, b) => a - b);
    bell.ledger.occurrences.delete(`${slots[2]!}`);
    expect(links(bell).discrepancies).toMatchObject([{ kind: "broken_chain", slot: slots[2] }]);
    const end = chained();
    end.ledger.occurrences.delete(`${slots[5]!}`);
    expect(links(end).discrepancies).toMatchObject([{ kind: "missing", slot: slots[5] }]);
  });
});
