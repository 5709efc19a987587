import { readFileSync } from "node:fs";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

const path = (relative: string) => new URL(relative, import.meta.url).pathname;
const migrations = await readD1Migrations(path("../migrations"));

/** Long modes are asked for in the environment, which workerd does not see. */
const modes = Object.fromEntries(
  ["CARILLON_RECORD", "CARILLON_LIVES", "CARILLON_SEED", "CARILLON_ROWS"].flatMap((name) =>
    process.env[name] ? [[name, process.env[name]]] : [],
  ),
);

/** The modules that wrangler.toml calls Text. */
const text = {
  name: "text",
  enforce: "pre" as const,
  resolveId: (id: string, importer = "") =>
    /\.(css|browser\.js)$/.test(id) ? `\0text:${new URL(id, `file://${importer}`).pathname}.js` : null,
  load(id: string) {
    if (!id.startsWith("\0text:")) return null;
    return `export default ${JSON.stringify(readFileSync(id.slice("\0text:".length, -".js".length), "utf8"))}`;
  },
};

/** Of the project `node`, one a folder. */
const ROOMS = ["core", "schedule", "ledger", "consumer", "client", "cli", "http", "scripts", "ui", "chaos"];

/**
 * Five rooms: `node` is pure and fast (core, machine), `worker` runs inside workerd with real objects, D1 and
 * queues, `shards` does so with several databases and queues for one target, `e2e` starts whole runtimes from the outside and kills them, `browser` looks at
 * one with a real browser.
 */
export default defineConfig({
  test: {
    root: path(".."),
    projects: [
      {
        plugins: [text],
        resolve: { alias: { typescript: path("http/stranger/typescript.ts") } },
        test: {
          name: "node",
          server: { deps: { inline: ["openapi-typescript"] } },
          include: ROOMS.map((room) => `test/${room}/**/*.test.{ts,tsx}`),
          setupFiles: [path("seed.ts")],
          testTimeout: 60_000,
        },
      },
      {
        plugins: [
          text,
          cloudflareTest({
            wrangler: { configPath: path("../wrangler.toml") },
            miniflare: {
              bindings: {
                ADMIN_TOKEN: "test-token-of-16-and-more",
                SECRETS_KEY: btoa("0123456789abcdef".repeat(2)),
                MIGRATIONS: migrations,
                ...modes,
              },
            },
          }),
        ],
        test: {
          name: "worker",
          include: ["test/worker/**/*.test.ts"],
          setupFiles: [path("seed.ts"), path("worker/setup.ts")],
          testTimeout: 30_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        plugins: [
          text,
          cloudflareTest({
            wrangler: { configPath: path("../wrangler.toml") },
            miniflare: {
              bindings: {
                ADMIN_TOKEN: "test-token-of-16-and-more",
                MIGRATIONS: migrations,
                LANES: '{ "LIBRARY": ["LIBRARY", "LIBRARY_2"] }',
              },
              d1Databases: { LEDGER_1: "ledger-1", LEDGER_2: "ledger-2" },
              queueProducers: { LIBRARY_2: { queueName: "library-2" } },
            },
          }),
        ],
        test: {
          name: "shards",
          include: ["test/shards/**/*.test.ts"],
          setupFiles: [path("seed.ts"), path("shards/setup.ts")],
          testTimeout: 30_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 180_000,
          fileParallelism: false, // each starts a runtime of its own
          sequence: { groupOrder: 2 }, // after the others: what they find is cheaper to look into
        },
      },
      {
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 180_000,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
