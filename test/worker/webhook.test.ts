/** URL targets in the real runtime: the object, its secrets, the lease and the ledger; the internet is a mock. */
import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { describe, expect, it, vi } from "vitest";
import { openLedger } from "../../src/ledger/reads.ts";
import { send } from "./api.ts";
import { addressOf, billed, type Bell } from "./bell.ts";
import { START } from "./start.ts";
import { callOnce, createCaller, deliver, HOUR, receive, URL_ } from "./receiver.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const NEXT = "whsec_AAAQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const ok = () => Response.json({ rows: 120 });

/** What became of an occurrence, once the ledger has it. */
async function ended(bell: Bell, state: string) {
  await expect.poll(() => bell.rows()).toMatchObject([{ state }]);
  const ledger = openLedger(new Map([["LEDGER", env.LEDGER]]));
  const [namespace, name] = bell.object.name!.split("/") as [string, string];
  const entry = (await ledger.schedule(namespace, name))!;
  const { items } = await ledger.history(entry, { from: 0, to: START + 100 * HOUR, before: null, limit: 10 });
  return items[0]!.item as unknown as Record<string, unknown>;
}

describe("a call", () => {
  it("carries the message, says which attempt it is, and its answer is the result", async () => {
    const calls = receive(ok);
    const bell = await createCaller(
      { headers: { "x-tenant": "acme", "content-type": "application/vnd.acme+json" } },
      { payload: { report: "daily" } },
    );
    expect(await callOnce(bell)).toBe("ack");
    expect(calls).toHaveLength(1);
    const { url, method, headers, body } = calls[0]!;
    const message = bell.sent[0]!;
    expect({ url, method }).toEqual({ url: URL_, method: "POST" });
    expect(JSON.parse(body)).toEqual({ ...message, startBy: null });
    expect(headers).toMatchObject({
      "content-type": "application/vnd.acme+json",
      "user-agent": "Carillon",
      "x-tenant": "acme",
      "webhook-id": message.key,
      "carillon-namespace": "default",
      "carillon-schedule": message.schedule,
      "carillon-slot": message.scheduledFor,
      "carillon-kind": "scheduled",
      "carillon-attempt": "1",
      "carillon-revision": "1",
      "carillon-token": expect.stringMatching(/^\d+$/),
      "carillon-deadline": "2093-12-01T01:15:00Z",
    });
    expect(headers).not.toHaveProperty("webhook-signature");
    expect(await ended(bell, "succeeded")).toMatchObject({
      result: { status: 200, body: { rows: 120 } },
      attempt: 1,
    });
  });

  it.each(["GET", "DELETE"])("by %s has no body", async (method) => {
    const calls = receive(() => new Response(null, { status: 204 }));
    const bell = await createCaller({ method, secrets: { secret: SECRET } });
    expect(await callOnce(bell)).toBe("ack");
    expect(calls[0]).toMatchObject({ method, body: "" });
    const { headers } = calls[0]!;
    expect(headers).not.toHaveProperty("content-type");
    const signed = new Webhook(SECRET).sign(headers["webhook-id"]!, new Date(Date.now()), "");
    expect(headers["webhook-signature"]).toBe(signed);
    expect(await ended(bell, "succeeded")).toMatchObject({ result: { status: 204, body: null } });
  });

  it("is billed like any other occurrence", async () => {
    receive(ok);
    const bell = await createCaller({ secrets: { secret: SECRET } });
    const bill = await billed(bell, async () => {
      await callOnce(bell);
      await ended(bell, "succeeded");
    });
    expect(bill).toEqual({ object: 6, ledger: 2 });
    expect(bell.sent).toHaveLength(1);
  });

  it("is not made to an address that is not public, whatever the definition says", async () => {
    const calls = receive(ok);
    const bell = await createCaller({ url: "https://169.254.169.254/latest" });
    expect(await callOnce(bell)).toBe("ack");
    expect(calls).toEqual([]);
    expect(await ended(bell, "failed")).toMatchObject({
      reason: "non_retryable",
      error: "The URL names 169.254.169.254, which is link-local.",
    });
  });

  it("is made once for a message that comes twice", async () => {
    const calls = receive(ok);
    const bell = await createCaller();
    await callOnce(bell);
    expect(await deliver(bell.sent[0]!)).toBe("ack");
    expect(calls).toHaveLength(1);
  });
});

describe("the signature", () => {
  const verify = (secret: string, { headers, body }: { headers: Record<string, string>; body: string }) =>
    new Webhook(secret).verify(body, headers);

  it("is taken by the standard's library, and by both secrets while one is replaced", async () => {
    const calls = receive(ok);
    const bell = await createCaller({ secrets: { secret: SECRET } });
    await callOnce(bell);
    expect(verify(SECRET, calls[0]!)).toMatchObject({ key: bell.sent[0]!.key });
    expect(() => verify(NEXT, calls[0]!)).toThrow("No matching signature");
    expect(() => verify(SECRET, { ...calls[0]!, body: `${calls[0]!.body} ` })).toThrow(
      "No matching signature",
    );

    const edit = (secrets: object) =>
      bell.stub.patch({ who: "test", patch: { target: { url: URL_, secrets } as never } });
    await edit({ "secret/next": NEXT });
    await bell.ring(START + 2 * HOUR);
    await deliver(bell.sent.at(-1)!);
    expect(calls[1]!.headers["webhook-signature"]!.split(" ")).toHaveLength(2);
    for (const secret of [SECRET, NEXT]) expect(verify(secret, calls[1]!)).toMatchObject({ revision: 2 });

    await edit({ secret: NEXT, "secret/next": null });
    await bell.ring(START + 3 * HOUR);
    await deliver(bell.sent.at(-1)!);
    expect(verify(NEXT, calls[2]!)).toMatchObject({ revision: 3 });
    expect(() => verify(SECRET, calls[2]!)).toThrow("No matching signature");
  });
});

describe("what an answer means", () => {
  it.each([
    { status: 200, state: "succeeded" },
    { status: 201, state: "succeeded" },
    { status: 202, state: "succeeded" },
    { status: 302, state: "retrying" },
    { status: 400, state: "failed" },
    { status: 401, state: "failed" },
    { status: 404, state: "failed" },
    { status: 408, state: "retrying" },
    { status: 410, state: "failed" },
    { status: 425, state: "retrying" },
    { status: 429, state: "retrying" },
    { status: 500, state: "retrying" },
    { status: 503, state: "retrying" },
  ])("$status: $state", async ({ status, state }) => {
    receive(() => new Response("sorry <b>no</b>", { status }));
    const bell = await createCaller();
    expect(await callOnce(bell)).toBe("ack");
    const { error } = await ended(bell, state);
    if (state !== "succeeded") expect(error).toMatch(new RegExp(`^hooks.example.com answered ${status}`));
  });

  it("a redirect is not followed, and says where it would have led", async () => {
    const calls = receive(
      () => new Response(null, { status: 301, headers: { location: "https://10.0.0.1/" } }),
    );
    const bell = await createCaller();
    await callOnce(bell);
    expect(calls).toHaveLength(1);
    expect(await ended(bell, "failed")).toMatchObject({
      error: expect.stringContaining("a redirect, to https://10.0.0.1/. Redirects are not followed"),
    });
  });

  it.each([
    { after: "120", due: 120_000 },
    { after: new Date(START + HOUR + 300_000).toUTCString(), due: 300_000 },
    { after: "999999999", due: 86_400_000 },
  ])("Retry-After: $after is waited for", async ({ after, due }) => {
    receive(() => new Response(null, { status: 503, headers: { "retry-after": after } }));
    const bell = await createCaller({}, { retry: { maxElapsedMs: 48 * HOUR } });
    await callOnce(bell);
    await ended(bell, "retrying");
    const row = await env.LEDGER.prepare("SELECT due_at FROM occurrences WHERE schedule = ?1")
      .bind(bell.object.name)
      .first<{ due_at: number }>();
    expect(row!.due_at - (START + HOUR)).toBe(due);
  });

  it("an answer without end is cut, one that never comes is given up", async () => {
    const chunk = new TextEncoder().encode("x".repeat(10_000));
    let pulled = 0;
    receive(
      () =>
        new Response(
          new ReadableStream({
            pull(controller) {
              pulled++;
              controller.enqueue(chunk);
            },
          }),
        ),
    );
    const bell = await createCaller();
    await callOnce(bell);
    expect(await ended(bell, "succeeded")).toMatchObject({ result: { status: 200, truncated: true } });
    expect(pulled).toBeLessThan(20);
  });

  it.each([
    {
      name: "never answers",
      answering: ({ signal }: { signal: AbortSignal }) =>
        new Promise<Response>((_, reject) => {
          const end = () => reject(signal.reason as Error);
          if (signal.aborted) end();
          else signal.addEventListener("abort", end);
        }),
    },
    {
      name: "never comes to the end of its answer",
      answering: () => new Response(new ReadableStream({ start: (c) => c.enqueue(new Uint8Array(1)) })),
    },
  ])("a receiver that $name is given up after the timeout", async ({ answering }) => {
    const over = new AbortController();
    vi.spyOn(AbortSignal, "timeout").mockReturnValue(over.signal);
    const calls = receive(answering);
    const bell = await createCaller({ timeoutMs: 5_000 });
    const done = callOnce(bell);
    await expect.poll(() => calls.length).toBe(1);
    over.abort();
    expect(await done).toBe("ack");
    expect(await ended(bell, "retrying")).toMatchObject({
      error: "hooks.example.com did not answer within PT5S.",
    });
  });

  it("a connection that fails is a failure that may be retried", async () => {
    receive(() => Promise.reject(new TypeError("connection refused")));
    const bell = await createCaller();
    expect(await callOnce(bell)).toBe("ack");
    expect(await ended(bell, "retrying")).toMatchObject({
      error: "hooks.example.com could not be called: TypeError: connection refused",
    });
  });
});

describe("a receiver that reports later", () => {
  it("has the token, keeps the lease by heartbeats, and ends the run", async () => {
    const calls = receive(() => new Response(null, { status: 202, headers: { "carillon-report": "later" } }));
    const bell = await createCaller();
    expect(await callOnce(bell)).toBe("ack");
    expect(await bell.stub.open()).toMatchObject({ value: [{ state: "running" }] });
    const token = Number(calls[0]!.headers["carillon-token"]);
    const id = bell.sent[0]!.id;
    const beat = await send("POST", `/v1/occurrences/${id}/heartbeat`, { token, progress: 0.5 });
    expect(beat.status).toBe(200);
    const done = await send("POST", `/v1/occurrences/${id}/complete`, { token, result: { rows: 7 } });
    expect(done).toMatchObject({ status: 200, body: { state: "succeeded", result: { rows: 7 } } });
  });

  it("and never does, loses the run to the next attempt", async () => {
    const calls = receive(() => new Response(null, { status: 202, headers: { "carillon-report": "later" } }));
    const bell = await createCaller({}, { retry: { initialMs: 1_000, jitter: 0 } });
    await callOnce(bell);
    await bell.ring(START + HOUR + 61_000);
    await bell.ring(START + HOUR + 63_000);
    expect(await deliver(bell.sent.at(-1)!)).toBe("ack");
    expect(calls.map(({ headers }) => headers["carillon-attempt"])).toEqual(["1", "2"]);
    const [first, second] = calls.map(({ headers }) => Number(headers["carillon-token"]));
    const at = addressOf(bell.sent[0]!);
    expect(await bell.stub.complete(at, { token: first! })).toMatchObject({ error: { code: "lease_lost" } });
    expect(await bell.stub.complete(at, { token: second! })).toMatchObject({ ok: true });
  });
});

describe("a call that is overtaken", () => {
  it("changes nothing once another attempt has started", async () => {
    let bell: Bell;
    const calls = receive(async ({ headers }) => {
      if (headers["carillon-attempt"] === "1") {
        await bell.ring(START + HOUR + 61_000);
        await bell.ring(START + HOUR + 63_000);
        await bell.stub.start(addressOf(bell.sent[0]!), { attempt: 2, worker: "another" });
      }
      return ok();
    });
    bell = await createCaller({}, { retry: { initialMs: 1_000, jitter: 0 } });
    expect(await callOnce(bell)).toBe("ack");
    expect(calls).toHaveLength(1);
    expect(await bell.stub.open()).toMatchObject({ value: [{ state: "running", attempt: 2 }] });
  });

  it("stops when it is cancelled", async () => {
    let bell: Bell;
    receive(async ({ signal }) => {
      await bell.stub.cancel({ who: "ann", ...addressOf(bell.sent[0]!) });
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      throw signal.reason;
    });
    bell = await createCaller({}, { timeouts: { leaseMs: 1_000 } });
    expect(await callOnce(bell)).toBe("ack");
    expect(await ended(bell, "cancelled")).toMatchObject({ reason: "cancelled by ann" });
  });
});

describe("an untracked call", () => {
  it.each([
    { status: 200, verdict: "ack" },
    { status: 404, verdict: "ack" },
    { status: 500, verdict: "retry in 30 s" },
  ])("that is answered $status: $verdict", async ({ status, verdict }) => {
    const calls = receive(() => new Response(null, { status }));
    const bell = await createCaller({ secrets: { secret: SECRET } }, { tracked: false });
    expect(await callOnce(bell)).toBe(verdict);
    expect(calls[0]!.headers).toMatchObject({ "webhook-signature": expect.stringMatching(/^v1,/) });
    expect(calls[0]!.headers).not.toHaveProperty("carillon-token");
    expect(await bell.rows()).toMatchObject([{ state: "dispatched" }]);
  });
});
