/** What every test of the time engine asks, in the terms of the contract: text in, text out. */
import type { Failure } from "../../src/core/errors.ts";
import type { PreviewResponse } from "../../src/core/preview.ts";
import { preview } from "../../src/core/preview.ts";
import { formatInstant, parseInstant } from "../../src/core/time.ts";
import type { Exclusion, Timetable, Trigger } from "../../src/core/trigger.ts";
import { compile, parseExclude, parseTrigger } from "../../src/core/trigger.ts";

export interface Ask {
  trigger: unknown;
  exclude?: unknown;
  startAt?: string;
  endAt?: string;
}

export function ms(text: string): number {
  const parsed = parseInstant(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
}

function ruleOf(ask: Ask) {
  const trigger = parseTrigger(ask.trigger);
  if (!trigger.ok) return trigger;
  const exclude = parseExclude(ask.exclude);
  if (!exclude.ok) return exclude;
  const at = (text: string | undefined) => (text === undefined ? null : ms(text));
  return {
    ok: true as const,
    value: { trigger: trigger.value, exclude: exclude.value, startAt: at(ask.startAt), endAt: at(ask.endAt) },
  };
}

/** The timetable of a rule that must be good. */
export function timetable(ask: Ask): Timetable {
  const rule = ruleOf(ask);
  const compiled = rule.ok ? compile(rule.value) : rule;
  if (!compiled.ok) throw new Error(`${JSON.stringify(ask)}: ${compiled.error.message}`);
  return compiled.value;
}

export function cron(pattern: string, timezone: string | string[] = "UTC", more: object = {}): Timetable {
  return timetable({ trigger: { cron: pattern, timezone, ...more } });
}

/** The failure of a rule that must be refused. */
export function refusal(ask: Ask): Failure {
  const rule = ruleOf(ask);
  const compiled = rule.ok ? compile(rule.value) : rule;
  if (compiled.ok) throw new Error(`${JSON.stringify(ask)} was not refused`);
  return compiled.error;
}

export function slots(of: Timetable, from: string, count: number): string[] {
  const found: string[] = [];
  for (let at = of.next(ms(from)); at !== null && found.length < count; at = of.next(at))
    found.push(formatInstant(at));
  return found;
}

export function shown(ask: Ask, from: string, count: number, jitterMs = 0): PreviewResponse {
  const rule = ruleOf(ask);
  const result = rule.ok
    ? preview({ rule: rule.value, jitterMs, seed: "test", from: ms(from), until: null, count })
    : rule;
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

export type { Exclusion, Trigger };
