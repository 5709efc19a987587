import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { record } from "./release.ts";

it.runIf(env.CARILLON_RECORD)("records this release", async () => {
  const release = await record(env.CARILLON_RECORD!);
  expect(release.messages.length).toBeGreaterThan(0);
  console.log(`RECORDED ${JSON.stringify(release)}`);
});
