import { describe, expect, it } from "vitest";
import { addressOf, billed, createBell, START } from "./bell.ts";

const HOUR = 3_600_000;

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
      const [message] = bell.sent;
      const at = addressOf(message!);
      const started = await bell.stub.start(at, { attempt: 1, worker: "w" });
      if (!started.ok) throw new Error(started.error.message);
      await bell.stub.complete(at, { token: started.value.token, result: { rows: 120 } });
      await expect.poll(() => bell.rows()).toMatchObject([{ state: "succeeded" }]);
    });
    expect(bill).toEqual({ object: 6, ledger: 2 });
    expect(bell.sent).toHaveLength(1);
  });
});
