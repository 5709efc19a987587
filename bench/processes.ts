/** What a process and all that it has started take of the machine, by /proc. Elsewhere than on Linux: nothing known. */
import { readdirSync, readFileSync } from "node:fs";

const TICK_MS = 10; // 100 a second, wherever Linux runs today
const PAGE_BYTES = 4_096;

export interface Usage {
  cpuMs: number;
  /** Of memory shared among processes each counts its share once more. */
  residentBytes: number;
}

interface Process {
  pid: number;
  parent: number;
  ticks: number;
  pages: number;
}

export function usageOf(root: number): Usage {
  const all = descendants(root);
  return {
    cpuMs: all.reduce((sum, { ticks }) => sum + ticks, 0) * TICK_MS,
    residentBytes: all.reduce((sum, { pages }) => sum + pages, 0) * PAGE_BYTES,
  };
}

/** With the root itself; PostgreSQL's children lead sessions of their own, so a process group would miss them. */
export function descendants(root: number): Process[] {
  const processes = readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => read(Number(entry)));
  const found = processes.filter(({ pid }) => pid === root);
  for (const { pid } of found) found.push(...processes.filter(({ parent }) => parent === pid));
  return found;
}

/** Field numbers are those of proc(5), less the two before the name's end. */
function read(pid: number): Process[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const field = (number: number) => Number(fields[number - 3]);
    const ticks = field(14) + field(15) + field(16) + field(17); // its own, and of children that have ended
    return [{ pid, parent: field(4), ticks, pages: field(24) }];
  } catch {
    return []; // ended while we looked
  }
}
