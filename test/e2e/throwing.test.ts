/**
 * A job that always fails never ends its schedule, keeps its configured attempts and backoff, and makes nothing
 * grow. A longer life: CARILLON_SOAK_SECONDS=300 npx vitest run --config test/vitest.config.ts throwing
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, history, type HistoryItem, type Occurrence, occurrences } from "../../scripts/api.ts";
import { openSession, type Session } from "./session.ts";

const SOAK_SECONDS = Number(process.env["CARILLON_SOAK_SECONDS"] ?? 20);
const RETRY = { maxAttempts: 3, initial: "500ms", factor: 2, max: "1s", jitter: 0 };
const BACKOFF_MS = [500, 1_000];

interface Attempted extends Occurrence {
  attempts: { attempt: number; dispatchedAt: string; endedAt: string; outcome: string }[];
}

let session: Session;
let items: HistoryItem[];
beforeAll(
  async () => {
    session = await openSession("test/e2e/faulty/wrangler.toml");
    const definition = {
      trigger: { every: "1s" },
      target: { queue: "LIBRARY" },
      payload: { deed: "throw" },
      retry: RETRY,
    };
    await call(session.api, "PUT", "/v1/schedules/throwing", definition);
    await new Promise((resolve) => setTimeout(resolve, SOAK_SECONDS * 1_000)); // a life has to be lived
    items = (await history(session.api, "throwing")).toReversed();
  },
  120_000 + SOAK_SECONDS * 1_000,
);
afterAll(() => session?.close());

/** The slots that an item of history explains. */
function slotsOf(item: HistoryItem): number[] {
  if (item.kind !== "gap") return [Date.parse(item.scheduledFor)];
  return Array.from({ length: item.count }, (_, n) => Date.parse(item.from) + n * 1_000);
}

const failed = () => occurrences(items).filter(({ state }) => state === "failed") as Attempted[];

describe(`a schedule of every second whose consumer always throws, for ${SOAK_SECONDS} s`, () => {
  it("never stops: each slot is an occurrence or skipped with a reason, none is missing, none twice", () => {
    const slots = items.flatMap(slotsOf).toSorted((a, b) => a - b);
    expect(slots.length).toBeGreaterThan(SOAK_SECONDS / 2);
    expect(slots).toEqual(slots.map((_, index) => slots[0]! + index * 1_000));
    const skipped = items.filter((item) => item.kind === "gap" || item.state === "skipped");
    // On a machine that stalls for seconds a wake is late, and covers what it missed.
    for (const { reason } of skipped) expect(["overlap", "coalesced"]).toContain(reason);
    console.log(`${slots.length} slots: ${failed().length} failed, the others skipped with a reason`);
  });

  it("uses the configured attempts and keeps the configured backoff", () => {
    expect(failed().length).toBeGreaterThan(2);
    for (const { attempts, reason } of failed()) {
      expect(reason).toBe("max_attempts");
      expect(attempts.map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
        [1, "failed"],
        [2, "failed"],
        [3, "failed"],
      ]);
      BACKOFF_MS.forEach((backoff, n) => {
        const pause = Date.parse(attempts[n + 1]!.dispatchedAt) - Date.parse(attempts[n]!.endedAt);
        expect(pause).toBeGreaterThanOrEqual(backoff);
      });
    }
  });

  it("leaves nothing behind that grows", async () => {
    await session.cut();
    const [object, ...others] = session.objects();
    expect(others).toEqual([]);
    expect(object).toMatchObject({ head: 1, revisions: 1, spill: 0 });
    expect(object!.headBytes).toBeLessThan(20_000);
    await session.resume();
  });
});
