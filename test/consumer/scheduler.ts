/** A scheduler of one object's worth, in memory: grants each attempt once, and keeps what workers told it. */
import { vi } from "vitest";
import { consume } from "../../src/consumer/index.ts";
import type { Grant, Message, Progress, Renewal, Result, Runs } from "../../src/consumer/index.ts";

export const NOW = Date.parse("2026-12-01T06:00:00Z");
export const LEASE_MS = 60_000;
export const RUN_MS = 900_000;

export function message(over: Partial<Message> = {}): Message {
  const schedule = over.schedule ?? "notices";
  const id = over.id ?? `${schedule}@2026-12-01T06:00:00Z`;
  return {
    v: 1,
    id,
    key: `default/${id}`,
    namespace: "default",
    schedule,
    revision: 1,
    kind: "scheduled",
    scheduledFor: "2026-12-01T06:00:00Z",
    localTime: "2026-12-01T06:00:00+00:00",
    timezones: ["UTC"],
    businessDate: "2026-12-01",
    attempt: 1,
    tracked: true,
    startBy: null,
    previous: null,
    payload: null,
    ...over,
  };
}

interface Held {
  worker: string;
  attempt: number;
  token: number;
}

export function fakeScheduler() {
  const held = new Map<string, Held>();
  const settled = new Map<string, string>();
  let tokens = 6;
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  const refuse = (code: string, data: Record<string, unknown> = {}) =>
    ({ ok: false, error: { code, message: `refused: ${code}`, data } }) as const;

  function settle(key: string, token: number, state: string): Result<unknown> {
    if (held.get(key)?.token !== token) return refuse("lease_lost");
    held.delete(key);
    settled.set(key, state);
    return { ok: true, value: { state } };
  }

  const runs = {
    start: vi.fn(async (key: string, report: { attempt: number; worker: string }): Promise<Result<Grant>> => {
      if (settled.has(key)) return refuse("settled", { state: settled.get(key) });
      const holder = held.get(key);
      if (holder && holder.worker !== report.worker) return refuse("busy", { leaseUntil: at(LEASE_MS) });
      const mine = holder ?? { ...report, token: ++tokens };
      held.set(key, mine);
      const [namespace, id] = key.split("/") as [string, string];
      const grant = {
        token: mine.token,
        attempt: mine.attempt,
        leaseUntil: at(LEASE_MS),
        deadline: at(RUN_MS),
        newerSucceeded: null,
        message: message({ id, key, namespace, schedule: id.split("@")[0], attempt: mine.attempt }),
      };
      return { ok: true, value: grant };
    }),
    heartbeat: vi.fn(async (key: string, report: Progress & { token: number }): Promise<Result<Renewal>> => {
      if (held.get(key)?.token !== report.token) return refuse("lease_lost");
      return { ok: true, value: { leaseUntil: at(LEASE_MS), cancel: false, newerSucceeded: null } };
    }),
    complete: vi.fn(async (key: string, { token }: Parameters<Runs["complete"]>[1]) =>
      settle(key, token, "succeeded"),
    ),
    fail: vi.fn(async (key: string, { token }: Parameters<Runs["fail"]>[1]) => settle(key, token, "failed")),
    defer: vi.fn(async (key: string, { token }: Parameters<Runs["defer"]>[1]) =>
      settle(key, token, "deferred"),
    ),
  } satisfies Runs;

  return { runs, settled, refuse, lose: (key: string) => held.delete(key) };
}

/** A message as the queue hands it over; `verdict` is what became of it. */
export function delivery(body: unknown) {
  const verdicts: string[] = [];
  return {
    body,
    ack: () => void verdicts.push("ack"),
    retry: (options: { delaySeconds: number }) => void verdicts.push(`retry in ${options.delaySeconds} s`),
    get verdict() {
      return verdicts.join(" and ") || "none";
    },
  };
}

/** Delivers bodies as one batch and lets the clock run until all have their verdict. */
export async function deliver(handler: Parameters<typeof consume>[0], env: unknown, ...bodies: unknown[]) {
  const deliveries = bodies.map(delivery);
  const done = consume<unknown>(handler)({ messages: deliveries }, env);
  await vi.runAllTimersAsync();
  await done;
  return deliveries.map(({ verdict }) => verdict);
}
