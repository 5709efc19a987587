/** The whole tour against a whole runtime: through the client, and through the command line as a child process. */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../scripts/api.ts";
import { ROOT } from "../../scripts/wrangler.ts";
import { Carillon, CarillonError, type Definition, type NamedDefinition } from "../../src/client/index.ts";
import { openSession, type Session } from "./session.ts";

const RUN_MS_MAX = 30_000;
const SUMMARY: Definition = {
  trigger: { every: "1h" },
  target: { queue: "LIBRARY" },
  payload: { job: "inventory-summary" },
};

let session: Session;
let folder: string;
beforeAll(async () => {
  [session, folder] = await Promise.all([openSession(), mkdtemp(join(tmpdir(), "carillon-tour-"))]);
});
afterAll(async () => {
  await session?.close();
  await rm(folder, { recursive: true, force: true });
});

describe("the client", () => {
  it("goes the whole way", async () => {
    const carillon = new Carillon(session.api);
    const made = await carillon.schedules.put("tour", SUMMARY, { createOnly: true });
    expect(made).toMatchObject({ revision: 1, state: "active" });
    await expect(carillon.schedules.put("tour", { ...SUMMARY, jitter: "1m" })).rejects.toMatchObject({
      code: "precondition_required",
      status: 428,
    });
    await carillon.schedules.put("tour", { ...SUMMARY, jitter: "1m" }, { ifMatch: made.revision });
    expect(await carillon.schedules.patch("tour", { jitter: null })).toMatchObject({
      revision: 3,
      jitter: "PT0S",
    });

    const fired = await carillon.schedules.trigger("tour");
    const done = await eventually("the run has ended", RUN_MS_MAX, async () => {
      const occurrence = await carillon.occurrences.get(fired.id);
      return occurrence.state === "succeeded" ? occurrence : null;
    });
    expect(done.result).toMatchObject({ branches: 5 });
    expect((await carillon.schedules.explain("tour", fired.scheduledFor)).sentences.length).toBeGreaterThan(
      0,
    );
    expect(await carillon.occurrences.replay(fired.id)).toMatchObject({ kind: "replay", replayOf: fired.id });

    await carillon.schedules.pause("tour", { note: "moving shelves" });
    expect(await carillon.schedules.resume("tour")).toMatchObject({ state: "active" });
    expect((await carillon.schedules.upcoming("tour", { count: 2 })).slots).toHaveLength(2);
    expect(await carillon.schedules.revisions("tour").take(9)).toHaveLength(3);
    expect(await carillon.audit()).toMatchObject({ discrepancies: [] });
    expect((await carillon.stats()).schedules.total).toBe(1);

    await carillon.schedules.delete("tour");
    const gone = await carillon.schedules.get("tour").catch((error: unknown) => error);
    expect(gone).toBeInstanceOf(CarillonError);
    expect(gone).toMatchObject({ code: "not_found", status: 404 });
  });

  it("walks a list over many pages", async () => {
    const carillon = new Carillon(session.api);
    const names = Array.from({ length: 7 }, (_, i) => `page-${i}`);
    const schedules = names.map((name): NamedDefinition => ({ name, ...SUMMARY }));
    expect(await carillon.apply({ managedBy: "pages", schedules })).toMatchObject({ failed: 0 });
    const found: string[] = [];
    for await (const { name } of carillon.schedules.list({ managedBy: "pages", limit: 2 })) found.push(name);
    expect(found.toSorted()).toEqual(names);
    const { changes } = await carillon.apply({ managedBy: "pages", schedules: [], prune: true });
    expect(changes.map(({ action }) => action)).toEqual(names.map(() => "delete"));
  });
});

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

function carillon(...args: string[]): Promise<Ended> {
  const { url, token } = session.api;
  const env = { ...process.env, CARILLON_URL: url, CARILLON_TOKEN: token };
  const child = spawn(process.execPath, [join(ROOT, "src/cli/main.ts"), ...args], { env, cwd: folder });
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, out, err }));
  });
}

const FILE = `
managedBy: ci
schedules:
  - name: nightly
    trigger: { cron: "0 2 * * *", timezone: Europe/Berlin }
    target: { queue: LIBRARY }
    payload: { job: inventory-summary }
  - name: hourly
    trigger: { every: 1h }
    target: { queue: LIBRARY }
    payload: { job: inventory-summary }
`;

describe("the command line", () => {
  it("plans, applies, shows, steers, follows, removes", async () => {
    await writeFile(join(folder, "schedules.yaml"), FILE);
    expect(await carillon("apply", "schedules.yaml", "--plan")).toMatchObject({
      code: 3,
      out: expect.stringContaining("Plan: 2 to create.") as string,
    });
    expect(await carillon("apply", "schedules.yaml")).toMatchObject({
      code: 0,
      out: expect.stringContaining("Done: 2 created.") as string,
    });
    expect(await carillon("apply", "schedules.yaml", "--plan")).toMatchObject({
      code: 0,
      out: "Plan: 2 unchanged.\n",
    });

    const list = await carillon("list");
    expect(list.out.split("\n").map((line) => line.split(/ +/)[0])).toEqual([
      "NAME",
      "hourly",
      "nightly",
      "",
    ]);
    expect((await carillon("show", "nightly")).out).toContain("At 02:00 every day (Europe/Berlin)");
    expect((await carillon("next", "nightly", "--count", "3")).out.trim().split("\n")).toHaveLength(3);
    expect((await carillon("pause", "nightly", "--note", "moving shelves")).out).toContain("paused");
    expect((await carillon("explain", "nightly")).code).toBe(0);
    expect((await carillon("resume", "nightly")).out).toContain("active");

    const fired = await carillon("trigger", "hourly");
    const followed = await carillon(
      "tail",
      "hourly",
      "--since",
      "1h",
      "--interval",
      "1s",
      "--count",
      "1",
      "--json",
    );
    expect(fired.out).toContain((JSON.parse(followed.out.split("\n")[0]!) as { id: string }).id);

    await writeFile(
      join(folder, "fewer.yaml"),
      FILE.slice(0, FILE.indexOf("  - name: hourly")).replace("0 2", "0 3"),
    );
    const pruned = await carillon("apply", "fewer.yaml", "--prune");
    expect(pruned).toMatchObject({ code: 0 });
    expect(pruned.out).toContain("Done: 1 updated, 1 deleted.");
    expect((await carillon("show", "hourly")).code).toBe(1);
  });

  it("points to the line of a mistake, and changes nothing", async () => {
    const broken = FILE.replace("0 2 * * *", "0/15 2 * * *").replace("name: nightly", "name: another");
    await writeFile(join(folder, "broken.yaml"), broken);
    const { code, err } = await carillon("apply", "broken.yaml");
    expect(code).toBe(1);
    expect(err).toContain("broken.yaml:5:22: trigger.cron of another:");
    expect(err).toContain("Did you mean 0-59/15 2 * * * ?");
    expect((await carillon("show", "another")).code).toBe(1);
  });

  it("is told by whoever manages a schedule to leave it alone", async () => {
    const { code, out } = await carillon("apply", "schedules.yaml", "--managed-by", "ci");
    expect({ code, out }).toMatchObject({ code: 0 });
    await writeFile(join(folder, "theirs.yaml"), FILE.replace("managedBy: ci", "managedBy: other"));
    const theirs = await carillon("apply", "theirs.yaml");
    expect(theirs.code).toBe(1);
    expect(theirs.out).toContain('nightly is managed by "ci", and left as it is.');
  });

  it("makes a token, lists it, and revokes it", async () => {
    const { out: text } = await carillon("tokens", "create", "ci", "--scopes", "read,write");
    const { out } = await carillon("tokens", "list", "--json");
    const [token] = JSON.parse(out) as { id: string; name: string }[];
    expect(token).toMatchObject({ name: "ci" });
    expect(text).toContain(token!.id);
    expect((await carillon("tokens", "revoke", token!.id)).out).toContain("revoked");
  });

  it("understands what was probably meant", async () => {
    expect(await carillon("aply", "x")).toMatchObject({
      code: 2,
      err: expect.stringContaining("carillon apply?") as string,
    });
    expect(await carillon("apply", "none.yaml")).toMatchObject({
      code: 2,
      err: expect.stringContaining("no such file") as string,
    });
  });
});
