import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, vi } from "vitest";

beforeEach(async () => {
  for (const database of [env.LEDGER, env.LEDGER_1, env.LEDGER_2])
    await applyD1Migrations(database, env.MIGRATIONS);
});

afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await reset();
});
