/**
 * Time as the simulation has it: what is to happen stands in order, and the clock jumps from one to the next. While it
 * runs, `Date.now` and the timers are its own, so that the code under test cannot tell. Between two events everything
 * that can go on without waiting has gone on: the same seed runs the same way.
 */
import { setImmediate } from "node:timers/promises";

export interface Event {
  at: number;
  what: (() => unknown) | null;
}

export class Clock {
  readonly #start: number;
  /** What the wall clock shows beside the time that really passed: somebody set it. */
  #skew = 0;
  #passed = 0;
  #made = 0;
  readonly #heap: (Event & { order: number })[] = [];
  /** Hears of what an event threw: nobody else does. */
  onError: (error: unknown) => void = (error) => {
    throw error;
  };

  constructor(start: number) {
    this.#start = start;
  }

  /** What `Date.now()` says. */
  get now(): number {
    return this.#start + this.#passed + this.#skew;
  }
  /** In ms since the beginning, whatever the wall clock shows. */
  get passed(): number {
    return this.#passed;
  }

  jump(ms: number): void {
    this.#skew += ms;
  }

  after(ms: number, what: () => unknown): Event {
    const event = { at: this.#passed + Math.max(0, Math.round(ms)), what, order: this.#made++ };
    this.#push(event);
    return event;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Carries out what is to happen within `ms` from now, or until it is `enough`. */
  async run(ms: number, enough: () => boolean = () => false): Promise<void> {
    const end = this.#passed + ms;
    for (let next = this.#heap[0]; next && next.at <= end && !enough(); next = this.#heap[0]) {
      this.#pop();
      if (next.what === null) continue;
      this.#passed = next.at;
      this.#carryOut(next.what);
      await setImmediate();
    }
    if (!enough()) this.#passed = end;
  }

  #carryOut(what: () => unknown): void {
    try {
      const going = what();
      if (going instanceof Promise) going.catch((error: unknown) => this.onError(error));
    } catch (error) {
      this.onError(error);
    }
  }

  /** From now on this thread knows no other time. */
  rule(): void {
    Date.now = () => this.now;
    Object.assign(globalThis, {
      setTimeout: (what: () => void, ms = 0) => this.after(ms, what),
      clearTimeout: (event: Event | undefined) => {
        if (event) event.what = null;
      },
    });
  }

  // ── a binary heap, the earliest first, and of one instant the first made ─────────────────────────

  #push(event: Event & { order: number }): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(event);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = event;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
  }
}

function isBefore(a: { at: number; order: number }, b: { at: number; order: number }): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
