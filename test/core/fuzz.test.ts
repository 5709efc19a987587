/** Whatever is thrown at the door, it answers: with a rule, or with a place, what was found and what was expected. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCron } from "../../src/core/cron.ts";
import { compile, parseExclude, parseTrigger } from "../../src/core/trigger.ts";
import { patterns } from "./arbitrary.ts";

const RUNS = { numRuns: process.env["TIME_LONG"] === "1" ? 200_000 : 10_000, seed: 20261130 };

const cronish = fc
  .array(
    fc.constantFrom(
      ..."0123456789*/-,#LW?+ \t@JANMONSUNfri".split(""),
      "* ",
      " ",
      "0-59/15",
      "31",
      "MON",
      "@daily",
    ),
    { maxLength: 24 },
  )
  .map((parts) => parts.join(""));

function checkError(text: string): void {
  const parsed = parseCron(text);
  if (parsed.ok) return;
  const { code, message, data } = parsed.error;
  expect(code).toBe("invalid_trigger");
  expect(message.length).toBeLessThan(600);
  expect(data).toMatchObject({
    position: expect.any(Number),
    found: expect.any(String),
    expected: expect.any(String),
  });
  const { position, found, suggestion } = data as { position: number; found: string; suggestion?: string };
  expect(text.slice(position, position + found.length), "found is at position").toBe(found);
  if (suggestion !== undefined) expect(parseCron(suggestion).ok, `${text} → ${suggestion}`).toBe(true);
}

describe("parse", () => {
  it("survives any text", () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.string({ unit: "binary" }), cronish), checkError), RUNS);
  });

  it("survives a valid pattern with one character changed", () => {
    const damaged = fc
      .tuple(
        patterns,
        fc.nat(),
        fc.constantFrom(..."0123456789*/-,#LW?+ azAZ~\u0000é".split("")),
        fc.constantFrom(0, 1),
      )
      .map(([pattern, at, put, drop]) => {
        const i = at % pattern.length;
        return pattern.slice(0, i) + put + pattern.slice(i + drop);
      });
    fc.assert(fc.property(damaged, checkError), RUNS);
  });

  it("accepts every pattern of the dialect", () => {
    fc.assert(
      fc.property(patterns, (pattern) => {
        expect(parseCron(pattern).ok, pattern).toBe(true);
      }),
      RUNS,
    );
  });

  it("survives any JSON, and compiles or refuses what it accepted", () => {
    const keys = fc.constantFrom(
      "cron",
      "timezone",
      "dst",
      "monthDay",
      "every",
      "anchor",
      "after",
      "at",
      "in",
      "dueAt",
      "date",
      "from",
      "to",
      "gap",
      "fold",
      "x",
    );
    const values = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom<unknown>(
        "UTC",
        "Europe/Berlin",
        "* * * * *",
        "1h",
        "P1D",
        "2026-11-30T14:00:00Z",
        "2026-11-30T14:00:00",
        "2026-12-25",
        { gap: "skip", fold: "both" },
        "auto",
        "clamp",
      ),
    );
    const object = fc.dictionary(keys, values, { maxKeys: 4 });
    const input = fc.oneof(fc.jsonValue(), object, fc.array(object, { maxLength: 3 }));
    fc.assert(
      fc.property(input, input, (one, other) => {
        const trigger = parseTrigger(one);
        const exclude = parseExclude(other);
        if (!trigger.ok)
          expect(trigger.error).toMatchObject({
            code: "invalid_trigger",
            pointer: expect.stringMatching(/^\/trigger/),
          });
        if (!exclude.ok)
          expect(exclude.error).toMatchObject({
            code: "invalid_field",
            pointer: expect.stringMatching(/^\/exclude/),
          });
        if (!trigger.ok) return;
        const compiled = compile({
          trigger: trigger.value,
          exclude: exclude.ok ? exclude.value : [],
          startAt: null,
          endAt: null,
        });
        if (compiled.ok) expect(compiled.value.description.length).toBeGreaterThan(0);
        else expect(["never_fires", "too_sparse", "invalid_trigger"]).toContain(compiled.error.code);
      }),
      RUNS,
    );
  });

  it("takes no more time for hostile lengths", () => {
    const begin = performance.now();
    for (const text of [
      "*".repeat(1e6),
      "1,".repeat(5e5),
      " ".repeat(1e6),
      `${"0-59,".repeat(399)}0 * * * *`,
      "@".repeat(1e6),
      "CRON_TZ=".repeat(1e5),
    ]) {
      parseCron(text);
    }
    expect(performance.now() - begin).toBeLessThan(1_000);
  });
});

describe("suggestions", () => {
  it.each([
    ["0/15 * * * *", "0-59/15 * * * *"],
    ["/30 * * * *", "*/30 * * * *"],
    ["15/35 20-35/15 1/2 */2 * *", "15-59/35 20-35/15 1-23/2 */2 * *"],
    ["0 0 * * 1/2", "0 0 * * 1-6/2"],
    ["0 22-2 * * *", "0 22-23,0-2 * * *"],
    ["0 22-2/2 * * *", "0 22,0,2 * * *"],
    ["0 0 * * FRI-MON", "0 0 * * FRI-SAT,SUN-MON"],
    ["0 0 * * 7-3", "0 0 * * 0-3"],
    ["0 0 1 NOV-FEB *", "0 0 1 NOV-DEC,JAN-FEB *"],
    ["60 * * * *", "0 * * * *"],
    ["* 24 * * *", "* 0 * * *"],
    ["1,,2 * * * *", "1,2 * * * *"],
    ["0 0 * * MONDAY", "0 0 * * MON"],
    ["0 0 * * MON-TUR", "0 0 * * MON-TUE"],
    ["0 0 1 SEPT *", "0 0 1 SEP *"],
    ["? * * * *", "* * * * *"],
    ["0 0 25-L * *", "0 0 25-31 * *"],
    ["*/0 * * * *", "*/1 * * * *"],
    ["CRON_TZ=Europe/Berlin 0 9 * * *", "0 9 * * *"],
  ])("%s → %s", (pattern, suggestion) => {
    const parsed = parseCron(pattern);
    expect(!parsed.ok && parsed.error.data?.["suggestion"]).toBe(suggestion);
  });
  it.each(["* * * *", "0 0 * FOO *", "0 0 32 * *", "0 0 * * 1#6", "0 0 1,15W * *", "hello"])(
    "none for %s",
    (pattern) => {
      const parsed = parseCron(pattern);
      expect(!parsed.ok && parsed.error.hint).toBeUndefined();
    },
  );
});
