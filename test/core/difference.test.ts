import { describe, expect, it } from "vitest";
import { differences } from "../../src/core/difference.ts";
import type { Json } from "../../src/core/schedule.ts";

type Fields = { [field: string]: Json };

describe("differences", () => {
  const cases: { what: string; before: Fields; after: Fields; told: object[] }[] = [
    { what: "nothing", before: { jitter: "PT0S" }, after: { jitter: "PT0S" }, told: [] },
    {
      what: "a field",
      before: { jitter: "PT0S", tags: ["a"] },
      after: { jitter: "PT1M", tags: ["a"] },
      told: [{ field: "jitter", from: "PT0S", to: "PT1M" }],
    },
    {
      what: "one field of a group",
      before: { retry: { maxAttempts: 4, factor: 2 } },
      after: { retry: { maxAttempts: 8, factor: 2 } },
      told: [{ field: "retry.maxAttempts", from: 4, to: 8 }],
    },
    {
      what: "another kind of target, by both fields",
      before: { target: { queue: "LIBRARY" } },
      after: { target: { url: "https://example.com" } },
      told: [
        { field: "target.queue", from: "LIBRARY", to: null },
        { field: "target.url", from: null, to: "https://example.com" },
      ],
    },
    {
      what: "a payload as one value",
      before: { payload: { a: 1, b: 2 } },
      after: { payload: { a: 1, b: 3 } },
      told: [{ field: "payload", from: { a: 1, b: 2 }, to: { a: 1, b: 3 } }],
    },
    {
      what: "no order of fields",
      before: { payload: { a: 1, b: 2 } },
      after: { payload: { b: 2, a: 1 } },
      told: [],
    },
    {
      what: "an order of entries",
      before: { tags: ["a", "b"] },
      after: { tags: ["b", "a"] },
      told: [{ field: "tags", from: ["a", "b"], to: ["b", "a"] }],
    },
    {
      what: "a large value by its size",
      before: { payload: null },
      after: { payload: "x".repeat(5_000) },
      told: [{ field: "payload", from: null, to: "(5002 characters of JSON)" }],
    },
    {
      what: "a field of another object's own name",
      before: { payload: { constructor: 1 } },
      after: { payload: { other: 1 } },
      told: [{ field: "payload", from: { constructor: 1 }, to: { other: 1 } }],
    },
  ];
  it.each(cases)("tell $what", ({ before, after, told }) => {
    expect(differences(before, after)).toEqual(told);
  });
});
