/**
 * Who asks, and for which namespace. Fails closed: without a configured token, or with a configuration
 * that cannot be understood, everything is refused but /healthz.
 */
import type { Context } from "hono";
import type { AppEnv, Deps } from "./context.ts";
import { refuse } from "./problem.ts";

export const SCOPES = ["read", "write", "trigger", "work", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

export interface Principal {
  /** Shown in the record of changes: a token's name, never the token. */
  who: string;
  scopes: readonly Scope[];
  namespaces: readonly string[] | "*";
}

const ADMIN: Principal = { who: "admin", scopes: SCOPES, namespaces: "*" };
export const NAMESPACE = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** Before any route but /healthz. */
export function requireConfiguration({ config }: Deps) {
  return async function requireConfiguration(c: Context<AppEnv>, next: () => Promise<void>) {
    if (config.faults.length > 0) {
      return refuse(c, { code: "not_configured", message: config.faults.join(" ") });
    }
    return next();
  };
}

export function authenticate({ config }: Deps) {
  return async function authenticate(c: Context<AppEnv>, next: () => Promise<void>) {
    const principal = await identify(c.req.header("authorization"), config.adminToken);
    if (!principal) {
      c.header("www-authenticate", 'Bearer realm="carillon"');
      return refuse(c, {
        code: "unauthorized",
        message: "The request carries no valid bearer token.",
        hint: "Send the header authorization: Bearer <token>.",
      });
    }
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
    c.set("principal", principal);
    c.set("namespace", namespace);
    return next();
  };
}

function home({ namespaces }: Principal): string {
  return namespaces === "*" ? "default" : (namespaces[0] ?? "default");
}

async function identify(
  authorization: string | undefined,
  adminToken: string | null,
): Promise<Principal | null> {
  const token = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
  if (token === undefined || adminToken === null) return null;
  return (await isSame(token, adminToken)) ? ADMIN : null;
}

/** Digests have one length whatever was sent, so the comparison tells nothing of the secret's. */
async function isSame(a: string, b: string): Promise<boolean> {
  const encoder = new TextEncoder();
  const [first, second] = await Promise.all(
    [a, b].map((it) => crypto.subtle.digest("SHA-256", encoder.encode(it))),
  );
  return crypto.subtle.timingSafeEqual(first!, second!);
}
