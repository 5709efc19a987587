/** `npm run size`: what a cold object has to load. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { wrangler } from "./wrangler.ts";

const outDir = await mkdtemp(join(tmpdir(), "carillon-size-"));
try {
  await wrangler("deploy", "-c", "wrangler.toml", "--dry-run", "--outdir", outDir);
  const names = (await readdir(outDir)).filter((name) => name.endsWith(".js"));
  const code = Buffer.concat(await Promise.all(names.map((name) => readFile(join(outDir, name)))));
  console.log(`bundle ${kib(code.length)}, gzip ${kib(gzipSync(code).length)}`);
} finally {
  await rm(outDir, { recursive: true, force: true });
}

function kib(bytes: number): string {
  return `${(bytes / 1_024).toFixed(1)} KiB`;
}
