/**
 * `npm start`: the scheduler and the example in one local runtime, set up as needed. Flags reach `wrangler dev`:
 * `npm start -- --port 8799 --persist-to DIR --var ADMIN_TOKEN:…`.
 */
import { randomBytes } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { migrate, probe, startRuntime } from "./runtime.ts";
import { ROOT } from "./wrangler.ts";

const SWEEP_MS = 60_000;
const DEV_VARS = join(ROOT, ".dev.vars");

const flags = process.argv.slice(2);
const { values } = parseArgs({
  args: flags,
  options: { "persist-to": { type: "string" }, var: { type: "string", multiple: true } },
  strict: false, // the other flags are wrangler's to judge
});
const stateDir = resolve(String(values["persist-to"] ?? join(ROOT, ".wrangler/state")));
const given = values.var?.map(String).find((pair) => pair.startsWith("ADMIN_TOKEN:"));
const token = given?.slice("ADMIN_TOKEN:".length) ?? devVar("ADMIN_TOKEN", () => random("base64url"));
devVar("SECRETS_KEY", () => random("base64"));

let stop: () => Promise<void> = () => process.exit(130);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stop());

console.log("Applying migrations …");
await migrate(stateDir);
const others = flags.filter((flag, at) => !/^--persist-to\b/.test(flag) && flags[at - 1] !== "--persist-to");
const runtime = await startRuntime({
  stateDir,
  // Whoever tries out URL targets has the receiver on this machine.
  flags: ["--var", "ALLOW_PRIVATE_URLS:true", ...others],
  onOutput: (text) => process.stdout.write(text),
});
stop = runtime.stop;
// Cron Triggers don't fire in a local runtime: this stands in for the sweep's.
const sweep = () => void probe(`${runtime.url}/cdn-cgi/local/scheduled`);
sweep();
setInterval(sweep, SWEEP_MS).unref();
console.log(welcome(runtime.url, token));
process.exitCode = await runtime.ended;

/** What stands in `.dev.vars`, which wrangler reads; made the first time. Never committed. */
function devVar(name: string, make: () => string): string {
  const kept = existsSync(DEV_VARS) ? readFileSync(DEV_VARS, "utf8") : "";
  const known = new RegExp(`^${name}\\s*=\\s*"?([^"\n]+)"?$`, "m").exec(kept)?.[1];
  if (known) return known;
  const value = make();
  appendFileSync(DEV_VARS, `${kept && !kept.endsWith("\n") ? "\n" : ""}${name}="${value}"\n`, {
    mode: 0o600,
  });
  return value;
}

function random(encoding: "base64" | "base64url"): string {
  return randomBytes(32).toString(encoding);
}

function welcome(url: string, token: string): string {
  const definition = {
    trigger: { every: "10s" },
    target: { queue: "LIBRARY" },
    payload: { job: "inventory-summary" },
  };
  return `
Carillon rings at ${url}. Paste this, and look again in a while:

  export CARILLON=${url} AUTH='Authorization: Bearer ${token}'
  curl -X PUT "$CARILLON/v1/schedules/first-bell" -H "$AUTH" \\
    --json '${JSON.stringify(definition)}'
  curl "$CARILLON/v1/schedules/first-bell/occurrences?limit=3" -H "$AUTH"
`;
}
