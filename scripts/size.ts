/** `npm run size`: what a cold object has to load. The bench asks for it too. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { wrangler } from "./wrangler.ts";

export async function bundleSize(): Promise<{ bytes: number; gzipBytes: number }> {
  const outDir = await mkdtemp(join(tmpdir(), "carillon-size-"));
  try {
    await wrangler("deploy", "-c", "wrangler.toml", "--dry-run", "--outdir", outDir);
    const names = (await readdir(outDir)).filter((name) => name.endsWith(".js"));
    const code = Buffer.concat(await Promise.all(names.map((name) => readFile(join(outDir, name)))));
    return { bytes: code.length, gzipBytes: gzipSync(code).length };
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const { bytes, gzipBytes } = await bundleSize();
  console.log(`bundle ${kib(bytes)}, gzip ${kib(gzipBytes)}`);
}

function kib(bytes: number): string {
  return `${(bytes / 1_024).toFixed(1)} KiB`;
}
