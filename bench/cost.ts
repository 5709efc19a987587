/** What an occurrence is billed on Cloudflare, counted where it would be counted, over the whole path. */
import { LABELS, type Bill, type Name } from "./contender.ts";
import { type Stand, withStand } from "./field.ts";
import type { Options } from "./options.ts";
import { ASSUMED_CPU_MS, CLOUDFLARE as PRICE, OBJECT_GB, OPERATIONS_PER_MESSAGE, OTHERS } from "./prices.ts";
import { table } from "./tables.ts";
import { gather, namesOf, sleep } from "./watching.ts";

const NAMES: Name[] = ["metered-untracked", "metered"];
const SCHEDULES = 200;
const AT_ONCE = 16;
const CREATE_MS = 300; // patience for each, on a busy machine
const SETTLE_MS = 5_000; // for the last rows

export async function cost({ seconds, root }: Options): Promise<void> {
  const bills = new Map<Name, { bill: Bill; runs: number }>();
  for (const name of NAMES) {
    const seen = await withStand(name, root, (stand) => spread(stand, seconds));
    if (seen) bills.set(name, seen);
  }
  if (bills.size === 0) return;
  const columns = [...bills.values()].map(({ bill, runs }) => lines(bill, runs));
  const [first = []] = columns;
  console.log("**What a million occurrences are billed** at Cloudflare's list prices, nothing included\n");
  table(
    [
      "",
      ...[...bills.keys()].flatMap((name) => [
        `${LABELS[name].replace(", metered", "")}: each`,
        "$ a million",
      ]),
    ],
    [
      ...first.map(({ what }, i) => [
        what,
        ...columns.flatMap((column) => [column[i]!.units, column[i]!.dollars]),
      ]),
      [
        "**sum**",
        ...columns.flatMap((column) => ["", column.reduce((sum, { dollars }) => sum + dollars, 0)]),
      ],
    ],
  );
  table(["beside it, list price", "$ a million", "read in"], OTHERS);
}

/** Each of them once in an hour, spread over the window: of the cadences the one that costs most an occurrence. */
async function spread(stand: Stand, seconds: number): Promise<{ bill: Bill; runs: number }> {
  const from = Math.ceil((Date.now() + SCHEDULES * CREATE_MS) / 1_000) * 1_000;
  const rhythms = Array.from({ length: seconds }, (_, i) => ({
    first: from + i * 1_000,
    everySeconds: 3_600,
  }));
  await stand.create(namesOf("cost", SCHEDULES), rhythms, AT_ONCE);
  if (Date.now() > from) throw new Error("the first slots were due before all schedules were made");
  await stand.bill();
  await sleep(from - Date.now());
  const runs = await gather(stand, SCHEDULES, seconds * 1_000);
  await sleep(SETTLE_MS);
  return { bill: await stand.bill(), runs: runs.length };
}

interface Line {
  what: string;
  units: number;
  dollars: number;
}

function lines(bill: Bill, runs: number): Line[] {
  const { objectRequests = 0, objectRows = 0, objectMs = 0, ledgerRows = 0 } = bill;
  const { messages = 0, workerRequests = 0 } = bill;
  const gbSeconds = (objectMs / 1_000) * OBJECT_GB;
  const line = (what: string, total: number, price: number): Line => ({
    what,
    units: total / runs,
    dollars: (total / runs) * price * 1e6,
  });
  return [
    line("rows written by objects, alarms among them", objectRows, PRICE.objectRow),
    line("rows written in D1", ledgerRows, PRICE.ledgerRow),
    line("queue operations", messages * OPERATIONS_PER_MESSAGE, PRICE.queueOperation),
    line("requests to objects: alarms, Couriers, reports", objectRequests, PRICE.objectRequest),
    line("time of objects, GB-s (here: of this machine)", gbSeconds, PRICE.objectGbSecond),
    line("requests to the consumer, a batch each", workerRequests, PRICE.workerRequest),
    line("CPU ms of Workers (assumed)", ASSUMED_CPU_MS * runs, PRICE.workerCpuMs),
  ];
}
