/** Who looks at a page: what they may do, in which namespace, and on which clock they read times. */
import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import { isTimezone } from "../core/zone.ts";
import type { AppEnv } from "../http/context.ts";
import type { Scope } from "../ledger/tokens.ts";

export interface Viewer {
  who: string;
  /** A button that would be refused is not shown. */
  can(scope: Scope): boolean;
  /** All that there is to see; null: no bound. */
  schedules: string[] | null;
  namespace: string;
  namespaces: readonly string[];
  /** The browser's; it tells us in a cookie. */
  zone: string;
  now: number;
  csrf: string;
  /** An address inside the dashboard, in the same namespace. Parameters without a value are left out. */
  link(path: string, parameters?: Record<string, string | null | undefined>): string;
}

export interface PageEnv {
  Variables: AppEnv["Variables"] & { viewer: Viewer };
}

export function zoneOf(c: Context): string {
  const zone = getCookie(c, "zone");
  return zone !== undefined && isTimezone(zone) ? zone : "UTC";
}
