/** Parts of a definition in a few words, for a cell. */
import type { Target, Trigger } from "../client/index.ts";

export function triggerWords(trigger: Trigger | Trigger[]): string {
  return [trigger].flat().map(oneTrigger).join(" and ");
}

function oneTrigger(trigger: Trigger): string {
  if ("cron" in trigger) return `${trigger.cron} (${[trigger.timezone].flat().join(", ")})`;
  if ("every" in trigger) return `every ${trigger.every}`;
  if ("after" in trigger) return `${trigger.after} after the last run`;
  if ("at" in trigger)
    return `at ${trigger.at}${trigger.timezone === undefined ? "" : ` (${trigger.timezone})`}`;
  return `in ${trigger.in}`;
}

export function targetWords(target: Target): string {
  return "queue" in target ? target.queue : target.url;
}
