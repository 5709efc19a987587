/** `npm run pictures`: the README's, of a library's day that is made up and of schedules that really run. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { call, eventually, history, type Api } from "../../scripts/api.ts";
import { ROOT } from "../../scripts/wrangler.ts";
import { fillDay } from "./rows.ts";
import { openSite, type Site } from "./site.ts";

const PICTURES = join(ROOT, "src/ui/pictures");
const SCHEDULES = 48;
const OCCURRENCES = 9_000;
const RUNS = 24;
const PATIENCE_MS = 240_000;

const PLAYGROUND = "/playground?trigger=cron&cron=30+2+*+*+*&timezone=Europe%2FBerlin&begin=2027-03-24";
const FLAKY = "catalogue-import";

async function furnish(api: Api): Promise<void> {
  await call(api, "PUT", "/v1/schedules/inventory-summary", {
    description: "What is out, right now: only the latest counts",
    tags: ["library"],
    trigger: { every: "5s" },
    target: { queue: "LIBRARY" },
    payload: { job: "inventory-summary" },
  });
  await call(api, "PUT", `/v1/schedules/${FLAKY}`, {
    description: "Fetches the catalogue of the central library",
    tags: ["imports", "library"],
    trigger: { every: "3s" },
    target: { queue: "EXTERNAL" },
    payload: { source: "central" },
    retry: { maxAttempts: 2, initial: "1s", jitter: 0 },
  });
}

interface Work {
  items: { id: string; attempt: number }[];
}

/** A worker of moods: every third attempt fails, every fifth takes longer than the distance of two slots. */
async function work(api: Api, run: number): Promise<void> {
  const { items } = await call<Work>(api, "GET", "/v1/work?queue=EXTERNAL&limit=1");
  const [message] = items;
  if (!message) return;
  const path = `/v1/occurrences/${message.id}`;
  const start = { attempt: message.attempt, worker: `worker-${run}` };
  const { token } = await call<{ token: number }>(api, "POST", `${path}/start`, start);
  await new Promise((resolve) => setTimeout(resolve, run % 5 === 0 ? 5_000 : 200 + ((run * 137) % 900)));
  if (run % 3 === 1)
    await call(api, "POST", `${path}/fail`, { token, error: "the central library answered 502" });
  else await call(api, "POST", `${path}/complete`, { token, result: { imported: 100 + ((run * 37) % 400) } });
}

describe.skipIf(!process.env["CARILLON_PICTURES"])("the README's pictures", () => {
  let site: Site;
  beforeAll(async () => {
    await mkdir(PICTURES, { recursive: true });
    const now = Date.now();
    site = await openSite((ledger) => {
      fillDay(ledger, { schedules: SCHEDULES, occurrences: OCCURRENCES, now });
      ledger.prepare("INSERT INTO sweep_state VALUES (1, '', ?, '{}')").run(now);
    });
  });
  afterAll(() => site.close());

  it(
    "are taken",
    async () => {
      const visitor = await site.visit();
      async function picture(name: string, path: string, scheme: "light" | "dark"): Promise<void> {
        await visitor.turn(scheme, 1200);
        await visitor.open(path);
        await visitor.page.waitForLoadState("networkidle");
        const clip = { x: 0, y: 0, width: 1200, height: 900 };
        await visitor.page.screenshot({ path: join(PICTURES, `${name}.png`), clip });
      }
      await picture("overview", "/", "light");
      await picture("playground", PLAYGROUND, "light");
      await furnish(site.api);
      let run = 0;
      await eventually("it has run long enough", PATIENCE_MS, async () => {
        await work(site.api, run++);
        const items = await history(site.api, FLAKY);
        return items.length >= RUNS ? true : null;
      });
      await picture("schedule", `/schedules/${FLAKY}`, "dark");
      await visitor.leave();
    },
    PATIENCE_MS + 60_000,
  );
});
