/** The process in which a contender stands: it is told what to do by messages, and takes its time for each. */
import { Absent, CONTENDERS, type Contender, type Name } from "./contender.ts";
import type { Rhythm } from "./rhythm.ts";

export type Order =
  | { id: number; what: "create"; names: string[]; rhythms: Rhythm[]; concurrency: number }
  | { id: number; what: "runs" | "unrun" | "bill" | "stop" };

export type Report =
  | { what: "ready" }
  | { what: "absent"; why: string }
  | { what: "done"; id: number; value: unknown }
  | { what: "failed"; id: number; why: string };

const [name = "", folder = ""] = process.argv.slice(2);
const tell = (report: Report) => process.send?.(report);

try {
  const open = await CONTENDERS[name as Name]();
  const contender = await open(folder);
  process.on("message", (order: Order) => void obey(contender, order));
  process.once("disconnect", () => process.exit(1)); // nobody is left to report to
  tell({ what: "ready" });
} catch (error) {
  if (!(error instanceof Absent)) throw error;
  tell({ what: "absent", why: error.message });
}

async function obey(contender: Contender, order: Order): Promise<void> {
  try {
    tell({ what: "done", id: order.id, value: await carryOut(contender, order) });
  } catch (error) {
    tell({ what: "failed", id: order.id, why: String(error) });
  }
  if (order.what === "stop") process.exit(0);
}

async function carryOut(contender: Contender, order: Order): Promise<unknown> {
  switch (order.what) {
    case "create":
      return createAll(contender, order);
    case "runs":
      return contender.runs();
    case "unrun":
      return contender.unrun?.() ?? {};
    case "bill":
      return contender.bill?.() ?? {};
    case "stop":
      return contender.stop?.();
  }
}

/** How long each took, in milliseconds. */
async function createAll(
  contender: Contender,
  { names, rhythms, concurrency }: Extract<Order, { what: "create" }>,
): Promise<number[]> {
  const latencies: number[] = [];
  let index = 0;
  async function createSome(): Promise<void> {
    while (index < names.length) {
      const i = index++;
      const begin = performance.now();
      await contender.create(names[i]!, rhythms[i % rhythms.length]!);
      latencies.push(performance.now() - begin);
    }
  }
  await Promise.all(Array.from({ length: concurrency }, createSome));
  return latencies;
}
