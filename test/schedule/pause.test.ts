/** Contract §2.3: a pause stops new slots only; what passes is told, or caught up where the resume says so. */
import { describe, expect, it } from "vitest";
import { at, Bell, granted, refusal } from "./harness.ts";

const untracked = { tracked: false, trigger: { every: "10m" } };

function created(input: Parameters<Bell["put"]>[0] = untracked, more: { paused?: boolean } = {}): Bell {
  const bell = new Bell("2026-03-02T09:05:00Z");
  granted(bell.put(input, more));
  return bell;
}

const sentSlots = (bell: Bell) => bell.sent.map(({ slot }) => new Date(slot).toISOString().slice(11, 16));

describe("pause", () => {
  it("first settles what was due, then lets open work go on", () => {
    const bell = created({ trigger: { every: "10m" } });
    bell.now = at("09:10:00");
    granted(bell.pause());
    expect(sentSlots(bell)).toEqual(["09:10"]);
    const slot = { slot: at("09:10:00"), variant: "" };
    const { token } = granted(bell.start(slot));
    granted(bell.command("complete", { ...slot, token }));
    bell.to("12:00:00");
    expect(sentSlots(bell)).toEqual(["09:10"]);
    expect(bell.state.cursor).toBe(at("09:10:00"));
  });

  it("lets what already waits go on", () => {
    const bell = created({
      trigger: { every: "10m" },
      overlap: "buffer_all",
      timeouts: { leaseMs: 900_000 },
    });
    bell.to("09:10:00");
    const slot = { slot: at("09:10:00"), variant: "" };
    const { token } = granted(bell.start(slot));
    bell.to("09:21:00");
    granted(bell.pause());
    granted(bell.command("complete", { ...slot, token }));
    expect(sentSlots(bell)).toEqual(["09:10", "09:20"]);
  });

  it("twice keeps the beginning and takes the new end", () => {
    const bell = created();
    granted(bell.pause());
    bell.to("09:30:00");
    granted(bell.pause("10:00:00"));
    expect(bell.state.pause).toMatchObject({ from: at("09:05:00"), until: at("10:00:00") });
  });

  it("on creation", () => {
    const bell = created(untracked, { paused: true });
    bell.to("10:05:00");
    expect(bell.sent).toEqual([]);
    granted(bell.resume());
    expect(bell.ledger.story).toEqual(["09:10:00..10:00:00 ×6 paused"]);
  });

  it("of a completed schedule, and resume of one that isn't paused, are refused", () => {
    const bell = created({ ...untracked, maxOccurrences: 1 });
    expect(refusal(bell.resume())).toBe("not_paused");
    bell.to("09:10:00");
    expect(refusal(bell.pause())).toBe("settled");
  });
});

describe("resume", () => {
  const ROWS = [
    { catchUp: null, sent: ["09:50"], story: ["09:10:00..09:40:00 ×4 paused", "09:50:00 dispatched"] },
    { catchUp: "skip", sent: ["09:50"], story: ["09:10:00..09:40:00 ×4 missed", "09:50:00 dispatched"] },
    {
      catchUp: "latest",
      sent: ["09:40", "09:50"],
      story: ["09:10:00..09:30:00 ×3 coalesced", "09:40:00 dispatched", "09:50:00 dispatched"],
    },
    {
      catchUp: "all",
      sent: ["09:20", "09:30", "09:40", "09:50"],
      story: [
        "09:10:00 skipped/catch_up_limit",
        "09:20:00 dispatched",
        "09:30:00 dispatched",
        "09:40:00 dispatched",
        "09:50:00 dispatched",
      ],
    },
  ] as const;
  it.each(ROWS)("with catchUp $catchUp", ({ catchUp, sent, story }) => {
    const bell = created({ ...untracked, catchUp: { limit: 3 } });
    granted(bell.pause());
    bell.to("09:48:00");
    granted(bell.resume(catchUp));
    bell.to("09:50:00");
    expect(sentSlots(bell)).toEqual(sent);
    expect(bell.ledger.story).toEqual(story);
  });

  it("with catchUp settles the whole pause by it, in as many pieces as the count takes", () => {
    const union = [
      { cron: "* * * * * *", timezone: "UTC" },
      { every: "7s", anchor: "2026-01-01T00:00:00.500Z" },
    ];
    const bell = created({ tracked: false, trigger: union });
    granted(bell.pause());
    bell.to("2026-03-04T09:05:00.700Z");
    granted(bell.resume("skip"));
    expect(new Set([...bell.ledger.gaps.values()].map((gap) => gap.reason))).toEqual(new Set(["missed"]));
  });

  it("forgets the failures that paused it", () => {
    const bell = created({ trigger: { every: "10m" }, pauseAfterFailures: 1 });
    bell.to("09:10:00");
    const slot = { slot: at("09:10:00"), variant: "" };
    const { token } = granted(bell.start(slot));
    granted(bell.command("fail", { ...slot, token, error: "no", retryable: false }));
    expect(bell.state).toMatchObject({
      status: "paused",
      pause: { who: "carillon", note: expect.stringContaining("1 failed") as string },
    });
    granted(bell.resume());
    expect(bell.state.health.consecutiveFailures).toBe(0);
  });
});

describe("pause until", () => {
  it("ends by itself, without catch-up; the slot at that instant runs", () => {
    const bell = created();
    granted(bell.pause("10:00:00"));
    bell.to("10:10:00");
    expect(sentSlots(bell)).toEqual(["10:00", "10:10"]);
    expect(bell.ledger.story[0]).toBe("09:10:00..09:50:00 ×5 paused");
  });

  it("ends at its instant also where the object slept past it: later slots are missed, not paused", () => {
    const bell = created();
    granted(bell.pause("10:00:00"));
    bell.sleepTo("10:31:00");
    expect(sentSlots(bell)).toEqual(["10:30"]);
    expect(bell.ledger.story.slice(0, 2)).toEqual([
      "09:10:00..09:50:00 ×5 paused",
      "10:00:00..10:20:00 ×3 coalesced",
    ]);
  });
});

describe("edit and delete while paused", () => {
  it("settle what passed as paused, and stay paused", () => {
    const bell = created();
    granted(bell.pause());
    bell.to("09:35:00");
    granted(bell.patch({ trigger: { every: "1h" } }));
    expect(bell.ledger.story).toEqual(["09:10:00..09:30:00 ×3 paused"]);
    expect(bell.state.status).toBe("paused");
    bell.to("10:35:00");
    granted(bell.remove());
    expect(bell.ledger.story.at(-1)).toBe("10:00:00 skipped/paused");
  });
});

describe("pauseAfterFailures", () => {
  const fail = (bell: Bell, slot: number) => {
    const address = { slot, variant: "" };
    const { token } = granted(bell.start(address, `w${slot}`));
    granted(bell.command("fail", { ...address, token, error: "no", retryable: false }));
  };

  it("counts failed occurrences in a row; a success begins again, and runs by hand do not count", () => {
    const bell = created({ trigger: { every: "10m" }, pauseAfterFailures: 2 });
    bell.to("09:10:00");
    fail(bell, at("09:10:00"));
    granted(bell.trigger());
    const manual = { slot: at("09:10:00"), variant: bell.open[0]?.variant ?? "" };
    const { token } = granted(bell.start(manual, "m"));
    granted(bell.command("fail", { ...manual, token, error: "no", retryable: false }));
    expect(bell.state.status).toBe("active");
    bell.to("09:20:00");
    const good = { slot: at("09:20:00"), variant: "" };
    granted(bell.command("complete", { ...good, token: granted(bell.start(good)).token }));
    bell.to("09:30:00");
    fail(bell, at("09:30:00"));
    expect(bell.state.status).toBe("active");
    bell.to("09:40:00");
    fail(bell, at("09:40:00"));
    expect(bell.state.status).toBe("paused");
  });

  it("decides what is due by then before it pauses: a late wake takes no slot for paused that came before", () => {
    const bell = created({ trigger: { every: "10m" }, pauseAfterFailures: 1, retry: { maxAttempts: 1 } });
    bell.to("09:10:00");
    granted(bell.start({ slot: at("09:10:00"), variant: "" }));
    bell.sleepTo("09:41:00");
    expect(bell.state.status).toBe("paused");
    expect(bell.ledger.story).toEqual([
      "09:10:00 failed/run_timeout",
      "09:20:00..09:30:00 ×2 coalesced",
      "09:40:00 dispatched",
    ]);
  });
});
