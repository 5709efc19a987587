/** What people do to schedules: change them, stop them, remove them, run them by hand. Refusals are part of it. */
import { complete, CATCH_UP_POLICIES, OVERLAPS, type DefinitionInput } from "../../src/core/schedule.ts";
import { compile, within } from "../../src/core/trigger.ts";
import { isFinal } from "../../src/core/occurrence.ts";
import { listChanges } from "../../src/ledger/changes.ts";
import { readOccurrence, succeededAmong } from "../../src/ledger/occurrences.ts";
import { occurrenceOf } from "../../src/ledger/row.ts";
import type { ScheduleObject } from "../../src/schedule/object.ts";
import { pick, type Dice } from "../dice.ts";
import type { Clock } from "./clock.ts";
import type { Luck } from "./luck.ts";
import type { Watched } from "./watch.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const WHO = { who: "ann" };

const DEEDS = {
  edit: 4,
  retime: 2,
  pause: 3,
  resume: 5,
  remove: 1,
  create: 4,
  trigger: 4,
  cancel: 3,
  backfill: 1,
  callOff: 1,
  replay: 2,
};
type Deed = keyof typeof DEEDS;
const WEIGHTED = (Object.keys(DEEDS) as Deed[]).flatMap((deed) => Array<Deed>(DEEDS[deed]).fill(deed));

export class People {
  readonly #clock: Clock;
  readonly #luck: Luck;
  readonly #dice: Dice;
  readonly #ledger: D1Database;
  /** Drawn beforehand; each edit takes the next. */
  readonly #definitions: DefinitionInput[];
  #next = 0;

  constructor(world: {
    clock: Clock;
    luck: Luck;
    dice: Dice;
    ledger: D1Database;
    definitions: DefinitionInput[];
  }) {
    this.#clock = world.clock;
    this.#luck = world.luck;
    this.#dice = world.dice;
    this.#ledger = world.ledger;
    this.#definitions = world.definitions;
  }

  async create(one: Watched): Promise<void> {
    const [namespace = "", name = ""] = one.host.key.split("/");
    const input = one.definition;
    const paused = this.#dice() < 0.03;
    await one.host.call((object) => object.put({ ...WHO, namespace, name, input, paused }));
  }

  /** Something, to this one. What is lost on the way is lost: people look again, or don't. */
  async meddle(one: Watched): Promise<void> {
    const deed = pick(this.#dice, WEIGHTED);
    this.#luck.note(`people ${deed}`);
    try {
      await this.#do(deed, one);
    } catch (error) {
      if (!/Network connection lost|D1_ERROR/.test(String(error))) throw error;
    }
  }

  async #do(deed: Deed, one: Watched): Promise<unknown> {
    const dice = this.#dice;
    const tell = <T>(call: (object: ScheduleObject) => Promise<T>) => one.host.call(call);
    const now = this.#clock.now;
    switch (deed) {
      case "create":
        one.definition = this.#draw();
        return this.create(one);
      case "edit": {
        const { trigger: _, ...input } = this.#draw();
        const patch = {
          payload: now,
          overlap: input.overlap,
          catchUp: input.catchUp,
          tracked: input.tracked,
        };
        return tell((object) => object.patch({ ...WHO, patch: dice() < 0.5 ? { payload: now } : patch }));
      }
      case "retime": {
        const input = this.#draw();
        const [namespace = "", name = ""] = one.host.key.split("/");
        const ifMatch = one.state.revision;
        const reply = await tell((object) => object.put({ ...WHO, namespace, name, input, ifMatch }));
        if (reply.ok) one.definition = input;
        return reply;
      }
      case "pause": {
        const until = dice() < 0.5 ? now + this.#luck.between(MINUTE, HOUR) : null;
        return tell((object) => object.pause({ ...WHO, note: null, until }));
      }
      case "resume": {
        const catchUp = dice() < 0.5 ? pick(dice, CATCH_UP_POLICIES) : null;
        return tell((object) => object.resume({ ...WHO, note: null, catchUp }));
      }
      case "remove":
        return tell((object) => object.remove(WHO));
      case "trigger": {
        const overlap = dice() < 0.5 ? pick(dice, OVERLAPS) : undefined;
        return tell((object) => object.trigger({ ...WHO, overlap, payload: now }));
      }
      case "cancel": {
        const { open, waiting } = one.state;
        const all = [...open, ...waiting.map(({ upTo: slot, variant }) => ({ slot, variant }))];
        const chosen = all[this.#luck.between(0, all.length)];
        if (!chosen) return null;
        return tell((object) => object.cancel({ ...WHO, slot: chosen.slot, variant: chosen.variant }));
      }
      case "backfill":
        return this.#backfill(one);
      case "callOff":
        return tell((object) => object.cancelBackfill({ ...WHO, id: `b${Math.max(1, one.state.series.b)}` }));
      case "replay":
        return this.#replay(one);
    }
  }

  /** As the door does it: which slots there are, and which of them the ledger knows to have succeeded. */
  async #backfill(one: Watched): Promise<void> {
    const { revision } = one.state;
    const input = one.world.revisions[revision];
    const definition = input && complete(input);
    const compiled = definition?.ok ? compile(definition.value) : null;
    if (!compiled?.ok || compiled.value.kind === "delay") return;
    const to = this.#clock.now;
    const range = { from: to - this.#luck.between(MINUTE, 2 * HOUR), to };
    const order = pick(this.#dice, ["oldest", "newest"] as const);
    const slots = within(compiled.value, { ...range, order, limit: 1_000 });
    const succeeded = await succeededAmong(this.#ledger, one.host.key, slots);
    const limit = this.#luck.between(1, 20);
    const command = { ...WHO, ...range, order, limit, rerun: this.#dice() < 0.3, dryRun: false };
    await one.host.call((object) => object.backfill({ ...command, revision, succeeded }));
  }

  async #replay(one: Watched): Promise<void> {
    const { finals } = one.state;
    const final = finals[this.#luck.between(0, finals.length)];
    if (!final) return;
    const { slot, variant } = final;
    const row = await readOccurrence(this.#ledger, { slot, schedule: one.host.key, variant });
    if (!row || !isFinal(row.state, occurrenceOf(row).tracked)) return;
    const changes = await listChanges(this.#ledger, { schedule: one.host.key, before: null, limit: 2_000 });
    const made = changes.find((change) => change.revision === row.revision && change.definition);
    const original =
      made?.definition && this.#dice() < 0.5 ? { revision: row.revision, definition: made.definition } : null;
    await one.host.call((object) => object.replay({ ...WHO, slot, variant, original, payload: null }));
  }

  #draw(): DefinitionInput {
    return this.#definitions[this.#next++ % this.#definitions.length]!;
  }
}
