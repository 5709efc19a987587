/**
 * Who asks, and for which namespace. Fails closed: without a configured token, or with a configuration
 * that cannot be understood, everything is refused but /healthz.
 */
import type { Context } from "hono";
import type { AppEnv, Deps } from "./context.ts";
import { identify, type Principal } from "./principal.ts";
import { refuse } from "./problem.ts";
import { NAMESPACE } from "./requests.ts";

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
    const identified = text === null ? null : await identify(deps, text, c.var.now);
    if (identified?.ok === false) return refuse(c, identified.error);
    const principal = identified?.value;
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

export function bearerOf(c: Context): string | null {
  return /^Bearer +(\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1] ?? null;
}

function home({ namespaces }: Principal): string {
  return namespaces === "*" ? "default" : (namespaces[0] ?? "default");
}
