/** The Agents SDK: one Agent a schedule, which is how its documentation has it. */
import { Agent, getAgentByName } from "agents";
import { begin, finish, taken } from "../../runs.ts";

interface Env {
  BELLS: DurableObjectNamespace<Bell>;
}

export class Bell extends Agent<Env> {
  async arrange(cron: string): Promise<void> {
    await this.schedule(cron, "ring", { a: 1 });
  }

  /** The SDK's slots are whole seconds. */
  ring(_: unknown, { time }: { time: number }): void {
    begin(this.#key, this.#key, time * 1_000);
  }

  override async alarm(): Promise<void> {
    await super.alarm();
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
    const bell = await getAgentByName(BELLS, pathname.slice(1));
    await bell.arrange(cron);
    return Response.json({});
  },
} satisfies ExportedHandler<Env>;
