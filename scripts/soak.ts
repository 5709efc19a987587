/**
 * `npm run soak`: 200 schedules for five minutes under kills, a failing ledger and failing queues, edits and pauses;
 * prints what became of every slot, and ends with 0 only if each is accounted for. `-- --seed 7` repeats a fleet and
 * its havoc (not the milliseconds), `--schedules`, `--seconds` and `--calm` change the measure.
 */
import { parseArgs } from "node:util";
import type { Account } from "../test/e2e/soak/account.ts";
import { KINDS } from "../test/e2e/soak/fleet.ts";
import { soak } from "../test/e2e/soak/soak.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    schedules: { type: "string", default: "200" },
    seconds: { type: "string", default: "300" },
    calm: { type: "string", default: "25" },
  },
});

const { accounts, audited, disasters, meddlings, refused } = await soak({
  seed: Number(values.seed),
  schedules: Number(values.schedules),
  seconds: Number(values.seconds),
  calmSeconds: Number(values.calm),
  say: (line) => console.log(line),
});

const HEADINGS = [
  "kind",
  "schedules",
  "slots",
  "succeeded",
  "dispatched",
  "failed",
  "other",
  "in gaps",
  "wrong",
];
console.log(`\n${aligned(HEADINGS)}`);
for (const kind of KINDS)
  console.log(
    aligned(
      row(
        kind,
        accounts.filter((account) => account.kind === kind),
      ),
    ),
  );
console.log(aligned(row("all", accounts)));
for (const { name, discrepancies } of accounts)
  for (const discrepancy of discrepancies.slice(0, 5)) console.log(`  ${name}: ${discrepancy}`);

const struck = Object.entries(disasters).map(([what, times]) => `${times} × ${what}`);
console.log(`\nDisasters: ${struck.join(", ")}. ${meddlings} calls meanwhile, ${refused} refused.`);
const wrong = accounts.reduce((sum, { discrepancies }) => sum + discrepancies.length, 0);
console.log(
  `GET /v1/audit: ${audited.expected} expected, ${audited.accounted} accounted for, ${audited.discrepancies.length} discrepancies.`,
);
for (const discrepancy of audited.discrepancies.slice(0, 10)) console.log(`  ${JSON.stringify(discrepancy)}`);
console.log(`Reconciled from outside: ${wrong} discrepancies. Seed ${values.seed}.`);
process.exitCode = wrong === 0 && audited.discrepancies.length === 0 ? 0 : 1;

function row(kind: string, accounts: Account[]): (string | number)[] {
  const sum = (of: (account: Account) => number) =>
    accounts.reduce((total, account) => total + of(account), 0);
  const inState = (state: string) => sum(({ states }) => states[state] ?? 0);
  const known = ["succeeded", "dispatched", "failed"];
  const others = sum(({ states }) =>
    Object.entries(states).reduce((total, [state, count]) => total + (known.includes(state) ? 0 : count), 0),
  );
  return [
    kind,
    accounts.length,
    sum(({ expected }) => expected),
    ...known.map(inState),
    others,
    sum(({ gapSlots }) => gapSlots),
    sum(({ discrepancies }) => discrepancies.length),
  ];
}

function aligned(cells: (string | number)[]): string {
  return cells.map((cell, i) => (i === 0 ? String(cell).padEnd(8) : String(cell).padStart(11))).join("");
}
