/**
 * Alerts are raised once and resolved once. What is known of a schedule after a pass decides: a kind that holds and
 * is not open is raised, one that is open and no longer holds is resolved, and what could not be found out waits.
 */
import {
  openAlertsOf,
  raiseAlerts,
  resolveAlerts,
  resolveOrphans,
  type Alert,
  type AlertKind,
} from "../ledger/alerts.ts";
import { log } from "../log.ts";

type Directory = Parameters<typeof openAlertsOf>[0];

/** What a pass knows of one schedule. */
export interface Finding {
  schedule: string;
  holds: Map<AlertKind, Pick<Alert, "message" | "occurrence">>;
  unknown: Set<AlertKind>;
}

/** How many were raised. */
export async function settleAlerts(directory: Directory, findings: Finding[], now: number): Promise<number> {
  const open = await openAlertsOf(
    directory,
    findings.map(({ schedule }) => schedule),
  );
  const isOpen = (schedule: string, kind: AlertKind) =>
    open.some((alert) => alert.schedule === schedule && alert.kind === kind);
  const raised = findings.flatMap(({ schedule, holds }) =>
    [...holds]
      .filter(([kind]) => !isOpen(schedule, kind))
      .map(([kind, words]) => ({ schedule, kind, raisedAt: now, resolvedAt: null, ...words })),
  );
  const known = new Map(findings.map((finding) => [finding.schedule, finding]));
  const resolved = open.filter(({ schedule, kind }) => {
    const finding = known.get(schedule);
    return finding && !finding.holds.has(kind) && !finding.unknown.has(kind);
  });
  const count = await raiseAlerts(directory, raised);
  await resolveAlerts(directory, resolved, now);
  await resolveOrphans(directory, now);
  for (const { schedule, kind, occurrence } of raised) log("alert_raised", { schedule, kind, occurrence });
  for (const { schedule, kind } of resolved) log("alert_resolved", { schedule, kind });
  return count;
}
