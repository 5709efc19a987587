/** The overlap policy: one more slot meets those that run and those that wait. */
import type { Overlap } from "./schedule.ts";
import { claim, claimsFree, seatsFree, skipOne, type Arrival, type Draft, type Seat } from "./planning.ts";
import { coalesceWaiting, dropEmpty, shorten, single, wait } from "./waiting.ts";

export type Admission = "fire" | "wait" | "cancel" | "terminate" | "overlap" | "buffer_full";

/** What an overlap policy says about one more, when `free` seats are left and `buffered` wait already. */
export function admission(overlap: Overlap, free: number, buffered: number, maxBuffered: number): Admission {
  if (free > 0) return "fire";
  switch (overlap) {
    case "skip":
      return "overlap";
    case "buffer_one":
      return buffered === 0 ? "wait" : "buffer_full";
    case "buffer_all":
      return buffered < maxBuffered ? "wait" : "buffer_full";
    case "cancel_other":
      return "cancel";
    case "terminate_other":
      return "terminate";
    case "allow":
      return "wait"; // only where OPEN_MAX is reached
  }
}

export function admit(draft: Draft, arrival: Arrival): void {
  const { definition } = draft.input.rule;
  const { slot, revision } = arrival;
  if (draft.left === 0) return skipOne(draft, slot, "catch_up_limit", revision);
  const buffered = draft.waiting
    .filter((range) => range.buffered)
    .reduce((sum, range) => sum + range.count, 0);
  const decision = admission(definition.overlap, claimsFree(draft), buffered, definition.maxBuffered);
  switch (decision) {
    case "fire":
      return fire(draft, arrival);
    case "wait":
      return waitBuffered(draft, arrival);
    case "cancel":
      return cancelOther(draft, arrival);
    case "terminate":
      return terminateOther(draft, arrival);
    case "overlap":
    case "buffer_full":
      if (arrival.covers) return waitCovering(draft, arrival);
      skipOne(draft, slot, decision, revision);
  }
}

function fire(draft: Draft, { slot, kind, revision }: Arrival): void {
  claim(draft, { slot, variant: "", kind, revision, payload: null, replayOf: null });
}

function waitBuffered(draft: Draft, { slot, kind, revision }: Arrival): void {
  wait(draft, { ...single(slot, kind, revision), buffered: true });
}

/** It stands for missed slots, so it waits where the policy would skip it; and for the one that waited before it. */
function waitCovering(draft: Draft, { slot, kind, revision }: Arrival): void {
  if (draft.input.catchUp.policy !== "latest") return wait(draft, single(slot, kind, revision));
  coalesceWaiting(draft);
  wait(draft, { ...single(slot, kind, revision), covers: true });
}

/**
 * The oldest is asked to stop, and the new one waits until it has, in place of whoever waited before it. One that
 * isn't running ends at once and leaves its seat; after an edit that took seats away, that may not be enough.
 */
function cancelOther(draft: Draft, arrival: Arrival): void {
  while (true) {
    const oldest = draft.taken.find((seat) => !seat.cancelling);
    if (!oldest) break;
    draft.cancel.push(oldest.key);
    if (oldest.running) {
      draft.taken = draft.taken.map((seat) => (seat === oldest ? { ...seat, cancelling: true } : seat));
      break;
    }
    vacate(draft, oldest);
    if (seatsFree(draft) > 0) return fire(draft, arrival);
  }
  for (const range of draft.waiting.filter((r) => r.buffered)) {
    shorten(draft, range, range.upTo, "superseded");
  }
  dropEmpty(draft);
  waitBuffered(draft, arrival);
}

/** The oldest loses its token at once; after an edit that took seats away, as many as it takes. */
function terminateOther(draft: Draft, arrival: Arrival): void {
  for (const seat of draft.taken.slice()) {
    if (seatsFree(draft) > 0) break;
    draft.terminate.push(seat.key);
    vacate(draft, seat);
  }
  fire(draft, arrival);
}

function vacate(draft: Draft, seat: Seat): void {
  draft.taken = draft.taken.filter((other) => other !== seat);
}
