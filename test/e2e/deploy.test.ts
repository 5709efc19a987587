import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { call } from "../../scripts/api.ts";
import { smokeTest } from "../../scripts/smoke.ts";
import { ROOT } from "../../scripts/wrangler.ts";
import { openSession } from "./session.ts";

it("a dry run needs no account, and tells what one would need", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["scripts/deploy.ts", "--dry-run"], {
    cwd: ROOT,
    env: { ...process.env, CLOUDFLARE_API_TOKEN: "" },
  });
  expect(stdout).toMatch(
    /carillon needs\n {2}databases {2}carillon-ledger\n {2}queues .*carillon-dead.*\n {2}secrets .*ADMIN_TOKEN/,
  );
  expect(stdout).toContain("env.SCHEDULES (ScheduleObject)");
  expect(stdout).toContain("env.RUNS (carillon#Runs)");
});

it("the test that follows a deployment sees a schedule fire, and leaves none behind", async () => {
  const session = await openSession();
  try {
    expect(await smokeTest(session.api)).toMatch(
      /^It works: carillon-smoke-test@\S+ was dispatched \d+ ms after its slot\.$/,
    );
    const { items } = await call<{ items: unknown[] }>(session.api, "GET", "/v1/schedules");
    expect(items).toEqual([]);
  } finally {
    await session.close();
  }
});
