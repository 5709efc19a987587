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
/** Together beyond any flush in normal operation; shorter, a busy second would send everything twice. */
const SILENCES_MAX = 3;
const SILENCE_MS = 1_000;
const WAITS_MAX = 15; // however busy it is: then the object sends by itself

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
      const answer = await hear(handing);
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

/**
 * Null after three silent seconds. One that took half as long again tells of a thread that is busy itself, in
 * which the Courier may not have had its turn yet either: to send directly would only make it busier.
 */
async function hear<T>(handing: Promise<T>): Promise<T | null> {
  let silences = 0;
  for (let waits = 0; silences < SILENCES_MAX && waits < WAITS_MAX; waits++) {
    const since = Date.now();
    const answer = await withDeadline(handing, SILENCE_MS);
    if (answer !== null) return answer;
    if (Date.now() - since < 1.5 * SILENCE_MS) silences++;
  }
  return null;
}

/** A row that says `dispatched` does not go without its message. */
function rowsToGo({ rows }: HandOver, unknown: OwedMessage[]): HandOver["rows"] {
  return rows.filter((row) => !unknown.some(({ key }) => key === row.key));
}
