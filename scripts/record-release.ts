/** `npm run record-release`: writes down what this version leaves behind, for every later one to read. Once a release. */
import { writeFile } from "node:fs/promises";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import manifest from "../package.json" with { type: "json" };
import { ROOT } from "./wrangler.ts";

const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
const { version } = manifest;
const vitest = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", "--config", "test/vitest.config.ts"];
const { stdout } = await promisify(execFile)(
  process.execPath,
  [...vitest, "--project", "worker", "test/worker/release.record.test.ts"],
  { cwd: ROOT, env: { ...process.env, CARILLON_RECORD: version }, maxBuffer: OUTPUT_BYTES_MAX },
);
const recorded = /RECORDED (\{.*\})/.exec(stdout)?.[1];
if (!recorded) throw new Error(`nothing was recorded:\n${stdout}`);
const file = `test/releases/${version}.json`;
await writeFile(join(ROOT, file), `${recorded}\n`);
console.log(`${file} is written. Name it in test/worker/releases.test.ts.`);
