/** When the object wakes, what it does first, and the stories of what the model test found. */
import { describe, expect, it } from "vitest";
import { wakeAt } from "../../src/schedule/wake.ts";
import { at, Bell, granted, refusal } from "./harness.ts";

const MINUTE = 60_000;

function created(input: Parameters<Bell["put"]>[0]): Bell {
  const bell = new Bell("2026-03-02T08:59:30Z");
  granted(bell.put(input));
  return bell;
}

describe("untilNextSlot", () => {
  const input = {
    trigger: { every: "1m" },
    retry: { untilNextSlot: true, jitter: 0, initialMs: 40_000 },
    timeouts: { leaseMs: 3 * MINUTE },
  };
  const first = { slot: at("09:00:00"), variant: "" };

  it("ends a retrying run when the next slot is due, and leaves that slot its seat", () => {
    const bell = created(input).to("09:00:00");
    const { token } = granted(bell.start(first));
    bell.to("09:00:30");
    granted(bell.command("fail", { ...first, token, error: "no" }));
    bell.to("09:01:00");
    expect(bell.ledger.story).toEqual(["09:00:00 expired/superseded", "09:01:00 dispatched"]);
    expect(refusal(bell.start({ ...first, attempt: 2 }, "w2"))).toBe("superseded");
  });

  it("lets a running attempt go on; it is not tried again once the next slot was due", () => {
    const bell = created(input).to("09:00:00");
    const { token } = granted(bell.start(first));
    bell.to("09:01:30");
    expect(bell.ledger.story.at(-1)).toBe("09:01:00 skipped/overlap");
    granted(bell.command("fail", { ...first, token, error: "no" }));
    expect(bell.ledger.story[0]).toBe("09:00:00 expired/superseded");
  });
});

describe("wakeAt", () => {
  it("is at most a day away, and null only where nothing lies ahead", () => {
    const bell = created({ trigger: { cron: "0 9 1 12 *", timezone: "UTC" } });
    expect(wakeAt(bell.world, bell.now)).toBe(bell.now + 86_400_000);
    granted(bell.pause());
    expect(wakeAt(bell.world, bell.now)).toBeNull();
    granted(bell.pause("2026-03-02T10:00:00Z"));
    expect(wakeAt(bell.world, bell.now)).toBe(at("10:00:00"));
  });

  it("for a slot that waits with jitter and window is the end of its window, and not the past", () => {
    const bell = created({
      trigger: { every: "10m" },
      jitterMs: 9 * MINUTE,
      overlap: "buffer_one",
      catchUp: { windowMs: MINUTE },
      timeouts: { leaseMs: 240 * MINUTE, runMs: 240 * MINUTE },
    });
    let wakes = 0;
    bell.to("10:30:00", () => {
      wakes++;
      for (const sent of bell.queue.splice(0)) bell.start(sent);
    });
    expect(bell.state.health.counts.catch_up_window).toBeGreaterThan(5);
    expect(wakes).toBeLessThan(40);
  });
});

describe("what the model test found", () => {
  it("the seat of a run that ended with its hand-over goes to who waits, after an edit from allow too", () => {
    const catchUp = { policy: "all", graceMs: 0, rate: 1 } as const;
    const bell = created({ trigger: { every: "10m" }, tracked: false, catchUp });
    bell.now = at("09:30:00");
    granted(bell.patch({ tracked: true, overlap: "skip" }));
    bell.to("09:30:05");
    expect(bell.sent.map(({ slot }) => new Date(slot).toISOString().slice(14, 16))).toEqual([
      "00",
      "10",
      "20",
      "30",
    ]);
  });

  const COMMANDS = [
    { name: "pause", call: (bell: Bell) => bell.pause() },
    { name: "edit", call: (bell: Bell) => bell.patch({ payload: 1 }) },
    { name: "trigger", call: (bell: Bell) => bell.trigger() },
    { name: "delete", call: (bell: Bell) => bell.remove() },
  ];
  it.each(COMMANDS)(
    "a $name whose wake ends the last run of a schedule to be deleted finds it gone",
    ({ call }) => {
      const bell = created({ trigger: { at: "2026-03-02T09:00:00Z" }, afterCompletion: "delete" });
      bell.to("09:00:00");
      bell.now = at("2026-03-03T09:00:00Z");
      expect(refusal(call(bell))).toBe("not_found");
      expect(bell.state.status).toBe("deleted");
    },
  );

  it("a row that said claimed, recorded and forgotten in a crash, gives way to dispatched", () => {
    const bell = created({ trigger: { every: "10m" }, tracked: false });
    bell.faults.queue = true;
    bell.to("09:00:00.001");
    expect(bell.ledger.story).toEqual(["09:00:00 claimed"]);
    bell.reload();
    bell.faults.queue = false;
    bell.to("09:01:00");
    expect(bell.ledger.story).toEqual(["09:00:00 dispatched"]);
  });
});
