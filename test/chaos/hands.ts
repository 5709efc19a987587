/**
 * Consumers of every temper. Each works off what the queue brings, by the book or not; and since each remembers what
 * it was granted, together they know when two held one occurrence.
 */
import { parseOccurrenceId } from "../../src/core/occurrence.ts";
import type { Message } from "../../src/core/message.ts";
import { consumeDead } from "../../src/delivery/dead.ts";
import type { Result } from "../../src/core/errors.ts";
import type { Env } from "../../src/env.ts";
import type { ScheduleObject } from "../../src/schedule/object.ts";
import type { StartGrant } from "../../src/schedule/stub.ts";
import { pick, type Dice } from "../dice.ts";
import type { Clock } from "./clock.ts";
import type { Host } from "./host.ts";
import type { Luck } from "./luck.ts";

export const TEMPERS = [
  "fast",
  "fast",
  "fast",
  "fast",
  "slow",
  "throwing",
  "dying",
  "late",
  "deferring",
  "more",
  "zombie",
  "repeating",
  "deaf",
  "clumsy",
] as const;
export type Temper = (typeof TEMPERS)[number];

const OUT_OF_CHARACTER = 0.15;
const CALLS_MAX = 3;
const DELIVERIES_MAX = 4;

interface Held {
  host: Host;
  slot: number;
  variant: string;
  token: number;
  leaseMs: number;
  /** Reports that were made under this token, whatever became of the answer. */
  made: Set<string>;
  /** The report that was taken. */
  taken: string | null;
}

export class Hands {
  readonly #clock: Clock;
  readonly #luck: Luck;
  readonly #dice: Dice;
  readonly #env: Env;
  readonly #temperOf: (host: Host) => Temper;
  readonly #broken: (host: Host, what: string) => void;
  /** Of each occurrence, the highest token that anybody was granted. */
  readonly #highest = new Map<string, number>();
  readonly #workers = new Map<string, string>();
  #hired = 0;
  readonly counts = new Map<string, number>();

  constructor(
    world: { clock: Clock; luck: Luck; dice: Dice; env: Env },
    temperOf: (host: Host) => Temper,
    broken: (host: Host, what: string) => void,
  ) {
    this.#clock = world.clock;
    this.#luck = world.luck;
    this.#dice = world.dice;
    this.#env = world.env;
    this.#temperOf = temperOf;
    this.#broken = broken;
  }

  async deliver(host: Host, message: Message, deliveries = 1): Promise<void> {
    if (!message.tracked) return this.#note("untracked");
    const temper = this.#moodOf(host);
    this.#note(temper);
    if (temper === "deaf") return;
    if (temper === "clumsy") return this.#again(host, message, deliveries);
    const held = await this.#start(host, message);
    if (held === "again") return this.#again(host, message, deliveries);
    if (held) await this.#work(held, temper);
  }

  /** In the end all do as they should: one that nobody starts is sent again for hours, and the next one after it. */
  #moodOf(host: Host): Temper {
    if (this.#luck.isOver) return "fast";
    return this.#dice() < OUT_OF_CHARACTER ? pick(this.#dice, TEMPERS) : this.#temperOf(host);
  }

  /** Not acknowledged: the queue brings it once more, and gives it up at last. */
  #again(host: Host, message: Message, deliveries: number): void {
    const wait = this.#luck.between(1_000, 60_000);
    if (deliveries < DELIVERIES_MAX)
      return void this.#clock.after(wait, () => this.deliver(host, message, deliveries + 1));
    this.#luck.note("dead letter");
    return void this.#clock.after(wait, () => this.#giveUp(message));
  }

  async #giveUp(body: Message): Promise<void> {
    const retry = () => void this.#clock.after(30_000, () => this.#giveUp(body));
    const batch = { messages: [{ body, ack() {}, retry }] };
    await consumeDead(batch as unknown as MessageBatch, this.#env);
  }

  async #start(host: Host, message: Message): Promise<Held | "again" | null> {
    const parsed = parseOccurrenceId(message.id);
    if (!parsed.ok) return null;
    const { slot, variant } = parsed.value;
    const { attempt } = message;
    const worker = `w${this.#hired++}`;
    const occurrence = `${host.key}@${slot}${variant}`;
    const before = this.#highest.get(occurrence) ?? 0;
    const grant = await this.#insist(host, (object) => object.start({ slot, variant }, { attempt, worker }));
    if (grant === null) return "again";
    if (!grant.ok)
      return ["busy", "not_due", "ledger_unavailable"].includes(grant.error.code) ? "again" : null;
    this.#noteGrant(host, { occurrence, worker, before, grant: grant.value });
    const { token, leaseUntil } = grant.value;
    const leaseMs = Math.max(1_000, Date.parse(leaseUntil) - this.#clock.now);
    return { host, slot, variant, token, leaseMs, made: new Set(), taken: null };
  }

  /** I5: a token is one worker's, and later ones are higher. */
  #noteGrant(
    host: Host,
    {
      occurrence,
      worker,
      before,
      grant,
    }: { occurrence: string; worker: string; before: number; grant: StartGrant },
  ): void {
    const holder = `${occurrence} ${grant.token}`;
    if ((this.#workers.get(holder) ?? worker) !== worker)
      this.#broken(host, `I5: token ${grant.token} of ${occurrence} was granted twice`);
    if (grant.token < before)
      this.#broken(host, `I5: ${occurrence} was granted ${grant.token} after ${before}`);
    this.#workers.set(holder, worker);
    this.#highest.set(occurrence, Math.max(grant.token, this.#highest.get(occurrence) ?? 0));
  }

  async #work(held: Held, temper: Temper): Promise<void> {
    const { leaseMs } = held;
    const rest = (least: number, most: number) => this.#clock.sleep(this.#luck.between(least, most));
    switch (temper) {
      case "dying":
        return;
      case "slow":
        for (let beats = this.#luck.between(1, 5); beats > 0; beats--) {
          await rest(leaseMs * 0.3, leaseMs * 0.8);
          if (!(await this.#report(held, "heartbeat"))) return;
        }
        break;
      case "late":
        await rest(leaseMs, leaseMs * 3);
        break;
      case "zombie":
        await rest(leaseMs * 2, leaseMs * 12);
        await this.#report(held, "heartbeat");
        await this.#report(held, pick(this.#dice, ["fail", "defer", "complete"]));
        break;
      case "throwing":
        await rest(10, 3_000);
        return void (await this.#report(held, "fail"));
      case "deferring":
        await rest(10, 3_000);
        if (this.#dice() < 0.6) return void (await this.#report(held, "defer"));
        break;
      case "more":
        await rest(10, 3_000);
        return void (await this.#report(held, "more"));
      default:
        await rest(10, 3_000);
    }
    await this.#report(held, "complete");
    if (temper !== "repeating") return;
    await rest(1_000, 60_000);
    await this.#report(held, "complete");
  }

  async #report(held: Held, how: "heartbeat" | "complete" | "more" | "fail" | "defer"): Promise<boolean> {
    const { host, slot, variant, token, made } = held;
    const at = { slot, variant };
    const occurrence = `${host.key}@${slot}${variant}`;
    const isReplaced = token < (this.#highest.get(occurrence) ?? 0);
    const isRepeated = made.has(how);
    made.add(how);
    const retryable = this.#dice() < 0.8;
    const retryAfterMs = this.#dice() < 0.2 ? this.#luck.between(1_000, 60_000) : null;
    const forMs = this.#luck.between(1_000, 120_000);
    const reply = await this.#insist<unknown>(host, (object) => {
      switch (how) {
        case "heartbeat":
          return object.heartbeat(at, { token });
        case "fail":
          return object.fail(at, { token, error: "it threw", retryable, retryAfterMs });
        case "defer":
          return object.defer(at, { token, forMs });
        case "complete":
        case "more":
          return object.complete(at, { token, result: 1, workRemaining: how === "more" });
      }
    });
    if (!reply?.ok) return false;
    if (isReplaced && !isRepeated) this.#broken(host, `I5: a replaced token of ${occurrence} could ${how}`);
    if (held.taken !== null && held.taken !== how)
      this.#broken(host, `I5: ${occurrence} had ended with ${held.taken}, and could ${how}`);
    if (how !== "heartbeat") held.taken = how;
    return true;
  }

  /** As the kit does: an answer that is lost is asked for again. Null: none came. */
  async #insist<T>(
    host: Host,
    call: (object: ScheduleObject) => Promise<Result<T>>,
  ): Promise<Result<T> | null> {
    for (let n = 0; n < CALLS_MAX; n++) {
      try {
        return await host.call(call);
      } catch {
        await this.#clock.sleep(500 * 2 ** n);
      }
    }
    return null;
  }

  #note(temper: string): void {
    this.counts.set(temper, (this.counts.get(temper) ?? 0) + 1);
  }
}
