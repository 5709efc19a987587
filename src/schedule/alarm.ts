/**
 * The only caller of setAlarm. It knows when the alarm is armed without asking for every step, never sets it to
 * where it already stands (that is a billed row), and never to the past (inside a handler the platform may let
 * such an alarm lie).
 *
 * A running alarm() stays stored until its handler returns, and is the guard of whatever that handler
 * has committed; so the handler arms last. Everybody else who commits something to hand over arms with it.
 */

export class Alarm {
  readonly #storage: DurableObjectStorage;
  /** undefined: not asked yet since this instance began. */
  #armedAt: number | null | undefined;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** `anew`: whatever this instance believes, since the platform may have lost what it was told. */
  async load(anew = false): Promise<void> {
    if (anew || this.#armedAt === undefined) this.#armedAt = await this.#storage.getAlarm();
  }

  /** Inside alarm(): what was armed has been used up. */
  fired(): void {
    this.#armedAt = null;
  }

  /** A commit that owes something makes sure of a wake at `at` or before. Call inside the transaction. */
  guard(at: number, now: number): void {
    if (this.#armedAt == null || this.#armedAt > at) this.#set(at, now);
  }

  /**
   * Between hand-over and settlement the alarm only moves earlier: a wake that finds nothing to do is rarer
   * than the row that moving it would cost. `open`: something is under way.
   */
  settle(target: number | null, open: boolean, now: number): void {
    if (target === null) return this.#clear();
    if (this.#armedAt == null || target < this.#armedAt || (target > this.#armedAt && !open))
      this.#set(target, now);
  }

  #set(at: number, now: number): void {
    const armed = Math.max(at, now + 1);
    if (armed === this.#armedAt) return;
    void this.#storage.setAlarm(armed);
    this.#armedAt = armed;
  }

  #clear(): void {
    if (this.#armedAt == null) return;
    void this.#storage.deleteAlarm();
    this.#armedAt = null;
  }
}
