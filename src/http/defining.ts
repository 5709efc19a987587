/** How a definition comes into force, whoever sends it: what its namespace and token may name, its quota, then the object. */
import { quotaFor, retentionFor } from "../config.ts";
import { ok } from "../core/errors.ts";
import type { Definition, DefinitionPatch } from "./definition.ts";
import type { Foreseeable, PutReply, ScheduleStub } from "../schedule/stub.ts";
import type { Caller, Deps } from "./context.ts";
import { coversSchedule } from "./principal.ts";
import type { Outcome, Refusal } from "./problem.ts";
import { refuseInterval, refuseMore, refusePayload } from "./quota.ts";
import { refuseTarget } from "./targets.ts";

export interface Preconditions {
  /** `*`: whatever revision is in force, as long as there is one. */
  ifMatch?: number | "*";
  /** `If-None-Match: *`: create, never replace. */
  createOnly?: boolean;
}

export async function putSchedule(
  deps: Deps,
  caller: Caller,
  name: string,
  definition: Definition,
  { ifMatch, createOnly = false }: Preconditions,
): Promise<Outcome<PutReply>> {
  const stub = deps.schedule(caller.namespace, name);
  const beyond =
    refuseDefinition(deps, caller, name, definition) ?? (await refuseCreation(deps, caller, stub));
  if (beyond) return { ok: false, error: beyond };
  const meant = await revisionMeant(stub, ifMatch);
  if (!meant.ok) return meant;
  return stub.put({ ...putCommand(deps, caller, name, definition), ifMatch: meant.value, createOnly });
}

/** What can be told before the object is asked. */
export function refuseDefinition(
  deps: Deps,
  caller: Caller,
  name: string,
  { target, trigger, payload = null }: Definition,
): Refusal | null {
  if (!coversSchedule(caller.principal, name)) return unseen(name);
  return (
    refuseTarget(deps, caller, target) ??
    refuseInterval(deps, caller, trigger) ??
    refusePayload(deps, caller, payload)
  );
}

export function putCommand(
  { config }: Deps,
  { namespace, principal }: Caller,
  name: string,
  { paused, ...said }: Definition,
): Foreseeable {
  const input = { ...said, retentionMs: said.retentionMs ?? retentionFor(config, namespace) };
  return { namespace, name, input, paused, who: principal.who };
}

export async function patchSchedule(
  deps: Deps,
  caller: Caller,
  name: string,
  { paused, ...patch }: DefinitionPatch,
  { ifMatch }: Pick<Preconditions, "ifMatch">,
): Promise<Outcome<PutReply>> {
  const { namespace, principal } = caller;
  if (!coversSchedule(principal, name)) return { ok: false, error: unseen(name) };
  const beyond =
    (patch.target ? refuseTarget(deps, caller, patch.target) : null) ??
    (patch.trigger ? refuseInterval(deps, caller, patch.trigger) : null) ??
    refusePayload(deps, caller, patch.payload ?? null);
  if (beyond) return { ok: false, error: beyond };
  const stub = deps.schedule(namespace, name);
  const meant = await revisionMeant(stub, ifMatch);
  if (!meant.ok) return meant;
  // Null restores the default, and that is the namespace's.
  if (patch.retentionMs === null) patch.retentionMs = retentionFor(deps.config, namespace) ?? null;
  return stub.patch({ patch, paused, ifMatch: meant.value, who: principal.who });
}

/** The object is asked first: an edit must not depend on the ledger. */
async function refuseCreation(deps: Deps, caller: Caller, stub: ScheduleStub): Promise<Refusal | null> {
  if (quotaFor(deps.config, caller.namespace).schedules === null) return null;
  return (await stub.read()).ok ? null : refuseMore(deps, caller, 1);
}

export async function revisionMeant(
  stub: ScheduleStub,
  ifMatch: number | "*" | undefined,
): Promise<Outcome<number | undefined>> {
  if (ifMatch !== "*") return ok(ifMatch);
  const current = await stub.read();
  if (current.ok) return ok(current.value.revision);
  return {
    ok: false,
    error: { code: "precondition_failed", message: "There is no schedule that If-Match could match." },
  };
}

function unseen(name: string): Refusal {
  return { code: "not_found", message: `This token sees no schedule ${name}.` };
}
