/** Answers that many look at, kept for a while by each isolate. Only what has come is kept: a promise belongs to its request. */
export interface Kept<T> {
  get(key: string, now: number, ask: () => Promise<T>): Promise<T>;
}

/** Namespaces looked at from one isolate. */
const KEYS_MAX = 100;

export function keepFor<T>(ms: number): Kept<T> {
  const kept = new Map<string, { at: number; answer: T }>();
  return {
    async get(key, now, ask) {
      const known = kept.get(key);
      if (known && now - known.at < ms) return known.answer;
      const answer = await ask();
      if (kept.size >= KEYS_MAX) kept.clear();
      kept.set(key, { at: now, answer });
      return answer;
    },
  };
}
