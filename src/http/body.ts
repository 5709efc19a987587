/** Reads a JSON body: bounded while it streams, and refused where it could hurt whoever handles it next. */
import { ok } from "../core/errors.ts";
import { isSane } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import type { Outcome, ProblemCode } from "./problem.ts";

/**
 * An empty body means `{}`: `POST …/pause` needs none. Whatever type is declared, JSON is what is read: `curl -d`
 * declares a form, and with bearer tokens no type keeps a forged request out.
 */
export async function readJson(
  request: Request,
  bytesMax: number = LIMITS.BODY_BYTES_MAX,
): Promise<Outcome<unknown>> {
  const bytes = await readBounded(request, bytesMax);
  if (bytes === null) return refused("body_too_large", `A body holds at most ${bytesMax} bytes here.`);
  if (bytes.length === 0) return ok({});
  return parse(bytes);
}

/** A form of a page of ours: a handful of short fields. Null: it is longer than that. */
export async function readForm(request: Request): Promise<URLSearchParams | null> {
  const bytes = await readBounded(request, LIMITS.FORM_BYTES_MAX);
  return bytes && new URLSearchParams(new TextDecoder().decode(bytes));
}

/** Null: there are more. */
export async function readBounded(request: Request, max: number): Promise<Uint8Array<ArrayBuffer> | null> {
  if (Number(request.headers.get("content-length") ?? 0) > max) return null;
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of request.body ?? []) {
    total += chunk.length;
    if (total > max) return null;
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(total);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

function parse(bytes: Uint8Array): Outcome<unknown> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch (error) {
    return refused("invalid_json", `The body is not valid JSON${positionOf(error)}.`);
  }
  if (!isSane(value)) {
    return refused(
      "invalid_json",
      `Nested at most ${LIMITS.JSON_DEPTH_MAX} deep, and numbers must be finite.`,
    );
  }
  return ok(value);
}

/** Where the parser stopped. Its own message quotes the text around, which may hold a secret. */
function positionOf(error: unknown): string {
  const found = /position \d+( \(line \d+ column \d+\))?/.exec(error instanceof Error ? error.message : "");
  return found ? ` (${found[0]})` : "";
}

function refused(code: ProblemCode, message: string, hint?: string): Outcome<never> {
  return { ok: false, error: { code, message, hint } };
}
