/** The first bell: HTTP → object → alarm → ledger → queue → another Worker → finished, seen through the API. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, eventually, history, type Occurrence, occurrences } from "../../scripts/api.ts";
import { openSession, type Session } from "./session.ts";

const CHAIN_MS_MAX = 10_000;

let session: Session;
beforeAll(async () => {
  session = await openSession();
});
afterAll(() => session?.close());

/** The schedule's settled occurrences, oldest first, once there are so many. */
function settled(schedule: string, count: number): Promise<Occurrence[]> {
  return eventually(`${schedule} has ${count} settled occurrences`, CHAIN_MS_MAX, async () => {
    const all = occurrences(await history(session.api, schedule)).toReversed();
    const done = all.filter(({ state }) => state === "succeeded" || state === "failed");
    return done.length < count ? null : done;
  });
}

describe("a schedule of every two seconds", () => {
  it("runs in another Worker, slot by slot, none twice", async () => {
    const definition = {
      trigger: { every: "2s" },
      target: { queue: "LIBRARY" },
      payload: { job: "inventory-summary" },
    };
    await call(session.api, "PUT", "/v1/schedules/chain", definition);
    const done = await settled("chain", 3);
    const slots = done.map(({ scheduledFor }) => Date.parse(scheduledFor));
    expect(slots).toEqual(slots.map((_, index) => slots[0]! + index * 2_000));
    expect(slots[0]! % 2_000).toBe(0);
    for (const occurrence of done) {
      expect(occurrence).toMatchObject({ state: "succeeded", attempt: 1, error: null });
      expect(occurrence.id).toBe(`chain@${occurrence.scheduledFor}`);
      expect(occurrence.latenessMs).toBeGreaterThanOrEqual(0);
      expect(occurrence.latenessMs).toBeLessThan(2_000);
      expect(occurrence.result).toMatchObject({ asOf: occurrence.scheduledFor });
    }
  });

  it("leaves rows that one can query", async () => {
    const rows = await session.query("SELECT branch, as_of, on_loan, overdue FROM summaries ORDER BY branch");
    expect(rows.map(({ branch }) => branch)).toEqual([
      "auckland",
      "berlin",
      "lisbon",
      "new-york",
      "sao-paulo",
    ]);
    for (const { as_of, on_loan, overdue } of rows) {
      expect(Date.parse(String(as_of)) % 2_000).toBe(0);
      expect(Number(on_loan)).toBeGreaterThan(Number(overdue));
    }
  });

  it("whose job nobody has fails with the reason, and goes on", async () => {
    await call(session.api, "PUT", "/v1/schedules/x", {
      trigger: { every: "2s" },
      target: { queue: "LIBRARY" },
    });
    for (const { state, error, attempt } of await settled("x", 3)) {
      expect({ state, attempt }).toEqual({ state: "failed", attempt: 1 });
      expect(error).toContain('the library has no job "x"');
    }
  });
});

describe("a job by hand", () => {
  it("makes one report per business date, however often it is asked for", async () => {
    const definition = {
      trigger: { cron: "30 20 31 * *", timezone: "Europe/Lisbon", monthDay: "clamp" },
      target: { queue: "LIBRARY" },
    };
    await call(session.api, "PUT", "/v1/schedules/loan-report", definition);
    await call(session.api, "POST", "/v1/schedules/loan-report/trigger", {});
    const [first] = await settled("loan-report", 1);
    await call(session.api, "POST", "/v1/schedules/loan-report/trigger", {});
    const [, second] = await settled("loan-report", 2);
    expect([first, second]).toMatchObject([
      { kind: "manual", result: { new: true, branches: 5 } },
      { kind: "manual", result: { new: false, branches: 5 } },
    ]);
    const reports = await session.query("SELECT business_date, made_by FROM reports");
    expect(reports).toEqual([{ business_date: expect.any(String), made_by: `default/${first?.id}` }]);
  });
});
