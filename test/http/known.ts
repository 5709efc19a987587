/** A world in which something goes on, made over HTTP: what a fuzzer may know of it by name. */
import { formatInstant } from "../../src/core/time.ts";
import type { Known } from "./arbitrary.ts";

interface Answer {
  status: number;
  body: Record<string, unknown>;
  text: string;
}
export type Send = (method: string, path: string, body?: unknown) => Promise<Answer>;

const DEFINITION = { trigger: { every: "15m" }, target: { queue: "LIBRARY" } };

async function granted(call: Promise<Answer>): Promise<Record<string, unknown>> {
  const { status, body, text } = await call;
  if (status >= 300) throw new Error(text);
  return body;
}

/** One that is busy, one that is paused, one that is done, one that counts from its last end. */
export async function settle(send: Send, now: number): Promise<Known> {
  const put = (name: string, more: object) =>
    granted(send("PUT", `/v1/schedules/${name}`, { ...DEFINITION, overlap: "buffer_all", ...more }));
  const trigger = async (name: string) =>
    String((await granted(send("POST", `/v1/schedules/${name}/trigger`))).id);
  await put("busy", { maxConcurrent: 2 });
  const [running, dispatched, waiting] = [
    await trigger("busy"),
    await trigger("busy"),
    await trigger("busy"),
  ];
  const { token } = await granted(
    send("POST", `/v1/occurrences/${running}/start`, { attempt: 1, worker: "w" }),
  );
  await granted(
    send("POST", "/v1/schedules/busy/backfill", { from: "2026-11-30T00:00:00Z", to: "2026-11-30T06:00:00Z" }),
  );
  await put("paused", {});
  await granted(send("POST", "/v1/schedules/paused/pause", {}));
  await put("done", { trigger: { in: "0s" } });
  await put("chain", { trigger: { after: "1h" }, overlap: "skip" });
  const { id: tokenId } = await granted(
    send("POST", "/v1/tokens", { name: "worker", scopes: ["work"], namespaces: ["default"] }),
  );
  const name = ["busy", "paused", "done", "chain", "never-was"];
  return {
    name,
    schedule: name,
    id: [
      tokenId,
      running,
      dispatched,
      waiting,
      `busy@${formatInstant(now - 900_000)}`,
      `never-was@${formatInstant(now)}`,
    ],
    backfill: ["b1", "b2"],
    from: ["2026-11-30T06:00:00Z", "2026-11-29T00:00:00Z"],
    to: ["2026-11-30T11:00:00Z", "2026-11-30T12:00:00Z"],
    token: [token],
    queue: ["LIBRARY"],
    "if-match": ['"1"', '"2"', "*"],
    timezone: ["Europe/Berlin", "Pacific/Apia"],
    cron: ["*/5 * * * *", "0 2 * * *", "0 0 31 * *"],
    at: ["2026-11-30T12:00:00Z", "2026-10-25T02:30", "2027-03-28T02:30:00"],
  };
}
