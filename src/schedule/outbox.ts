/**
 * Hands over what is committed. By way of a Courier, which gathers what many objects have at the same second;
 * when it is silent, full or failing: directly, under the same id and attempt, and the rows stay pending.
 */
import { hashPlace } from "../core/time.ts";
import { laneFor, send } from "../delivery/send.ts";
import { withDeadline } from "../deadline.ts";
import type { Env } from "../env.ts";
import { causeOf, log } from "../log.ts";
import type { HandedOver, HandOver, OwedMessage } from "./handover.ts";

const COURIERS = 8; // a shard; measured in bench/: fewer queue up, more gather too little
const COURIER_SILENCE_MS = 3_000; // beyond any flush in normal operation; shorter, a busy second would send everything twice

export class Outbox {
  readonly #env: Env;

  constructor(env: Env) {
    this.#env = env;
  }

  async handOver(pending: HandOver, schedule: string, shard: string): Promise<HandedOver> {
    const known = pending.messages.filter(
      ({ queue, message }) => laneFor(this.#env, queue, message.key) !== null,
    );
    const unknown = pending.messages.filter((message) => !known.includes(message));
    const outcome = await this.#send({ messages: known, rows: rowsToGo(pending, unknown) }, schedule, shard);
    const unsent = unknown.map(({ key, attempt }) => ({ key, attempt, error: "unknown_queue" }));
    return { ...outcome, unsent: [...outcome.unsent, ...unsent] };
  }

  async #send(pending: HandOver, schedule: string, shard: string): Promise<HandedOver> {
    if (pending.messages.length === 0 && pending.rows.length === 0) {
      return { sent: [], unsent: [], recorded: [], unrecorded: false };
    }
    const courier = this.#env.COURIERS.getByName(`${shard}/${hashPlace(schedule, COURIERS)}`);
    try {
      const handing: Promise<HandedOver | "overloaded"> = courier.handOver({ ...pending, schedule, shard });
      const answer = await withDeadline(handing, COURIER_SILENCE_MS);
      if (answer !== null && answer !== "overloaded") return answer;
      log("courier_silent", { schedule, overloaded: answer === "overloaded" });
    } catch (error) {
      log("hand_over_failed", { schedule, cause: causeOf(error) });
    }
    return this.#sendDirectly(pending);
  }

  async #sendDirectly({ messages, rows }: HandOver): Promise<HandedOver> {
    const outcome: HandedOver = { sent: [], unsent: [], recorded: [], unrecorded: rows.length > 0 };
    const sending = messages.map(async ({ key, attempt, queue: name, message }) => {
      const lane = laneFor(this.#env, name, message.key);
      try {
        if (!lane) throw new Error(`no queue binding ${name}`);
        await send(lane.queue, [message]);
        outcome.sent.push({ key, attempt, at: Date.now() });
      } catch (error) {
        outcome.unsent.push({ key, attempt, error: causeOf(error) });
      }
    });
    await Promise.all(sending);
    return outcome;
  }
}

/** A row that says `dispatched` does not go without its message. */
function rowsToGo({ rows }: HandOver, unknown: OwedMessage[]): HandOver["rows"] {
  return rows.filter((row) => !unknown.some(({ key }) => key === row.key));
}
