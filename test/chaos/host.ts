/**
 * Where one object lives, as the platform keeps it: storage and an alarm that outlive it, and a life at a time, which
 * may end anywhere. What a dead life still tries finds its storage closed, as in production.
 */
import type { Env } from "../../src/env.ts";
import { ScheduleObject } from "../../src/schedule/object.ts";
import type { Point } from "../../src/schedule/signals.ts";
import type { Clock, Event } from "./clock.ts";
import type { Luck, Mishap } from "./luck.ts";
import { dump, putBack, sqlOf, Sqlite, type Dump } from "./sqlite.ts";

const RETRIES_MAX = 6; // of alarm(), by the platform
const RETRY_MS = 2_000; // the first, doubled each time

const CRASHES: { [point in Point]?: Mishap } = {
  before_T1: "crash before T1",
  T1: "crash after T1",
  sent: "crash when sent",
  T2: "crash after T2",
};

interface Life {
  object: ScheduleObject;
  isOver: boolean;
  /** Who waits for an answer, and how each is told that none will come. */
  waiting: Set<(error: Error) => void>;
}

export interface Surroundings {
  clock: Clock;
  luck: Luck;
  env: Env;
  /** Something failed that nobody waits for. */
  onError: (host: Host, error: unknown) => void;
}

export class Host {
  readonly key: string;
  readonly #around: Surroundings;
  #sqlite = new Sqlite();
  #older: Dump | null = null;
  #life: Life | null = null;
  #alarm: number | null = null;
  #event: Event | null = null;
  /** alarm() runs, or will be run again; `isReplaced`: somebody has armed another meanwhile. */
  #ringing: { retries: number; isReplaced: boolean } | null = null;
  /** Nothing will ring until the sweep comes by: the platform, or we, lost the alarm. */
  isDeaf = false;
  #first: Promise<void> | null = null;

  constructor(key: string, around: Surroundings) {
    this.key = key;
    this.#around = around;
  }

  get alarm(): number | null {
    return this.#alarm;
  }
  get isBusy(): boolean {
    return this.#ringing !== null || (this.#life?.waiting.size ?? 0) > 0;
  }

  /** An RPC call. It may not arrive, and its answer may not come back. */
  async call<T>(what: (object: ScheduleObject) => Promise<T>): Promise<T> {
    const { clock, luck } = this.#around;
    await clock.sleep(luck.between(1, 20));
    if (luck.strikes("call lost")) throw new Error("Network connection lost.");
    await this.#first;
    const answer = await this.#within(what);
    if (luck.strikes("answer lost")) throw new Error("Network connection lost.");
    return answer;
  }

  /** Nobody else is let in until this is done. */
  async firstOfAll<T>(what: (object: ScheduleObject) => Promise<T>): Promise<void> {
    const { clock } = this.#around;
    const insist = async () => {
      for (;;) {
        const [answer] = await Promise.allSettled([this.#within(what)]);
        if (answer.status === "fulfilled" && (answer.value as { ok: boolean }).ok) return;
        await clock.sleep(5_000);
      }
    };
    this.#first = insist();
    await this.#first;
    this.#first = null;
  }

  #within<T>(what: (object: ScheduleObject) => Promise<T>): Promise<T> {
    const life = (this.#life ??= this.#begin());
    return new Promise((resolve, reject) => {
      life.waiting.add(reject);
      what(life.object)
        .then(resolve, reject)
        .finally(() => life.waiting.delete(reject));
    });
  }

  // ── lives ──────────────────────────────────────────────────────────────────────────────────────

  #begin(): Life {
    const life: Life = { object: null as unknown as ScheduleObject, isOver: false, waiting: new Set() };
    life.object = new ScheduleObject(this.#contextOf(life), this.#around.env);
    return life;
  }

  #contextOf(life: Life): DurableObjectState {
    const sqlite = this.#sqlite;
    const guarded = <T>(what: () => T): T => {
      if (life.isOver) throw new Error("the object is gone (broken.ioGateBroken)");
      return what();
    };
    const sql = sqlOf(sqlite);
    return {
      id: { name: this.key },
      storage: {
        sql: { exec: (...args: Parameters<typeof sql.exec>) => guarded(() => sql.exec(...args)) },
        transactionSync: <T>(what: () => T) => guarded(() => sqlite.transaction(what)),
        getAlarm: async () => guarded(() => (this.#isTaken() ? null : this.#alarm)),
        // Nobody awaits these: a dead object's must throw where they are called.
        setAlarm: (at: number) => guarded(() => Promise.resolve(this.#arm(at))),
        deleteAlarm: () => guarded(() => Promise.resolve(this.#arm(null))),
      },
      waitUntil: (going: Promise<unknown>) =>
        void going.catch((error: unknown) => {
          if (!life.isOver) this.#around.onError(this, error);
        }),
    } as unknown as DurableObjectState;
  }

  /** Memory is gone, and whatever was under way with it. */
  die(): void {
    const life = this.#life;
    if (!life) return;
    life.isOver = true;
    this.#life = null;
    for (const reject of life.waiting) reject(new Error("Network connection lost."));
  }

  /** A named point of a wake: here the process may end, and what waits there never goes on. */
  reach(point: Point): Promise<void> | undefined {
    const mishap = CRASHES[point];
    if (!mishap || !this.#around.luck.strikes(mishap)) return undefined;
    this.die();
    return new Promise(() => {});
  }

  /** Kept for later: storage as it is now. */
  remember(): void {
    this.#older = dump(this.#sqlite);
  }

  /** Storage as it was when it was last remembered; the alarm stays. Whether there was any. */
  rollBack(): boolean {
    if (this.#older === null) return false;
    this.die();
    putBack(this.#sqlite, this.#older);
    this.#older = null;
    this.isDeaf ||= this.#alarm === null; // the state of old may need one: the sweep has to see to it
    return true;
  }

  /** Storage and alarm are gone. */
  lose(): void {
    this.die();
    this.#sqlite = new Sqlite();
    this.#older = null;
    this.loseAlarm();
  }

  // ── the alarm ──────────────────────────────────────────────────────────────────────────────────

  /** While alarm() runs, nothing is armed unless somebody armed anew. */
  #isTaken(): boolean {
    return this.#ringing !== null && !this.#ringing.isReplaced;
  }

  #arm(at: number | null): void {
    if (this.#ringing) this.#ringing.isReplaced = true;
    this.#alarm = at;
    this.isDeaf = false;
    if (!this.#ringing) this.expect();
  }

  loseAlarm(): void {
    if (this.#event) this.#event.what = null;
    this.#alarm = null;
    this.isDeaf = true;
  }

  /** The clock was set, or the alarm was: it rings when the wall clock shows its time. */
  expect(): void {
    const { clock, luck } = this.#around;
    if (this.#event) this.#event.what = null;
    if (this.#alarm === null) return;
    const late = luck.strikes("alarm late") ? luck.between(1_000, 120_000) : luck.between(0, 5);
    this.#event = clock.after(this.#alarm - clock.now + late, () => this.#ring(0));
  }

  async #ring(retries: number): Promise<void> {
    const { clock, luck } = this.#around;
    if (this.#alarm === null || this.#ringing?.isReplaced) return;
    if (this.#first) return void this.#first.then(() => this.expect());
    if (retries === 0 && luck.strikes("alarm lost")) return this.loseAlarm();
    const ringing = { retries, isReplaced: false };
    this.#ringing = ringing;
    let isDone = true;
    try {
      const scheduledTime = this.#alarm;
      await this.#within((object) =>
        object.alarm({ retryCount: retries, isRetry: retries > 0, scheduledTime }),
      );
    } catch {
      isDone = false;
    }
    this.#ringing = null;
    if (ringing.isReplaced) return this.expect();
    if (isDone && luck.strikes("alarm twice")) clock.after(luck.between(1, 3_000), () => this.#ring(0));
    if (isDone) this.#alarm = null;
    else if (retries < RETRIES_MAX)
      this.#event = clock.after(RETRY_MS * 2 ** retries, () => this.#ring(retries + 1));
    else this.loseAlarm();
  }
}
