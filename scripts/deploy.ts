/**
 * `npm run deploy`: makes what the account lacks, migrates, deploys, and has a schedule fire to see that it works.
 * `--dry-run` needs no account: it says what would be needed and checks the bundles. `--library` deploys the example
 * consumer too. Where the ADMIN_TOKEN is set already, give it in CARILLON_ADMIN_TOKEN for the last step.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { unstable_readConfig as readConfig } from "wrangler";
import {
  needsOf,
  provision,
  randomKey,
  randomToken,
  withIds,
  type Needs,
  type Provisioned,
} from "./provision.ts";
import { smokeTest } from "./smoke.ts";
import { ROOT, wrangler } from "./wrangler.ts";

const SCHEDULER = "wrangler.toml";
const LIBRARY = "examples/library/wrangler.toml";
/** Beside the original, since its paths are relative; not committed, and removed at the end. */
const DEPLOYED = ".deployed.toml";

const { values } = parseArgs({
  options: { "dry-run": { type: "boolean" }, library: { type: "boolean" }, url: { type: "string" } },
});
const secrets = { ADMIN_TOKEN: randomToken, SECRETS_KEY: randomKey };

function needs(config: string): Needs {
  return needsOf(readConfig({ config: join(ROOT, config) }), config === SCHEDULER ? secrets : {});
}

if (values["dry-run"]) {
  for (const config of [SCHEDULER, LIBRARY]) {
    const { worker, databases, queues, secrets } = needs(config);
    console.log(`${worker} needs`);
    console.log(`  databases  ${databases.join(", ")}`);
    console.log(`  queues     ${queues.join(", ")}`);
    console.log(`  secrets    ${Object.keys(secrets).join(", ") || "none"}`);
    console.log(await wrangler("deploy", "-c", config, "--no-experimental-provision", "--dry-run"));
  }
} else {
  await signedIn();
  const { url, made } = await deploy(SCHEDULER);
  if (values.library) await deploy(LIBRARY);
  const address = values.url ?? url;
  const token = made.secrets["ADMIN_TOKEN"] ?? process.env["CARILLON_ADMIN_TOKEN"];
  if (made.secrets["ADMIN_TOKEN"]) console.log(`ADMIN_TOKEN, shown this once: ${token}`);
  if (!address) console.log("No address was printed: give it with --url to have it tested.");
  else if (!token)
    console.log(`Deployed at ${address}. Give CARILLON_ADMIN_TOKEN to have a schedule fire there.`);
  else console.log(await smokeTest({ url: address, token }));
}

async function signedIn(): Promise<void> {
  try {
    await wrangler("whoami", "--json");
  } catch {
    throw new Error("Not signed in to Cloudflare: run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN.");
  }
}

async function deploy(config: string): Promise<{ url: string | null; made: Provisioned }> {
  const needed = needs(config);
  const made = await provision(needed, wrangler);
  for (const thing of made.made) console.log(`made ${thing}`);
  const own = config.replace("wrangler.toml", DEPLOYED);
  const directory = await mkdtemp(join(tmpdir(), "carillon-deploy-"));
  try {
    await writeFile(join(ROOT, own), withIds(await readFile(join(ROOT, config), "utf8"), made.databases));
    for (const database of needed.databases) {
      await wrangler("d1", "migrations", "apply", database, "--remote", "-c", own);
      console.log(`migrated ${database}`);
    }
    const file = join(directory, "secrets.json");
    await writeFile(file, JSON.stringify(made.secrets), { mode: 0o600 });
    const upload = Object.keys(made.secrets).length > 0 ? ["--secrets-file", file] : [];
    const said = await wrangler("deploy", "-c", own, "--no-experimental-provision", ...upload);
    const url = /https:\/\/\S+\.workers\.dev/.exec(said)?.[0] ?? null;
    console.log(`deployed ${needed.worker}${url ? ` at ${url}` : ""}`);
    return { url, made };
  } finally {
    await rm(directory, { recursive: true });
    await rm(join(ROOT, own), { force: true });
  }
}
