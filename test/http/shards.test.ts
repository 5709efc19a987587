/** Where new schedules lie, and which queues share a target's messages, as the environment says. */
import { describe, expect, it } from "vitest";
import { configOf } from "../../src/config.ts";
import { chooseShard } from "../../src/ledger/shards.ts";

const database = { prepare: () => null };
const queue = { sendBatch: () => null };
const BOUND = { LEDGER: database, LEDGER_2: database, LEDGER_1: database, LIBRARY: queue, LIBRARY_2: queue };
const read = (more: object) => configOf({ ADMIN_TOKEN: "t".repeat(16), TARGETS: "{}", ...BOUND, ...more });

describe("the shard of a new schedule", () => {
  it("is any bound database, and each gets its share", () => {
    const { openLedgers } = read({});
    expect(openLedgers).toEqual(["LEDGER", "LEDGER_1", "LEDGER_2"]);
    const chosen = Array.from({ length: 3_000 }, (_, i) => chooseShard(openLedgers, `default/bell-${i}`));
    for (const name of openLedgers) {
      const share = chosen.filter((it) => it === name).length / chosen.length;
      expect(share).toBeGreaterThan(0.3);
      expect(share).toBeLessThan(0.37);
    }
  });

  it("is one of OPEN_LEDGERS, where that is set; full ones go on keeping what they have", () => {
    const { ledgers, openLedgers } = read({ OPEN_LEDGERS: '["LEDGER_2"]' });
    expect(openLedgers).toEqual(["LEDGER_2"]);
    expect(ledgers).toEqual(["LEDGER", "LEDGER_1", "LEDGER_2"]);
    expect(chooseShard(openLedgers, "default/bell")).toBe("LEDGER_2");
  });

  it("is no guess: what cannot be understood closes the API", () => {
    const faultsOf = (value: unknown) => read({ OPEN_LEDGERS: value }).faults.length;
    expect(["[]", '["LEDGER_9"]', "LEDGER", '{"a":1}', "", undefined].map(faultsOf)).toEqual([
      1, 1, 1, 1, 0, 0,
    ]);
  });
});

describe("LANES", () => {
  it("name the queues that share a target's messages", () => {
    const { lanes, faults } = read({ LANES: '{ "LIBRARY": ["LIBRARY", "LIBRARY_2"] }' });
    expect([...lanes]).toEqual([["LIBRARY", ["LIBRARY", "LIBRARY_2"]]]);
    expect(faults).toEqual([]);
  });

  it("close the API where one is not bound", () => {
    const faultsOf = (value: unknown) => read({ LANES: value }).faults.length;
    expect(
      ['{ "LIBRARY": ["GONE"] }', '{ "LIBRARY": [] }', '{ "LIBRARY": ["LEDGER"] }', "[", ""].map(faultsOf),
    ).toEqual([1, 1, 1, 1, 0]);
  });
});
