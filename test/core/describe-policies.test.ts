import { describe, expect, it } from "vitest";
import { describePolicies } from "../../src/core/describe-policies.ts";
import { complete, type DefinitionInput } from "../../src/core/schedule.ts";

function wordsOf(more: Partial<DefinitionInput>): string[] {
  const definition = complete({ trigger: { every: "1h" }, target: { queue: "Q" }, ...more });
  if (!definition.ok) throw new Error(definition.error.message);
  return describePolicies(definition.value).map(({ text }) => text);
}

describe("policies in words", () => {
  it.each<[string, Partial<DefinitionInput>, string]>([
    ["skip", {}, "When a run is still going, the slot is skipped."],
    ["several seats", { maxConcurrent: 3 }, "When 3 runs are still going, the slot is skipped."],
    [
      "buffer_all",
      { overlap: "buffer_all", maxBuffered: 7 },
      "When a run is still going, up to 7 slots wait for their turn, and further ones are skipped.",
    ],
    ["allow", { overlap: "allow" }, "Runs may overlap without limit."],
    [
      "untracked",
      { tracked: false },
      "Each run is handed to the queue Q, and is done once it has been handed over: nobody reports its end.",
    ],
    [
      "catch-up of all",
      { catchUp: { policy: "all", limit: 12, windowMs: 3_600_000 } },
      "Slots that were missed (more than 5 minutes late, or with a later one due) are made up one after another, the latest 12 of them. None is run that is older than 1 hour.",
    ],
    [
      "retries",
      { retry: { untilNextSlot: true } },
      "A run that fails is tried up to 4 times in all, first after 10 seconds, then after 2 times as long each time, up to 15 minutes, for at most 6 hours, until the next slot is due.",
    ],
    ["one attempt", { retry: { maxAttempts: 1 } }, "A run that fails is not tried again."],
    ["bounds", { startAt: 0, maxOccurrences: 1 }, "It runs not before 1970-01-01T00:00:00Z, at most 1 time."],
    [
      "alerts",
      { alerts: { noSuccessForMs: 93_600_000, queueWaitMs: 60_000 } },
      "An alert is raised when nothing has succeeded for 1 day and 2 hours, or a run waits in its queue for more than 1 minute.",
    ],
    ["pause", { pauseAfterFailures: 3 }, "It pauses itself after 3 failed runs in a row."],
  ])("%s", (_, more, sentence) => {
    expect(wordsOf(more)).toContain(sentence);
  });

  it("says nothing of what is not there", () => {
    const words = wordsOf({ tracked: false }).join(" ");
    for (const absent of ["fails", "alert", "jitter", "lease", "pauses"]) expect(words).not.toContain(absent);
  });
});
