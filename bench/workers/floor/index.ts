/** What the runtime itself takes: an object that wakes, writes one row of its own, and sets its alarm again. */
import { DurableObject } from "cloudflare:workers";
import { begin, finish, taken } from "../../runs.ts";

interface Env {
  FLOOR: DurableObjectNamespace<Floor>;
}

interface Definition {
  first: number;
  everyMs: number;
}

export class Floor extends DurableObject<Env> {
  async create({ first, everyMs }: Definition): Promise<void> {
    this.ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS head (id INTEGER PRIMARY KEY, slot, every_ms)");
    this.ctx.storage.sql.exec("INSERT OR REPLACE INTO head VALUES (1, ?1, ?2)", first, everyMs);
    await this.ctx.storage.setAlarm(first);
  }

  override async alarm(): Promise<void> {
    const { slot, every_ms } = this.ctx.storage.sql
      .exec<{ slot: number; every_ms: number }>("SELECT slot, every_ms FROM head")
      .one();
    const name = this.ctx.id.name ?? "";
    begin(name, name, slot);
    this.ctx.storage.sql.exec("UPDATE head SET slot = ?1", slot + every_ms);
    void this.ctx.storage.setAlarm(Math.max(slot + every_ms, Date.now() + 1));
    await this.ctx.storage.sync();
    finish(name);
  }
}

export default {
  async fetch(request, { FLOOR }) {
    const { pathname } = new URL(request.url);
    if (pathname === "/runs") return Response.json(taken());
    await FLOOR.getByName(pathname.slice(1)).create(await request.json());
    return Response.json({});
  },
} satisfies ExportedHandler<Env>;
