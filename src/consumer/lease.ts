import type { Grant, Progress, Refusal, Renewal, Runs } from "./protocol.ts";
import { tell } from "./transport.ts";

/** Only `lease_lost` silences the handler too: somebody else may hold the attempt by now. */
type Stop = "lease_lost" | "cancelled" | "deadline";
export type Lease = ReturnType<typeof holdLease>;

/** Keeps the attempt ours: one renewal each third of the lease, so that one may fail and another be late. */
export function holdLease(runs: Runs, key: string, { token, ...grant }: Grant) {
  const controller = new AbortController();
  const { signal } = controller;
  const news: Progress = {}; // goes out with the next renewal
  const lease = { signal, news, newerSucceeded: grant.newerSucceeded, stop: null as Stop | null, release };
  let released = false;
  let period = third(grant.leaseUntil);
  let renewal = setTimeout(() => void renew(), period);
  const deadline = setTimeout(halt, Date.parse(grant.deadline) - Date.now(), "deadline");

  async function renew(): Promise<void> {
    try {
      const answer = await runs.heartbeat(key, { token, ...lease.news });
      if (answer.ok) renewed(answer.value);
      else refused(answer.error);
    } catch (error) {
      tell("renewal_failed", key, error); // a lease that lapsed is ours until another attempt starts: go on
    }
    if (!released) renewal = setTimeout(() => void renew(), period);
  }
  function renewed({ leaseUntil, newerSucceeded, cancel }: Renewal): void {
    lease.newerSucceeded = newerSucceeded;
    period = third(leaseUntil);
    if (cancel) halt("cancelled");
  }
  function refused({ code, message }: Refusal): void {
    if (code === "lease_lost") return halt("lease_lost");
    tell("renewal_refused", key, message);
    lease.news = {}; // lest bad news cost the lease too
  }
  function halt(reason: Stop): void {
    if (lease.stop !== "lease_lost") lease.stop = reason;
    if (reason !== "cancelled") release(); // a cancelled run winds down under its lease
    controller.abort(new Error(reason));
  }
  function release(): void {
    released = true;
    clearTimeout(renewal);
    clearTimeout(deadline);
  }
  return lease;
}

/** A clock far ahead of the scheduler's takes every lease for over: renew often then, but not in a frenzy. */
function third(leaseUntil: string): number {
  return Math.max((Date.parse(leaseUntil) - Date.now()) / 3, 250);
}
