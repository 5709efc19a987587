/** Contract §5: every verdict, and the sentences that an engineer reads at three in the morning. */
import { describe, expect, it } from "vitest";
import type { Change } from "../../src/core/eras.ts";
import { explain, VERDICTS, type Evidence, type Explanation } from "../../src/core/explain.ts";
import { momentOf } from "../../src/core/moment.ts";
import type { Occurrence, State } from "../../src/core/occurrence.ts";
import type { Definition, DefinitionInput } from "../../src/core/schedule.ts";
import { compile } from "../../src/core/trigger.ts";

const BERLIN = { cron: "*/30 9-17 * * *", timezone: "Europe/Berlin" };
/** An instant by the wall clock of Berlin in winter. */
const at = (text: string) => Date.parse(`${text.includes("T") ? text : `2026-11-30T${text}`}+01:00`);
const CREATED = at("2026-11-01T08:00");

let version = 0;
function change(action: Change["action"], when: number, more: Partial<Change> = {}): Change {
  const nothing = { note: null, definition: null, paused: false, until: null, catchUp: null, dueAt: null };
  return { version: ++version, at: when, action, revision: 1, who: "ann", cursor: when, ...nothing, ...more };
}

function defined(input: Partial<DefinitionInput> = {}): DefinitionInput {
  return { trigger: BERLIN, target: { queue: "LIBRARY" }, ...input };
}

function ask(when: number, more: Partial<Evidence> = {}, input: Partial<DefinitionInput> = {}): Explanation {
  return explain({
    at: when,
    now: at("12:10"),
    seed: "default/job",
    changes: [change("create", CREATED, { definition: defined(input) })],
    standing: { status: "active", cursor: at("12:00"), claimed: 10, delayDueAt: null },
    occurrence: null,
    beside: [],
    gap: null,
    earlier: [],
    wall: null,
    ...more,
  });
}

function run(slot: number, state: State, more: Partial<Occurrence> = {}): Occurrence {
  return {
    slot,
    variant: "",
    kind: "scheduled",
    revision: 1,
    effectiveAt: slot,
    localTime: "",
    timezones: ["Europe/Berlin"],
    locals: [],
    businessDate: "2026-11-30",
    state,
    reason: null,
    tracked: true,
    claimedAt: slot,
    dispatchedAt: slot,
    startedAt: slot + 1_000,
    finishedAt: slot + 61_000,
    attempt: 1,
    attempts: [
      {
        attempt: 1,
        token: 1,
        dispatchedAt: slot,
        startedAt: slot + 1_000,
        endedAt: slot + 61_000,
        outcome: null,
        error: null,
      },
    ],
    leaseUntil: null,
    progress: null,
    result: null,
    error: null,
    replayOf: null,
    ...more,
  };
}

const NINE = at("09:00");
const said = ({ verdict, sentences }: Explanation) => [verdict, ...sentences];

describe("what is on record", () => {
  it.each([
    {
      state: "succeeded",
      verdict: "succeeded",
      more: {},
      first: "The slot of 09:00 on 2026-11-30 (Europe/Berlin) ran and succeeded.",
    },
    {
      state: "failed",
      verdict: "failed",
      more: { reason: "max_attempts", error: "no route" },
      first: "The slot of 09:00 on 2026-11-30 (Europe/Berlin) ran and failed (max_attempts).",
    },
    {
      state: "expired",
      verdict: "expired",
      more: { reason: "never_started" },
      first: "The slot of 09:00 on 2026-11-30 (Europe/Berlin) expired: no worker ever started it.",
    },
    {
      state: "cancelled",
      verdict: "cancelled",
      more: { reason: "cancelled by bob" },
      first: "The slot of 09:00 on 2026-11-30 (Europe/Berlin) was cancelled by bob.",
    },
    {
      state: "dispatched",
      verdict: "dispatched",
      more: { attempts: [] },
      first:
        "The slot of 09:00 on 2026-11-30 (Europe/Berlin) was handed over at 09:00, and no worker has started it yet.",
    },
    {
      state: "running",
      verdict: "running",
      more: { finishedAt: null },
      first: "The slot of 09:00 on 2026-11-30 (Europe/Berlin) is running since 09:00:01.",
    },
    {
      state: "claimed",
      verdict: "waiting",
      more: { attempts: [] },
      first: "The slot of 09:00 on 2026-11-30 (Europe/Berlin) is claimed, and its message is not out yet.",
    },
    {
      state: "retrying",
      verdict: "waiting",
      more: { attempt: 2 },
      first: "The slot of 09:00 on 2026-11-30 (Europe/Berlin) failed and is to be tried again (attempt 2).",
    },
    {
      state: "deferred",
      verdict: "waiting",
      more: {},
      first: "The slot of 09:00 on 2026-11-30 (Europe/Berlin) was put off by its worker.",
    },
  ] as const)("$state: $verdict", ({ state, verdict, more, first }) => {
    const told = ask(NINE, { occurrence: run(NINE, state, more as Partial<Occurrence>) });
    expect(said(told).slice(0, 2)).toEqual([verdict, first]);
  });

  it("tells of attempts, errors and duration", () => {
    const failed = run(NINE, "failed", { reason: "max_attempts", error: "no route" });
    failed.attempts = [failed.attempts[0]!, failed.attempts[0]!];
    expect(ask(NINE, { occurrence: failed }).sentences.slice(1)).toEqual([
      "It took 2 attempts.",
      "The last attempt ran for PT1M.",
      "Last error: no route",
    ]);
  });

  it("overlap skip: names the run that was still going", () => {
    const skipped = run(at("09:30"), "skipped", { reason: "overlap", finishedAt: at("09:30"), attempts: [] });
    const long = run(NINE, "succeeded", { finishedAt: at("09:47") });
    expect(said(ask(at("09:30"), { occurrence: skipped, earlier: [long] }))).toEqual([
      "skipped",
      "Skipped: the run of 09:00 was still going, and overlap is skip.",
    ]);
  });

  it("waits for a seat: names who takes it", () => {
    const waiting = run(at("12:00"), "buffered", { finishedAt: null, attempts: [] });
    const open = run(at("11:30"), "dispatched", { finishedAt: null });
    const told = ask(at("12:00"), { occurrence: waiting, earlier: [open] }, { overlap: "buffer_all" });
    expect(told.sentences[0]).toBe(
      "The slot of 12:00 on 2026-11-30 (Europe/Berlin) waits for a seat: the run of 11:30 is still going.",
    );
  });

  it.each([
    {
      reason: "buffer_full",
      input: { overlap: "buffer_all", maxBuffered: 7 },
      told: "Skipped: 7 were waiting already (maxBuffered), and overlap is buffer_all.",
    },
    {
      reason: "buffer_full",
      input: { overlap: "buffer_one" },
      told: "Skipped: one run was waiting already, and overlap is buffer_one.",
    },
    {
      reason: "superseded",
      input: { overlap: "cancel_other" },
      told: "Skipped: it waited, and a later run took its place (overlap cancel_other).",
    },
    {
      reason: "missed",
      input: { catchUp: { policy: "skip" } },
      told: "Skipped: the scheduler came to it too late (more than catchUp.grace PT5M, or after the next slot), and catchUp.policy is skip.",
    },
    {
      reason: "catch_up_window",
      input: { catchUp: { windowMs: 3_600_000 } },
      told: "Skipped: it was older than catchUp.window PT1H when its turn came.",
    },
    {
      reason: "catch_up_limit",
      input: { catchUp: { policy: "all", limit: 3 } },
      told: "Skipped: it was missed, and no more than the latest 3 missed slots are made up (catchUp.limit), within maxOccurrences.",
    },
  ] as const)("$reason", ({ reason, input, told }) => {
    const occurrence = run(NINE, "skipped", { reason, finishedAt: NINE, attempts: [] });
    expect(said(ask(NINE, { occurrence }, input as Partial<DefinitionInput>))).toEqual(["skipped", told]);
  });

  it("a run of skips: says how many, and what ran instead", () => {
    const gap = { from: NINE, to: at("10:30"), count: 4, reason: "coalesced", revision: 1 } as const;
    const told = ask(at("10:00"), { gap });
    expect(said(told)).toEqual([
      "skipped",
      "Skipped: it was missed, and catchUp.policy latest runs one slot for all that were missed: that of 11:00.",
      "It is one of 4 slots in a row that did not run for this reason, from 09:00 on 2026-11-30 (Europe/Berlin) to 10:30 on 2026-11-30 (Europe/Berlin).",
    ]);
    expect(told.evidence).toMatchObject({
      revision: 1,
      policy: { overlap: "skip", catchUp: { policy: "latest" } },
    });
    // Between two slots of the gap there is none.
    expect(ask(at("10:10"), { gap }).verdict).toBe("not_a_slot");
  });

  it("tells of runs beside it", () => {
    const told = ask(NINE, {
      occurrence: run(NINE, "failed"),
      beside: [run(NINE, "succeeded", { variant: "~r1", kind: "replay" })],
    });
    expect(told.sentences.at(-1)).toBe("A replay of it (~r1): succeeded.");
  });
});

describe("paused", () => {
  const created = change("create", CREATED, { definition: defined() });
  const pause = change("pause", at("08:00"), { who: "bob", note: "the warehouse moves" });

  it("still: by whom, since when, with what note, and what becomes of the slot", () => {
    const standing = {
      status: "paused",
      cursor: at("2026-11-29T17:30"),
      claimed: 1,
      delayDueAt: null,
    } as const;
    const told = ask(NINE, { changes: [created, pause], standing });
    expect(said(told)).toEqual([
      "paused",
      'Not run: the schedule has been paused since 08:00 on 2026-11-30 (Europe/Berlin), by bob: "the warehouse moves".',
      "It is recorded when the schedule is resumed.",
    ]);
    expect(told.evidence.pause).toMatchObject({ who: "bob", from: "2026-11-30T07:00:00Z", to: null });
    expect(ask(at("13:00"), { changes: [created, pause], standing })).toMatchObject({
      verdict: "paused",
      evidence: { effectiveAt: "2026-11-30T12:00:00Z" },
    });
  });

  it("over: from the record", () => {
    const resume = change("resume", at("11:10"));
    const gap = { from: NINE, to: at("11:00"), count: 5, reason: "paused", revision: 1 } as const;
    expect(said(ask(NINE, { changes: [created, pause, resume], gap })).slice(0, 2)).toEqual([
      "paused",
      'Not run: the schedule was paused from 08:00 on 2026-11-30 (Europe/Berlin) to 11:10, by bob: "the warehouse moves".',
    ]);
  });

  it("until: what lies beyond its end will run", () => {
    const until = change("pause", at("08:00"), { until: at("14:00") });
    const changes = [created, until];
    expect(ask(at("13:30"), { changes }).verdict).toBe("paused");
    expect(ask(at("14:00"), { changes }).verdict).toBe("will_run");
  });

  it("from the beginning", () => {
    const changes = [change("create", CREATED, { definition: defined(), paused: true, who: "ci" })];
    const standing = { status: "paused", cursor: CREATED, claimed: 0, delayDueAt: null } as const;
    expect(ask(NINE, { changes, standing }).sentences[0]).toMatch(
      /since 08:00 on 2026-11-01 \(Europe\/Berlin\), by ci\.$/,
    );
  });
});

describe("what is on no record", () => {
  it.each([
    {
      name: "ahead",
      when: at("13:00"),
      verdict: "will_run",
      first: "The slot of 13:00 on 2026-11-30 (Europe/Berlin) will run.",
    },
    {
      name: "not a slot",
      when: at("09:07"),
      verdict: "not_a_slot",
      first: "09:07 on 2026-11-30 (Europe/Berlin) is no slot.",
    },
    {
      name: "created later",
      when: at("2026-10-31T09:00"),
      verdict: "before_creation",
      first:
        "09:00 on 2026-10-31 (Europe/Berlin) lies before the schedule was created, at 08:00 on 2026-11-01 (Europe/Berlin) by ann.",
    },
    {
      name: "handled, and no record",
      when: NINE,
      verdict: "waiting",
      first:
        "The slot of 09:00 on 2026-11-30 (Europe/Berlin) has been handled, but the ledger has no record of it: it is late, or lost one. An audit tells which.",
    },
    {
      name: "due just now",
      when: at("12:00"),
      verdict: "waiting",
      more: {
        now: at("12:00"),
        standing: { status: "active", cursor: at("11:30"), claimed: 1, delayDueAt: null },
      },
      first: "The slot of 12:00 on 2026-11-30 (Europe/Berlin) is due and has not been handled yet.",
    },
    {
      name: "excluded",
      when: at("2026-12-25T09:00"),
      verdict: "excluded",
      input: { exclude: [{ date: "2026-12-24" }, { date: "2026-12-25" }] },
      first: "09:00 on 2026-12-25 (Europe/Berlin) would be a slot, but it is excluded: on 2026-12-25.",
    },
    {
      name: "before startAt",
      when: at("09:00"),
      verdict: "out_of_bounds",
      input: { startAt: at("2026-12-01T00:00") },
      first: "09:00 on 2026-11-30 (Europe/Berlin) lies before startAt, 00:00 on 2026-12-01 (Europe/Berlin).",
    },
    {
      name: "after endAt",
      when: at("2027-01-02T09:00"),
      verdict: "out_of_bounds",
      input: { endAt: at("2027-01-01T00:00") },
      first: "09:00 on 2027-01-02 (Europe/Berlin) lies after endAt, 00:00 on 2027-01-01 (Europe/Berlin).",
    },
    {
      name: "beyond maxOccurrences",
      when: at("14:00"),
      verdict: "out_of_bounds",
      input: { maxOccurrences: 13 },
      first:
        "By 14:00 on 2026-11-30 (Europe/Berlin) the schedule will have made its 13 occurrences (maxOccurrences).",
    },
    {
      name: "within maxOccurrences",
      when: at("13:30"),
      verdict: "will_run",
      input: { maxOccurrences: 13 },
      first: "The slot of 13:30 on 2026-11-30 (Europe/Berlin) will run.",
    },
    {
      name: "pruned",
      when: at("2026-11-02T09:00"),
      verdict: "out_of_bounds",
      input: { retentionMs: 86_400_000 },
      first:
        "09:00 on 2026-11-02 (Europe/Berlin) was a slot, but its record is older than the retention of P1D and has been pruned.",
    },
  ])("$name: $verdict", ({ when, verdict, first, more, input }) => {
    const told = ask(when, more as Partial<Evidence>, input as Partial<DefinitionInput>);
    expect(said(told).slice(0, 2)).toEqual([verdict, first]);
  });

  it("shows the nearest slots, and what the rule says", () => {
    expect(ask(at("09:07"))).toMatchObject({
      sentences: [
        expect.any(String),
        "Revision 1 says: Every 30 minutes from 09:00 to 17:59 every day (Europe/Berlin).",
      ],
      nearest: { previous: "2026-11-30T08:00:00Z", next: "2026-11-30T08:30:00Z" },
    });
  });

  it("will run, later by its jitter", () => {
    const told = ask(at("13:00"), {}, { jitterMs: 600_000 });
    expect(told.sentences[0]).toMatch(
      /will run, PT[\dMS.]+ later than its name because of jitter \(up to PT10M\)\.$/,
    );
    expect(told.evidence.effectiveAt).not.toBe("2026-11-30T12:00:00Z");
  });

  it("edited: an earlier revision said otherwise", () => {
    const edit = change("edit", at("10:10"), {
      revision: 2,
      who: "bob",
      definition: defined({ trigger: { cron: "15 9-17 * * *", timezone: "Europe/Berlin" } }),
    });
    const changes = [change("create", CREATED, { definition: defined() }), edit];
    expect(said(ask(at("10:30"), { changes }))).toEqual([
      "not_a_slot",
      "10:30 on 2026-11-30 (Europe/Berlin) is no slot.",
      expect.stringMatching(/^Revision 2 says: At /),
      "The earlier revision 1, by ann, names it; revision 2, by bob, was in force.",
    ]);
    expect(ask(at("10:30"), { changes }).nearest).toEqual({
      previous: "2026-11-30T09:15:00Z",
      next: "2026-11-30T10:15:00Z",
    });
    // Before the edit the first one was in force.
    expect(ask(at("09:15"), { changes }).sentences.at(-1)).toBe(
      "The later revision 2, by bob, names it; revision 1, by ann, was in force.",
    );
  });

  it("deleted, completed", () => {
    const created = change("create", CREATED, { definition: defined() });
    expect(
      said(ask(at("13:00"), { changes: [created, change("delete", at("11:00"), { who: "bob" })] }))[1],
    ).toBe(
      "The schedule was deleted at 11:00 on 2026-11-30 (Europe/Berlin) by bob, so 13:00 on 2026-11-30 (Europe/Berlin) is no slot.",
    );
    const completed = ask(at("13:00"), { changes: [created, change("complete", at("11:00"))] });
    expect(completed).toMatchObject({
      verdict: "out_of_bounds",
      sentences: [expect.stringContaining("was completed at 11:00")],
    });
  });

  it("fixed delay: the one slot that is known, and no other", () => {
    const input = { trigger: { after: "1h" } };
    const standing = { status: "active", cursor: at("11:47"), claimed: 10, delayDueAt: at("12:47") } as const;
    expect(ask(at("12:47"), { standing }, input).verdict).toBe("will_run");
    expect(ask(at("12:00"), { standing }, input)).toMatchObject({
      verdict: "not_a_slot",
      sentences: [expect.stringContaining("fixed delay")],
    });
  });
});

describe("a local time", () => {
  const daily = (dst?: { gap: "skip" | "next" | "shift"; fold: "first" }) => ({
    trigger: { cron: "30 2 * * *", timezone: "Europe/Berlin", ...(dst ? { dst } : {}) },
  });

  function local(text: string, input: Pick<Definition, "trigger">) {
    const compiled = compile({ trigger: input.trigger, exclude: [], startAt: null, endAt: null });
    if (!compiled.ok) throw new Error(compiled.error.message);
    const moment = momentOf(text, "Europe/Berlin", compiled.value);
    if (!moment.ok) return moment.error;
    return ask(moment.value.at, { wall: moment.value.gap }, input);
  }

  it("in a gap: what the clock did, and where the slot went", () => {
    expect(local("2027-03-28T02:30", daily())).toMatchObject({
      at: "2027-03-28T01:00:00Z",
      verdict: "dst_gap",
      sentences: [
        "02:30 on 2027-03-28 did not exist in Europe/Berlin: the clock went from 02:00 to 03:00.",
        "The slot was moved to 03:00.",
        "The slot of 03:00 on 2027-03-28 (Europe/Berlin) will run.",
        "It was moved here from a local time that the clock leaves out.",
      ],
      evidence: { notes: ["dst_gap_next"] },
    });
    expect(local("2027-03-28T02:30", daily({ gap: "shift", fold: "first" }))).toMatchObject({
      at: "2027-03-28T01:30:00Z",
      verdict: "dst_gap",
      evidence: { notes: ["dst_gap_shift"] },
    });
  });

  it("in a gap, and skipped there, or never meant", () => {
    expect(local("2027-03-28T02:30", daily({ gap: "skip", fold: "first" }))).toMatchObject({
      verdict: "dst_gap",
      sentences: [expect.any(String), "dst.gap is skip: the rule makes no slot of it.", expect.any(String)],
      nearest: { previous: "2027-03-27T01:30:00Z", next: "2027-03-29T00:30:00Z" },
    });
    expect(local("2027-03-28T02:15", daily())).toMatchObject({ verdict: "dst_gap" });
  });

  it("in a fold: which one is meant?", () => {
    expect(local("2027-10-31T02:30:00", daily())).toMatchObject({
      code: "ambiguous_time",
      data: { candidates: ["2027-10-31T02:30:00+02:00", "2027-10-31T02:30:00+01:00"] },
    });
    expect(local("2027-10-31T02:30:00+02:00", daily())).toMatchObject({
      verdict: "will_run",
      evidence: { notes: ["dst_fold_first"] },
    });
    expect(local("2027-10-31T02:30:00 01:00", daily())).toMatchObject({ verdict: "not_a_slot" });
  });

  it("that exists once is an instant", () => {
    expect(local("2026-12-01T02:30", daily())).toMatchObject({
      at: "2026-12-01T01:30:00Z",
      verdict: "will_run",
    });
    expect(local("2026-13-01T02:30", daily())).toMatchObject({ code: "invalid_instant" });
  });
});

it("knows every verdict of the contract", () => {
  expect(VERDICTS).toHaveLength(16);
});
