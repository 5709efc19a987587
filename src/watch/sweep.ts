/**
 * The sweep checks the promise, not a flag: of the next page of schedules, in key order, it computes the slots that
 * should be on record and asks the ledger for them; what is missing, or has not moved, it takes to the object.
 *
 *   ledger ──► evidence ──► suspicion ──► visit (poke, ask) ──► alerts
 *
 * Missing and doubled passes do no harm: nothing here decides anything, it only makes objects look at the clock.
 */
import { callAll } from "../at-once.ts";
import { BOUNDS } from "../core/limits.ts";
import { log } from "../log.ts";
import { claimPass, lastSweep } from "../ledger/sweep.ts";
import { watchedAfter } from "../ledger/watched.ts";
import type { ScheduleStub } from "../schedule/stub.ts";
import { settleAlerts, type Finding } from "./alerts.ts";
import { gather, stillAbsent, type Shards, type Sighting } from "./evidence.ts";
import { suspect, type Suspicion } from "./suspicion.ts";
import { ASKS_NOBODY, visit, type Visit } from "./visit.ts";

export interface Sweep {
  directory: Parameters<typeof watchedAfter>[0];
  /** The database that keeps a shard's occurrences. */
  shard: Shards;
  schedule(namespace: string, name: string): ScheduleStub;
}

export interface SweepSummary {
  /** Schedules that this pass looked at. */
  looked: number;
  /** Objects that were woken, and those that could not be. */
  poked: number;
  failed: number;
  /** What that did: messages that left again, occurrences that ended as expired. */
  redispatched: number;
  expired: number;
  /** Raised by this pass. */
  alerts: number;
}

const NOTHING: SweepSummary = { looked: 0, poked: 0, failed: 0, redispatched: 0, expired: 0, alerts: 0 };

export async function sweep(world: Sweep, now: number): Promise<SweepSummary> {
  const { directory } = world;
  const before = await lastSweep(directory);
  const page = await watchedAfter(directory, before?.position ?? "", BOUNDS.SWEPT_PER_PASS);
  const sightings = await gather(page, world, now);
  const suspected = bounded(sightings.map((sighting) => ({ sighting, suspicions: suspect(sighting, now) })));
  // A page cut short ends where its calls did: nobody is passed over. A short page was the last: begin anew.
  const isCut = suspected.length < sightings.length;
  const last = isCut ? suspected.at(-1)?.sighting.key : keyOf(page.at(BOUNDS.SWEPT_PER_PASS - 1));
  const looked = isCut ? suspected.length : page.length;
  const pass = { position: last ?? "", passedAt: now, summary: { looked } };
  if (!(await claimPass(directory, before, pass))) return NOTHING;
  const visits = await visitAll(world, suspected, now);
  const alerts = await settleAlerts(directory, await findingsOf(visits, world.shard), now);
  const summary = { ...summaryOf(visits), looked, alerts };
  log("sweep", { ...summary });
  return summary;
}

interface Suspected {
  sighting: Sighting;
  suspicions: Suspicion[];
}

function needsCall({ suspicions }: Suspected): boolean {
  return suspicions.some(({ kind }) => !ASKS_NOBODY.has(kind));
}

/** As many, in order, as need no more calls than a pass may make. */
function bounded(suspected: Suspected[]): Suspected[] {
  let calls = 0;
  const end = suspected.findIndex((one) => needsCall(one) && ++calls > BOUNDS.CALLS_PER_PASS);
  return end === -1 ? suspected : suspected.slice(0, end);
}

function keyOf(watched: { namespace: string; name: string } | undefined): string | undefined {
  return watched && `${watched.namespace}/${watched.name}`;
}

async function visitAll(world: Sweep, suspected: Suspected[], now: number): Promise<Visit[]> {
  return callAll(suspected, ({ sighting, suspicions }) => {
    const { namespace, name } = sighting.watched;
    return visit(world.schedule(namespace, name), sighting, suspicions, now);
  });
}

/** What was absent and has been mended meanwhile is no finding. */
async function findingsOf(visits: Visit[], shards: Shards): Promise<Finding[]> {
  const absent = await absentStill(visits, shards);
  return visits.map(({ sighting, verdicts }) => {
    const finding: Finding = { schedule: sighting.key, holds: new Map(), unknown: new Set() };
    for (const { suspicion, verdict } of verdicts) {
      const { kind, at, message, occurrence } = suspicion;
      if (kind === "not_moving") continue;
      const isAbsent = verdict === "absent" && absent.has(`${sighting.key} ${at.slot}`);
      if (verdict === "true" || isAbsent) finding.holds.set(kind, { message, occurrence });
      if (verdict === "unknown") finding.unknown.add(kind);
    }
    return finding;
  });
}

async function absentStill(visits: Visit[], shards: Shards): Promise<Set<string>> {
  const wanted = visits.flatMap(({ sighting, verdicts }) =>
    verdicts
      .filter(({ verdict }) => verdict === "absent")
      .map(({ suspicion }) => ({
        schedule: sighting.key,
        slot: suspicion.at.slot,
        shard: sighting.watched.shard,
      })),
  );
  const absent = new Set<string>();
  for (const [name, own] of Map.groupBy(wanted, ({ shard }) => shard)) {
    const database = shards(name);
    const still = database ? await stillAbsent(database, own) : [];
    for (const { schedule, slot } of still) absent.add(`${schedule} ${slot}`);
  }
  return absent;
}

function summaryOf(visits: Visit[]): SweepSummary {
  const summary = { ...NOTHING };
  for (const { poked } of visits) {
    if (poked === null) continue;
    if (poked === "failed") summary.failed++;
    else {
      summary.poked++;
      summary.redispatched += poked.redispatched;
      summary.expired += poked.expired;
    }
  }
  return summary;
}
