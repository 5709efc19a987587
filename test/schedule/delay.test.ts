/** Fixed delay: a chain in which each slot is known only when the one before it is settled. It must never wedge. */
import { describe, expect, it } from "vitest";
import type { DefinitionInput } from "../../src/core/schedule.ts";
import { at, Bell, granted } from "./harness.ts";

const MINUTE = 60_000;
const START = "2026-03-02T09:00:00Z";

function chain(input: Partial<DefinitionInput> = {}): Bell {
  const bell = new Bell(START);
  granted(
    bell.put({
      trigger: { after: "10m" },
      retry: { jitter: 0, maxAttempts: 2, initialMs: 60_000 },
      ...input,
    }),
  );
  return bell;
}

const nextDue = (bell: Bell) =>
  bell.state.delayDueAt === null ? null : new Date(bell.state.delayDueAt).toISOString().slice(11, 19);

function run(bell: Bell, more: { takes: number; workRemaining?: boolean }): void {
  const open = bell.open.find((o) => o.state === "dispatched");
  if (!open) throw new Error("nothing waits for a start");
  const address = { slot: open.slot, variant: open.variant };
  const { token } = granted(bell.start({ ...address, attempt: open.attempt }, `w${bell.now}`));
  bell.now += more.takes;
  granted(bell.command("complete", { ...address, token, workRemaining: more.workRemaining ?? false }));
}

describe("the first slot of a fixed delay", () => {
  const ROWS = [
    { name: "lies one delay after creation", input: {}, due: "09:10:00" },
    { name: "is startAt, where that lies ahead", input: { startAt: at("09:03:00") }, due: "09:03:00" },
    { name: "is startAt, also beyond the delay", input: { startAt: at("09:30:00") }, due: "09:30:00" },
    {
      name: "lies one delay after creation where startAt has passed",
      input: { startAt: at("08:00:00") },
      due: "09:10:00",
    },
  ];
  it.each(ROWS)("$name", ({ input, due }) => {
    expect(nextDue(chain(input))).toBe(due);
  });

  it("is still startAt after a pause that ended before it", () => {
    const bell = chain({ startAt: at("09:30:00") });
    granted(bell.pause());
    bell.to("09:05:00");
    granted(bell.resume());
    expect(nextDue(bell)).toBe("09:30:00");
  });
});

describe("the next slot counts from the end of the last run", () => {
  it("however long it took", () => {
    const bell = chain().to("09:10:00");
    run(bell, { takes: 30_000 });
    expect(nextDue(bell)).toBe("09:20:30");
    bell.to("09:20:30");
    expect(bell.sent).toHaveLength(2);
  });

  it("continuations included", () => {
    const bell = chain().to("09:10:00");
    run(bell, { takes: 30_000, workRemaining: true });
    expect(nextDue(bell)).toBeNull();
    run(bell, { takes: 30_000 });
    expect(nextDue(bell)).toBe("09:21:00");
  });

  it("retries included: nothing is due while it retries", () => {
    const bell = chain().to("09:10:00");
    const slot = { slot: at("09:10:00"), variant: "" };
    granted(bell.command("fail", { ...slot, token: granted(bell.start(slot)).token, error: "no" }));
    expect(nextDue(bell)).toBeNull();
    bell.to("09:11:00");
    const second = granted(bell.start({ ...slot, attempt: 2 }, "w2"));
    granted(bell.command("fail", { ...slot, token: second.token, error: "no" }));
    expect(bell.ledger.row(slot.slot)?.state).toBe("failed");
    expect(nextDue(bell)).toBe("09:21:00");
  });

  const ENDS = [
    {
      name: "a cancel",
      end: (bell: Bell) => void granted(bell.cancel({ slot: at("09:10:00"), variant: "" })),
    },
    {
      name: "a lapse of the last lease",
      input: { retry: { maxAttempts: 1 } },
      end: (bell: Bell) => {
        granted(bell.start({ slot: at("09:10:00"), variant: "" }));
        bell.to("09:11:00");
      },
    },
    {
      name: "giving up a message that nobody started",
      input: { retry: { maxElapsedMs: 5 * MINUTE } },
      end: (bell: Bell) => void bell.to("09:15:00"),
    },
    {
      name: "a termination by hand",
      end: (bell: Bell) => void granted(bell.trigger({ overlap: "terminate_other" })),
    },
    {
      name: "a cancellation by hand",
      end: (bell: Bell) => void granted(bell.trigger({ overlap: "cancel_other" })),
    },
  ];
  it.each(ENDS)("whatever ended it: $name", ({ input, end }) => {
    const bell = chain(input).to("09:10:00");
    end(bell);
    expect(bell.state.delayDueAt).toBe(bell.now + 10 * MINUTE);
  });

  it("or from the moment it was skipped", () => {
    const bell = chain();
    granted(bell.trigger());
    granted(bell.start({ slot: at(START), variant: "~m1" }));
    for (let n = 0; n < 12; n++) {
      bell.to(bell.now + 50_000);
      granted(
        bell.command("heartbeat", { slot: at(START), variant: "~m1", token: bell.open[0]?.token ?? 0 }),
      );
    }
    expect(bell.ledger.story.at(-1)).toBe("09:10:00 skipped/overlap");
    expect(nextDue(bell)).toBe("09:20:00");
  });

  it("or waits with its slot, and the chain with it", () => {
    const bell = chain({ overlap: "buffer_one" });
    granted(bell.trigger());
    bell.to("09:12:00");
    expect(bell.state.waiting).toMatchObject([{ upTo: at("09:10:00") }]);
    run(bell, { takes: 60_000 });
    expect(bell.open).toMatchObject([{ slot: at("09:10:00"), kind: "scheduled" }]);
    run(bell, { takes: 60_000 });
    expect(nextDue(bell)).toBe("09:24:00");
  });
});

describe("what does not move a fixed delay", () => {
  it("a run by hand", () => {
    const bell = chain();
    granted(bell.trigger());
    run(bell, { takes: 60_000 });
    expect(nextDue(bell)).toBe("09:10:00");
  });

  it("an edit of something else", () => {
    const bell = chain().to("09:05:00");
    granted(bell.patch({ payload: 1 }));
    expect(nextDue(bell)).toBe("09:10:00");
  });

  it("being late: one slot is due, and it is caught up", () => {
    const bell = chain().sleepTo("15:00:00");
    expect(bell.sent).toMatchObject([{ slot: at("09:10:00"), message: { kind: "catch_up" } }]);
  });
});

describe("what restarts a fixed delay", () => {
  it("an edit of the delay", () => {
    const bell = chain().to("09:05:00");
    granted(bell.patch({ trigger: { after: "1h" } }));
    expect(nextDue(bell)).toBe("10:05:00");
  });

  it("an edit of the delay while a run is open waits for its end", () => {
    const bell = chain().to("09:10:00");
    granted(bell.patch({ trigger: { after: "1m" } }));
    bell.to("09:12:00");
    expect(bell.ledger.story).toEqual(["09:10:00 dispatched"]);
    run(bell, { takes: 0 });
    expect(nextDue(bell)).toBe("09:13:00");
  });

  it("a resume; the slot that passed is recorded", () => {
    const bell = chain();
    granted(bell.pause());
    bell.to("10:00:00");
    granted(bell.resume());
    expect(bell.ledger.story).toEqual(["09:10:00 skipped/paused"]);
    expect(nextDue(bell)).toBe("10:10:00");
  });

  it("a resume that catches up runs the slot that passed", () => {
    const bell = chain();
    granted(bell.pause());
    bell.to("10:00:00");
    granted(bell.resume("latest"));
    expect(bell.sent).toMatchObject([{ slot: at("09:10:00") }]);
  });

  it("the change from another trigger, also under a run that nobody tracks", () => {
    const bell = new Bell(START);
    granted(bell.put({ trigger: { every: "1m" }, tracked: false }));
    bell.faults.queue = true;
    bell.to("09:01:00");
    granted(bell.patch({ trigger: { after: "10m" }, tracked: true }));
    expect(nextDue(bell)).toBeNull();
    bell.faults.queue = false;
    bell.to("09:02:00");
    expect(bell.open).toEqual([]);
    expect(nextDue(bell)).not.toBeNull();
  });
});

describe("a fixed delay ends", () => {
  it("where its next slot would lie beyond endAt", () => {
    const bell = chain({ endAt: at("09:20:00") }).to("09:10:00");
    run(bell, { takes: 60_000 });
    expect(bell.state.status).toBe("completed");
    expect(bell.alarm).toBeNull();
  });

  it("with maxOccurrences", () => {
    const bell = chain({ maxOccurrences: 2 }).to("09:10:00");
    run(bell, { takes: 0 });
    bell.to("09:20:00");
    expect(bell.state.status).toBe("completed");
    run(bell, { takes: 0 });
    bell.to("12:00:00");
    expect(bell.sent).toHaveLength(2);
  });
});
