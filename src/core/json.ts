/** Of JSON that others sent: what may be handled further without harm. */

/** JSON.stringify and structured clones recurse: a text of brackets only would exhaust their stack. */
export const DEPTH_MAX = 64;

/** Not too deep, and its numbers are finite. */
export function isSane(root: unknown): boolean {
  let level = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEPTH_MAX) return false;
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
