/** The end of a world: the product's audit of every schedule, and a second opinion computed by other means. */
import { auditPage, type AuditPage } from "../../src/ledger/audit.ts";
import type { Discrepancy, Place } from "../../src/core/audit.ts";
import { readKnowledge } from "../../src/schedule/knowledge.ts";
import { d1Of } from "./sqlite.ts";
import type { Report, World } from "./world.ts";
import type { Watched } from "./watch.ts";

const PAGE = 100_000;
const PAGES_MAX = 100;
const TOLD_MAX = 3; // of a schedule: what is wrong once is often wrong all the way

export async function verdictOn(world: World): Promise<Omit<Report, "cpuMs">> {
  const { plan, clock, luck, books, schedules, violations } = world;
  const total = { audited: 0, lostSlots: 0, commands: 0 };
  for (const one of schedules.values()) {
    total.commands += one.commands;
    if (one.state.revision === 0) continue;
    const { expected, discrepancies } = await audit(one, world);
    total.audited += expected;
    const [lost, wrong] = partition(discrepancies, ({ slot }) => isLost(one, slot));
    total.lostSlots += lost.length;
    const found = [...wrong.map(findingOf), ...(one.lost.length > 0 ? [] : secondOpinion(one))];
    for (const finding of found.slice(0, TOLD_MAX)) violations.push({ schedule: one.host.key, ...finding });
  }
  const rows = books.prepare("SELECT state, count(*) AS n FROM occurrences GROUP BY state").all();
  const outcomes = Object.fromEntries(rows.map(({ state, n }) => [String(state), Number(n)]));
  const gaps = books.prepare("SELECT coalesce(sum(count), 0) AS n FROM gaps").get() as { n: number };
  return {
    seed: plan.seed,
    schedules: plan.schedules,
    simulatedMs: clock.passed,
    occurrences: Object.values(outcomes).reduce((sum, n) => sum + n, 0),
    gapSlots: gaps.n,
    ...total,
    outcomes,
    faults: Object.fromEntries(luck.counts),
    violations,
    trace: schedules.get(`default/${plan.only}`)?.trace ?? [],
  };
}

async function audit(one: Watched, { books, clock }: World) {
  const db = d1Of(books, async (run) => run());
  const { now } = clock;
  const known = readKnowledge(one.world, now);
  const total = { expected: 0, discrepancies: [] as Discrepancy[] };
  let place: Place | null = null;
  for (let n = 0; n < PAGES_MAX; n++) {
    const page: AuditPage = await auditPage(db, db, one.host.key, {
      from: 0,
      upTo: now,
      settledAt: now,
      now,
      place,
      limit: PAGE,
      knowledge: known.ok ? known.value : null,
      strays: false,
    });
    total.expected += page.expected;
    total.discrepancies.push(...page.discrepancies);
    place = page.next;
    if (place === null) return total;
  }
  throw new Error(`the audit of ${one.host.key} has no end`);
}

function secondOpinion(one: Watched): { at: string; what: string }[] {
  try {
    one.invariants.accounts();
    return [];
  } catch (error) {
    return [{ at: new Date(one.now).toISOString(), what: String(error) }];
  }
}

/** Only lost storage knew of it. A chain whose link is gone is broken there. */
function isLost(one: Watched, slot: number): boolean {
  return one.lost.some(({ from, to }) => from <= slot && slot <= to);
}

function findingOf({ kind, slot, expected, found }: Discrepancy) {
  return { at: new Date(slot).toISOString(), what: `audit: ${kind}; expected ${expected}, found ${found}` };
}

function partition<T>(all: T[], is: (one: T) => boolean): [T[], T[]] {
  return [all.filter(is), all.filter((one) => !is(one))];
}
