/** A URL target at the door: what it may say, and that what is secret is taken apart at once. */
import { describe, expect, it } from "vitest";
import { world } from "./world.ts";

const PATH = "/v1/schedules/nightly";
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const NEXT = "whsec_AAAQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const put = (target: object, env: Record<string, unknown> = {}) => {
  const { send, calls } = world(env);
  const answer = send("PUT", PATH, { trigger: { every: "1h" }, target });
  return answer.then((answer) => ({ ...answer, put: calls.find(({ name }) => name === "put")?.args[0] }));
};

describe("a URL target", () => {
  it("shows its defaults", async () => {
    const { status, body } = await put({ url: "https://example.com/hook" });
    expect(status).toBe(201);
    expect(body.target).toEqual({
      url: "https://example.com/hook",
      method: "POST",
      headers: {},
      timeout: "PT30S",
    });
  });

  it("reaches the object with its headers in lower case, and each secret by its field", async () => {
    const said = {
      url: "https://example.com/hook",
      method: "PUT",
      headers: { "X-Tenant": "acme" },
      secretHeaders: { Authorization: "Bearer x", "x-old": null, "x-kept": { set: true, fingerprint: "ab" } },
      timeout: "10s",
      secret: { current: SECRET, next: NEXT },
    };
    expect((await put(said)).put).toMatchObject({
      input: {
        target: {
          url: said.url,
          method: "PUT",
          headers: { "x-tenant": "acme" },
          timeoutMs: 10_000,
          secrets: {
            secret: SECRET,
            "secret/next": NEXT,
            "secretHeaders/authorization": "Bearer x",
            "secretHeaders/x-old": null,
            "secretHeaders/x-kept": { fingerprint: "ab" },
          },
        },
      },
    });
  });

  it.each([
    { secret: SECRET, said: { secret: SECRET, "secret/next": null } },
    { secret: null, said: { secret: null, "secret/next": null } },
    { secret: { next: NEXT }, said: { "secret/next": NEXT } },
    { secret: { next: null }, said: { "secret/next": null } },
    {
      secret: { set: true, fingerprint: "ab" },
      said: { secret: { fingerprint: "ab" }, "secret/next": null },
    },
  ])("takes $secret for a secret", async ({ secret, said }) => {
    const { put: command } = await put({ url: "https://example.com", secret });
    expect(command).toMatchObject({ input: { target: { secrets: said } } });
  });

  it.each([
    { target: { url: "https://169.254.169.254/" }, pointer: "/target/url" },
    { target: { url: "http://example.com/" }, pointer: "/target/url" },
    { target: { url: 7 }, pointer: "/target/url" },
    { target: { method: "TRACE" }, pointer: "/target/method" },
    { target: { method: "post" }, pointer: "/target/method" },
    { target: { timeout: "11m" }, pointer: "/target/timeout", code: "invalid_duration" },
    { target: { timeout: 5 }, pointer: "/target/timeout", code: "invalid_duration" },
    { target: { headers: [] }, pointer: "/target/headers" },
    { target: { headers: { host: "evil" } }, pointer: "/target/headers/host" },
    { target: { headers: { "x-a": "b\r\nc: d" } }, pointer: "/target/headers/x-a" },
    { target: { headers: { "x-a": 1 } }, pointer: "/target/headers/x-a" },
    { target: { headers: { "X-A": "1", "x-a": "2" } }, pointer: "/target/headers/x-a" },
    { target: { headers: { "a/b": "1" } }, pointer: "/target/headers/a~1b" },
    { target: { headers: { "x-a": "x".repeat(9_000) } }, pointer: "/target/headers" },
    {
      target: { headers: Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`x-${n}`, "1"])) },
      pointer: "/target/headers",
    },
    { target: { secretHeaders: { "webhook-id": "x" } }, pointer: "/target/secretHeaders/webhook-id" },
    { target: { secretHeaders: { "x-a": ["b"] } }, pointer: "/target/secretHeaders/x-a" },
    { target: { secretHeaders: { "x-a": { set: true } } }, pointer: "/target/secretHeaders/x-a" },
    { target: { secret: "hunter2" }, pointer: "/target/secret" },
    { target: { secret: "whsec_c2hvcnQ=" }, pointer: "/target/secret" },
    { target: { secret: { current: "whsec_%" } }, pointer: "/target/secret/current" },
    { target: { secret: { previous: SECRET } }, pointer: "/target/secret" },
    { target: { body: {} }, pointer: "/target/body", code: "unknown_field" },
    { target: { queue: "LIBRARY" }, pointer: "/target/queue", code: "unknown_field" },
  ])("is refused for $target: $pointer", async ({ target, pointer, code = "invalid_field" }) => {
    const answer = await put({ url: "https://example.com/hook", ...target });
    expect(answer).toMatchObject({ status: 422, body: { code, pointer } });
    expect(answer.put).toBeUndefined();
  });

  it.each([
    { secret: `${SECRET}%` },
    { secret: { current: `${SECRET}%` } },
    { secretHeaders: { authorization: `Bearer ${SECRET}\n` } },
  ])("never echoes what was wrong about a secret", async (target) => {
    const { status, text } = await put({ url: "https://example.com/hook", ...target });
    expect(status).toBe(422);
    expect(text).not.toContain("MfKQ9r8G");
  });

  it("may be private only where that is allowed", async () => {
    const private_ = { url: "http://localhost:9000/hook" };
    expect((await put(private_)).status).toBe(422);
    expect((await put(private_, { ALLOW_PRIVATE_URLS: "true" })).status).toBe(201);
    expect((await put(private_, { ALLOW_PRIVATE_URLS: "yes" })).status).toBe(503);
  });

  it("needs the queue that carries calls", async () => {
    const answer = await put({ url: "https://example.com/hook" }, { WEBHOOKS: undefined });
    expect(answer).toMatchObject({ status: 503, body: { code: "not_configured" } });
  });

  it("has a queue that nobody else may name", async () => {
    expect(await put({ queue: "WEBHOOKS" })).toMatchObject({ status: 422, body: { code: "unknown_queue" } });
    const listed = await put({ queue: "WEBHOOKS" }, { TARGETS: '{ "WEBHOOKS": ["*"] }' });
    expect(listed).toMatchObject({ status: 503, body: { code: "not_configured" } });
  });

  it.each([{ SECRETS_KEY: "short" }, { SECRETS_KEY: "%" }, { SECRETS_KEY_PREVIOUS: btoa("x".repeat(32)) }])(
    "closes the API over %j",
    async (env) => {
      expect(await put({ url: "https://example.com/hook" }, env)).toMatchObject({ status: 503 });
    },
  );
});
