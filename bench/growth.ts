/** The same load from ever more schedules: what an occurrence takes must not depend on how many others there are. */
import type { Bill } from "./contender.ts";
import { withStand } from "./field.ts";
import type { Options } from "./options.ts";
import { table } from "./tables.ts";
import { load } from "./steady.ts";

const A_SECOND = 50; // occurrences, whatever the number of schedules
const MIB = 2 ** 20;

export async function growth({ growth: sizes, seconds, root }: Options): Promise<void> {
  const rows = [];
  for (const size of sizes) {
    const row = await withStand("metered", root, async (stand) => {
      const empty = stand.usage().residentBytes;
      const every = Math.max(1, Math.round(size / A_SECOND));
      let bill: Bill = {};
      const mark = async () => void (bill = await stand.bill());
      const measured = await load(stand, size, every, seconds, mark);
      const { objectRows = 0, ledgerRows = 0 } = bill;
      const { runs, missed, twice, startP50, startP99, finishP99, cpuMs, residentMiB } = measured;
      const each = (rows: number) => rows / Math.max(1, runs);
      const figures = [startP50, startP99, finishP99, cpuMs, each(objectRows), each(ledgerRows)];
      return [size, runs, ...figures, residentMiB - empty / MIB, missed, twice];
    });
    if (row) rows.push(row);
  }
  console.log(
    `**The same ${A_SECOND} occurrences a second from ever more schedules**, tracked, for ${seconds} s\n`,
  );
  table(
    [
      "schedules",
      "runs",
      "start p50 ms",
      "p99",
      "durable end p99",
      "CPU ms each",
      "object rows each",
      "ledger rows each",
      "MiB more than empty",
      "missed",
      "twice",
    ],
    rows,
  );
}
