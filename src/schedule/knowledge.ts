/**
 * What the object knows and the ledger does not know yet, or never will: for those who explain and audit. Plain data,
 * bounded like the state itself.
 */
import { ok, type Result } from "../core/errors.ts";
import type { Occurrence } from "../core/occurrence.ts";
import { drawUp } from "./settle.ts";
import type { World } from "./state.ts";
import type { Knowledge } from "./stub.ts";
import { firingsOf } from "./view.ts";
import { notFound } from "./draft.ts";

export function readKnowledge(world: World, now: number): Result<Knowledge> {
  const { state } = world;
  if (state.revision === 0) return notFound({ ...world, now });
  const { status, revision, cursor, claimed, delayDueAt, createdAt, open, rows } = state;
  const waiting = state.waiting.flatMap((range) => firingsOf(world, range, range.count));
  return ok({
    status,
    revision,
    cursor,
    claimed,
    delayDueAt,
    createdAt,
    held: [...open, ...waiting].map(({ slot, variant }) => ({ slot, variant })),
    unrecorded: rows.flatMap((row) =>
      row.table === "schedules" ? [] : { table: row.table, row: row.row },
    ) as Knowledge["unrecorded"],
  });
}

export function readLive(world: World, slot: number): Occurrence[] {
  const { open, waiting } = world.state;
  const waits = waiting
    .filter((range) => range.after < slot && slot <= range.upTo)
    .flatMap((range) => firingsOf(world, range, range.count))
    .filter((firing) => firing.slot === slot)
    .map((firing) => drawUp(world, firing));
  return [...open.filter((one) => one.slot === slot), ...waits];
}
