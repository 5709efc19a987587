import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  isFinal,
  move,
  occurrenceId,
  parseOccurrenceId,
  STATES,
  TRANSITIONS,
  type Occurrence,
  type State,
  kindOfReason,
} from "../../src/core/occurrence.ts";

const FINALS: State[] = ["succeeded", "failed", "expired", "cancelled", "skipped"];

const inState = (state: State, tracked = true) => ({ state, tracked, slot: 0, variant: "" }) as Occurrence;

describe("the transition table", () => {
  it("lists every state once", () => {
    expect(Object.keys(TRANSITIONS).toSorted()).toEqual([...STATES].toSorted());
    for (const to of Object.values(TRANSITIONS)) expect(new Set(to).size).toBe(to.length);
  });

  it("reaches every state from buffered", () => {
    const reached = new Set<State>(["buffered"]);
    for (const state of reached) for (const to of TRANSITIONS[state]) reached.add(to);
    expect([...reached].toSorted()).toEqual([...STATES].toSorted());
  });

  it("lets every state that is not final come to an end", () => {
    for (const state of STATES) {
      const reached = new Set<State>([state]);
      for (const s of reached) for (const to of TRANSITIONS[s]) reached.add(to);
      expect(FINALS.some((final) => reached.has(final))).toBe(true);
    }
  });

  it.each(STATES)("%s: final states absorb, and only they", (state) => {
    expect(TRANSITIONS[state].length === 0).toBe(FINALS.includes(state));
    expect(isFinal(state, true)).toBe(FINALS.includes(state));
    expect(isFinal(state, false)).toBe(FINALS.includes(state) || state === "dispatched");
  });

  it.each(STATES.flatMap((from) => STATES.map((to) => ({ from, to }))))(
    "$from → $to is allowed exactly where the table says so",
    ({ from, to }) => {
      const occurrence = inState(from);
      if (TRANSITIONS[from].includes(to)) {
        move(occurrence, to, { reason: "why" });
        expect(occurrence).toMatchObject({ state: to, reason: "why" });
      } else {
        expect(() => move(occurrence, to)).toThrow(`${from} → ${to} is no transition`);
        expect(occurrence.state).toBe(from);
      }
    },
  );

  it("ends an occurrence that nobody tracks with its dispatch", () => {
    expect(() => move(inState("dispatched", false), "running")).toThrow("no transition");
  });
});

describe("the table in the header comment", () => {
  const source = readFileSync(`${import.meta.dirname}/../../src/core/occurrence.ts`, "utf8");
  const header = source.slice(0, source.indexOf("*/"));

  it("says the same as TRANSITIONS", () => {
    const told = new Map<string, Set<string>>();
    for (const [, from = "", to = ""] of header.matchAll(/^ \* {3}([a-z]+) +→ ([a-z| ]+)$/gm)) {
      told.set(from, new Set(to.split(" | ")));
    }
    const meant = Object.entries(TRANSITIONS).filter(([, to]) => to.length > 0);
    expect(told.size).toBe(meant.length);
    for (const [from, to] of meant) expect({ from, to: told.get(from) }).toEqual({ from, to: new Set(to) });
  });
});

describe("the id of an occurrence", () => {
  const ROWS = [
    { slot: "2026-11-30T14:00:00.000Z", variant: "", id: "nightly@2026-11-30T14:00:00Z" },
    { slot: "2026-11-30T14:00:00.250Z", variant: "", id: "nightly@2026-11-30T14:00:00.250Z" },
    { slot: "2026-11-30T14:00:00.000Z", variant: "~m1", id: "nightly@2026-11-30T14:00:00Z~m1" },
    { slot: "2026-11-30T14:00:00.000Z", variant: "~b1~r2~c3", id: "nightly@2026-11-30T14:00:00Z~b1~r2~c3" },
  ];
  it.each(ROWS)("$id", ({ slot, variant, id }) => {
    const ms = Date.parse(slot);
    expect(occurrenceId("nightly", ms, variant)).toBe(id);
    expect(parseOccurrenceId(id)).toEqual({ ok: true, value: { name: "nightly", slot: ms, variant } });
  });

  const REFUSED = [
    "nightly",
    "nightly@",
    "@2026-11-30T14:00:00Z",
    "nightly@2026-11-30T14:00:00+00:00",
    "nightly@2026-11-30T14:00:00.000Z",
    "nightly@2026-11-30T14:00:00z",
    "nightly@2026-11-30T14:00:00Z~",
    "nightly@2026-11-30T14:00:00Z~M1",
    "nightly@2026-13-30T14:00:00Z",
  ];
  it.each(REFUSED)("has one spelling: %s is none", (id) => {
    expect(parseOccurrenceId(id)).toMatchObject({ ok: false, error: { code: "not_found" } });
  });
});

describe("reasons to count by", () => {
  it.each([
    ["overlap", "overlap"],
    ["max_attempts", "max_attempts"],
    ["cancelled by ann", "by_hand"],
    ["cancelled by bob", "by_hand"],
    ["what an older release wrote", "other"],
  ])("%s counts as %s", (reason, kind) => expect(kindOfReason(reason)).toBe(kind));
});
