/** Contract §2.6: an ended occurrence again, under a new and linked identity. */
import { describe, expect, it } from "vitest";
import { at, Bell, granted, refusal } from "./harness.ts";

const hourly = { trigger: { every: "1h" }, retry: { maxAttempts: 1 }, payload: { rows: "old" } };
const TEN = { slot: at("10:00:00"), variant: "" };

/** The run of 10:00 has failed. */
function failed(): Bell {
  const bell = new Bell("2026-03-02T09:30:00Z");
  granted(bell.put(hourly));
  bell.to("10:00:00");
  const { token } = granted(bell.start(TEN));
  granted(bell.command("fail", { ...TEN, token, error: "no" }));
  return bell;
}

describe("replay", () => {
  it("runs under a linked identity, and leaves the original as it was", () => {
    const bell = failed();
    const original = bell.ledger.row(TEN.slot);
    const replayed = granted(bell.replay(TEN));
    expect(replayed).toMatchObject({
      id: "job@2026-03-02T10:00:00Z~r1",
      kind: "replay",
      state: "claimed",
      replayOf: "job@2026-03-02T10:00:00Z",
    });
    const { token } = granted(bell.start(bell.sent.at(-1)!, "w2"));
    granted(bell.command("complete", { slot: TEN.slot, variant: "~r1", token }));
    expect(bell.ledger.row(TEN.slot, "~r1")).toMatchObject({ state: "succeeded" });
    expect(bell.ledger.row(TEN.slot)).toEqual(original);
  });

  it("keeps payload and revision though the object has forgotten them, unless told to take the current one", () => {
    const bell = failed();
    granted(bell.patch({ payload: { rows: "new" } }));
    expect(Object.keys(bell.world.revisions)).toEqual(["2"]);
    granted(bell.replay(TEN));
    expect(bell.sent.at(-1)!.message).toMatchObject({ revision: 1, payload: { rows: "old" } });
    granted(bell.cancel({ slot: TEN.slot, variant: "~r1" }));
    granted(bell.replay(TEN, "current"));
    expect(bell.sent.at(-1)!.message).toMatchObject({ revision: 2, payload: { rows: "new" } });
    expect(Object.keys(bell.world.revisions)).toEqual(["2"]);
  });

  it("keeps a payload that the original had of its own", () => {
    const bell = failed();
    const manual = granted(bell.trigger({ payload: { only: "this" } }));
    granted(bell.cancel({ slot: TEN.slot, variant: "~m1" }));
    granted(bell.replay({ slot: TEN.slot, variant: "~m1" }, "current"));
    expect(bell.sent.at(-1)!.message).toMatchObject({ id: `${manual.id}~r1`, payload: { only: "this" } });
  });

  it("is numbered by the schedule, and a replay of a replay stands beside it", () => {
    const bell = failed();
    granted(bell.replay(TEN));
    granted(bell.cancel({ slot: TEN.slot, variant: "~r1" }));
    expect(granted(bell.replay({ slot: TEN.slot, variant: "~r1" }))).toMatchObject({
      id: "job@2026-03-02T10:00:00Z~r2",
      replayOf: "job@2026-03-02T10:00:00Z~r1",
    });
  });

  it("waits for a seat behind scheduled slots, and moves nothing", () => {
    const bell = failed();
    bell.to("11:00:00");
    const { cursor, claimed, health } = bell.state;
    const { consecutiveFailures } = health;
    expect(granted(bell.replay(TEN))).toMatchObject({ state: "buffered" });
    const eleven = { slot: at("11:00:00"), variant: "" };
    granted(bell.cancel(eleven));
    expect(bell.open).toMatchObject([{ variant: "~r1", state: "dispatched" }]);
    expect(bell.state).toMatchObject({ cursor, claimed, health: { consecutiveFailures } });
  });

  it("works while paused; an original that has not ended is refused, and so is a deleted schedule", () => {
    const bell = failed();
    granted(bell.pause());
    granted(bell.replay(TEN));
    expect(refusal(bell.replay({ slot: TEN.slot, variant: "~r1" }))).toBe("not_final");
    granted(bell.remove());
    expect(refusal(bell.replay(TEN))).toBe("not_found");
  });
});
