/**
 * Run semantics, case by case, from what went wrong elsewhere (test/cases/semantics.json; `source` has the report).
 * There every slot up to `now` counts as missed, so grace is 0 here; one at `now` itself is current all the same.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { CatchUp, DefinitionInput, Overlap } from "../../src/core/schedule.ts";
import { readSchedule } from "../../src/schedule/machine.ts";
import { at, Bell, granted } from "./harness.ts";
import { work } from "./workshop.ts";

interface Case {
  id: string;
  about: string;
  source: string;
  cron: string;
  timezone: string;
}
interface Cases {
  catchUp: (Case & {
    from: string;
    now: string;
    missed: number;
    next: string;
    latest: string[];
    all: string[] | number;
    allOfTen: string[];
    latestWithinMinute: string[];
    latestWithinHour: string[];
    skipGapBothFolds?: string[];
    /** Where the case stands for another choice than the default. */
    dst?: object;
  })[];
  overlap: (Case & { from: string; to: string; takesMs: number; policies: { [P in Overlap]?: Outcome } })[];
  pause: (Case & { pausedAt: string; resumedAt: string; passed: number; next: string[]; latest: string[] })[];
  edit: (Omit<Case, "cron" | "timezone"> & {
    before: { cron: string; timezone: string };
    after: { cron: string; timezone: string };
    lastRun: string;
    editedAt: string;
    next: string[];
    never: string[];
    dueBefore: number;
  })[];
  wakeUp: (Case & { slot: string; wokeAt: string; next: string })[];
}
interface Outcome {
  starts: string[];
  skipped: string[];
  waiting: string[];
  cancelled: string[];
}

const cases = JSON.parse(readFileSync(`${import.meta.dirname}/../cases/semantics.json`, "utf8")) as Cases;
const MINUTE = 60_000;

const iso = (ms: number) => new Date(ms).toISOString().replace(".000Z", "Z");
const sentSlots = (bell: Bell) => bell.sent.map(({ slot }) => iso(slot));

describe.each(cases.catchUp)("$id: $about", (one) => {
  const { cron, timezone, from, now, next } = one;
  const isCurrent = one.latest.includes(now);

  /** The slots up to now that run, once the object is back. */
  function caughtUp(catchUp: Partial<CatchUp>, dst = one.dst) {
    const bell = new Bell(from);
    const trigger = { cron, timezone, ...(dst ? { dst } : {}) } as DefinitionInput["trigger"];
    granted(bell.put({ trigger, tracked: false, catchUp: { graceMs: 0, rate: 100, ...catchUp } }));
    bell.sleepTo(now);
    const view = granted(readSchedule(bell.world, bell.now));
    bell.to(at(now) + 20_000);
    return { slots: sentSlots(bell).filter((slot) => at(slot) <= at(now)), next: view.nextSlot, bell };
  }

  it("latest: one run for the newest, then the next regular slot", () => {
    const { slots, next: upcoming, bell } = caughtUp({});
    expect(slots).toEqual(one.latest);
    expect(upcoming).toBe(next);
    const told = [...bell.ledger.gaps.values()].reduce((sum, { count }) => sum + count, 0);
    const rows = [...bell.ledger.occurrences.values()].filter(({ slot }) => slot <= at(now));
    expect(told + rows.length).toBe(one.missed);
  });
  it("skip: nothing but what is due at this very instant", () => {
    expect(caughtUp({ policy: "skip" }).slots).toEqual(isCurrent ? [now] : []);
  });
  it("all: every one, up to the limit", () => {
    const { slots } = caughtUp({ policy: "all", limit: 1_000 });
    expect(Array.isArray(one.all) ? slots : slots.length).toEqual(one.all);
    expect(caughtUp({ policy: "all", limit: isCurrent ? 9 : 10 }).slots).toEqual(one.allOfTen);
  });
  it("latest, within a window", () => {
    expect(caughtUp({ windowMs: MINUTE }).slots).toEqual(one.latestWithinMinute);
    expect(caughtUp({ windowMs: 60 * MINUTE }).slots).toEqual(one.latestWithinHour);
  });
  if (one.skipGapBothFolds)
    it("with another choice for gap and fold", () => {
      const dst = { gap: "skip", fold: "both" };
      expect(caughtUp({ policy: "all" }, dst).slots).toEqual(one.skipGapBothFolds);
    });
});

describe.each(cases.overlap)("$id: $about", ({ cron, timezone, from, to, takesMs, policies }) => {
  it.each(Object.entries(policies))("%s", (overlap, expected) => {
    const bell = new Bell(from);
    const trigger = { cron, timezone };
    const timeouts = { leaseMs: 240 * MINUTE, runMs: 240 * MINUTE };
    granted(bell.put({ trigger, overlap: overlap as Overlap, timeouts }));
    const { starts, stopped } = work(bell, { takesMs, until: to });
    const skipped = [...bell.ledger.occurrences.values()].filter(({ state }) => state === "skipped");
    const waiting = bell.state.waiting.reduce((sum, range) => sum + range.count, 0);
    expect({ starts: starts.map(iso), skipped: skipped.map(({ slot }) => iso(slot)), waiting }).toEqual({
      starts: expected.starts,
      skipped: expected.skipped,
      waiting: expected.waiting.length,
    });
    expect(stopped.map(iso)).toEqual(expected.cancelled);
  });
});

describe.each(cases.pause)("$id: $about", ({ cron, timezone, pausedAt, resumedAt, passed, next, latest }) => {
  function resumed(catchUp: "latest" | null): Bell {
    const bell = new Bell(pausedAt);
    granted(bell.put({ trigger: { cron, timezone }, tracked: false }));
    granted(bell.pause());
    bell.to(resumedAt);
    granted(bell.resume(catchUp));
    return bell;
  }
  it("what passed is told and not made up; the next run is strictly after the resume", () => {
    const bell = resumed(null);
    const gaps = [...bell.ledger.gaps.values()].reduce((sum, { count }) => sum + count, 0);
    const single = [...bell.ledger.occurrences.values()].filter(({ reason }) => reason === "paused").length;
    expect(gaps + single).toBe(passed);
    bell.to(next.at(-1) ?? resumedAt);
    expect(sentSlots(bell)).toEqual(next);
  });
  it("resumed with catchUp latest, the newest is made up", () => {
    expect(sentSlots(resumed("latest"))).toEqual(latest);
  });
});

describe.each(cases.edit)("$id: $about", ({ before, after, lastRun, editedAt, next, never, dueBefore }) => {
  it("counts from the edit, and what was due is settled under the old rule", () => {
    const bell = new Bell(lastRun);
    granted(bell.put({ trigger: before, tracked: false }));
    bell.now = at(editedAt);
    granted(bell.put({ trigger: after, tracked: false }, { ifMatch: 1 }));
    const settled = [...bell.ledger.gaps.values()].reduce((sum, { count }) => sum + count, 0);
    expect(settled + bell.sent.length).toBe(dueBefore);
    bell.sent.length = 0;
    bell.to(next.at(-1) ?? editedAt);
    expect(sentSlots(bell)).toEqual(next);
    for (const slot of never) expect(sentSlots(bell)).not.toContain(slot);
  });
});

describe.each(cases.wakeUp)("$id: woken $about", ({ cron, timezone, slot, wokeAt, next }) => {
  it("runs nothing, is armed for the same slot, and goes on from it", () => {
    const bell = new Bell(at(wokeAt) - 30_000);
    granted(bell.put({ trigger: { cron, timezone }, tracked: false }));
    bell.now = at(wokeAt);
    bell.ring();
    expect(bell.sent).toEqual([]);
    expect(iso(bell.alarm ?? 0)).toBe(slot);
    bell.to(slot);
    expect(sentSlots(bell)).toEqual([slot]);
    expect(granted(readSchedule(bell.world, bell.now)).nextSlot).toBe(next);
  });
});
