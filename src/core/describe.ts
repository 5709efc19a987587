/**
 * A time rule in plain English, exact rather than short: what it says about times of day, then days, then
 * months and years, then zones.
 */
import { describeDays, describeYears } from "./describe-days.ts";
import { describeTimes } from "./describe-times.ts";
import { parseCron } from "./cron.ts";
import { invariant } from "./errors.ts";
import type { CronTrigger, Exclusion, TimeRule, Trigger } from "./rule.ts";
import { parseDuration } from "./time.ts";
import { join, plural } from "./words.ts";

export function describeRule({ trigger, exclude }: TimeRule): string {
  const text = [trigger].flat().map(describeTrigger).join("; and ");
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return exclude.length === 0
    ? sentence
    : `${sentence}, except ${join(exclude.map(describeExclusion), "and")}`;
}

function describeTrigger(trigger: Trigger): string {
  if ("cron" in trigger) return describeCron(trigger);
  if ("every" in trigger) {
    return `every ${describeDuration(trigger.every).replace(/^1 (?=\w+$)/, "")}, counted from ${trigger.anchor ?? "1970-01-01T00:00:00Z"}`;
  }
  if ("after" in trigger) return `${describeDuration(trigger.after)} after the last run has ended`;
  if ("at" in trigger) return `once, at ${trigger.at}${trigger.timezone ? ` (${trigger.timezone})` : ""}`;
  return `once, ${describeDuration(trigger.in)} after it was defined${trigger.dueAt ? `, at ${trigger.dueAt}` : ""}`;
}

function describeCron({ cron: text, timezone, monthDay }: CronTrigger): string {
  const cron = cronOf(text);
  const times = describeTimes(cron);
  const days = describeDays(cron, monthDay === "clamp");
  // `every 15 minutes` needs no `every day`; `at 02:30` and `from 09:00 to 17:59` do.
  const everyDay = times.includes(":") ? "every day" : "";
  const when = [times, days === "" ? everyDay : days, describeYears(cron)].filter((part) => part !== "");
  return `${when.join(" ")} (${join([timezone].flat(), "and")})`;
}

export function describeExclusion(exclusion: Exclusion): string {
  const zone = exclusion.timezone === undefined ? "" : ` (${exclusion.timezone})`;
  if ("date" in exclusion) return `on ${exclusion.date}${zone}`;
  if ("from" in exclusion) return `from ${exclusion.from} to ${exclusion.to}${zone}`;
  const cron = cronOf(exclusion.cron);
  const days = [describeDays(cron, false), describeYears(cron)].filter((part) => part !== "").join(" ");
  const wholeDays = cron.minute.open && cron.hour.open && (cron.wholeMinutes || cron.second.open);
  if (wholeDays) return (days === "" ? "always" : days) + zone;
  return `${describeTimes(cron)}${days === "" ? "" : ` ${days}`}${zone}`;
}

function cronOf(text: string) {
  const cron = parseCron(text);
  invariant(cron.ok, "a rule is described after it was parsed");
  return cron.value;
}

function describeDuration(text: string): string {
  const parsed = parseDuration(text);
  invariant(parsed.ok, "a rule is described after it was parsed");
  return describeSpan(parsed.value);
}

/** `1 hour and 30 minutes` */
export function describeSpan(ms: number): string {
  const units = [
    [Math.floor(ms / 86_400_000), "day"],
    [Math.floor(ms / 3_600_000) % 24, "hour"],
    [Math.floor(ms / 60_000) % 60, "minute"],
    [(ms % 60_000) / 1000, "second"],
  ] as const;
  const parts = units.filter(([count]) => count > 0).map(([count, unit]) => plural(count, unit));
  return parts.length === 0 ? "0 seconds" : join(parts, "and");
}
