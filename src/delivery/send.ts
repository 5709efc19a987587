/** The one way onto a queue: bounded in time, so that a queue that hangs holds up nobody for ever. */
import type { Message } from "../core/message.ts";
import { configOf } from "../config.ts";
import { hashPlace } from "../core/time.ts";
import { withDeadline } from "../deadline.ts";
import { queueOf, type Env } from "../env.ts";

const SEND_MS_MAX = 10_000;

export interface Lane {
  name: string;
  queue: Queue;
}

/**
 * The queue for a message: its target's own, or one of those that LANES names for it, since one queue takes 5,000
 * messages a second. Null where none is bound.
 */
export function laneFor(env: Env, target: string, key: string): Lane | null {
  const lanes = (configOf(env).lanes.get(target) ?? [target]).flatMap((name) => {
    const queue = queueOf(env, name);
    return queue ? [{ name, queue }] : [];
  });
  return lanes[hashPlace(key, lanes.length)] ?? null;
}

/** Throws where the queue refused or did not answer; then nothing or everything may have gone out. */
export async function send(queue: Queue, messages: Message[]): Promise<void> {
  const answered = await withDeadline(sendNow(queue, messages), SEND_MS_MAX);
  if (!answered) throw new Error("the queue did not answer");
}

async function sendNow(queue: Queue, messages: Message[]): Promise<true> {
  const [only] = messages;
  if (only && messages.length === 1) await queue.send(only, { contentType: "json" });
  else await queue.sendBatch(messages.map((body) => ({ body, contentType: "json" as const })));
  return true;
}
