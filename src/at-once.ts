import { BOUNDS } from "./core/limits.ts";

/** Calls to the objects of many schedules, a bounded number of them under way; the answers come in the order of the items. */
export async function callAll<T, R>(items: readonly T[], call: (item: T) => Promise<R>): Promise<R[]> {
  const answers: R[] = [];
  let next = 0;
  async function goOn(): Promise<void> {
    while (next < items.length) {
      const mine = next++;
      answers[mine] = await call(items[mine]!);
    }
  }
  await Promise.all(Array.from({ length: Math.min(BOUNDS.CALLS_AT_ONCE, items.length) }, goOn));
  return answers;
}
