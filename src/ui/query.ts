/** What a page was asked for. A value that makes no sense is told and left out; the page is shown all the same. */
import type { Context } from "hono";
import * as v from "valibot";
import { parseLocal } from "../core/time.ts";
import { formatInstant } from "../core/time.ts";
import { instantsOf, zoneOf } from "../core/zone.ts";
import type { PageEnv } from "./viewer.ts";

export interface Asked<T> {
  query: T;
  /** As the address has it, for forms and links. */
  given: { [name: string]: string | undefined };
  troubles: string[];
}

export function readQuery<S extends v.GenericSchema>(
  c: Context<PageEnv>,
  schema: S,
): Asked<v.InferOutput<S>> {
  const { namespace: _, ...sent } = c.req.query();
  const filled = Object.entries(sent).filter(([, value]) => value.trim() !== "");
  const given = Object.fromEntries(filled.map(([name, value]) => [name, value.trim()]));
  const read = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, instantOf(value, c.var.viewer.zone)]),
  );
  const result = v.safeParse(schema, read, { abortPipeEarly: true });
  if (result.success) return { query: result.output, given, troubles: [] };
  const bad = new Set(result.issues.map((issue) => String(issue.path?.[0]?.key)));
  const good = Object.fromEntries(Object.entries(read).filter(([name]) => !bad.has(name)));
  const troubles = result.issues.map(({ path, message }) => `${String(path?.[0]?.key)}: ${message}`);
  for (const name of bad) delete given[name];
  return { query: v.parse(schema, good), given, troubles };
}

/** A form's date and time are those of the viewer's clock; of a time that exists twice, the first. */
function instantOf(value: string, zone: string): string {
  const wall = /^\d{4}-\d\d-\d\dT/.test(value) ? parseLocal(value) : null;
  const found = wall === null ? null : zoneOf(zone);
  if (wall === null || !found) return value;
  const [second] = instantsOf(found, Math.floor(wall / 1_000), {
    gap: "next",
    fold: "first",
    gapMax: Infinity,
  });
  return second === undefined ? value : formatInstant(second * 1_000);
}
