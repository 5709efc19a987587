/** What a put would come to: the very machine, up to where its draft would be committed. */
import { ok, type Result } from "../core/errors.ts";
import type { Target } from "../core/target.ts";
import { readSchedule, step, type CommandOf } from "./machine.ts";
import { freshState, type World } from "./state.ts";
import type { Foreseeable, Foreseen } from "./stub.ts";

/** `paused` counts on creation only. */
export function foresee(world: World, command: CommandOf<"put">, now: number): Result<Foreseen> {
  const found = readSchedule(world, now);
  const before = found.ok ? found.value : null;
  const { paused, ...same } = command;
  const asked = before ? { ...same, ifMatch: before.revision } : { ...same, paused };
  const { reply } = step(world, "put", asked, now);
  return reply.ok ? ok({ ...reply.value, before }) : reply;
}

/** Of a name that no schedule ever had, and without secrets: there is no object that would know more. */
export function foreseeNew(
  command: Foreseeable & { input: { target: Target } },
  now: number,
): Result<Foreseen> {
  const { namespace, name } = command;
  return foresee({ state: freshState(namespace, name, "", now), revisions: {} }, command, now);
}
