/** The decision table, third part: what waits for a seat, for its jitter, or for its turn to be caught up. */
import { describe, expect, it } from "vitest";
import { effectiveAt } from "../../src/core/trigger.ts";
import { check, run, ruleWith, SEED, type Row } from "./plan-table.ts";

const due = { cursor: "10:00", now: "10:01" };
const running: Row["seats"] = [{ slot: "09:58" }];
const waiting = (at: string, more: object = {}): NonNullable<Row["waiting"]>[number] => ({ at, ...more });

const WAITING: Row[] = [
  {
    name: "a seat came free: the waiting one runs under its own slot",
    policy: { overlap: "buffer_one" },
    cursor: "10:01",
    now: "10:01:30",
    waiting: [waiting("10:01")],
    expect: { fire: ["scheduled 10:01"] },
  },
  {
    name: "waiting before new: the free seat goes to the older slot",
    policy: { overlap: "buffer_one" },
    ...due,
    waiting: [waiting("10:00")],
    expect: { fire: ["scheduled 10:00"], waiting: ["scheduled 10:01 (buffered)"], cursor: "10:01" },
  },
  {
    name: "oldest slot first, scheduled before backfill",
    policy: { overlap: "buffer_all", maxConcurrent: 2 },
    cursor: "10:01",
    now: "10:01:30",
    waiting: [
      { kind: "backfill", variant: "~b1", from: "03:00", at: "03:01", count: 2, buffered: false },
      waiting("10:01"),
      waiting("10:00"),
    ],
    expect: {
      fire: ["scheduled 10:00", "scheduled 10:01"],
      waiting: ["backfill 03:00..03:01 ×2~b1"],
    },
  },
  {
    name: "a backfill newest first takes its last slot",
    policy: { overlap: "buffer_all" },
    cursor: "10:01",
    now: "10:01:30",
    waiting: [
      {
        kind: "backfill",
        variant: "~b1",
        from: "03:00",
        at: "03:02",
        count: 3,
        newestFirst: true,
        buffered: false,
      },
    ],
    expect: { fire: ["backfill 03:02~b1"], waiting: ["backfill 03:00..03:01:59.999 ×2~b1"] },
  },
  {
    name: "while paused what waits goes on",
    policy: { overlap: "buffer_all" },
    cursor: "10:01",
    now: "10:30",
    paused: true,
    waiting: [waiting("10:01")],
    expect: { fire: ["scheduled 10:01"] },
  },
  {
    name: "maxOccurrences spent: what still waits is recorded at once, even with no seat free",
    policy: { overlap: "buffer_all" },
    cursor: "10:01",
    now: "10:01:30",
    left: 0,
    seats: running,
    waiting: [{ from: "10:00", at: "10:01", count: 2 }],
    expect: { skips: ["catch_up_limit 10:00..10:01 ×2"] },
  },
  {
    name: "maxOccurrences does not bind what was asked for by hand",
    policy: { overlap: "buffer_all" },
    cursor: "10:01",
    now: "10:01:30",
    left: 0,
    waiting: [waiting("10:01:07", { kind: "manual", variant: "~m1" })],
    expect: { fire: ["manual 10:01:07~m1"] },
  },
];

describe("plan: waiting", () => {
  it.each(WAITING)("$name", check);
});

describe("plan: what a waiting run by hand becomes", () => {
  it("is replaced under its own id, not under a slot that nobody named", () => {
    const planned = run({
      policy: { overlap: "cancel_other" },
      ...due,
      seats: [{ slot: "09:58", cancelling: true }],
      waiting: [waiting("10:00:07", { kind: "manual", variant: "~m1" })],
    });
    expect(planned.skips).toMatchObject([
      { reason: "superseded", count: 1, byHand: { variant: "~m1", kind: "manual" } },
    ]);
  });
});

describe("plan: jitter", () => {
  const policy = { jitterMs: 30_000 };
  const rule = ruleWith(policy);
  const slot = Date.parse("2026-03-02T10:01:00Z");
  const due = new Date(effectiveAt(rule.timetable, SEED, 30_000, slot));
  const before = new Date(due.getTime() - 1);

  it("holds the slot until its effective instant, and runs it then under its slot", () => {
    expect(due.getTime()).toBeGreaterThan(slot);
    check({ name: "", policy, cursor: "10:00", now: before.toISOString(), expect: {} });
    check({
      name: "",
      policy,
      cursor: "10:00",
      now: due.toISOString(),
      expect: { fire: ["scheduled 10:01"], cursor: "10:01" },
    });
  });

  it("a slot that is still held is not the latest due one: the one before it is", () => {
    check({
      name: "",
      policy,
      cursor: "09:58",
      now: before.toISOString(),
      expect: { fire: ["scheduled 10:00"], skips: ["coalesced 09:59"], cursor: "10:00" },
    });
  });

  const old = ruleWith({ ...policy, overlap: "skip" }, 1);
  const held = (more: object = {}): Row["waiting"] => [
    { at: "10:01", heldUntil: "10:01:20", of: old, buffered: false, ...more },
  ];
  const HELD: Row[] = [
    {
      name: "held across an edit: not before its own instant",
      cursor: "10:01",
      now: "10:01:19.999",
      waiting: held(),
      expect: { waiting: ["scheduled 10:01 held until 10:01:20"] },
    },
    {
      name: "held across an edit: admitted like any slot when it is due",
      cursor: "10:01",
      now: "10:01:20",
      waiting: held(),
      expect: { fire: ["scheduled 10:01"] },
    },
    {
      name: "held across an edit: overlap decides, under its own revision",
      cursor: "10:01",
      now: "10:01:20",
      seats: running,
      waiting: held(),
      expect: { skips: ["overlap 10:01"] },
    },
    {
      name: "held, and the object slept: a newer slot covers it",
      cursor: "10:01",
      now: "10:04",
      waiting: held(),
      expect: {
        fire: ["scheduled 10:04"],
        skips: ["coalesced 10:02..10:03 ×2", "coalesced 10:01"],
        cursor: "10:04",
      },
    },
    {
      name: "held, later than grace, nothing newer: caught up",
      trigger: { every: "1d" },
      cursor: "10:01",
      now: "10:30",
      waiting: held(),
      expect: { fire: ["catch_up 10:01"] },
    },
    {
      name: "held, later than grace, catch-up skip: recorded as missed",
      trigger: { every: "1d" },
      policy: { catchUp: { policy: "skip" } },
      cursor: "10:01",
      now: "10:30",
      waiting: held(),
      expect: { skips: ["missed 10:01"] },
    },
    {
      name: "held, later than the window: recorded",
      trigger: { every: "1d" },
      policy: { catchUp: { windowMs: 60_000 } },
      cursor: "10:01",
      now: "10:30",
      waiting: held(),
      expect: { skips: ["catch_up_window 10:01"] },
    },
  ];
  it.each(HELD)("$name", check);
});

describe("plan: nothing that waits grows without bound", () => {
  const behind: Row["seats"] = [{ slot: "09:00" }];
  const ROWS: Row[] = [
    {
      name: "latest: a later catch-up takes the place of the one that still waits",
      cursor: "10:01",
      now: "10:03",
      seats: behind,
      waiting: [waiting("10:01", { buffered: false, covers: true })],
      expect: {
        waiting: ["scheduled 10:03"],
        skips: ["coalesced 10:02", "coalesced 10:01"],
        cursor: "10:03",
      },
    },
    {
      name: "all: of what waits from before and what is missed now, the latest `limit` stay",
      policy: { catchUp: { policy: "all", limit: 3 } },
      cursor: "10:02",
      now: "10:04",
      seats: behind,
      waiting: [{ kind: "catch_up", from: "10:00", at: "10:02", count: 3, buffered: false }],
      expect: {
        waiting: ["catch_up 10:01..10:03 ×3", "scheduled 10:04"],
        skips: ["catch_up_limit 10:00"],
        cursor: "10:04",
      },
    },
  ];
  it.each(ROWS)("$name", check);
});
