/** Which queues a caller may name: those that TARGETS lists for the namespace and its token covers, and nothing else that is bound. */
import { queuesFor } from "../config.ts";
import type { Target } from "../core/schedule.ts";
import { nearest } from "../core/spelling.ts";
import type { Caller, Deps } from "./context.ts";
import { coversQueue } from "./principal.ts";
import type { Refusal } from "./problem.ts";

export function refuseTarget(deps: Deps, caller: Caller, target: Target): Refusal | null {
  return "queue" in target ? refuseQueue(deps, caller, target.queue, { pointer: "/target/queue" }) : null;
}

export function refuseQueue(
  { config }: Deps,
  { namespace, principal }: Caller,
  queue: string,
  blame: Pick<Refusal, "pointer" | "parameter">,
): Refusal | null {
  const allowed = queuesFor(config, namespace).filter((one) => coversQueue(principal, one));
  if (allowed.includes(queue)) return null;
  const meant = nearest(queue, allowed);
  return {
    code: "unknown_queue",
    message: `${JSON.stringify(queue)} is no queue that schedules of the namespace ${namespace} may name.`,
    hint: meant ? `Did you mean "${meant}"?` : `Allowed here: ${allowed.join(", ") || "none"}.`,
    data: { allowed },
    ...blame,
  };
}
