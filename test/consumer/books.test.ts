import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import schedules from "../../examples/library/schedules.json" with { type: "json" };

const LIBRARY = join(import.meta.dirname, "../../examples/library");
const read = (path: string) => readFileSync(join(LIBRARY, path), "utf8");

it("the library's committed books are what its generator writes", () => {
  const written = execFileSync(process.execPath, [join(LIBRARY, "generate.ts")], {
    encoding: "utf8",
  });
  expect(written).toBe(read("migrations/0002_loans.sql"));
});

it("every branch has overdue loans, and a daily schedule in its own zone", () => {
  const books = new DatabaseSync(":memory:");
  books.exec(read("migrations/0001_books.sql"));
  books.exec(read("migrations/0002_loans.sql"));
  const branches = books
    .prepare(
      `SELECT branches.id, timezone, count(*) AS overdue FROM branches JOIN loans ON branch = branches.id
        WHERE returned_on IS NULL AND due_on < '2026-12-01' GROUP BY branches.id`,
    )
    .all();
  books.close();
  const daily = schedules.filter(({ payload }) => payload.job === "overdue-notices");
  expect(branches.map(({ id, timezone }) => ({ id, timezone })).toSorted(byId)).toEqual(
    daily.map(({ trigger, payload }) => ({ id: payload.branch, timezone: trigger.timezone })).toSorted(byId),
  );
  for (const { overdue } of branches) expect(overdue).toBeGreaterThan(20);
});

function byId(a: { id: unknown }, b: { id: unknown }): number {
  return String(a.id).localeCompare(String(b.id));
}
