/** All tests, and as the last line how many passed and failed. Arguments reach vitest. */
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "./wrangler.ts";

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
}

const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");
const NOTHING: Report = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0 };

const directory = await mkdtemp(join(tmpdir(), "carillon-test-"));
try {
  const file = join(directory, "report.json");
  const code = await run(file);
  console.log(summary(await report(file), code));
  process.exitCode = code;
} finally {
  await rm(directory, { recursive: true, force: true });
}

function run(file: string): Promise<number> {
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const args = [VITEST, "run", "--config", "test/vitest.config.ts", ...reporters, ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: "inherit" });
  return new Promise((resolve, reject) =>
    child.once("error", reject).once("exit", (code) => resolve(code ?? 1)),
  );
}

/** No report: vitest ended before it could write one. */
async function report(file: string): Promise<Report> {
  const text = await readFile(file, "utf8").catch(() => null);
  return text === null ? NOTHING : (JSON.parse(text) as Report);
}

/** A suite that doesn't load, or an error outside any test, has no test to count: it is a failure all the same. */
function summary(counts: Report, code: number): string {
  const failed = Math.max(counts.numFailedTests, code === 0 ? 0 : 1);
  const skipped = counts.numPendingTests + counts.numTodoTests;
  return `${counts.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
