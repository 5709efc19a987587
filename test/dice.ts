/** A seeded dice: the same seed throws the same numbers, on every machine. */

export type Dice = () => number;

/** Mulberry32: small, seeded, good enough to play with. */
export function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function pick<T>(dice: Dice, options: readonly T[]): T {
  return options[Math.floor(dice() * options.length)]!;
}
