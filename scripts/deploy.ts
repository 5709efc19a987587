/**
 * `npm run deploy -- --dry-run` checks both Workers; without it, migrates and deploys them. Databases and queues
 * have to exist and be named in the two wrangler.toml: wrangler would make what is missing, and bill it.
 */
import { wrangler } from "./wrangler.ts";

const CONFIGS = [
  { config: "wrangler.toml", database: "LEDGER" },
  { config: "examples/library/wrangler.toml", database: "LIBRARY_DB" },
];
const flags = process.argv.slice(2);

for (const { config, database } of CONFIGS) {
  if (!flags.includes("--dry-run")) {
    console.log(await wrangler("d1", "migrations", "apply", database, "--remote", "-c", config));
  }
  console.log(await wrangler("deploy", "-c", config, "--no-experimental-provision", ...flags));
}
