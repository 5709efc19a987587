/** List prices, in dollars, each with where and when it was read. They change: look before you quote them. */

/** Cloudflare, Workers Paid, beyond what is included (developers.cloudflare.com, 2026-11). */
export const CLOUDFLARE = {
  objectRequest: 0.15 / 1e6,
  objectRow: 1 / 1e6,
  objectGbSecond: 12.5 / 1e6,
  ledgerRow: 1 / 1e6,
  queueOperation: 0.4 / 1e6,
  workerRequest: 0.3 / 1e6,
  workerCpuMs: 0.02 / 1e6,
};

export const OBJECT_GB = 0.128;
/** A message is written, read and deleted. */
export const OPERATIONS_PER_MESSAGE = 3;
/** A local runtime does not tell whose CPU time it was: the platform's own example of a small handler. */
export const ASSUMED_CPU_MS = 3;

/** For a million schedules fired; what runs then is extra everywhere. */
export const OTHERS: [service: string, dollars: string, source: string][] = [
  ["AWS EventBridge Scheduler", "1.00 + its target", "cloudburn.io on its price page, 2026-03"],
  ["Upstash QStash", "10", "copy of upstash.com/pricing/qstash, 2026"],
  ["Trigger.dev", "25 + compute", "copy of its price page, 2026"],
  ["Inngest", "50 an execution (a run, or a step)", "copy of its price page, 2026"],
];
