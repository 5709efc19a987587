/** A consumer that starts whatever arrives at once, works for a while and reports; on a made-up clock. */
import { at, granted, type Bell } from "./harness.ts";

export interface Worked {
  /** When runs began, in order. */
  starts: number[];
  /** Slots whose run was told to stop, and did. */
  stopped: number[];
  /** Most live leases at once. A run whose token is void goes on until its worker hears of it. */
  peak: number;
}

interface Run {
  slot: number;
  variant: string;
  token: number;
  endsAt: number;
}

/** Up to and including `until`. What is done at t reports before the clock of t strikes. */
export function work(bell: Bell, { takesMs, until }: { takesMs: number; until: string | number }): Worked {
  const worked: Worked = { starts: [], stopped: [], peak: 0 };
  const runs: Run[] = [];
  const end = at(until);
  for (;;) {
    begin(bell, runs, { takesMs, worked });
    stopCancelled(bell, runs, worked);
    if (bell.queue.length > 0) continue;
    const done = runs.toSorted((a, b) => a.endsAt - b.endsAt)[0];
    const next = Math.min(done?.endsAt ?? Number.POSITIVE_INFINITY, bell.alarm ?? Number.POSITIVE_INFINITY);
    if (next > end) break;
    bell.now = Math.max(bell.now, next);
    if (done && done.endsAt <= bell.now) finish(bell, runs, done);
    else bell.ring();
  }
  bell.now = end;
  return worked;
}

function begin(bell: Bell, runs: Run[], { takesMs, worked }: { takesMs: number; worked: Worked }): void {
  for (const { slot, variant, attempt } of bell.queue.splice(0)) {
    const grant = bell.start({ slot, variant, attempt }, `worker of ${slot}${variant}`);
    if (!grant.ok) continue;
    worked.starts.push(bell.now);
    runs.push({ slot, variant, token: grant.value.token, endsAt: bell.now + takesMs });
    worked.peak = Math.max(worked.peak, bell.open.filter(({ state }) => state === "running").length);
  }
}

function finish(bell: Bell, runs: Run[], run: Run): void {
  const { slot, variant, token } = run;
  runs.splice(runs.indexOf(run), 1);
  bell.command("complete", { slot, variant, token });
}

/** Who was asked to stop stops at once; whose token is void finds out with the next heartbeat. */
function stopCancelled(bell: Bell, runs: Run[], worked: Worked): void {
  for (const run of runs.slice()) {
    const { slot, variant, token } = run;
    const open = bell.open.find((o) => o.slot === slot && o.variant === variant);
    if (open?.token === token && open.cancelAt === null) continue;
    runs.splice(runs.indexOf(run), 1);
    worked.stopped.push(slot);
    if (open?.token === token) granted(bell.command("fail", { slot, variant, token, error: "stopped" }));
  }
}
