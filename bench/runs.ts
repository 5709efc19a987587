/** When runs began and were over: kept in the memory of whoever ran them, until the bench asks. */
export interface Run {
  schedule: string;
  slot: number;
  startedAt: number;
  /** When its end was durable; null while it is not. */
  finishedAt: number | null;
}

let runs: Run[] = [];
const open = new Map<string, Run>();

export function begin(key: string, schedule: string, slot: number): void {
  const run = { schedule, slot, startedAt: Date.now(), finishedAt: null };
  runs.push(run);
  open.set(key, run);
}

export function finish(key: string, at = Date.now()): void {
  const run = open.get(key);
  if (run) run.finishedAt = at;
  open.delete(key);
}

/** All since the last time it was asked. What is still open stays for the next. */
export function taken(): Run[] {
  const over = runs.filter((run) => run.finishedAt !== null);
  runs = runs.filter((run) => run.finishedAt === null);
  return over;
}
