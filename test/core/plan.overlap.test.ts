/** The decision table, second part: one more slot meets those that run and those that wait. */
import { describe, expect, it } from "vitest";
import { admission } from "../../src/core/plan.ts";
import { OVERLAPS } from "../../src/core/schedule.ts";
import { check, type Row } from "./plan-table.ts";

const due = { cursor: "10:00", now: "10:01" };
const running: Row["seats"] = [{ slot: "09:58" }];
const retrying: Row["seats"] = [{ slot: "09:58", running: false }];
const two: Row["seats"] = [{ slot: "09:57" }, { slot: "09:58" }];
const waiting = (at: string, more: object = {}): NonNullable<Row["waiting"]>[number] => ({ at, ...more });

const FREE: Row[] = OVERLAPS.map((overlap) => ({
  name: `${overlap}: with a seat free it runs`,
  policy: { overlap },
  ...due,
  expect: { fire: ["scheduled 10:01"], cursor: "10:01" },
}));

const BUSY: Row[] = [
  {
    name: "skip: recorded as overlap",
    policy: { overlap: "skip" },
    ...due,
    seats: running,
    expect: { skips: ["overlap 10:01"], cursor: "10:01" },
  },
  {
    name: "skip: a retrying one holds its seat too",
    policy: { overlap: "skip" },
    ...due,
    seats: retrying,
    expect: { skips: ["overlap 10:01"], cursor: "10:01" },
  },
  {
    name: "skip with two seats: one is free",
    policy: { overlap: "skip", maxConcurrent: 2 },
    ...due,
    seats: running,
    expect: { fire: ["scheduled 10:01"], cursor: "10:01" },
  },
  {
    name: "buffer_one: the first waits",
    policy: { overlap: "buffer_one" },
    ...due,
    seats: running,
    expect: { waiting: ["scheduled 10:01 (buffered)"], cursor: "10:01" },
  },
  {
    name: "buffer_one: a later one is skipped",
    policy: { overlap: "buffer_one" },
    ...due,
    seats: running,
    waiting: [waiting("10:00")],
    expect: { waiting: ["scheduled 10:00 (buffered)"], skips: ["buffer_full 10:01"], cursor: "10:01" },
  },
  {
    name: "buffer_one: what waits for catch-up does not fill the buffer",
    policy: { overlap: "buffer_one" },
    ...due,
    seats: running,
    waiting: [waiting("09:59", { kind: "catch_up", buffered: false })],
    expect: { waiting: ["catch_up 09:59", "scheduled 10:01 (buffered)"], cursor: "10:01" },
  },
  {
    name: "buffer_all: they wait in order, and neighbours are kept as one range",
    policy: { overlap: "buffer_all" },
    ...due,
    seats: running,
    waiting: [waiting("10:00")],
    expect: { waiting: ["scheduled 10:00..10:01 ×2 (buffered)"], cursor: "10:01" },
  },
  {
    name: "buffer_all: up to maxBuffered",
    policy: { overlap: "buffer_all", maxBuffered: 1 },
    ...due,
    seats: running,
    waiting: [waiting("10:00")],
    expect: { waiting: ["scheduled 10:00 (buffered)"], skips: ["buffer_full 10:01"], cursor: "10:01" },
  },
  {
    name: "buffer_all: lowered by an edit, what waits already stays",
    policy: { overlap: "buffer_all", maxBuffered: 1 },
    ...due,
    seats: running,
    waiting: [{ from: "09:58", at: "10:00", count: 3 }],
    expect: {
      waiting: ["scheduled 09:58..10:00 ×3 (buffered)"],
      skips: ["buffer_full 10:01"],
      cursor: "10:01",
    },
  },
  {
    name: "cancel_other: a running one is asked to stop, the new one waits until it has",
    policy: { overlap: "cancel_other" },
    ...due,
    seats: running,
    expect: { waiting: ["scheduled 10:01 (buffered)"], cancel: ["09:58"], cursor: "10:01" },
  },
  {
    name: "cancel_other: one that isn't running ends at once, the new one runs",
    policy: { overlap: "cancel_other" },
    ...due,
    seats: retrying,
    expect: { fire: ["scheduled 10:01"], cancel: ["09:58"], cursor: "10:01" },
  },
  {
    name: "cancel_other: the one that waited is replaced",
    policy: { overlap: "cancel_other" },
    ...due,
    seats: [{ slot: "09:58", cancelling: true }],
    waiting: [waiting("10:00")],
    expect: { waiting: ["scheduled 10:01 (buffered)"], skips: ["superseded 10:00"], cursor: "10:01" },
  },
  {
    name: "cancel_other with two seats: the oldest that is not asked yet",
    policy: { overlap: "cancel_other", maxConcurrent: 2 },
    ...due,
    seats: [{ slot: "09:57", cancelling: true }, { slot: "09:58" }],
    expect: { waiting: ["scheduled 10:01 (buffered)"], cancel: ["09:58"], cursor: "10:01" },
  },
  {
    name: "cancel_other, seats cut to one by an edit: it waits although a retrying one has left",
    policy: { overlap: "cancel_other" },
    ...due,
    seats: [{ slot: "09:57", running: false }, { slot: "09:58" }],
    expect: { waiting: ["scheduled 10:01 (buffered)"], cancel: ["09:57", "09:58"], cursor: "10:01" },
  },
  {
    name: "terminate_other: the oldest loses its token, the new one runs",
    policy: { overlap: "terminate_other" },
    ...due,
    seats: running,
    expect: { fire: ["scheduled 10:01"], terminate: ["09:58"], cursor: "10:01" },
  },
  {
    name: "terminate_other with two seats: only the oldest",
    policy: { overlap: "terminate_other", maxConcurrent: 2 },
    ...due,
    seats: two,
    expect: { fire: ["scheduled 10:01"], terminate: ["09:57"], cursor: "10:01" },
  },
  {
    name: "terminate_other, seats cut to one by an edit: as many as it takes",
    policy: { overlap: "terminate_other" },
    ...due,
    seats: two,
    expect: { fire: ["scheduled 10:01"], terminate: ["09:57", "09:58"], cursor: "10:01" },
  },
  {
    name: "allow: no limit",
    policy: { overlap: "allow" },
    ...due,
    seats: two,
    expect: { fire: ["scheduled 10:01"], cursor: "10:01" },
  },
];

describe.each([
  ["a free seat", FREE],
  ["no seat free", BUSY],
])("plan: %s", (_, rows) => {
  it.each(rows)("$name", check);
});

describe("the overlap policies, as a function of seats and buffer", () => {
  const ROWS = [
    { overlap: "skip", buffered: 0, answer: "overlap" },
    { overlap: "buffer_one", buffered: 0, answer: "wait" },
    { overlap: "buffer_one", buffered: 1, answer: "buffer_full" },
    { overlap: "buffer_all", buffered: 99, answer: "wait" },
    { overlap: "buffer_all", buffered: 100, answer: "buffer_full" },
    { overlap: "cancel_other", buffered: 5, answer: "cancel" },
    { overlap: "terminate_other", buffered: 5, answer: "terminate" },
    { overlap: "allow", buffered: 0, answer: "wait" },
  ] as const;
  it.each(ROWS)("$overlap with no seat and $buffered waiting: $answer", ({ overlap, buffered, answer }) => {
    expect(admission(overlap, 0, buffered, 100)).toBe(answer);
    expect(admission(overlap, 1, buffered, 100)).toBe("fire");
  });
});
