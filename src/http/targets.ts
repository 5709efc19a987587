/** What a caller may name: queues that TARGETS lists for the namespace and its token covers, and addresses of the public internet. */
import { queuesFor } from "../config.ts";
import { readUrl } from "../core/address.ts";
import { WEBHOOKS_QUEUE } from "../core/limits.ts";
import { nearest } from "../core/spelling.ts";
import type { TargetSaid } from "../core/target.ts";
import type { Caller, Deps } from "./context.ts";
import { coversQueue } from "./principal.ts";
import type { Refusal } from "./problem.ts";

export function refuseTarget(deps: Deps, caller: Caller, target: TargetSaid): Refusal | null {
  if ("queue" in target) return refuseQueue(deps, caller, target.queue, { pointer: "/target/queue" });
  return refuseUrl(deps, caller, target.url);
}

function refuseUrl({ config }: Deps, { principal }: Caller, url: string): Refusal | null {
  // Who is bound to queues is bound to those: calls to anywhere are a queue of their own.
  if (!coversQueue(principal, WEBHOOKS_QUEUE)) {
    const message = "This token is bound to queues, and so may name no URL.";
    return { code: "forbidden", message, pointer: "/target/url" };
  }
  const read = readUrl(url, config.allowPrivateUrls);
  if (!read.ok) {
    return { ...read.error, message: `target.url ${read.error.message}.`, pointer: "/target/url" };
  }
  if (config.callsUrls) return null;
  return {
    code: "not_configured",
    message: `The queue ${WEBHOOKS_QUEUE} is not bound, so no URL can be called.`,
    hint: "Bind and consume it, as the shipped wrangler.toml does.",
  };
}

export function allowedQueues(
  { config }: Pick<Deps, "config">,
  { namespace, principal }: Pick<Caller, "namespace" | "principal">,
): string[] {
  return queuesFor(config, namespace).filter((one) => coversQueue(principal, one));
}

export function refuseQueue(
  { config }: Deps,
  { namespace, principal }: Caller,
  queue: string,
  blame: Pick<Refusal, "pointer" | "parameter">,
): Refusal | null {
  const allowed = allowedQueues({ config }, { namespace, principal });
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
