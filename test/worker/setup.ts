import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, vi } from "vitest";
import { signals } from "../../src/schedule/signals.ts";

beforeEach(async () => {
  await applyD1Migrations(env.LEDGER, env.MIGRATIONS);
});

afterEach(async () => {
  signals.reached = null;
  vi.restoreAllMocks();
  vi.useRealTimers();
  await reset();
});
