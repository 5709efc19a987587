/** The API as a caller sees it, over the real object, ledger and queue, with a clock that the test moves. */
import { runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { vi } from "vitest";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

export interface Answer {
  status: number;
  body: Record<string, unknown>;
}

export async function send(method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await exports.default.fetch(`https://carillon.test${path}`, {
    method,
    body: body === undefined ? undefined : JSON.stringify(body),
    headers: { authorization: `Bearer ${env.ADMIN_TOKEN}` },
  });
  return { status: response.status, body: await response.json<Record<string, unknown>>() };
}

/** Moves the clock and runs the alarm, as the platform would. */
export async function ring(at: number, name = "nightly"): Promise<void> {
  vi.setSystemTime(at);
  await runInDurableObject(env.SCHEDULES.getByName(`default/${name}`), (object) => object.alarm());
}

/** Takes the message of an occurrence, and reports its end. */
export async function runOccurrence(id: string, ending: "complete" | "fail" = "complete"): Promise<void> {
  const { body } = await send("POST", `/v1/occurrences/${id}/start`, { attempt: 1, worker: `w-${id}` });
  const report = ending === "fail" ? { error: "no", retryable: false } : {};
  await send("POST", `/v1/occurrences/${id}/${ending}`, { token: body.token, ...report });
}
