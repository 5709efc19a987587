/** Where a list goes on: opaque to callers, so that lists may change how they are kept. */
import * as v from "valibot";
import { fail, ok, type Result } from "../core/errors.ts";
import { parsed } from "./fields.ts";

export function cursorOf(place: object | null): string | null {
  return place && btoa(JSON.stringify(place)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** A `cursor` parameter that holds such a place. Places are plain ASCII: instants, keys and variants. */
export function cursor<S extends v.GenericSchema>(place: S) {
  return v.optional(
    parsed((input) => read(place, input), { type: "string", description: "`nextCursor` of the page before" }),
  );
}

function read<S extends v.GenericSchema>(place: S, input: unknown): Result<v.InferOutput<S>> {
  try {
    const text = atob(String(input).replaceAll("-", "+").replaceAll("_", "/"));
    const result = v.safeParse(place, JSON.parse(text, onlyFinite));
    if (result.success) return ok(result.output);
  } catch {
    // Neither base64 nor JSON: no cursor of ours.
  }
  return fail("invalid_field", "The cursor is none that this list gave out.");
}

/** 1e999 is JSON, and infinity; no instant is. */
function onlyFinite(_: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError("not finite");
  return value;
}
