/**
 * Bad luck: what may go wrong, how often, and what did. Some of it strikes single calls by odds; some comes over the
 * whole world for a while. All of it ends at once when `isOver`.
 */
import type { Dice } from "../dice.ts";
import type { Clock } from "./clock.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Of a thousand times that it could. */
const ODDS = {
  "crash before T1": 1,
  "crash after T1": 1,
  "crash when sent": 1,
  "crash after T2": 1,
  "call lost": 2,
  "answer lost": 4,
  "alarm late": 10,
  "alarm twice": 3,
  "alarm lost": 0.3,
  "message lost": 3,
  "message twice": 15,
  "message late": 20,
} as const;
export type Mishap = keyof typeof ODDS;

/** How often each comes, and for how long at most. */
const SPELLS = {
  "ledger down": { everyMs: 150 * MINUTE, forMs: 10 * MINUTE },
  "ledger unacknowledged": { everyMs: 120 * MINUTE, forMs: 4 * MINUTE },
  "ledger slow": { everyMs: 150 * MINUTE, forMs: 5 * MINUTE },
  "queue down": { everyMs: 150 * MINUTE, forMs: 5 * MINUTE },
  "queue unacknowledged": { everyMs: 150 * MINUTE, forMs: 3 * MINUTE },
  "couriers silent": { everyMs: 150 * MINUTE, forMs: 3 * MINUTE },
  "couriers overloaded": { everyMs: 150 * MINUTE, forMs: 3 * MINUTE },
} as const;
export type Spell = keyof typeof SPELLS;

export class Luck {
  readonly counts = new Map<string, number>();
  isOver = false;
  readonly #clock: Clock;
  readonly #dice: Dice;
  readonly #spells = new Set<Spell>();

  constructor(clock: Clock, dice: Dice) {
    this.#clock = clock;
    this.#dice = dice;
  }

  note(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  strikes(what: Mishap): boolean {
    if (this.isOver || this.#dice() * 1_000 >= ODDS[what]) return false;
    this.note(what);
    return true;
  }

  has(spell: Spell): boolean {
    return this.#spells.has(spell);
  }

  begin(): void {
    for (const spell of Object.keys(SPELLS) as Spell[]) this.#expect(spell);
  }

  end(): void {
    this.isOver = true;
    this.#spells.clear();
  }

  /** Again and again, on average once in `everyMs`. */
  often(everyMs: number, what: () => unknown): void {
    const wait = -Math.log(1 - this.#dice()) * everyMs;
    this.#clock.after(wait, () => {
      if (this.isOver) return undefined;
      this.often(everyMs, what);
      return what();
    });
  }

  /** Between `least` and `most`. */
  between(least: number, most: number): number {
    return Math.floor(least + this.#dice() * (most - least));
  }

  #expect(spell: Spell): void {
    const { everyMs, forMs } = SPELLS[spell];
    this.often(everyMs, () => {
      this.note(spell);
      this.#spells.add(spell);
      this.#clock.after(this.between(SECOND, forMs), () => this.#spells.delete(spell));
    });
  }
}
