/** Whoever generates a client from the document gets one that compiles, and that works. */
import { execFile } from "node:child_process";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import openapiTypescript, { astToString } from "openapi-typescript";
import { afterAll, beforeAll, expect, it } from "vitest";
import { TOKEN, world } from "./world.ts";

const run = promisify(execFile);
const root = new URL("../../", import.meta.url).pathname;
/** Beneath node_modules, so that imports of packages find them and nobody takes it for a source. */
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(root, "node_modules/.stranger-"));
  const { text } = await world().send("GET", "/openapi.json");
  await writeFile(join(folder, "api.ts"), astToString(await openapiTypescript(text)));
  await copyFile(join(root, "test/http/stranger/tour.ts"), join(folder, "tour.ts"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it("a client by openapi-typescript and openapi-fetch compiles, as strictly as can be", async () => {
  const flags = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"];
  const modern = ["--target", "es2024", "--module", "esnext", "--moduleResolution", "bundler"];
  const files = [
    "--allowImportingTsExtensions",
    "--lib",
    "es2024,dom",
    "--types",
    "",
    join(folder, "tour.ts"),
  ];
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const compiled = await run(process.execPath, [tsc, "--ignoreConfig", ...flags, ...modern, ...files]).catch(
    (error: { stdout: string }) => error,
  );
  expect(compiled.stdout).toBe("");
});

it("and goes where it likes", async () => {
  const { tour } = (await import(/* @vite-ignore */ join(folder, "tour.ts"))) as {
    tour: (options: object) => Promise<unknown>;
  };
  const { app } = world();
  const told = await tour({
    baseUrl: "https://carillon.example",
    headers: { authorization: `Bearer ${TOKEN}` },
    fetch: async (request: Request) => app.fetch(request),
  });
  expect(told).toEqual({
    created: "stranger PT1M active",
    etag: '"3"',
    next: null,
    manual: "scheduled",
    slots: ["2026-12-01T00:15:00Z", "2026-12-01T00:30:00Z"],
    refused: { code: "invalid_trigger", pointer: "/trigger", isOfAnotherCall: false },
    lost: "not_found",
  });
});
