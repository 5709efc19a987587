/** One schedule that fires within a minute, and is gone afterwards: object, alarm, queue and ledger of a deployment work. */
import { call, eventually, history, occurrences, type Api } from "./api.ts";
import { probe } from "./runtime.ts";

const NAME = "carillon-smoke-test";
const READY_MS_MAX = 60_000; // a new address takes a while to be known everywhere
const FIRES_MS_MAX = 60_000;

export async function smokeTest(api: Api): Promise<string> {
  await eventually(
    `${api.url}/healthz answers`,
    READY_MS_MAX,
    async () => (await probe(`${api.url}/healthz`)) && true,
  );
  const path = `/v1/schedules/${NAME}`;
  await call(api, "PUT", path, {
    description: "Made by the deployment to see that it works",
    trigger: { in: "5s" },
    target: { queue: "EXTERNAL" },
    tracked: false,
  });
  try {
    const fired = await eventually(`${NAME} fires`, FIRES_MS_MAX, async () =>
      occurrences(await history(api, NAME)).find(({ state }) => state === "dispatched"),
    );
    return `It works: ${fired.id} was dispatched ${fired.latenessMs} ms after its slot.`;
  } finally {
    await call(api, "DELETE", path);
  }
}
