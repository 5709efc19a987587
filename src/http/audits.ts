/** The proof that every due slot is explained: of one schedule, and of all of a namespace, page by page. */
import { Hono } from "hono";
import { AUDIT_SLOTS_MAX, type Discrepancy, type Place } from "../core/audit.ts";
import { BOUNDS } from "../core/limits.ts";
import { instantOrNull } from "../core/present.ts";
import { formatInstant } from "../core/time.ts";
import type { AuditPage } from "../ledger/audit.ts";
import type { Entry } from "../ledger/directory.ts";
import type { AppEnv, Caller, Deps } from "./context.ts";
import { cursorOf } from "./cursor.ts";
import { operation } from "./operation.ts";
import { auditQuery, auditsQuery } from "./past-requests.ts";
import * as past from "./past-views.ts";
import { coversSchedule } from "./principal.ts";
import { refuse } from "./problem.ts";
import { namePath } from "./requests.ts";
import { accept } from "./validate.ts";

/** Schedules of one page: each takes a call to its object, and a few looks into the ledger. */
const SCHEDULES_A_PAGE = 16;
const DISCREPANCIES_SHOWN_MAX = 1_000;

const ABOUT =
  "`[from, to)` by slot. Slots are recomputed from the revisions in force, and compared by key; gap rows by their recomputed count. " +
  `What became due in the last ${BOUNDS.SWEEP_SETTLE_MS / 1_000} s is not judged yet, and nothing that is older than the retention (\`prunedBefore\`). ` +
  "Go on until `nextCursor` is null: only all pages together are the proof.";

export function audits(deps: Deps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();

  app.get(
    "/v1/schedules/:name/audit",
    operation({
      id: "auditSchedule",
      tag: "Schedules",
      scope: "read",
      summary: "Prove that no slot of a range is missing, or name those that are",
      description: ABOUT,
      answers: { 200: { description: "A page; no discrepancies is the proof", schema: past.audit } },
      refuses: ["invalid_instant"],
    }),
    accept("param", namePath),
    accept("query", auditQuery),
    async (c) => {
      const { name } = c.req.valid("param");
      const { from = 0, to = c.var.now, cursor = null } = c.req.valid("query");
      const entry = await deps.ledger.schedule(c.var.namespace, name);
      if (!entry) {
        const message = `The ledger knows no schedule ${name} here.`;
        return refuse(c, { code: "not_found", message });
      }
      const range = { from, to, now: c.var.now, place: cursor, limit: AUDIT_SLOTS_MAX, strays: true };
      const page = await auditOf(deps, entry, range);
      return c.json({
        expected: page.expected,
        accounted: page.accounted,
        discrepancies: show(entry, page.discrepancies).slice(0, DISCREPANCIES_SHOWN_MAX),
        prunedBefore: instantOrNull(page.prunedBefore),
        nextCursor: cursorOf(page.next),
      });
    },
  );

  app.get(
    "/v1/audit",
    operation({
      id: "audit",
      tag: "Service",
      scope: "read",
      summary: "The same for all schedules of a namespace, deleted ones included",
      description: `${ABOUT} Rows that no revision names are looked for in the audit of one schedule only.`,
      answers: { 200: { description: "A page; no discrepancies is the proof", schema: past.audit } },
      refuses: ["invalid_instant"],
    }),
    accept("query", auditsQuery),
    async (c) => {
      const { from = 0, to = c.var.now, cursor = { name: "", place: null } } = c.req.valid("query");
      const total = await auditAll(deps, c.var, { from, to, now: c.var.now }, cursor);
      return c.json({
        ...total,
        discrepancies: total.discrepancies.slice(0, DISCREPANCIES_SHOWN_MAX),
        prunedBefore: instantOrNull(total.prunedBefore),
        nextCursor: cursorOf(total.nextCursor),
      });
    },
  );

  return app;
}

interface Range {
  from: number;
  to: number;
  now: number;
}

/** What the object knows is asked first: whatever it tells the ledger meanwhile is found there as well. */
async function auditOf(
  deps: Deps,
  entry: Entry,
  { from, to, now, ...page }: Range & { place: Place | null; limit: number; strays: boolean },
): Promise<AuditPage> {
  const told = await deps.schedule(entry.namespace, entry.name).knowledge();
  const settledAt = now - BOUNDS.SWEEP_SETTLE_MS;
  const knowledge = told.ok ? told.value : null;
  return deps.ledger.audit(entry, { ...page, from, upTo: to - 1, now, settledAt, knowledge });
}

/** After this schedule, or within it where a page ended there. */
export interface AuditCursor {
  name: string;
  place: Place | null;
}

async function auditAll(deps: Deps, { namespace, principal }: Caller, range: Range, cursor: AuditCursor) {
  const { schedules } = principal;
  const isBegun = cursor.place !== null && coversSchedule(principal, cursor.name);
  const begun = !isBegun ? null : await deps.ledger.schedule(namespace, cursor.name);
  const following = await deps.ledger.schedulesAfter({
    namespace,
    schedules,
    after: cursor.name,
    limit: SCHEDULES_A_PAGE,
  });
  const entries = begun ? [begun, ...following] : following;
  const total = {
    expected: 0,
    accounted: 0,
    discrepancies: [] as ReturnType<typeof show>,
    prunedBefore: null as number | null,
    nextCursor: null as AuditCursor | null,
  };
  let left = AUDIT_SLOTS_MAX;
  for (const entry of entries) {
    const place = entry === begun ? cursor.place : null;
    const page = await auditOf(deps, entry, { ...range, place, limit: left, strays: false });
    total.expected += page.expected;
    total.accounted += page.accounted;
    total.discrepancies.push(...show(entry, page.discrepancies));
    if (page.prunedBefore !== null) total.prunedBefore = Math.max(total.prunedBefore ?? 0, page.prunedBefore);
    left -= page.looked;
    const isFull = page.next !== null || left <= 0;
    const isLast = entry === entries.at(-1) && following.length < SCHEDULES_A_PAGE;
    total.nextCursor = page.next === null && isLast ? null : { name: entry.name, place: page.next };
    if (isFull) break;
  }
  return total;
}

function show(entry: Entry, discrepancies: Discrepancy[]) {
  return discrepancies.map(({ kind, slot, expected, found }) => ({
    schedule: entry.name,
    kind,
    slot: formatInstant(slot),
    expected,
    found,
  }));
}
