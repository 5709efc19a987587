/**
 * `Idempotency-Key` on every POST (IETF draft-ietf-httpapi-idempotency-key-header): the same key and body again within
 * a day gets the first answer again, and nothing is done twice. What was refused changed nothing and is kept by nobody:
 * asked again, it is judged again. The key stands for the token, the namespace and the path as well.
 *
 * Who dies between its deed and its record leaves a reservation, which lapses after a minute; the repeat is then carried
 * out. Pausing, resuming, cancelling and reports of workers are the same when done twice, a trigger knows its key again
 * (the object keeps it with what it started), and a replay in bulk leaves out what is under way. A backfill, a single
 * replay and a new token may then be there twice.
 */
import type { Context } from "hono";
import { BOUNDS, LIMITS } from "../core/limits.ts";
import type { Reservation } from "../ledger/idempotency.ts";
import { readBounded } from "./body.ts";
import type { AppEnv, Deps } from "./context.ts";
import { refuse } from "./problem.ts";
import { sealer, type Sealer } from "./seal.ts";

/** A structured string by the draft; most clients send it bare. */
const KEY = /^(?:"([\x21\x23-\x5b\x5d-\x7e]{1,255})"|([\x21\x23-\x5b\x5d-\x7e]{1,255}))$/;
const KEPT_HEADERS = ["content-type", "location", "etag", "cache-control"];

interface Kept {
  headers: Record<string, string>;
  body: string;
}

export function idempotent(deps: Deps) {
  return async function idempotent(c: Context<AppEnv>, next: () => Promise<void>) {
    const given = c.req.header("idempotency-key");
    if (c.req.method !== "POST" || given === undefined) return next();
    const [, quoted, key = quoted] = KEY.exec(given) ?? [];
    if (key === undefined) {
      const message = "An Idempotency-Key is 1 to 255 visible ASCII characters, such as a UUID.";
      return refuse(c, { code: "invalid_field", message, parameter: "idempotency-key" });
    }
    // The largest that any call takes; each holds its own body to its own bound.
    const body = await readBounded(c.req.raw, LIMITS.APPLY_BODY_BYTES_MAX);
    if (body === null) {
      const message = `A body holds at most ${LIMITS.APPLY_BODY_BYTES_MAX} bytes.`;
      return refuse(c, { code: "body_too_large", message });
    }
    const { method, url, headers } = c.req.raw;
    c.req.raw = new Request(url, { method, headers, body });

    const { principal, namespace, now } = c.var;
    const seal = await sealer(`${deps.config.adminToken}`, [principal.id, namespace, c.req.path, key]);
    const own: Reservation = { key: seal.name, fingerprint: await seal.fingerprint(body), at: now };
    const known = await deps.idempotency.reserve(own, {
      lapsedBefore: now - BOUNDS.RESERVED_MS,
      forgottenBefore: now - BOUNDS.ANSWERS_KEPT_MS,
    });
    if (known === null) {
      c.set("idempotencyKey", seal.name);
      await next();
      return keep(deps, c, own, seal);
    }
    if (known.fingerprint !== own.fingerprint) {
      const message = "This Idempotency-Key came with another body before. A new request needs a new key.";
      return refuse(c, { code: "idempotency_key_reused", message });
    }
    if (known.status === null) {
      const message = "The first request with this Idempotency-Key is still being carried out.";
      return refuse(c, { code: "idempotency_in_progress", message });
    }
    const kept = known.answer === null ? null : ((await seal.open(known.answer)) as Kept | null);
    if (kept === null) {
      const message = `The request was carried out (${known.status}), and its answer was too large to keep.`;
      return refuse(c, { code: "idempotency_key_reused", message, hint: "Read what it changed." });
    }
    return new Response(kept.body, {
      status: known.status,
      headers: { ...kept.headers, "idempotency-replayed": "true" },
    });
  };
}

/** Whatever becomes of the record, the deed is done and its answer is due. */
async function keep(deps: Deps, c: Context<AppEnv>, own: Reservation, seal: Sealer): Promise<void> {
  try {
    if (!c.res.ok) return await deps.idempotency.release(own);
    const body = await c.res.clone().text();
    const headers = KEPT_HEADERS.flatMap((name) => {
      const value = c.res.headers.get(name);
      return value === null ? [] : [[name, value]];
    });
    const kept: Kept = { headers: Object.fromEntries(headers) as Kept["headers"], body };
    const isSmall = body.length <= BOUNDS.ANSWER_CHARS_MAX;
    await deps.idempotency.settle(own, c.res.status, isSmall ? await seal.close(kept) : null);
  } catch (error) {
    deps.report(error, { method: "keep", path: c.req.path.slice(0, 200), code: "ledger_unavailable" });
  }
}
