/** `/sign-in` and `/sign-out`: a token for a session, and the session's end. */
import { Hono, type Context } from "hono";
import { readForm } from "../http/body.ts";
import type { Deps } from "../http/context.ts";
import { refuseGuessing } from "../http/flood.ts";
import { identify } from "../http/principal.ts";
import { isSame } from "../http/secret.ts";
import { beginSession, endSession, isSafeWay, isSameOrigin, sessionOf } from "../http/session.ts";
import { show } from "./page.tsx";
import type { PageEnv } from "./viewer.ts";

export function signIn(deps: Deps): Hono<PageEnv> {
  const app = new Hono<PageEnv>();

  app.get("/sign-in", (c) => ask(c, { to: placeIn(c.req.query("to")) }));

  app.post("/sign-in", async (c) => {
    const form = await readForm(c.req.raw);
    const to = placeIn(form?.get("to"));
    if (!isSameOrigin(c)) return ask(c, { to, status: 403, trouble: FOREIGN });
    if (!isSafeWay(c)) return ask(c, { to, status: 403, trouble: UNSAFE });
    const token = form?.get("token")?.trim() ?? "";
    if (token === "") return ask(c, { to, status: 422, trouble: "Paste a token." });
    const found = await identify(deps, token, c.var.now);
    if (!found.ok) return ask(c, { to, status: 503, trouble: found.error.message });
    if (found.value === null) {
      const guessing = await refuseGuessing(deps, c.req.header("cf-connecting-ip"));
      return ask(c, { to, status: guessing ? 429 : 401, trouble: guessing?.message ?? UNKNOWN });
    }
    await beginSession(c, deps.config, found.value.id, c.var.now);
    return c.redirect(to, 303);
  });

  app.post("/sign-out", async (c) => {
    const session = await sessionOf(c, deps.config, c.var.now);
    const proof = (await readForm(c.req.raw))?.get("csrf") ?? "";
    // Without a session there is nothing to end, and nothing to protect.
    if (session && !(isSameOrigin(c) && (await isSame(proof, session.csrf)))) {
      return ask(c, { to: "/", status: 403, trouble: FOREIGN });
    }
    endSession(c);
    return c.redirect("/sign-in", 303);
  });

  return app;
}

const FOREIGN = "This did not come from a page of this dashboard. Open the dashboard itself, and try again.";
const UNSAFE = "A token is not sent over an unprotected connection: open the dashboard with https.";
const UNKNOWN =
  "No token like this is valid here. Check that it was pasted whole; it may also have expired or been revoked.";

/** Only a place of ours: another one would make a trap of the address that leads here. */
function placeIn(to: string | null | undefined): string {
  return to && /^\/(?![/\\])[\x21-\x7e]*$/.test(to) ? to : "/";
}

interface Ask {
  to: string;
  status?: 401 | 403 | 422 | 429 | 503;
  trouble?: string;
}

function ask(c: Context<PageEnv>, { to, status, trouble }: Ask): Response | Promise<Response> {
  return show(
    c,
    { title: "Sign in", status },
    <section class="door">
      <h1>
        <svg viewBox="0 0 16 16" width="28" height="28" aria-hidden="true">
          <use href="#bell" />
        </svg>
        Carillon
      </h1>
      <p class="lead">Every due slot is explained.</p>
      <form method="post" action="/sign-in">
        <input type="hidden" name="to" value={to} />
        <label for="token">Token</label>
        <input
          id="token"
          name="token"
          type="password"
          autocomplete="current-password"
          required
          autofocus
          aria-describedby={trouble ? "trouble" : "hint"}
          aria-invalid={trouble ? "true" : undefined}
        />
        {trouble && (
          <p id="trouble" class="trouble" role="alert">
            {trouble}
          </p>
        )}
        <p id="hint" class="muted">
          The admin token, or one that <code>POST /v1/tokens</code> has given out. You stay signed in for
          eight hours.
        </p>
        <button>Sign in</button>
      </form>
    </section>,
  );
}
