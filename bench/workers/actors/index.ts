/** `@cloudflare/actors`: one Actor a schedule, its alarms set by cron. */
import { Actor } from "@cloudflare/actors";
import { begin, finish, taken } from "../../runs.ts";

interface Env {
  BELLS: DurableObjectNamespace<Bell>;
}

export class Bell extends Actor<Env> {
  async arrange(name: string, cron: string): Promise<void> {
    await this.setName(name);
    await this.alarms.schedule(cron, "ring", { a: 1 });
  }

  /**
   * Its slots are whole seconds. A cold Actor runs what is due from its constructor, before alarm() and often instead
   * of it; so the end is when all that follows this callback in the same turn is durable.
   */
  ring(_: unknown, { time }: { time: number }): void {
    begin(this.#key, this.#key, time * 1_000);
    this.ctx.waitUntil(this.#settled());
  }

  async #settled(): Promise<void> {
    await scheduler.wait(0);
    await this.ctx.storage.sync();
    finish(this.#key);
  }

  get #key(): string {
    return this.ctx.id.name ?? "";
  }
}

export default {
  async fetch(request, { BELLS }) {
    const { pathname } = new URL(request.url);
    if (pathname === "/runs") return Response.json(taken());
    const { cron } = await request.json<{ cron: string }>();
    const name = pathname.slice(1);
    await BELLS.getByName(name).arrange(name, cron);
    return Response.json({});
  },
} satisfies ExportedHandler<Env>;
