/** Which queues a caller may name: those that TARGETS lists for the namespace, and nothing else that is bound. */
import { queuesFor } from "../config.ts";
import type { Target } from "../core/schedule.ts";
import { nearest } from "../core/spelling.ts";
import type { Deps } from "./context.ts";
import type { Refusal } from "./problem.ts";

export function refuseTarget(deps: Deps, namespace: string, target: Target): Refusal | null {
  return "queue" in target ? refuseQueue(deps, namespace, target.queue, { pointer: "/target/queue" }) : null;
}

export function refuseQueue(
  { config }: Deps,
  namespace: string,
  queue: string,
  blame: Pick<Refusal, "pointer" | "parameter">,
): Refusal | null {
  const allowed = queuesFor(config, namespace);
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
