/**
 * The Durable Object of one schedule. No decisions here: each method reads the clock once, lets the machine
 * decide, commits in one transaction, and drains what is to be handed over. `alarm()` arms last (alarm.ts).
 */
import { DurableObject } from "cloudflare:workers";
import { fail, ok, type Result } from "../core/errors.ts";
import { TIMES } from "../core/limits.ts";
import type { Message } from "../core/message.ts";
import { ledgerOf, type Env } from "../env.ts";
import { readForRestore } from "../ledger/restore.ts";
import { causeOf, log } from "../log.ts";
import { Alarm } from "./alarm.ts";
import { classify } from "./faults.ts";
import { pendingHandOver } from "./handover.ts";
import {
  readMessage,
  readOccurrence,
  readOpen,
  readSchedule,
  step,
  type CommandName,
  type CommandOf,
  type ReplyOf,
} from "./machine.ts";
import { Outbox } from "./outbox.ts";
import { reach } from "./signals.ts";
import { freshState, scheduleKey, type World } from "./state.ts";
import { Storage } from "./storage.ts";
import type * as Stub from "./stub.ts";
import { wakeAt } from "./wake.ts";

const DRAIN_ROUNDS_MAX = 20; // each hands over up to 200 rows; the rest is for the next wake
const ROWS_GUARD_MS = 5 * 60_000; // rows alone can wait for a wake that is armed this soon
const PLATFORM_RETRIES_MAX = 4; // of six: after that the platform would drop the alarm
const FAILED_WAKE_MS = 60_000;
const HOME_SHARD = "LEDGER";

export class ScheduleObject extends DurableObject<Env> implements Stub.ScheduleStub {
  readonly #storage = new Storage(this.ctx.storage.sql);
  readonly #alarm = new Alarm(this.ctx.storage);
  readonly #outbox = new Outbox(this.env);
  #world: World | null = this.#storage.load();
  #draining: Promise<void> | null = null;
  // oxlint-disable-next-line no-unused-private-class-members -- read by the loop in #drainUntilLevel
  #drainAgain = false;

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    this.#alarm.fired();
    const now = Date.now();
    try {
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

  async put(command: Stub.PutCommand): Promise<Result<Stub.PutReply>> {
    const known = await this.#remember(command.namespace, command.name);
    return known.ok ? this.#run("put", command) : known;
  }
  async read(): Promise<Result<Stub.ScheduleView>> {
    return this.#world ? readSchedule(this.#world, Date.now()) : this.#unknown();
  }
  async open(): Promise<Result<Stub.OccurrenceView[]>> {
    return this.#world ? readOpen(this.#world, Date.now()) : this.#unknown();
  }
  async occurrence(address: Stub.Address): Promise<Result<Stub.OccurrenceView>> {
    return this.#world ? readOccurrence(this.#world, address) : this.#unknown();
  }
  async message(address: Stub.Address): Promise<Result<Message>> {
    return this.#world ? readMessage(this.#world, address) : this.#unknown();
  }
  async patch(command: Stub.PatchCommand) {
    return this.#run("patch", command);
  }
  async remove(command: Stub.Actor & { ifMatch?: number }) {
    return this.#run("remove", command);
  }
  async pause(command: Stub.PauseCommand) {
    return this.#run("pause", command);
  }
  async resume(command: Stub.ResumeCommand) {
    return this.#run("resume", command);
  }
  async trigger(command: Stub.TriggerCommand) {
    return this.#run("trigger", command);
  }
  async cancel(command: Stub.Actor & Stub.Address) {
    return this.#run("cancel", command);
  }
  async start(address: Stub.Address, report: Stub.StartReport) {
    return this.#run("start", { ...address, ...report }, true);
  }
  async heartbeat(address: Stub.Address, report: Stub.HeartbeatReport) {
    return this.#run("heartbeat", { ...address, ...report }, true);
  }
  async complete(address: Stub.Address, report: Stub.CompleteReport) {
    return this.#run("complete", { ...address, ...report }, true);
  }
  async fail(address: Stub.Address, report: Stub.FailReport) {
    return this.#run("fail", { ...address, ...report }, true);
  }
  async defer(address: Stub.Address, report: Stub.DeferReport) {
    return this.#run("defer", { ...address, ...report }, true);
  }
  async deadLettered(command: Stub.Address & { attempt: number }) {
    return this.#run("deadLettered", command, true);
  }

  /** The sweep found something due. An object that lost its memory gets back what the ledger knows. */
  async poke(namespace: string, name: string): Promise<Result<{ woke: boolean }>> {
    const known = await this.#remember(namespace, name);
    if (!known.ok) return known;
    if (!this.#world) return this.#unknown();
    await this.#run("wake", null);
    return ok({ woke: true });
  }

  // ── the one way through: clock, machine, transaction, drain ────────────────────────────────────

  async #run<N extends CommandName>(name: N, command: CommandOf<N>, background = false): Promise<ReplyOf<N>> {
    if (!this.#world) return this.#unknown() as ReplyOf<N>;
    await this.#alarm.load();
    const reply = this.#commit(name, command, Date.now(), true);
    if (this.#know().state.revision === 0) {
      this.#world = null; // refused at the door: an object that was never made stays empty
      return reply;
    }
    // A worker need not wait for the ledger; who edits finds what they did in the next list.
    const drained = this.#drain().then(() => this.#settleAlarm());
    if (background) this.ctx.waitUntil(drained);
    else await drained;
    return reply;
  }

  /** One transaction. Outside alarm() it arms a wake for what it owes, since nothing else guards it. */
  #commit<N extends CommandName>(name: N, command: CommandOf<N>, now: number, guarded: boolean): ReplyOf<N> {
    const { world, reply, changed } = step(this.#know(), name, command, now);
    if (changed) {
      this.ctx.storage.transactionSync(() => {
        this.#storage.save(world);
        const owes = pendingHandOver(world, now);
        if (!guarded) return;
        if (owes.messages.length > 0) this.#alarm.guard(now + TIMES.HAND_OVER_RETRY_MS, now);
        else if (owes.rows.length > 0) this.#alarm.guard(now + ROWS_GUARD_MS, now);
      });
      this.#world = world;
    }
    return reply;
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
      this.ctx.storage.transactionSync(() => {
        this.#storage.save(world);
        this.#alarm.settle(wakeAt(world, now), world.state.open.length > 0, now);
      });
    }
    this.#world = world;
  }

  #settleAlarm(): void {
    const now = Date.now();
    const world = this.#know();
    this.#alarm.settle(wakeAt(world, now), world.state.open.length > 0, now);
  }

  /** On the path of creation, and of nothing else, the ledger is asked first: it may know more than an empty object. */
  async #remember(namespace: string, name: string): Promise<Result<null>> {
    if (this.#world) return ok(null);
    const ledger = ledgerOf(this.env, HOME_SHARD);
    try {
      const known = ledger && (await readForRestore(ledger, namespace, name, Date.now()));
      if (this.#world) return ok(null); // somebody else came first while we asked
      this.#world = { state: freshState(namespace, name, HOME_SHARD, Date.now()), revisions: {} };
      if (!known) return ok(null);
      await this.#alarm.load();
      log("restored", { schedule: `${namespace}/${name}`, cursor: known.highestSlot });
      this.#commit("restore", known, Date.now(), true);
      return ok(null);
    } catch (error) {
      return fail("ledger_unavailable", "The ledger can't be asked whether this schedule existed before.", {
        hint: `Try again in a few seconds. (${causeOf(error)})`,
      });
    }
  }

  #know(): World {
    if (!this.#world) throw new Error("an empty object was asked to act");
    return this.#world;
  }

  get #key(): string {
    return this.#world ? scheduleKey(this.#world.state) : (this.ctx.id.name ?? "unknown");
  }

  #unknown() {
    return fail("not_found", `There is no schedule ${this.ctx.id.name?.split("/").at(-1) ?? ""}.`);
  }
}
