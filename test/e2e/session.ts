import { readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Api } from "../../scripts/api.ts";
import { freePort, migrate, type Runtime, startRuntime } from "../../scripts/runtime.ts";
import { wrangler } from "../../scripts/wrangler.ts";

/** Two Workers on a fresh state, which can be cut off and started again on what they left. */
export interface Session {
  api: Api;
  /** `kill -9` to the whole process group. */
  cut(): Promise<void>;
  resume(): Promise<void>;
  /** Rows of the library's own database. */
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** Each schedule's own tables, once the runtime is cut off: rows by table, and the size of the head. */
  objects(): { head: number; revisions: number; spill: number; headBytes: number }[];
  close(): Promise<void>;
}

export async function openSession(consumer?: string): Promise<Session> {
  const stateDir = await mkdtemp(join(tmpdir(), "carillon-e2e-"));
  const token = "token-end-to-end";
  const port = await freePort();
  const vars = [`ADMIN_TOKEN:${token}`, `SECRETS_KEY:${btoa("k".repeat(32))}`, "ALLOW_PRIVATE_URLS:true"];
  const flags = ["--port", String(port), ...vars.flatMap((pair) => ["--var", pair])];
  const start = () => startRuntime({ stateDir, consumer, flags });
  await migrate(stateDir);
  let runtime: Runtime = await start();
  return {
    api: { url: runtime.url, token },
    cut: () => runtime.kill(),
    async resume() {
      runtime = await start();
    },
    async query(sql) {
      const where = ["--local", "-c", "examples/library/wrangler.toml", "--persist-to", stateDir];
      const answer = await wrangler("d1", "execute", "LIBRARY_DB", ...where, "--json", "--command", sql);
      return (JSON.parse(answer) as { results: Record<string, unknown>[] }[]).flatMap(
        ({ results }) => results,
      );
    },
    objects() {
      const folder = join(stateDir, "v3/do/carillon-ScheduleObject");
      const files = readdirSync(folder).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
      return files.map((file) => tablesOf(join(folder, file)));
    },
    async close() {
      await runtime.stop();
      await rm(stateDir, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

function tablesOf(file: string) {
  const database = new DatabaseSync(file);
  const count = (what: string, table: string) =>
    Number(database.prepare(`SELECT ${what} AS n FROM ${table}`).get()?.["n"]);
  const sizes = {
    head: count("count(*)", "head"),
    revisions: count("count(*)", "revisions"),
    spill: count("count(*)", "spill"),
    headBytes: count("max(length(state))", "head"),
  };
  database.close();
  return sizes;
}
