/** Queues and Couriers: what carries messages and rows, and loses, doubles, delays and forgets. */
import type { Message } from "../../src/core/message.ts";
import { Courier } from "../../src/delivery/courier.ts";
import type { Env } from "../../src/env.ts";
import type { HandedOver, HandOver } from "../../src/schedule/handover.ts";
import type { Clock } from "./clock.ts";
import type { Luck } from "./luck.ts";
import type { Way } from "./sqlite.ts";

/** A queue. Order is not promised, and not kept. */
export class Post {
  readonly #clock: Clock;
  readonly #luck: Luck;
  readonly #deliver: (message: Message) => unknown;
  readonly #accepted: (message: Message) => void;

  constructor(
    clock: Clock,
    luck: Luck,
    hooks: { accepted: (message: Message) => void; deliver: (message: Message) => unknown },
  ) {
    this.#clock = clock;
    this.#luck = luck;
    this.#accepted = hooks.accepted;
    this.#deliver = hooks.deliver;
  }

  send(message: Message): Promise<void> {
    return this.#take([message]);
  }

  sendBatch(batch: { body: Message }[]): Promise<void> {
    return this.#take(batch.map(({ body }) => body));
  }

  async #take(messages: Message[]): Promise<void> {
    await this.#clock.sleep(this.#luck.between(2, 30));
    if (this.#luck.has("queue down")) throw new Error("Queue is overloaded (10250)");
    for (const message of messages) this.#carry(message);
    if (this.#luck.has("queue unacknowledged")) throw new Error("Network connection lost.");
  }

  #carry(message: Message): void {
    const luck = this.#luck;
    this.#accepted(message);
    if (luck.strikes("message lost")) return;
    const soon = luck.between(1, 400);
    this.#clock.after(luck.strikes("message late") ? luck.between(1_000, 600_000) : soon, () =>
      this.#deliver(message),
    );
    if (luck.strikes("message twice"))
      this.#clock.after(luck.between(1, 90_000), () => this.#deliver(message));
  }
}

/** How calls to D1 go. A slow one is carried out long after its caller has given it up. */
export function wayOf(clock: Clock, luck: Luck): Way {
  return async (run) => {
    await clock.sleep(luck.has("ledger slow") ? luck.between(500, 20_000) : luck.between(1, 12));
    if (luck.has("ledger down")) throw new Error("D1_ERROR: Network connection lost.");
    const result = run();
    if (luck.has("ledger unacknowledged")) throw new Error("D1_ERROR: Network connection lost.");
    return result;
  };
}

/** The Couriers by name; now and then one is evicted in the middle of a batch. */
export class Couriers {
  readonly #clock: Clock;
  readonly #luck: Luck;
  readonly #env: Env;
  readonly #areLiars: boolean;
  readonly #lives = new Map<string, { courier: Courier; callers: Set<(error: Error) => void> }>();

  constructor(clock: Clock, luck: Luck, env: Env, areLiars: boolean) {
    this.#clock = clock;
    this.#luck = luck;
    this.#env = env;
    this.#areLiars = areLiars;
  }

  getByName(name: string): Pick<Courier, "handOver"> {
    return { handOver: (delivery) => this.#call(name, delivery) };
  }

  async #call(name: string, delivery: Parameters<Courier["handOver"]>[0]) {
    await this.#clock.sleep(this.#luck.between(1, 10));
    if (this.#luck.has("couriers silent")) return new Promise<never>(() => {});
    if (this.#luck.has("couriers overloaded")) return "overloaded";
    if (this.#areLiars && this.#luck.between(0, 100) === 0) return lieAbout(delivery);
    let life = this.#lives.get(name);
    if (!life) this.#lives.set(name, (life = { courier: this.#begin(), callers: new Set() }));
    const { courier, callers } = life;
    return new Promise<Awaited<ReturnType<Courier["handOver"]>>>((resolve, reject) => {
      callers.add(reject);
      courier
        .handOver(copyOf(delivery))
        .then(resolve, reject)
        .finally(() => callers.delete(reject));
    });
  }

  #begin(): Courier {
    return new Courier({} as DurableObjectState, this.#env);
  }

  /** What it had taken may still go out: nobody knows. */
  evictOne(): void {
    const names = [...this.#lives.keys()];
    const name = names[this.#luck.between(0, names.length)];
    const life = name === undefined ? undefined : this.#lives.get(name);
    if (!life) return;
    this.#luck.note("courier evicted");
    this.#lives.delete(name!);
    for (const reject of life.callers) reject(new Error("Network connection lost."));
  }
}

function lieAbout({ rows }: HandOver): HandedOver {
  return {
    sent: [],
    unsent: [],
    recorded: rows.map(({ key, version }) => ({ key, version })),
    unrecorded: false,
  };
}

/** What an RPC call does to its arguments. By hand: they are plain data, and there are millions of them. */
function copyOf<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf) as T;
  const copy: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) copy[key] = copyOf(inner);
  return copy as T;
}
