import type { Result, Runs } from "./protocol.ts";

const TRIES = 5;
const PAUSE_MS = 250; // doubled each time, about 4 s in all: a deploy's worth
const PATIENCE_MS = 30_000;
const NOT_NOW = new Set(["overloaded", "ledger_unavailable"]);

/** Calls until there is an answer, which may be a refusal; every call of the protocol may be repeated. */
export async function insist<T>(call: () => Promise<Result<T>>): Promise<Result<T>> {
  for (let tried = 1; ; tried++) {
    try {
      const answer = await call();
      if (answer.ok || !NOT_NOW.has(answer.error.code)) return answer;
      throw new Error(answer.error.message);
    } catch (error) {
      if (tried === TRIES) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * 2 ** (tried - 1)));
  }
}

/** The worker protocol over HTTP, for a consumer that no service binding reaches. */
export function overHttp(url: string, token: string): Runs {
  const common = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  async function call<T>(verb: keyof Runs, key: string, report: object): Promise<Result<T>> {
    const [namespace, id] = key.split("/", 2) as [string, string];
    const response = await fetch(new URL(`/v1/occurrences/${encodeURIComponent(id)}/${verb}`, url), {
      method: "POST",
      headers: { ...common, "carillon-namespace": namespace },
      body: JSON.stringify(report),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (response.ok) return { ok: true, value: await response.json<T>() };
    // A problem document is an answer, its own members the data; a proxy's page or a crash is none.
    const { code, detail, ...data } = await response.json<{ code?: string; detail?: string }>();
    if (!code) throw new Error(`the scheduler answered ${response.status} without a code`);
    return { ok: false, error: { code, message: detail ?? code, data } };
  }
  return {
    start: (key, report) => call("start", key, report),
    heartbeat: (key, report) => call("heartbeat", key, report),
    complete: (key, report) => call("complete", key, report),
    fail: (key, report) => call("fail", key, report),
    defer: (key, report) => call("defer", key, report),
  };
}

/** One line of JSON: what could not be reported to the scheduler, or what a report leaves out (the stack). */
export function tell(event: string, key: string, why: unknown): void {
  const text = why instanceof Error ? (why.stack ?? why.message) : String(why);
  console.warn(JSON.stringify({ event: `carillon.${event}`, key, why: text }));
}
