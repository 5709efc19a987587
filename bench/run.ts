/** `npm run bench -- time` runs bench/time.ts; without a name, says which there are. */
import { readdirSync } from "node:fs";

const [name = ""] = process.argv.slice(2);
const names = readdirSync(import.meta.dirname)
  .filter((entry) => entry.endsWith(".ts"))
  .map((entry) => entry.slice(0, -3));
// A bench is a script of one word; longer names are parts of one.
const benches = names.filter((entry) => /^[a-z]+$/.test(entry) && entry !== "run");
if (!benches.includes(name)) {
  console.error(`npm run bench -- ${benches.join(" | ")}`);
  process.exit(1);
}
await import(`./${name}.ts`);
