import { expect, it, vi } from "vitest";
import { addressOf, createBell } from "./bell.ts";
import { START } from "./start.ts";

it("nothing is logged of a slot that goes well", async () => {
  const bell = await createBell();
  const logged = vi.spyOn(console, "log");
  await bell.ring(START + 3_600_000);
  const at = addressOf(bell.sent[0]!);
  const started = await bell.stub.start(at, { attempt: 1, worker: "w" });
  if (!started.ok) throw new Error(started.error.code);
  await bell.stub.complete(at, { token: started.value.token });
  await expect.poll(() => bell.rows()).toMatchObject([{ state: "succeeded" }]);
  expect(logged).not.toHaveBeenCalled();
});
