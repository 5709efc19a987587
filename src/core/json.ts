/** Of JSON that others sent: what may be handled further without harm. */

import { LIMITS } from "./limits.ts";

/** Not too deep, and its numbers are finite. */
export function isSane(root: unknown): boolean {
  let level = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > LIMITS.JSON_DEPTH_MAX) return false;
    const below: unknown[] = [];
    for (const value of level) {
      if (typeof value === "number" && !Number.isFinite(value)) return false;
      if (typeof value === "object" && value !== null)
        for (const child of Object.values(value)) below.push(child);
    }
    level = below;
  }
  return true;
}
