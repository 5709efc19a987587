/** The command line without its process: what it asks, what it prints where, and how it ends. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ApplyOrder, Change } from "../../src/client/index.ts";
import { run } from "../../src/cli/run.ts";
import { parseSource } from "../../src/cli/source.ts";
import { table } from "../../src/cli/table.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "carillon-cli-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const ENV = { CARILLON_URL: "https://scheduler.test", CARILLON_TOKEN: "t0ken" };
type Reply = (order: ApplyOrder) => Response;

async function carillon(
  args: string[],
  { env = ENV as Record<string, string>, reply = planned, isTTY = false } = {},
) {
  let [out, err] = ["", ""];
  const orders: ApplyOrder[] = [];
  const code = await run(args, {
    env,
    out: { write: (text: string) => (out += text), isTTY },
    err: { write: (text: string) => (err += text), isTTY },
    signal: new AbortController().signal,
    now: Date.parse("2026-11-30T12:00:00Z"),
    version: "1.2.3",
    fetch: (_, { body }) => {
      const order = JSON.parse(body as string) as ApplyOrder;
      orders.push(order);
      return Promise.resolve(reply(order));
    },
  });
  return { code, out, err, orders };
}

const json = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });
const change = (name: string, more: Partial<Change> = {}): Change => ({
  name,
  action: "create",
  diff: [],
  nextSlot: null,
  warnings: [],
  error: null,
  ...more,
});
const answer = (order: ApplyOrder, changes: Change[]) =>
  json({
    dryRun: order.dryRun ?? false,
    failed: changes.filter(({ error }) => error).length,
    more: false,
    changes,
  });
/** Everything is new, and pruning finds one that is old. */
const planned: Reply = (order) =>
  answer(order, [
    ...order.schedules.map(({ name }) => change(name)),
    ...(order.prune ? [change("old", { action: "delete" })] : []),
  ]);

async function file(name: string, count: number): Promise<string> {
  const path = join(folder, name);
  const schedules = Array.from({ length: count }, (_, i) => ({
    name: `s${i}`,
    trigger: { every: "1h" },
    target: { queue: "Q" },
  }));
  await writeFile(path, JSON.stringify({ managedBy: "ci", schedules }));
  return path;
}

describe("apply", () => {
  it("plans all parts before it carries out any, and prunes last, by all names", async () => {
    const { code, out, err, orders } = await carillon(["apply", await file("many.json", 120), "--prune"]);
    expect(code).toBe(0);
    const steps = orders.map(({ dryRun, prune = false, schedules }) => ({
      dryRun,
      prune,
      count: schedules.length,
    }));
    expect(steps).toEqual([
      ...[50, 50, 20].map((count) => ({ dryRun: true, prune: false, count })),
      { dryRun: true, prune: true, count: 0 },
      ...[50, 50, 20].map((count) => ({ dryRun: false, prune: false, count })),
      { dryRun: false, prune: true, count: 0 },
    ]);
    expect(orders.at(-1)!.keep).toHaveLength(120);
    expect(out).toContain("Plan: 120 to create, 1 to delete.");
    expect(out).toContain("Done: 120 created, 1 deleted.");
    expect(err).toContain("applied 100 of 120\n");
  });

  it("carries nothing out when a later part is invalid, and finds its line", async () => {
    const path = await file("late.json", 60);
    const reply: Reply = (order) =>
      order.schedules.length === 10
        ? json({ code: "invalid_trigger", detail: "It is odd.", pointer: "/schedules/3/trigger/every" }, 422)
        : planned(order);
    const { code, err, orders } = await carillon(["apply", path], { reply });
    expect(code).toBe(1);
    expect(orders.every(({ dryRun }) => dryRun)).toBe(true);
    expect(err).toMatch(/late\.json:1:\d+: trigger\.every of s53: It is odd\./);
  });

  it("does not prune once something has failed, and says so", async () => {
    const reply: Reply = (order) =>
      order.dryRun
        ? planned(order)
        : answer(
            order,
            order.schedules.map(({ name }) =>
              change(name, { error: { code: "overloaded", message: "Too much.", hint: null } }),
            ),
          );
    const { code, out, err, orders } = await carillon(["apply", await file("fails.json", 1), "--prune"], {
      reply,
    });
    expect(code).toBe(1);
    expect(orders.filter(({ dryRun, prune }) => !dryRun && prune)).toEqual([]);
    expect(out).toContain("Done: 2 failed.");
    expect(err).toContain("Not removed");
  });

  it("shows what an update changes, and who is in the way", async () => {
    const reply: Reply = (order) =>
      answer(order, [
        change("s0", {
          action: "update",
          diff: [
            { field: "retry.maxAttempts", from: 4, to: 9 },
            { field: "jitter", from: "PT0S", to: "PT1M" },
          ],
        }),
        change("s1", {
          action: "conflict",
          error: { code: "managed_elsewhere", message: "s1 is managed by hand.", hint: null },
        }),
      ]);
    const { code, out } = await carillon(["apply", await file("two.json", 2), "--plan"], { reply });
    expect(code).toBe(1);
    expect(out.split("\n")).toEqual([
      "~  s0  retry.maxAttempts: 4 → 9",
      "       jitter: PT0S → PT1M",
      "!  s1  s1 is managed by hand.",
      "Plan: 1 to update, 1 in conflict.",
      "",
    ]);
  });

  it("asks nobody when the same name is there twice, or the files are empty and prune is wanted", async () => {
    const path = await file("one.json", 1);
    const twice = await carillon(["apply", path, path]);
    expect(twice).toMatchObject({ code: 1, orders: [] });
    expect(twice.err).toContain("s0 is named twice");
    const empty = await carillon(["apply", await file("empty.json", 0), "--prune"]);
    expect(empty).toMatchObject({ code: 2, orders: [] });
    expect(empty.err).toContain("--allow-empty");
  });
});

describe("the terminal", () => {
  it("gets colours and one moving line, unless NO_COLOR is set; a pipe gets neither", async () => {
    const path = await file("colours.json", 60);
    const green = "\u001B[32m+";
    const shown = await carillon(["apply", path], { isTTY: true });
    expect(shown.out).toContain(green);
    expect(shown.err).toContain("\r\u001B[2Kapplied 60 of 60");
    expect(
      (await carillon(["apply", path], { isTTY: true, env: { ...ENV, NO_COLOR: "1" } })).out,
    ).not.toContain("\u001B");
    const piped = await carillon(["apply", path]);
    expect(piped.out + piped.err).not.toContain("\u001B");
  });

  it("is not moved by what others wrote", () => {
    expect(table([["a\u001B[2Jb\nc", "x"]], (_, text) => text)).toEqual(["a [2Jb c  x"]);
  });
});

describe("mistakes of the command line", () => {
  it.each([
    { args: ["lst"], says: "Did you mean carillon list?" },
    { args: ["list", "--tga", "x"], says: "Did you mean --tag?" },
    { args: ["show"], says: "Usage: carillon show NAME" },
    { args: ["list", "--limit", "none"], says: "none is no number" },
    { args: ["resume", "a", "--catch-up", "latst"], says: "Did you mean latest?" },
    { args: ["trigger", "a", "--payload", "{"], says: "--payload is not JSON" },
    { args: ["next", "--cron", "0 2 * * *"], says: "needs a zone" },
    { args: ["apply", "nowhere.yaml"], says: "there is no such file" },
    { args: ["tokens", "lits"], says: "Did you mean carillon tokens list?" },
    { args: ["tokens", "create", "ci"], says: "needs scopes" },
  ])("$args: $says", async ({ args, says }) => {
    const { code, err, orders } = await carillon(args);
    expect({ code, orders }).toEqual({ code: 2, orders: [] });
    expect(err).toContain(says);
  });

  it("says what is not set, and never the token", async () => {
    expect((await carillon(["list"], { env: {} })).err).toContain("Set CARILLON_URL, or --url.");
    expect(
      (await carillon(["list"], { env: { CARILLON_URL: "x", CARILLON_TOKEN: "s3cret" } })).err,
    ).not.toContain("s3cret");
  });

  it("has help for each command", async () => {
    const { out } = await carillon(["--help"]);
    const names = [...out.matchAll(/^ {2}([a-z][a-z-]+) /gm)].map((match) => match[1]!);
    expect(names).toHaveLength(11);
    for (const name of names) expect((await carillon([name, "--help"])).out).toContain(`carillon ${name} `);
  });
});

describe("a file", () => {
  it.each([
    { text: "- name: a\n  trigger: { cron: * * * * * }", place: "2", says: "quotes" },
    { text: "schedule: []", place: "1", says: 'Did you mean "schedules"?' },
    { text: "managedBy: 7\nschedules: []", place: "1", says: "managedBy must be a text" },
    { text: "name: a", place: "1", says: "a list of schedules" },
    { text: "- a", place: "1", says: "A schedule is an object" },
  ])("$text", ({ text, place, says }) => {
    const { faults } = parseSource("f.yaml", text);
    expect(JSON.stringify(faults).replaceAll('\\"', '"')).toContain(says);
    expect(String(faults[0]!.line)).toBe(place);
  });

  it("knows the place of a value, of an unknown field's name, and of what a field is missing from", () => {
    const text = "- name: a\n  trigger:\n    every: 1h\n  retry: { oops: 1 }\n---\n- { name: b }\n";
    const { entries } = parseSource("f.yaml", text);
    expect(entries.map(({ definition }) => definition.name)).toEqual(["a", "b"]);
    const [first] = entries;
    expect(first!.placeOf("/trigger/every")).toEqual({ file: "f.yaml", line: 3, column: 12 });
    expect(first!.placeOf("/retry/oops")).toMatchObject({ line: 4 });
    expect(first!.placeOf("/target")).toMatchObject({ line: 1, column: 3 });
    expect(parseSource("f.yaml", "")).toMatchObject({ entries: [], faults: [] });
  });
});
