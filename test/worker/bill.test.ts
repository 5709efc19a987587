import { describe, expect, it } from "vitest";
import { addressOf, billed, createBell, type Bell } from "./bell.ts";
import { START } from "./start.ts";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

async function started(bell: Bell) {
  const message = bell.sent.at(-1)!;
  const at = addressOf(message);
  const grant = await bell.stub.start(at, { attempt: message.attempt, worker: `w${message.attempt}` });
  if (!grant.ok) throw new Error(grant.error.message);
  return { at, token: grant.value.token };
}

describe("what an occurrence is billed", () => {
  it("costs an untracked occurrence 3 object rows, 1 ledger row and 1 message", async () => {
    const bell = await createBell({ tracked: false });
    const bill = await billed(bell, () => bell.ring(START + HOUR));
    expect(bill).toEqual({ object: 3, ledger: 1 });
    expect(bell.sent).toHaveLength(1);
  });

  it("costs a tracked occurrence 6 object rows, 2 ledger rows and 1 message over its whole life", async () => {
    const bell = await createBell();
    const bill = await billed(bell, async () => {
      await bell.ring(START + HOUR);
      const { at, token } = await started(bell);
      await bell.stub.complete(at, { token, result: { rows: 120 } });
      await expect.poll(() => bell.rows()).toMatchObject([{ state: "succeeded" }]);
    });
    expect(bill).toEqual({ object: 6, ledger: 2 });
    expect(bell.sent).toHaveLength(1);
  });

  it("costs a retry at most 5 object rows, 2 ledger rows and 1 message", async () => {
    const bell = await createBell({ retry: { initialMs: 10 * SECOND, jitter: 0 } });
    await bell.ring(START + HOUR);
    const { at, token } = await started(bell);
    const retry = await billed(bell, async () => {
      await bell.stub.fail(at, { token, error: "x" });
      await bell.ring(START + HOUR + 10 * SECOND);
      await started(bell);
    });
    expect(bell.sent.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(retry.object).toBeLessThanOrEqual(5 + 1); // the start of the new attempt among them, as in any life
    expect(retry.ledger).toBeLessThanOrEqual(2);
  });

  it("costs a heartbeat 1 object row, and the ledger 2 rows once", async () => {
    const bell = await createBell();
    await bell.ring(START + HOUR);
    const { at, token } = await started(bell);
    const beat = () => bell.stub.heartbeat(at, { token, progress: 0.5 });
    const first = await billed(bell, async () => {
      await beat();
      await expect.poll(() => bell.rows()).toMatchObject([{ state: "running" }]);
    });
    expect(first).toEqual({ object: 1, ledger: 2 });
    expect(await billed(bell, async () => void (await beat()))).toEqual({ object: 1, ledger: 0 });
  });

  it("costs a skipped slot 2 object rows and 2 ledger rows", async () => {
    const bell = await createBell({ trigger: { every: "PT10S" } });
    await bell.ring(START + 10 * SECOND);
    await started(bell);
    expect(await billed(bell, () => bell.ring(START + 20 * SECOND))).toEqual({ object: 2, ledger: 2 });
    expect(await bell.rows()).toMatchObject([
      { state: "dispatched" },
      { state: "skipped", reason: "overlap" },
    ]);
  });
});
