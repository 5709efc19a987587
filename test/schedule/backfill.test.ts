/** Contract §2.6: past slots on request, behind what is scheduled, and never one that ran already. */
import { describe, expect, it } from "vitest";
import { at, Bell, granted, refusal } from "./harness.ts";

const hourly = { trigger: { every: "1h" }, timeouts: { leaseMs: 900_000 } };

function created(input: Parameters<Bell["put"]>[0] = hourly): Bell {
  const bell = new Bell("2026-03-02T12:30:00Z");
  granted(bell.put(input));
  return bell;
}

/** Runs what was sent last to its end. */
function runLast(bell: Bell): string {
  const sent = bell.sent.at(-1)!;
  const { token } = granted(bell.start(sent, `w${bell.sent.length}`));
  granted(bell.command("complete", { slot: sent.slot, variant: sent.variant, token }));
  return sent.message.id;
}

function runAll(bell: Bell): string[] {
  const ran: string[] = [];
  while (bell.open.length > 0 && ran.length < 100) ran.push(runLast(bell).slice("job@2026-03-02T".length));
  return ran;
}

describe("backfill", () => {
  it("runs the slots of [from, to) one after another, oldest first, under numbers of its own", () => {
    const bell = created();
    const reply = granted(bell.backfill("08:00:00", "11:00:00"));
    expect(reply).toMatchObject({ id: "b1", count: 3, leftOut: { succeeded: 0, open: 0 }, more: false });
    expect(runAll(bell)).toEqual(["08:00:00Z~b1", "09:00:00Z~b1", "10:00:00Z~b1"]);
    expect(bell.sent.every(({ message }) => message.kind === "backfill")).toBe(true);
    granted(bell.backfill("08:00:00", "09:00:00", { rerun: true }));
    expect(runAll(bell)).toEqual(["08:00:00Z~b2"]);
  });

  it("runs newest first where asked to", () => {
    const bell = created();
    const reply = granted(bell.backfill("08:00:00", "12:00:00", { order: "newest", limit: 3 }));
    expect(reply).toMatchObject({
      slots: ["2026-03-02T11:00:00Z", "2026-03-02T10:00:00Z", "2026-03-02T09:00:00Z"],
      more: true,
    });
    expect(runAll(bell)).toEqual(["11:00:00Z~b1", "10:00:00Z~b1", "09:00:00Z~b1"]);
  });

  it("shows in a dry run what it would do, and does nothing", () => {
    const bell = created();
    const before = bell.state;
    const reply = granted(bell.backfill("08:00:00", "11:00:00", { dryRun: true }));
    expect(reply).toMatchObject({
      id: null,
      dryRun: true,
      count: 3,
      slots: ["2026-03-02T08:00:00Z", {}, {}].map(() => expect.any(String)),
    });
    expect(bell.state).toEqual(before);
  });

  it("leaves out what succeeded or is open, unless it is told to run it again", () => {
    const bell = created().to("13:00:00");
    runLast(bell);
    bell.to("14:00:00").to("14:05:00");
    const asked = granted(bell.backfill("12:00:00", "14:01:00", { dryRun: true }));
    expect(asked).toMatchObject({ slots: ["2026-03-02T12:00:00Z"], leftOut: { succeeded: 1, open: 1 } });
    const again = granted(bell.backfill("12:00:00", "14:01:00", { dryRun: true, rerun: true }));
    expect(again.count).toBe(3);
  });

  it("knows what succeeded before the ledger does, and what waits in another backfill", () => {
    const bell = created().to("13:00:00");
    bell.faults.ledger = true;
    runLast(bell);
    bell.to("13:05:00");
    granted(bell.backfill("10:00:00", "12:00:00"));
    expect(granted(bell.backfill("10:00:00", "13:01:00", { dryRun: true }))).toMatchObject({
      slots: ["2026-03-02T12:00:00Z"],
      leftOut: { succeeded: 1, open: 2 },
    });
  });

  it("waits behind scheduled slots that wait, and outside maxBuffered", () => {
    const bell = created({ ...hourly, overlap: "buffer_all", maxBuffered: 1 }).to("13:00:00");
    granted(bell.backfill("08:00:00", "10:00:00"));
    bell.to("14:00:00");
    expect(runAll(bell)).toEqual(["13:00:00Z", "14:00:00Z", "08:00:00Z~b1", "09:00:00Z~b1"]);
  });

  it("works while paused, and moves neither cursor nor streak nor maxOccurrences", () => {
    const bell = created({ ...hourly, maxOccurrences: 5 });
    granted(bell.pause());
    const { cursor, claimed } = bell.state;
    granted(bell.backfill("08:00:00", "10:00:00"));
    const [sent] = bell.sent;
    const { token } = granted(bell.start(sent!));
    granted(bell.command("fail", { slot: sent!.slot, variant: "~b1", token, error: "no", retryable: false }));
    expect(runAll(bell)).toEqual(["09:00:00Z~b1"]);
    expect(bell.state).toMatchObject({
      cursor,
      claimed,
      status: "paused",
      health: { consecutiveFailures: 0 },
    });
  });

  it("can be called off, one by one and altogether", () => {
    const bell = created();
    granted(bell.backfill("06:00:00", "12:00:00", { order: "newest" }));
    granted(bell.start(bell.sent[0]!));
    granted(bell.cancel({ slot: at("08:00:00"), variant: "~b1" }));
    granted(bell.cancel({ slot: at("06:00:00"), variant: "~b1" }));
    const end = granted(bell.command("cancelBackfill", { id: "b1", who: "ann" }));
    expect(end).toEqual({ id: "b1", cancelled: 3, stopping: 1 });
    expect(bell.state.waiting).toEqual([]);
    expect(bell.ledger.story.filter((line) => line.includes("cancelled"))).toHaveLength(5);
    expect(refusal(bell.command("cancelBackfill", { id: "b2", who: "ann" }))).toBe("not_found");
  });

  it("goes on under its revision after an edit, and is cancelled by a delete", () => {
    const bell = created({ ...hourly, payload: 1 });
    granted(bell.backfill("08:00:00", "11:00:00"));
    granted(bell.patch({ payload: 2, trigger: { every: "7h" } }));
    runLast(bell);
    runLast(bell);
    expect(bell.sent.map(({ message }) => [message.revision, message.payload])).toEqual([
      [1, 1],
      [1, 1],
      [1, 1],
    ]);
    granted(bell.remove());
    expect(bell.ledger.row(at("10:00:00"), "~b1")).toMatchObject({ state: "cancelled" });
  });

  it.each([
    { why: "the future", from: "12:00:00", to: "13:00:00", code: "invalid_field" },
    { why: "an empty range", from: "12:00:00", to: "12:00:00", code: "invalid_field" },
    {
      why: "a revision that is over",
      from: "08:00:00",
      to: "09:00:00",
      more: { revision: 7 },
      code: "precondition_failed",
    },
  ])("refuses $why", ({ from, to, more, code }) => {
    expect(refusal(created().backfill(from, to, more))).toBe(code);
  });

  it("refuses fixed delay, which names no past slots, and more than may wait", () => {
    expect(refusal(created({ trigger: { after: "1h" } }).backfill("08:00:00", "09:00:00"))).toBe(
      "invalid_field",
    );
    const bell = created({ trigger: { every: "1s" } });
    for (let hour = 4; hour < 9; hour++)
      granted(bell.backfill(`0${hour}:00:00`, `0${hour + 1}:00:00`, { limit: 1_000 }));
    expect(refusal(bell.backfill("10:00:00", "10:20:00", { limit: 1_000 }))).toBe("limit_exceeded");
  });
});
