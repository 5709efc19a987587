/** What the log hears of occurrences, and what it never does. */
import { describe, expect, it } from "vitest";
import type { DefinitionInput } from "../../src/core/schedule.ts";
import { linesOf, type Line } from "../../src/schedule/journal.ts";
import { at, Bell, granted } from "./harness.ts";

const SECRET = "tr0ub4dor";

function heard(input: Partial<DefinitionInput>) {
  const bell = new Bell("2026-03-02T09:00:00Z");
  const lines: Line[] = [];
  bell.onSave = (before, after) => lines.push(...linesOf(before, after));
  granted(bell.put(input));
  const words = () =>
    lines
      .splice(0)
      .map(({ event, slot, attempt, state, reason, count }) =>
        [event, slot.slice(11, 19), attempt, state, reason, count].filter((word) => word != null).join(" "),
      );
  return { bell, lines, words };
}

describe("the journal", () => {
  it("tells an occurrence from its claim to its end", () => {
    const { bell, words } = heard({});
    bell.to("09:01:00");
    expect(words()).toEqual(["claimed 09:01:00 1", "dispatched 09:01:00 1"]);
    const { token } = granted(bell.start({ slot: at("09:01:00"), variant: "" }));
    granted(bell.command("complete", { slot: at("09:01:00"), variant: "", token }));
    expect(words()).toEqual(["started 09:01:00 1", "finished 09:01:00 1 succeeded"]);
  });

  it("tells a lost lease by the attempt that lost it", () => {
    const { bell, words } = heard({ trigger: { every: "1h" }, retry: { initialMs: 10_000, jitter: 0 } });
    bell.to("10:00:00");
    granted(bell.start({ slot: at("10:00:00"), variant: "" }));
    words();
    bell.to("10:01:15");
    expect(words()).toEqual(["lease_lost 10:00:00 1", "dispatched 10:00:00 2"]);
  });

  it("tells a run of skipped slots in one line", () => {
    const { bell, words } = heard({ tracked: false });
    bell.sleepTo("10:00:00");
    expect(words()).toEqual([
      "claimed 10:00:00 1",
      "skipped 09:01:00 coalesced 59",
      "dispatched 10:00:00 1 dispatched",
    ]);
  });

  it("holds no payload, result or error", () => {
    const { bell, lines } = heard({ payload: { key: SECRET }, retry: { maxAttempts: 2, initialMs: 1_000 } });
    bell.to("09:01:00");
    const address = { slot: at("09:01:00"), variant: "" };
    const first = granted(bell.start(address));
    granted(bell.command("fail", { ...address, token: first.token, error: `no such key ${SECRET}` }));
    bell.to("09:01:30");
    const second = granted(bell.start({ ...address, attempt: 2 }, "w2"));
    granted(bell.command("complete", { ...address, token: second.token, result: { key: SECRET } }));
    expect(lines.length).toBeGreaterThan(5);
    expect(JSON.stringify(lines)).not.toContain(SECRET);
  });
});
