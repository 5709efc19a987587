/**
 * The dead-letter queue: what consumers gave up. Such a message is an attempt that failed, so its schedule hears
 * of it and retries or ends it; a message that is none of ours is logged and let go.
 */
import { parseOccurrenceId } from "../core/occurrence.ts";
import type { Env } from "../env.ts";
import { causeOf, log } from "../log.ts";
import type { ScheduleStub } from "../schedule/stub.ts";

const RETRY_SECONDS = 30;

export async function consumeDead(batch: MessageBatch, env: Env): Promise<void> {
  await Promise.all(batch.messages.map((message) => settleDead(message, env)));
}

async function settleDead(message: Message, env: Env): Promise<void> {
  const { namespace, id, attempt } = (message.body ?? {}) as Record<string, unknown>;
  const parsed = parseOccurrenceId(String(id));
  log("dead_letter", { id: String(id).slice(0, 300), ours: parsed.ok });
  if (!parsed.ok) return message.ack();
  const { name, slot, variant } = parsed.value;
  try {
    const stub = env.SCHEDULES.getByName(`${String(namespace)}/${name}`) as unknown as ScheduleStub;
    await stub.deadLettered({ slot, variant, attempt: Number(attempt) });
    message.ack();
  } catch (error) {
    log("dead_letter_failed", { id: String(id).slice(0, 300), cause: causeOf(error) });
    message.retry({ delaySeconds: RETRY_SECONDS });
  }
}
