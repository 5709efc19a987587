/**
 * `dist/`: what a project that installs the package runs, as plain JavaScript with its types: `carillon/client`,
 * `carillon/consumer`, and the command line in one file. The Worker is not among it: wrangler bundles that from src/.
 */
import { execFile } from "node:child_process";
import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { ROOT } from "./wrangler.ts";

const DIST = join(ROOT, "dist");
const LIBRARIES = ["client", "consumer"];
const src = (path: string) => join(ROOT, "src", path);

await rm(DIST, { recursive: true, force: true });
await Promise.all([
  build({
    entryPoints: Object.fromEntries(LIBRARIES.map((name) => [name, src(`${name}/index.ts`)])),
    outdir: DIST,
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
  }),
  build({
    entryPoints: [src("cli/main.ts")],
    outfile: join(DIST, "cli.js"),
    bundle: true,
    format: "esm",
    platform: "neutral", // of the packages that it takes in, the modern form
    external: ["node:*"],
    target: "node20",
    banner: { js: "#!/usr/bin/env node" },
  }),
  types(),
]);
await chmod(join(DIST, "cli.js"), 0o755);

/** Declarations only, of the two libraries: dist/types/client/index.d.ts and beside it. */
async function types(): Promise<void> {
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  await promisify(execFile)(process.execPath, [tsc, "-p", join(ROOT, "scripts/build.json")]);
}
