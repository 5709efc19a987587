import type { TimeRule } from "./rule.ts";
export function describeRule(rule: TimeRule): string {
  return JSON.stringify(rule.trigger);
}
