/**
 * `npm run bench`: everything, against its peers, in rounds; `npm run bench -- herd steady` a part of it. Prints tables
 * in Markdown. `--rounds 3 --schedules 1000 --seconds 60 --every 10 --down 60 --only carillon,bullmq --disk DIR`.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describeMachine } from "./machine.ts";
import { readOptions, type Options } from "./options.ts";

const PARTS: { [part: string]: () => Promise<(options: Options) => unknown> } = {
  herd: () => import("./herd.ts").then(({ herd }) => herd),
  steady: () => import("./steady.ts").then(({ steady }) => steady),
  create: () => import("./create.ts").then(({ create }) => create),
  "catch-up": () => import("./catch-up.ts").then(({ catchUp }) => catchUp),
  growth: () => import("./growth.ts").then(({ growth }) => growth),
  cost: () => import("./cost.ts").then(({ cost }) => cost),
  size: () => import("./size.ts").then(({ size }) => size),
  profile: () => import("./profile.ts").then(({ profile }) => profile),
  time: () => import("./time.ts").then(({ time }) => time),
};

const options = readOptions(process.argv.slice(2));
const unknown = options.parts.filter((part) => !(part in PARTS));
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(", ")}: npm run bench -- ${Object.keys(PARTS).join(" | ")}`);
  process.exit(1);
}
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
installPeers();
console.log(describeMachine(options));
for (const part of options.parts.length > 0 ? options.parts : Object.keys(PARTS)) {
  console.log(`\n### ${part}\n`);
  const measure = await PARTS[part]!();
  await measure(options);
}

/** They are no dependency of ours: whoever doesn't run the bench never has them. */
function installPeers(): void {
  if (existsSync(join(import.meta.dirname, "node_modules"))) return;
  const { status } = spawnSync("npm", ["ci", "--prefix", import.meta.dirname], { stdio: "inherit" });
  if (status !== 0) throw new Error("the peers could not be installed");
}
