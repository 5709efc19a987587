/** A slice of `npm run chaos`: some worlds that nothing breaks, one that is sabotaged, and the same world twice. */
import { spawn } from "node:child_process";
import { expect, it } from "vitest";
import { SEED } from "../seed.ts";

const OCCURRENCES = 8_000;

function chaos(...args: string[]): Promise<{ code: number | null; lines: string[] }> {
  const child = spawn(process.execPath, ["scripts/chaos.ts", ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (some: Buffer) => (text += some.toString()));
  return new Promise((resolve, reject) =>
    child.once("error", reject).once("close", (code) => resolve({ code, lines: text.split("\n") })),
  );
}

/** What a line of the table says. */
function told(lines: string[], name: string): string {
  return lines.find((line) => line.startsWith(name.padEnd(16)))?.slice(16) ?? `no line ${name}`;
}

it("keeps every promise in worlds of bad luck", { timeout: 300_000 }, async () => {
  const args = ["--seed", String(SEED), "--schedules", "100", "--hours", "2", "--threads", "1"];
  const { code, lines } = await chaos(...args, "--occurrences", String(OCCURRENCES));
  expect(lines.filter((line) => line.startsWith("  "))).toEqual([]); // the violations
  expect({ code, violations: told(lines, "violations") }).toEqual({ code: 0, violations: "0" });
  expect(Number(told(lines, "occurrences").replaceAll(",", ""))).toBeGreaterThanOrEqual(OCCURRENCES);
  for (const fault of ["crash after T1", "ledger", "message lost", "storage lost"])
    expect(told(lines, "faults")).toContain(fault);
});

it("finds a Courier that says it recorded what it threw away", { timeout: 120_000 }, async () => {
  const args = ["--seed", String(SEED), "--schedules", "12", "--hours", "1", "--threads", "1"];
  const { code, lines } = await chaos(...args, "--occurrences", "1", "--liars");
  expect(code).toBe(1);
  expect(Number(told(lines, "violations"))).toBeGreaterThan(0);
  expect(lines.some((line) => line.startsWith("Again: npm run chaos -- --seed"))).toBe(true);
});

it("runs a seed the same way every time", { timeout: 120_000 }, async () => {
  const args = ["--seed", String(SEED + 1), "--schedules", "12", "--hours", "1", "--only", "s003"];
  const [once, twice] = await Promise.all([chaos(...args), chaos(...args)]);
  const timeless = (lines: string[]) => lines.filter((line) => !line.startsWith("speed"));
  expect(timeless(once.lines)).toEqual(timeless(twice.lines));
  expect(Number(told(once.lines, "durable steps").replaceAll(",", ""))).toBeGreaterThan(100);
});
