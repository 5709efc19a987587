import type { TimeRule, Warning } from "./rule.ts";
export function warningsOf(_rule: TimeRule): Warning[] {
  return [];
}
