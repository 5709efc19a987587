/**
 * Who asks, and for which namespace. Fails closed: without a configured token, or with a configuration
 * that cannot be understood, everything is refused but /healthz.
 */
import type { Context } from "hono";
import { ok } from "../core/errors.ts";
import type { AppEnv, Deps } from "./context.ts";
import { refuseFlood, refuseGuessing } from "./flood.ts";
import { identify, principalOf, type Principal } from "./principal.ts";
import { refuse, type Outcome } from "./problem.ts";
import { NAMESPACE } from "./requests.ts";
import { isSame } from "./secret.ts";
import { CSRF_HEADER, isSameOrigin, sessionOf } from "./session.ts";

/** Before any route but /healthz. */
export function requireConfiguration({ config }: Deps) {
  return async function requireConfiguration(c: Context<AppEnv>, next: () => Promise<void>) {
    if (config.faults.length > 0) {
      return refuse(c, { code: "not_configured", message: config.faults.join(" ") });
    }
    return next();
  };
}

export function authenticate(deps: Deps) {
  return async function authenticate(c: Context<AppEnv>, next: () => Promise<void>) {
    const text = bearerOf(c);
    const identified = await (text === null ? identifyPage(c, deps) : identify(deps, text, c.var.now));
    if (!identified.ok) return refuse(c, identified.error);
    const principal = identified.value;
    if (!principal) {
      const guessing = text === null ? null : await refuseGuessing(deps, c.req.header("cf-connecting-ip"));
      if (guessing) return refuse(c, guessing);
      c.header("www-authenticate", 'Bearer realm="carillon"');
      return refuse(c, {
        code: "unauthorized",
        message: "The request carries no valid bearer token.",
        hint: "Send the header authorization: Bearer <token>.",
      });
    }
    const flood = await refuseFlood(deps, principal);
    if (flood) return refuse(c, flood);
    const namespace = c.req.header("carillon-namespace") ?? home(principal);
    if (!NAMESPACE.test(namespace)) {
      return refuse(c, {
        code: "invalid_field",
        message: "A namespace is 1 to 63 of a-z, 0-9 and -, and starts with a letter or digit.",
        parameter: "carillon-namespace",
      });
    }
    if (principal.namespaces !== "*" && !principal.namespaces.includes(namespace)) {
      return refuse(c, { code: "not_found", message: "This token sees no such namespace." });
    }
    // What a token opens is for its holder, and true only now: no cache on the way keeps it, or asks with an ETag of its own.
    c.header("cache-control", "no-store");
    c.set("principal", principal);
    c.set("namespace", namespace);
    return next();
  };
}

export function bearerOf(c: Context): string | null {
  return /^Bearer +(\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1] ?? null;
}

/** The dashboard's own calls come with its cookie: only from our pages, and only beside the header that proves it. */
async function identifyPage(c: Context<AppEnv>, deps: Deps): Promise<Outcome<Principal | null>> {
  const proof = c.req.header(CSRF_HEADER);
  if (proof === undefined || !isSameOrigin(c)) return ok(null);
  const session = await sessionOf(c, deps.config, c.var.now);
  return session && (await isSame(proof, session.csrf)) ? principalOf(deps, session.id, c.var.now) : ok(null);
}

export function home({ namespaces }: Principal): string {
  return namespaces === "*" ? "default" : (namespaces[0] ?? "default");
}
