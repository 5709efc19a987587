/**
 * The one way through an object: clock once → machine → one transaction → drain. It loads, commits, hands over and
 * arms the alarm; it decides nothing. After every await the world is read again.
 */
import { fail, ok, type Result } from "../core/errors.ts";
import { withDeadline } from "../deadline.ts";
import { configOf } from "../config.ts";
import { ledgerOf, type Env } from "../env.ts";
import { readForRestore } from "../ledger/restore.ts";
import { chooseShard } from "../ledger/shards.ts";
import { causeOf, log } from "../log.ts";
import { Alarm } from "./alarm.ts";
import { classify } from "./faults.ts";
import { pendingHandOver } from "./handover.ts";
import { linesOf } from "./journal.ts";
import { step, type CommandName, type CommandOf, type ReplyOf } from "./machine.ts";
import { Outbox } from "./outbox.ts";
import { isLevel } from "./recover.ts";
import { reach, signals } from "./signals.ts";
import { freshState, scheduleKey, type World } from "./state.ts";
import { Storage } from "./storage.ts";
import type { PokeCommand, PokeReply } from "./stub.ts";
import { guardAt, wakeAt } from "./wake.ts";

const DRAIN_ROUNDS_MAX = 20; // each hands over up to 200 rows; the rest is for the next wake
const PLATFORM_RETRIES_MAX = 4; // of six: after that the platform would drop the alarm
const FAILED_WAKE_MS = 60_000;
const LOOK_UP_MS_MAX = 5_000;

export class Engine {
  readonly #ctx: DurableObjectState;
  readonly #env: Env;
  readonly #storage: Storage;
  readonly #alarm: Alarm;
  readonly #outbox: Outbox;
  #world: World | null;
  #draining: Promise<void> | null = null;
  // oxlint-disable-next-line no-unused-private-class-members -- read by the loop in #drainUntilLevel
  #drainAgain = false;

  constructor(ctx: DurableObjectState, env: Env) {
    this.#ctx = ctx;
    this.#env = env;
    this.#storage = new Storage(ctx.storage.sql);
    this.#alarm = new Alarm(ctx.storage);
    this.#outbox = new Outbox(env);
    this.#world = this.#storage.load();
  }

  async alarm(info?: AlarmInvocationInfo): Promise<void> {
    this.#alarm.fired();
    const now = Date.now();
    try {
      if (!this.#world) return; // nothing was ever made here, or all of it is gone: the sweep brings it back
      if ((info?.retryCount ?? 0) >= PLATFORM_RETRIES_MAX) {
        log("alarm_given_back", { schedule: this.#key, retries: info?.retryCount ?? 0 });
        return this.#alarm.guard(now + FAILED_WAKE_MS, now);
      }
      await reach("before_T1", this.#key);
      this.#commit("wake", null, now, false);
      await reach("T1", this.#key);
      await this.#drain();
      this.#settleAlarm();
    } catch (error) {
      // A reset instance may not write any more; the platform runs the stored alarm again on the new one.
      if (classify(error) === "reset") throw error;
      log("wake_failed", { schedule: this.#key, cause: causeOf(error) });
      this.#alarm.guard(now + FAILED_WAKE_MS, now);
    }
  }

  /**
   * The sweep found something due. Should the ledger know more than the object, that is put right first; and should
   * the alarm be gone, it is armed again.
   */
  async poke(command: PokeCommand): Promise<Result<PokeReply>> {
    const known = await this.#remember(true);
    if (!known.ok) return known;
    await this.#alarm.load(true);
    return this.run("poke", command);
  }

  async run<N extends CommandName>(name: N, command: CommandOf<N>, background = false): Promise<ReplyOf<N>> {
    const known = await this.#remember(false);
    if (!known.ok) return known as ReplyOf<N>;
    if (!this.#world && name !== "put") return this.#unknown() as ReplyOf<N>;
    await this.#alarm.load();
    const reply = this.#commit(name, command, Date.now(), true);
    if (!this.#world) return reply; // refused at the door: an object that was never made stays empty
    // A worker need not wait for the ledger; who edits finds what they did in the next list.
    const drained = this.#drain().then(() => this.#settleAlarm());
    if (background) this.#ctx.waitUntil(drained);
    else await drained;
    return reply;
  }

  async ask<T>(question: (world: World) => Result<T>): Promise<Result<T>> {
    const known = await this.#remember(false);
    if (!known.ok) return known;
    return this.#world ? question(this.#world) : this.#unknown();
  }

  /** What would be: of a schedule that does not exist as well. */
  async imagine<T>(question: (world: World, now: number) => Result<T>): Promise<Result<T>> {
    const known = await this.#remember(false);
    const now = Date.now();
    return known.ok ? question(this.#world ?? this.#blank(now), now) : known;
  }

  /** One transaction. Outside alarm() it arms a wake for what it owes, since nothing else guards it. */
  #commit<N extends CommandName>(name: N, command: CommandOf<N>, now: number, guarded: boolean): ReplyOf<N> {
    const { world, reply, changed } = step(this.#world ?? this.#blank(now), name, command, now);
    if (!changed) return reply;
    this.#ctx.storage.transactionSync(() => {
      this.#storage.save(world);
      if (guarded) this.#guard(world, now);
    });
    signals.saved?.({ schedule: this.#key, name, command, world });
    this.#tell(world);
    this.#world = world;
    return reply;
  }

  /** Off unless asked for: a line an event is what logs are billed by. */
  #tell(after: World): void {
    if (this.#env.LOG_LEVEL !== "events") return;
    const before = this.#world ?? this.#blank(after.state.updatedAt);
    for (const { event, ...line } of linesOf(before, after)) log(event, line);
  }

  #guard(world: World, now: number): void {
    const at = guardAt(world, pendingHandOver(world, now), now);
    if (at !== null) this.#alarm.guard(at, now);
  }

  /** One drain at a time; who comes while it runs makes it look once more. */
  async #drain(): Promise<void> {
    this.#drainAgain = true;
    this.#draining ??= this.#drainUntilLevel().finally(() => {
      this.#draining = null;
    });
    return this.#draining;
  }

  async #drainUntilLevel(): Promise<void> {
    for (let round = 0; round < DRAIN_ROUNDS_MAX && this.#drainAgain; round++) {
      this.#drainAgain = false;
      const pending = pendingHandOver(this.#know(), Date.now());
      if (pending.messages.length === 0 && pending.rows.length === 0) return;
      const outcome = await this.#outbox.handOver(pending, this.#key, this.#know().state.shard);
      await reach("sent", this.#key);
      this.#takeIn(outcome);
      await reach("T2", this.#key);
      // What was offered is taken in: more rows than fit one hand-over may be left.
      if (!outcome.unrecorded && outcome.recorded.length > 0) this.#drainAgain = true;
    }
  }

  /**
   * T2. What was sent is stored, with the alarm. Rows that were merely acknowledged are forgotten in memory
   * alone: should the object be evicted they are offered again and write nothing.
   */
  #takeIn(outcome: Awaited<ReturnType<Outbox["handOver"]>>): void {
    const now = Date.now();
    const { world, reply } = step(this.#know(), "handedOver", outcome, now);
    if (reply.ok && reply.value) {
      this.#ctx.storage.transactionSync(() => {
        this.#storage.save(world);
        this.#alarm.settle(wakeAt(world, now), world.state.open.length > 0, now);
      });
      signals.saved?.({ schedule: this.#key, name: "handedOver", command: outcome, world });
    }
    this.#tell(world);
    this.#world = world;
  }

  #settleAlarm(): void {
    const now = Date.now();
    const world = this.#know();
    this.#alarm.settle(wakeAt(world, now), world.state.open.length > 0, now);
  }

  /**
   * An empty object asks the ledger before it says that there is nothing, or becomes something: it may have lost
   * its memory. One that has a memory is never asked on the firing path, only when the sweep pokes it (`anew`).
   */
  async #remember(anew: boolean): Promise<Result<null>> {
    if (this.#world && !anew) return ok(null);
    const { namespace, name } = this.#names();
    try {
      const recorded = await this.#lookUp(namespace, name);
      if (!recorded || (this.#world && (!anew || isLevel(this.#world, recorded)))) return ok(null);
      await this.#alarm.load();
      log("restored", { schedule: this.#key, cursor: recorded.highestSlot });
      this.#commit("restore", recorded, Date.now(), true);
      return ok(null);
    } catch (error) {
      log("ledger_unavailable", { schedule: this.#key, cause: causeOf(error) });
      return fail("ledger_unavailable", "The ledger can't be asked whether this schedule exists.", {
        hint: "Try again in a few seconds.",
      });
    }
  }

  async #lookUp(namespace: string, name: string) {
    const database = (binding: string) => ledgerOf(this.#env, binding);
    const found = readForRestore(database, namespace, name, Date.now()).then((recorded) => ({ recorded }));
    const answer = await withDeadline(found, LOOK_UP_MS_MAX);
    if (!answer) throw new Error("the ledger did not answer");
    return answer.recorded;
  }

  #blank(now: number): World {
    const { namespace, name } = this.#names();
    const shard = chooseShard(configOf(this.#env).openLedgers, scheduleKey({ namespace, name }));
    return { state: freshState(namespace, name, shard, now), revisions: {} };
  }

  /** The address of the object is the schedule's key. */
  #names(): { namespace: string; name: string } {
    const [namespace = "", name = ""] = (this.#ctx.id.name ?? "").split("/");
    return { namespace, name };
  }

  #know(): World {
    if (!this.#world) throw new Error("an empty object was asked to act");
    return this.#world;
  }

  get #key(): string {
    return this.#world ? scheduleKey(this.#world.state) : (this.#ctx.id.name ?? "unknown");
  }

  #unknown() {
    const { namespace, name } = this.#names();
    return fail("not_found", `There is no schedule ${name} in namespace ${namespace}.`);
  }
}
