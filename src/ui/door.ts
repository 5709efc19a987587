/** The way in: who has a session sees pages, and everybody else is shown where to sign in. */
import type { Context } from "hono";
import { home } from "../http/auth.ts";
import type { Deps } from "../http/context.ts";
import { scheduleIn } from "../http/operation.ts";
import { coversSchedule, principalOf } from "../http/principal.ts";
import { NAMESPACE } from "../http/requests.ts";
import { sessionOf } from "../http/session.ts";
import { lost, troubled } from "./trouble.tsx";
import { zoneOf, type PageEnv, type Viewer } from "./viewer.ts";

/** Before every page: whoever has not signed in is shown the way, and brought back afterwards. */
export function requireViewer(deps: Deps) {
  return async function requireViewer(c: Context<PageEnv>, next: () => Promise<void>) {
    const { now } = c.var;
    const session = await sessionOf(c, deps.config, now);
    const found = session && (await principalOf(deps, session.id, now));
    if (found?.ok === false) return troubled(c, found.error);
    const principal = found?.value;
    if (!session || !principal) return c.redirect(`/sign-in?to=${encodeURIComponent(placeOf(c))}`, 303);
    const base = home(principal);
    const namespace = c.req.query("namespace") ?? base;
    const mayEnter = principal.namespaces === "*" || principal.namespaces.includes(namespace);
    const link: Viewer["link"] = (path, parameters = {}) => {
      const all = { ...parameters, namespace: namespace === base ? null : namespace };
      const given = Object.entries(all).filter((entry): entry is [string, string] => !!entry[1]);
      return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
    };
    c.set("viewer", {
      who: principal.who,
      schedules: principal.schedules,
      can: (scope) => principal.scopes.includes(scope),
      namespace,
      namespaces: principal.namespaces === "*" ? await known(deps, base) : principal.namespaces,
      zone: zoneOf(c),
      now,
      csrf: session.csrf,
      link,
    });
    c.set("principal", principal);
    c.set("namespace", namespace);
    if (!NAMESPACE.test(namespace) || !mayEnter) return lost(c, "This token sees no such namespace.");
    if (!principal.scopes.includes("read")) {
      return lost(c, `The token "${principal.who}" may not read: sign in with one that has the scope read.`);
    }
    const named = scheduleIn(c);
    if (named !== null && !coversSchedule(principal, named))
      return lost(c, "This token sees no such schedule.");
    return next();
  };
}

async function known(deps: Deps, base: string): Promise<string[]> {
  return [...new Set([base, ...(await deps.ledger.namespaces())])];
}

function placeOf(c: Context): string {
  const { pathname, search } = new URL(c.req.url);
  return pathname + search;
}
