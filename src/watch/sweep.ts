/**
 * The sweep checks the promise, not a flag: of the next page of active schedules, in key order, it computes each
 * one's last due slot and asks the ledger for it; the object of an absent one is woken. Missing and doubled passes
 * do no harm: nothing here decides anything, it only makes objects look at the clock.
 */
import { BOUNDS } from "../core/limits.ts";
import { lastEffective } from "../core/plan.ts";
import { complete } from "../core/schedule.ts";
import { compile } from "../core/trigger.ts";
import { causeOf, log } from "../log.ts";
import { activeAfter, saveSweep, sweepPosition, unexplained, type Watched } from "../ledger/sweep.ts";
import type { ScheduleStub } from "../schedule/stub.ts";

export interface Sweep {
  directory: Parameters<typeof activeAfter>[0];
  /** The database that keeps a shard's occurrences. */
  shard(name: string): Parameters<typeof unexplained>[0] | null;
  schedule(namespace: string, name: string): ScheduleStub;
}

export interface SweepSummary {
  looked: number;
  poked: number;
  failed: number;
}

const POKES_AT_A_TIME = 16;

/** One pass. What is due less than `SETTLE_MS` ago may still be on its way to the ledger. */
export async function sweep({ directory, shard, schedule }: Sweep, now: number): Promise<SweepSummary> {
  const position = await sweepPosition(directory);
  const page = await activeAfter(directory, position, BOUNDS.SWEPT_PER_PASS);
  const last = page.at(-1);
  const absent = await absentOf(page, shard, now - BOUNDS.SWEEP_SETTLE_MS);
  const summary = { looked: page.length, poked: 0, failed: 0 };
  for (let i = 0; i < absent.length; i += POKES_AT_A_TIME) {
    const poked = absent
      .slice(i, i + POKES_AT_A_TIME)
      .map((watched) => poke(schedule(watched.namespace, watched.name), watched));
    for (const woke of await Promise.all(poked)) summary[woke ? "poked" : "failed"]++;
  }
  // A short page was the last one: the next pass begins anew.
  const next = last && page.length === BOUNDS.SWEPT_PER_PASS ? `${last.namespace}/${last.name}` : "";
  await saveSweep(directory, next, now, { ...summary });
  log("sweep", { ...summary });
  return summary;
}

async function absentOf(page: Watched[], shard: Sweep["shard"], upTo: number): Promise<Watched[]> {
  const due = page.flatMap((watched) => {
    const slot = lastDue(watched, upTo);
    return slot === null ? [] : [{ watched, schedule: `${watched.namespace}/${watched.name}`, slot }];
  });
  const absent: Watched[] = [];
  for (const name of new Set(due.map(({ watched }) => watched.shard))) {
    const database = shard(name);
    const own = due.filter(({ watched }) => watched.shard === name);
    const missing = database
      ? await unexplained(
          database,
          own.map(({ schedule, slot }) => ({ schedule, slot })),
        )
      : new Set();
    absent.push(...own.filter(({ schedule }) => missing.has(schedule)).map(({ watched }) => watched));
  }
  return absent.slice(0, BOUNDS.POKES_PER_PASS);
}

/** The last slot that should be on record; null for fixed delay, whose slots only its object knows. */
function lastDue(watched: Watched, upTo: number): number | null {
  const definition = complete(watched.definition);
  const compiled = definition.ok ? compile(definition.value) : definition;
  if (!definition.ok || !compiled.ok) return null;
  const rule = { revision: 0, definition: definition.value, timetable: compiled.value };
  const slot = lastEffective(rule, `${watched.namespace}/${watched.name}`, upTo);
  return slot !== null && slot > watched.cursor ? slot : null;
}

async function poke(stub: ScheduleStub, { namespace, name }: Watched): Promise<boolean> {
  try {
    const answer = await stub.poke();
    return answer.ok;
  } catch (error) {
    log("poke_failed", { schedule: `${namespace}/${name}`, cause: causeOf(error) });
    return false;
  }
}
