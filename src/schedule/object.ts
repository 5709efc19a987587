/**
 * The Durable Object of one schedule: its name is the schedule's key, its methods are what a schedule answers to
 * (stub.ts). No decisions here, and no work: the engine runs the machine.
 */
import { DurableObject } from "cloudflare:workers";
import { ok, type Result } from "../core/errors.ts";
import type { Message } from "../core/message.ts";
import type { Occurrence } from "../core/occurrence.ts";
import type { Env } from "../env.ts";
import { Engine } from "./engine.ts";
import { readKnowledge, readLive } from "./knowledge.ts";
import { readMessage, readOccurrence, readOpen, readSchedule } from "./machine.ts";
import { Secrets } from "./secrets.ts";
import type * as Stub from "./stub.ts";

export class ScheduleObject extends DurableObject<Env> implements Stub.ScheduleStub {
  readonly #engine = new Engine(this.ctx, this.env);
  readonly #secrets = new Secrets(this.#engine, this.env, this.ctx.id.name ?? "");

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    return this.#engine.alarm(info);
  }
  async poke(command: Stub.PokeCommand = { lacks: [] }): Promise<Result<Stub.PokeReply>> {
    return this.#engine.poke(command);
  }
  async put(command: Stub.PutCommand): Promise<Result<Stub.PutReply>> {
    return this.#secrets.put(command);
  }
  async foresee(command: Stub.Foreseeable) {
    return this.#secrets.foresee(command);
  }
  async read(): Promise<Result<Stub.ScheduleView>> {
    return this.#engine.ask((world) => readSchedule(world, Date.now()));
  }
  async open(): Promise<Result<Stub.OccurrenceView[]>> {
    return this.#engine.ask((world) => readOpen(world, Date.now()));
  }
  async knowledge(): Promise<Result<Stub.Knowledge>> {
    return this.#engine.ask((world) => readKnowledge(world, Date.now()));
  }
  async live(slot: number): Promise<Result<Occurrence[]>> {
    return this.#engine.ask((world) => ok(readLive(world, slot)));
  }
  async occurrence(address: Stub.Address): Promise<Result<Stub.OccurrenceView>> {
    return this.#engine.ask((world) => readOccurrence(world, address));
  }
  async message(address: Stub.Address): Promise<Result<Message>> {
    return this.#engine.ask((world) => readMessage(world, address));
  }
  async patch(command: Stub.PatchCommand) {
    return this.#secrets.patch(command);
  }
  async remove(command: Stub.Actor & { ifMatch?: number }) {
    return this.#engine.run("remove", command);
  }
  async pause(command: Stub.PauseCommand) {
    return this.#engine.run("pause", command);
  }
  async resume(command: Stub.ResumeCommand) {
    return this.#engine.run("resume", command);
  }
  async trigger(command: Stub.TriggerCommand) {
    return this.#engine.run("trigger", command);
  }
  async cancel(command: Stub.Actor & Stub.Address) {
    return this.#engine.run("cancel", command);
  }
  async backfill(command: Stub.BackfillCommand) {
    return this.#engine.run("backfill", command);
  }
  async cancelBackfill(command: Stub.Actor & { id: string }) {
    return this.#engine.run("cancelBackfill", command);
  }
  async replay(command: Stub.ReplayCommand) {
    return this.#engine.run("replay", command);
  }
  async call(address: Stub.Address, query: Stub.CallQuery) {
    return this.#secrets.call(address, query);
  }
  async start(address: Stub.Address, report: Stub.StartReport) {
    return this.#engine.run("start", { ...address, ...report }, true);
  }
  async heartbeat(address: Stub.Address, report: Stub.HeartbeatReport) {
    return this.#engine.run("heartbeat", { ...address, ...report }, true);
  }
  async complete(address: Stub.Address, report: Stub.CompleteReport) {
    return this.#engine.run("complete", { ...address, ...report }, true);
  }
  async fail(address: Stub.Address, report: Stub.FailReport) {
    return this.#engine.run("fail", { ...address, ...report }, true);
  }
  async defer(address: Stub.Address, report: Stub.DeferReport) {
    return this.#engine.run("defer", { ...address, ...report }, true);
  }
  async deadLettered(command: Stub.Address & { attempt: number }) {
    return this.#engine.run("deadLettered", command, true);
  }
}
