import { defineConfig } from "vitest/config";

/**
 * Three rooms: `node` is pure and fast (core, machine), `worker` runs inside workerd with real objects,
 * D1 and queues, `e2e` starts whole runtimes from the outside and kills them.
 */
export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    projects: [
      {
        test: {
          name: "node",
          include: ["test/core/**/*.test.ts", "test/schedule/**/*.test.ts", "test/consumer/**/*.test.ts"],
          testTimeout: 60_000,
        },
      },
    ],
  },
});
