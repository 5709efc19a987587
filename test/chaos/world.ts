/**
 * A world from one seed: hundreds of schedules in the product's own classes (ScheduleObject, Engine, Courier, sweep,
 * the ledger's SQL), with everything around them made up: time, platform, queues, workers, people, and bad luck.
 */
import type { Env } from "../../src/env.ts";
import { signals } from "../../src/schedule/signals.ts";
import type { ScheduleStub } from "../../src/schedule/stub.ts";
import { sweep } from "../../src/watch/sweep.ts";
import { diceOf, pick } from "../dice.ts";
import { Clock } from "./clock.ts";
import { definitionsOf, startOf } from "./drawn.ts";
import { Hands, TEMPERS } from "./hands.ts";
import { Host } from "./host.ts";
import { Luck } from "./luck.ts";
import { People } from "./people.ts";
import { Couriers, Post, wayOf } from "./posts.ts";
import { d1Of, migrate, Sqlite } from "./sqlite.ts";
import { verdictOn } from "./verdict.ts";
import { Watched } from "./watch.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export interface Plan {
  seed: number;
  schedules: number;
  hours: number;
  /** Tells what befalls this one. */
  only?: string;
  /** Couriers now and then say that they recorded what they threw away: the run must find it, or it finds nothing. */
  liars?: boolean;
}

export interface Violation {
  schedule: string;
  at: string;
  what: string;
}

export interface Report {
  seed: number;
  schedules: number;
  simulatedMs: number;
  cpuMs: number;
  occurrences: number;
  gapSlots: number;
  audited: number;
  /** Slots that were lost with the storage that alone knew of them. */
  lostSlots: number;
  commands: number;
  outcomes: { [state: string]: number };
  faults: { [what: string]: number };
  violations: Violation[];
  trace: string[];
}

/** A meddling every so often for each schedule. */
const MEDDLE_MS = 25 * MINUTE;
const SWEEP_MS = 5 * MINUTE;
const REST_MS_MAX = 12 * HOUR;
const VIOLATIONS_MAX = 20;

/** Ledger-side invariants: the version moves forward, and finals absorb (I4). */
const GUARDS = `
CREATE TABLE broken (schedule TEXT, what TEXT);
CREATE TRIGGER absorb BEFORE UPDATE ON occurrences
WHEN OLD.state IN ('succeeded', 'failed', 'expired', 'cancelled', 'skipped') AND NEW.state <> OLD.state BEGIN
  INSERT INTO broken VALUES (OLD.schedule, 'I4: ' || OLD.slot || OLD.variant || ' was ' || OLD.state || ' and became ' || NEW.state);
END;
CREATE TRIGGER forward BEFORE UPDATE ON occurrences WHEN NEW.version <= OLD.version BEGIN
  INSERT INTO broken VALUES (OLD.schedule, 'the row of ' || OLD.slot || OLD.variant || ' went back');
END;`;

export class World {
  readonly plan: Plan;
  readonly clock: Clock;
  readonly luck: Luck;
  readonly books = new Sqlite();
  readonly schedules = new Map<string, Watched>();
  readonly violations: Violation[] = [];
  readonly #dice;
  readonly #env: Env;
  readonly #hands: Hands;
  readonly #people: People;
  readonly #couriers: Couriers;

  constructor(plan: Plan) {
    const { seed, schedules } = plan;
    const start = startOf(seed);
    this.plan = plan;
    this.clock = new Clock(start);
    this.#dice = diceOf(seed);
    this.luck = new Luck(this.clock, this.#dice);
    this.clock.onError = (error) => this.#broken("", `somebody threw: ${wordsOf(error)}`);
    migrate(this.books);
    this.books.db.exec(GUARDS);
    this.#env = this.#bindings();
    this.#couriers = new Couriers(this.clock, this.luck, this.#env, plan.liars ?? false);
    const definitions = definitionsOf(seed, start, schedules * 4);
    const world = { clock: this.clock, luck: this.luck, dice: this.#dice, env: this.#env };
    this.#hands = new Hands(
      world,
      (host) => this.#of(host.key).temper,
      (host, what) => this.#broken(host.key, what),
    );
    this.#people = new People({
      ...world,
      ledger: this.#env.LEDGER,
      definitions: definitions.slice(schedules),
    });
    for (let n = 0; n < schedules; n++) this.#add(`s${String(n).padStart(3, "0")}`, definitions[n]!);
  }

  get isBroken(): boolean {
    return this.violations.length >= VIOLATIONS_MAX;
  }

  async live(): Promise<Report> {
    const before = process.threadCpuUsage();
    this.clock.rule();
    this.#listen();
    for (const one of this.schedules.values())
      this.clock.after(this.luck.between(0, 20 * MINUTE), () => this.#begin(one));
    this.#unleash();
    await this.clock.run(this.plan.hours * HOUR, () => this.isBroken);
    await this.#comeToRest();
    const report = await verdictOn(this);
    const { user, system } = process.threadCpuUsage(before);
    return { ...report, cpuMs: (user + system) / 1_000 };
  }

  stubOf(key: string): ScheduleStub {
    const { host } = this.#of(key);
    type Method = (...args: unknown[]) => Promise<unknown>;
    return new Proxy({} as ScheduleStub, {
      get: (_, name: string) =>
        name === "then"
          ? undefined
          : (...args: unknown[]) =>
              host.call((object) => (object as unknown as { [name: string]: Method })[name]!(...args)),
    });
  }

  #of(key: string): Watched {
    const found = this.schedules.get(key);
    if (!found) throw new Error(`there is no ${key}`);
    return found;
  }

  #add(name: string, definition: Watched["definition"]): void {
    const key = `default/${name}`;
    const host = new Host(key, {
      clock: this.clock,
      luck: this.luck,
      env: this.#env,
      onError: ({ key: schedule }, error) => this.#broken(schedule, `in the background: ${wordsOf(error)}`),
    });
    const made = { host, temper: pick(this.#dice, TEMPERS), definition, isTraced: this.plan.only === name };
    this.schedules.set(key, new Watched(made, this));
  }

  async #begin(one: Watched): Promise<void> {
    try {
      await this.#people.create(one);
    } catch {
      // Its answer was lost, or it never came: people try again later, or never.
    }
    this.luck.often(MEDDLE_MS, () => this.#people.meddle(one));
  }

  #bindings(): Env {
    const post = new Post(this.clock, this.luck, {
      accepted: (message) => {
        const [, slot, variant] = /@([^~]+)(.*)$/.exec(message.id)!;
        this.#of(`default/${message.schedule}`).accepted(`${Date.parse(slot!)}${variant!}`, message.attempt);
      },
      deliver: (message) => this.#hands.deliver(this.#of(`default/${message.schedule}`).host, message),
    });
    return {
      LEDGER: d1Of(this.books, wayOf(this.clock, this.luck)),
      LIBRARY: post,
      SCHEDULES: { getByName: (key: string) => this.stubOf(key) },
      COURIERS: { getByName: (name: string) => this.#couriers.getByName(name) },
      TARGETS: '{ "LIBRARY": ["*"] }',
    } as unknown as Env;
  }

  // ── what is seen ───────────────────────────────────────────────────────────────────────────────

  #listen(): void {
    signals.reached = (point, schedule) => this.#of(schedule).host.reach(point);
    signals.saved = (saved) => {
      const one = this.#of(saved.schedule);
      try {
        one.saved(saved);
      } catch (error) {
        this.#broken(saved.schedule, `${saved.name}: ${wordsOf(error)}`);
      }
    };
    // What the product logs is counted; a wake that failed for no reason of ours is a violation.
    console.log = (line: string) => {
      const { event, schedule, cause } = JSON.parse(line) as {
        event: string;
        schedule?: string;
        cause?: string;
      };
      this.luck.note(`log ${event}`);
      const unexpected = event === "wake_failed" || event === "row_refused" || event === "watch_failed";
      if (unexpected) this.#broken(schedule ?? "", `${event}: ${cause ?? line}`);
    };
  }

  #broken(schedule: string, what: string): void {
    const at = new Date(this.clock.now).toISOString();
    if (this.isBroken) return;
    this.violations.push({ schedule, at, what });
    this.schedules.get(schedule)?.say(`VIOLATION ${what}`);
  }

  /** I7, and what the ledger's own guards found. */
  inspect(): void {
    for (const one of this.schedules.values()) {
      if (one.host.isBusy || one.host.isDeaf) continue;
      try {
        one.invariants.alarm();
      } catch (error) {
        this.#broken(one.host.key, wordsOf(error));
      }
    }
    const found = this.books.prepare("SELECT schedule, what FROM broken").all() as {
      schedule: string;
      what: string;
    }[];
    if (found.length === 0) return;
    for (const { schedule, what } of found) this.#broken(schedule, what);
    this.books.db.exec("DELETE FROM broken");
  }

  // ── what happens ───────────────────────────────────────────────────────────────────────────────

  #unleash(): void {
    const { luck, clock } = this;
    const any = () => pick(this.#dice, [...this.schedules.values()]);
    luck.begin();
    luck.often(3 * MINUTE, () => {
      luck.note("evicted");
      any().host.die();
    });
    luck.often(20 * MINUTE, () => this.#couriers.evictOne());
    luck.often(10 * MINUTE, () => any().remember());
    luck.often(60 * MINUTE, () => {
      if (any().lose()) luck.note("storage lost");
    });
    luck.often(45 * MINUTE, () => this.#rollBack());
    luck.often(180 * MINUTE, () => this.#jump("clock forward", luck.between(SECOND, 40 * MINUTE)));
    luck.often(180 * MINUTE, () => this.#jump("clock back", -luck.between(1, 10 * MINUTE)));
    const look = async () => {
      clock.after(SWEEP_MS, look);
      await this.#sweep();
      this.inspect();
    };
    clock.after(SWEEP_MS, look);
  }

  /** A point-in-time restore is followed by a sweep before anybody else calls. */
  async #rollBack(): Promise<void> {
    const one = [...this.schedules.values()].find((other) => other.isRemembered && this.#dice() < 0.5);
    if (!one?.rollBack()) return;
    this.luck.note("storage rolled back");
    await one.host.firstOfAll((object) => object.poke({ lacks: [] }));
  }

  #jump(what: string, ms: number): void {
    this.luck.note(what);
    for (const { invariants } of this.schedules.values()) invariants.tick();
    this.clock.jump(ms);
    for (const { host } of this.schedules.values()) if (!host.isBusy) host.expect();
  }

  async #sweep(): Promise<void> {
    const world = {
      directory: this.#env.LEDGER,
      shard: () => this.#env.LEDGER,
      schedule: (namespace: string, name: string) => this.stubOf(`${namespace}/${name}`),
    };
    try {
      await sweep(world, this.clock.now);
    } catch (error) {
      if (!/D1_ERROR/.test(String(error))) throw error;
    }
  }

  /** Faults end, people leave, nothing new begins; what is under way comes to its end. */
  async #comeToRest(): Promise<void> {
    this.luck.end();
    this.luck.note("rest");
    for (const one of this.schedules.values())
      this.clock.after(this.luck.between(0, MINUTE), () => this.#pause(one));
    const isQuiet = () => this.isBroken || [...this.schedules.values()].every((one) => one.isAtRest);
    for (let passed = 0; passed < REST_MS_MAX && !(passed > 30 * MINUTE && isQuiet()); passed += 10 * MINUTE)
      await this.clock.run(10 * MINUTE, () => this.isBroken);
    this.inspect();
    for (const one of this.schedules.values()) {
      if (one.isAtRest) continue;
      const { open, waiting } = one.state;
      this.#broken(one.host.key, `left behind: ${open.length} open, ${waiting.length} waiting, rows owed`);
    }
  }

  async #pause(one: Watched): Promise<void> {
    await one.host.call((object) => object.pause({ who: "chaos", note: null, until: null }));
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error
    ? `${error.message}${error.message.startsWith("I") ? "" : ` ${error.stack}`}`
    : String(error);
}
