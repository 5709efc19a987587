import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { consume } from "../../src/consumer/index.ts";
import { delivery, message, NOW } from "./scheduler.ts";

const ENV = { CARILLON_URL: "https://carillon.example", CARILLON_TOKEN: "secret" };
const GRANT = {
  token: 7,
  attempt: 1,
  leaseUntil: "2026-12-01T06:01:00Z",
  deadline: "2026-12-01T06:15:00Z",
  newerSucceeded: null,
  message: message(),
};

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
  vi.spyOn(console, "warn").mockReturnValue();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Delivers one message to a consumer whose scheduler gives these answers, in turn. */
async function deliver(...answers: (() => Response | Promise<Response>)[]) {
  const requests: { url: string; headers: Headers; body: unknown }[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input as string, init as RequestInit);
    requests.push({ url: request.url, headers: new Headers(request.headers), body: await request.json() });
    return answers[Math.min(requests.length, answers.length) - 1]!();
  });
  const one = delivery(message());
  const done = consume(() => ({ result: 1 }))({ messages: [one] }, ENV);
  await vi.runAllTimersAsync();
  await done;
  return { requests, verdict: one.verdict };
}

const problem = (status: number, body: object) => () => Response.json(body, { status });

describe("the worker protocol over HTTP", () => {
  it("names the occurrence in the path, the namespace in a header, and carries the token", async () => {
    const { requests, verdict } = await deliver(
      () => Response.json(GRANT),
      () => Response.json({ state: "succeeded" }),
    );
    expect(verdict).toBe("ack");
    expect(requests.map(({ url, body }) => ({ url, body }))).toEqual([
      {
        url: "https://carillon.example/v1/occurrences/notices%402026-12-01T06%3A00%3A00Z/start",
        body: { attempt: 1, worker: expect.any(String) },
      },
      {
        url: "https://carillon.example/v1/occurrences/notices%402026-12-01T06%3A00%3A00Z/complete",
        body: { token: 7, result: 1 },
      },
    ]);
    const { headers } = requests[0]!;
    expect(headers.get("authorization")).toBe("Bearer secret");
    expect(headers.get("carillon-namespace")).toBe("default");
    expect(headers.get("content-type")).toBe("application/json");
  });

  it("takes a problem document for an answer, its own members for the data", async () => {
    const { requests, verdict } = await deliver(
      problem(409, {
        type: "about:blank",
        title: "Busy",
        status: 409,
        code: "busy",
        detail: "attempt 1 is running",
        leaseUntil: "2026-12-01T06:00:40Z",
      }),
    );
    expect(verdict).toBe("retry in 41 s");
    expect(requests).toHaveLength(1);
  });

  it.each([
    { name: "a proxy's page", answer: () => new Response("<h1>Bad gateway</h1>", { status: 502 }) },
    { name: "JSON without a code", answer: problem(500, { error: "oops" }) },
    { name: "no connection", answer: () => Promise.reject(new TypeError("fetch failed")) },
  ])("takes $name for none, asks five times, and leaves the message with the queue", async ({ answer }) => {
    const { requests, verdict } = await deliver(answer);
    expect(verdict).toBe("retry in 30 s");
    expect(requests).toHaveLength(5);
  });
});
