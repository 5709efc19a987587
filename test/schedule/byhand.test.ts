/** Contract §2.6 as far as the machine goes: a run by hand meets the overlap policy, and moves nothing else. */
import { describe, expect, it } from "vitest";
import type { Overlap } from "../../src/core/schedule.ts";
import { at, Bell, granted, refusal } from "./harness.ts";

const hourly = { trigger: { every: "1h" }, timeouts: { leaseMs: 900_000 } };

function created(input: Parameters<Bell["put"]>[0] = hourly): Bell {
  const bell = new Bell("2026-03-02T09:00:00Z");
  granted(bell.put(input));
  return bell;
}

function busy(input: Parameters<Bell["put"]>[0] = hourly) {
  const bell = created(input).to("10:00:00");
  const slot = { slot: at("10:00:00"), variant: "" };
  const { token } = granted(bell.start(slot));
  bell.to("10:00:07");
  return { bell, slot, token };
}

describe("trigger", () => {
  it("runs at once under the instant of the request, with a payload of its own", () => {
    const bell = created().to("09:12:34.567");
    const occurrence = granted(bell.trigger({ payload: { only: "this" } }));
    expect(occurrence).toMatchObject({
      id: "job@2026-03-02T09:12:34.567Z~m1",
      kind: "manual",
      state: "claimed",
    });
    expect(bell.sent).toMatchObject([{ message: { payload: { only: "this" }, kind: "manual" } }]);
  });

  it("works while paused and after completion, and moves neither cursor nor streaks nor maxOccurrences", () => {
    const bell = created({ ...hourly, maxOccurrences: 1, tracked: false });
    granted(bell.pause());
    const before = bell.state;
    granted(bell.trigger());
    expect(bell.state).toMatchObject({ cursor: before.cursor, claimed: 0, status: "paused" });
    granted(bell.resume());
    bell.to("10:00:00");
    expect(bell.state.status).toBe("completed");
    granted(bell.trigger());
    expect(bell.sent).toHaveLength(3);
    granted(bell.remove());
    expect(refusal(bell.trigger())).toBe("not_found");
  });

  const POLICIES: { overlap: Overlap; answer: string; open: string[]; waiting: number }[] = [
    { overlap: "skip", answer: "busy", open: [""], waiting: 0 },
    { overlap: "buffer_one", answer: "buffered", open: [""], waiting: 1 },
    { overlap: "buffer_all", answer: "buffered", open: [""], waiting: 1 },
    { overlap: "cancel_other", answer: "buffered", open: [""], waiting: 1 },
    { overlap: "terminate_other", answer: "claimed", open: ["~m1"], waiting: 0 },
    { overlap: "allow", answer: "claimed", open: ["", "~m1"], waiting: 0 },
  ];
  it.each(POLICIES)("while busy, under $overlap: $answer", ({ overlap, answer, open, waiting }) => {
    const named = busy();
    const own = busy(overlap === "allow" ? { ...hourly, overlap } : { ...hourly, overlap, maxConcurrent: 1 });
    for (const [{ bell }, command] of [
      [named, { overlap }],
      [own, {}],
    ] as const) {
      const reply = bell.trigger(command);
      expect(reply.ok ? reply.value.state : reply.error.code).toBe(answer);
      expect(bell.open.map(({ variant }) => variant)).toEqual(open);
      expect(bell.state.waiting).toHaveLength(waiting);
    }
  });

  it("under cancel_other begins when the other has stopped, and replaces who waited", () => {
    const { bell, slot, token } = busy({ ...hourly, overlap: "cancel_other" });
    granted(bell.trigger({ payload: "first" }));
    bell.to("10:00:08");
    granted(bell.trigger({ payload: "second" }));
    expect(bell.ledger.story).toContain("10:00:07~m1 skipped/superseded");
    granted(bell.command("fail", { ...slot, token, error: "stopped" }));
    expect(bell.open).toMatchObject([{ variant: "~m1", slot: at("10:00:08"), payload: { value: "second" } }]);
    expect(bell.ledger.story).toContain("10:00:00 cancelled/superseded");
  });

  it("keeps its payload while it waits, and the slot that replaces it does not take its place in history", () => {
    const { bell } = busy({
      ...hourly,
      overlap: "cancel_other",
      timeouts: { leaseMs: 7_200_000, runMs: 7_200_000, cancelMs: 7_200_000 },
    });
    granted(bell.trigger({ payload: "mine" }));
    bell.to("11:00:00");
    expect(bell.ledger.row(at("10:00:07"), "~m1")).toMatchObject({
      state: "skipped",
      kind: "manual",
      body: { payload: { value: "mine" } },
    });
    expect(bell.ledger.row(at("10:00:07"))).toBeUndefined();
  });

  it("can be cancelled while it waits", () => {
    const { bell } = busy({ ...hourly, overlap: "buffer_one" });
    granted(bell.trigger());
    expect(granted(bell.cancel({ slot: at("10:00:07"), variant: "~m1" })).state).toBe("cancelled");
    expect(bell.state.waiting).toEqual([]);
  });

  it("of a schedule that nobody tracks knows no other policy than allow", () => {
    const bell = created({ ...hourly, tracked: false });
    expect(refusal(bell.trigger({ overlap: "skip" }))).toBe("invalid_field");
    granted(bell.trigger({ overlap: "allow" }));
  });

  it("never uses an id twice: in one millisecond, waiting or not, and after the clock stepped back", () => {
    const bell = created({ ...hourly, tracked: false });
    const ids = new Set<string>();
    for (const instant of [
      "09:10:00",
      "09:10:00",
      "09:10:00",
      "09:10:01",
      "09:10:00",
      "09:10:00.500",
      "09:10:01",
    ]) {
      bell.now = at(instant);
      ids.add(granted(bell.trigger()).id);
    }
    expect(ids.size).toBe(7);
  });
});

describe("catch-up and overlap as seen from outside", () => {
  it("tells the next run what the last one returned", () => {
    const { bell, slot, token } = busy();
    granted(bell.command("complete", { ...slot, token, result: { seen: 42 } }));
    bell.to("11:00:00");
    expect(bell.sent.at(-1)?.message.previous).toEqual({
      scheduledFor: "2026-03-02T10:00:00Z",
      state: "succeeded",
      result: { seen: 42 },
    });
  });

  it("tells an older run that a later slot has succeeded", () => {
    const { bell, slot, token } = busy({ ...hourly, overlap: "allow" });
    const later = { slot: at("10:00:07"), variant: "~m1" };
    granted(bell.trigger());
    granted(bell.command("complete", { ...later, token: granted(bell.start(later, "w2")).token }));
    expect(granted(bell.command("heartbeat", { ...slot, token })).newerSucceeded).toBe(
      "2026-03-02T10:00:07Z",
    );
  });
});
