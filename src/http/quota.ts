/** What a namespace's schedules may take, where QUOTAS bounds it: how many, how close their slots, how large their payloads. */
import { quotaFor } from "../config.ts";
import { affordably } from "../core/effort.ts";
import { ok } from "../core/errors.ts";
import { BOUNDS } from "../core/limits.ts";
import type { DefinitionInput, Json } from "../core/schedule.ts";
import { formatDuration } from "../core/time.ts";
import { closerThan, compile, resolveTrigger } from "../core/trigger.ts";
import type { Caller, Deps } from "./context.ts";
import type { Refusal } from "./problem.ts";

/** Of the trigger alone: exclusions only widen the distance, and a later edit may take them away. */
export function refuseInterval(
  { config }: Deps,
  { namespace, now }: Caller,
  trigger: DefinitionInput["trigger"],
): Refusal | null {
  const { intervalMs } = quotaFor(config, namespace);
  if (intervalMs === null) return null;
  const rule = { trigger: resolveTrigger(trigger, now), exclude: [], startAt: null, endAt: null };
  const timetable = compile(rule);
  if (!timetable.ok) return null; // it is refused for what it is
  const asked = { ms: intervalMs, after: now, limit: BOUNDS.QUOTA_SLOTS };
  const looked = affordably(BOUNDS.ASKED_STEPS_MAX, () => ok(closerThan(timetable.value, asked)));
  if (!looked.ok) return looked.error;
  const found = looked.value;
  if (!found) return null;
  const [apart, least] = [found.apartMs, intervalMs].map(formatDuration);
  return beyond("interval", { limit: least!, found: apart! }, "/trigger", [
    `The trigger makes slots that are ${apart} apart.`,
    `In the namespace ${namespace} they must be at least ${least} apart.`,
  ]);
}

export function refusePayload({ config }: Deps, { namespace }: Caller, payload: Json): Refusal | null {
  const { payloadBytes } = quotaFor(config, namespace);
  if (payloadBytes === null) return null;
  const bytes = new TextEncoder().encode(JSON.stringify(payload)).length;
  if (bytes <= payloadBytes) return null;
  return beyond("payload", { limit: payloadBytes, found: bytes }, "/payload", [
    `The payload takes ${bytes} bytes as JSON.`,
    `In the namespace ${namespace} it may take ${payloadBytes}.`,
  ]);
}

/** Asked before so many more are created. Those that are created at the same moment do not see each other. */
export async function refuseMore(
  { config, ledger }: Deps,
  { namespace }: Caller,
  more: number,
): Promise<Refusal | null> {
  const { schedules } = quotaFor(config, namespace);
  if (schedules === null || more === 0) return null;
  if ((await ledger.count(namespace, schedules)) + more <= schedules) return null;
  return beyond("schedules", { limit: schedules, found: schedules }, undefined, [
    `The namespace ${namespace} has no room for ${more === 1 ? "another schedule" : `${more} more schedules`}.`,
    `It may have ${schedules}. Delete one that is not needed.`,
  ]);
}

function beyond(
  quota: "schedules" | "interval" | "payload",
  data: { limit: string | number; found: string | number },
  pointer: string | undefined,
  [message, hint]: [string, string],
): Refusal {
  return { code: "quota_exceeded", message, hint, pointer, data: { quota, ...data } };
}
