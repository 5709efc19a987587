/** What the worlds of a run came to, as lines to print. */
import type { Report } from "./world.ts";

type Counts = { [what: string]: number };
export type Sum = Omit<Report, "seed" | "trace">;

export function sumOf(reports: Report[]): Sum {
  const add = (of: (report: Report) => number) => reports.reduce((sum, report) => sum + of(report), 0);
  return {
    schedules: add((r) => r.schedules),
    cpuMs: add((r) => r.cpuMs),
    simulatedMs: add((r) => r.simulatedMs),
    occurrences: add((r) => r.occurrences),
    gapSlots: add((r) => r.gapSlots),
    audited: add((r) => r.audited),
    lostSlots: add((r) => r.lostSlots),
    commands: add((r) => r.commands),
    outcomes: merged(reports.map(({ outcomes }) => outcomes)),
    faults: merged(reports.map(({ faults }) => faults)),
    violations: reports.flatMap(({ violations }) => violations),
  };
}

function merged(all: Counts[]): Counts {
  const sum: Counts = {};
  for (const counts of all) for (const [what, n] of Object.entries(counts)) sum[what] = (sum[what] ?? 0) + n;
  return sum;
}

export function linesOf(sum: Sum, run: { seconds: number; firstSeed: number; worlds: number }): string[] {
  const { faults } = sum;
  const of = (isIt: (what: string) => boolean) =>
    listed(Object.fromEntries(Object.entries(faults).filter(([what]) => isIt(what))));
  const line = (name: string, value: string | number) =>
    `${name.padEnd(16)}${typeof value === "number" ? value.toLocaleString("en") : value}`;
  const hours = Math.round(sum.simulatedMs / 3_600_000);
  const speed = Math.round(sum.occurrences / run.seconds);
  const ofCpu = Math.round((sum.occurrences / sum.cpuMs) * 1_000);
  return [
    "",
    line("seeds", `${run.firstSeed}–${run.firstSeed + run.worlds - 1}`),
    line("simulated", `${hours.toLocaleString("en")} h, ${sum.schedules.toLocaleString("en")} schedules`),
    line("occurrences", sum.occurrences),
    line("slots in gaps", sum.gapSlots),
    line("durable steps", sum.commands),
    line("outcomes", listed(sum.outcomes)),
    line(
      "faults",
      of((what) => !/^(people|log) /.test(what)),
    ),
    line("people", of((what) => what.startsWith("people ")).replaceAll("people ", "")),
    line("seen in the log", of((what) => what.startsWith("log ")).replaceAll("log ", "")),
    line(
      "audited",
      `${sum.audited.toLocaleString("en")} slots, ${sum.lostSlots} lost with the only storage that knew`,
    ),
    line("violations", sum.violations.length),
    line(
      "speed",
      `${speed.toLocaleString("en")} occurrences a second for ${Math.round(run.seconds)} s, ${ofCpu.toLocaleString("en")} a second of CPU`,
    ),
  ];
}

function listed(counts: Counts): string {
  const entries = Object.entries(counts).toSorted(([, a], [, b]) => b - a);
  return entries.map(([what, n]) => `${n.toLocaleString("en")} ${what}`).join(", ");
}
