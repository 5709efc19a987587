/** Alerts on their way to people: signed as the standard has it, and told until they are taken. */
import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { describe, expect, it, vi } from "vitest";
import { configOf } from "../../src/config.ts";
import { sign } from "../../src/delivery/signature.ts";
import { raiseAlerts, resolveAlerts, type AlertKind } from "../../src/ledger/alerts.ts";
import { queueChannel, tellAlerts, webhookChannel, type AlertMessage } from "../../src/watch/tell.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const AT = Date.parse("2093-12-01T08:00:00Z");

const raise = (kind: AlertKind = "queue_wait") =>
  raiseAlerts(env.LEDGER, [
    {
      schedule: "default/nightly",
      kind,
      raisedAt: AT,
      resolvedAt: null,
      message: "It has waited.",
      occurrence: "nightly@2093-12-01T07:00:00Z",
    },
  ]);
const resolve = () =>
  resolveAlerts(env.LEDGER, [{ schedule: "default/nightly", kind: "queue_wait" }], AT + 60_000);

/** Takes what it is told, or fails while `down`. */
function channel() {
  const taken: AlertMessage[] = [];
  const state = { down: false, tries: 0 };
  const tell = async (message: AlertMessage) => {
    state.tries++;
    if (state.down) throw new Error("it is down");
    taken.push(message);
  };
  return { state, taken, tell };
}

describe("the signature", () => {
  it("is taken by the standard's own library, and none that was tampered with", async () => {
    const body = JSON.stringify({ type: "alert.raised", words: "größer als 1 €" });
    const headers = await sign([SECRET], { id: "default/nightly/queue_wait", at: Date.now(), body });
    const receiver = new Webhook(SECRET);
    expect(receiver.verify(body, { ...headers })).toEqual(JSON.parse(body));
    expect(() => receiver.verify(`${body} `, { ...headers })).toThrow("No matching signature");
    expect(() => receiver.verify(body, { ...headers, "webhook-id": "another" })).toThrow(
      "No matching signature",
    );
  });

  it("is the one that the library makes", async () => {
    const body = '{"a":1}';
    const { "webhook-signature": ours } = await sign([SECRET], { id: "msg_1", at: AT, body });
    expect(ours).toBe(new Webhook(SECRET).sign("msg_1", new Date(AT), body));
  });
});

describe("an alert", () => {
  it("is told once as raised and once as resolved, each under an id of its own", async () => {
    await raise();
    const queue = channel();
    const channels = { queue: queue.tell, webhook: null };
    for (let pass = 0; pass < 3; pass++) await tellAlerts(env.LEDGER, channels);
    await resolve();
    for (let pass = 0; pass < 3; pass++) await tellAlerts(env.LEDGER, channels);
    expect(queue.taken).toEqual([
      {
        id: "default/nightly/queue_wait@2093-12-01T08:00:00Z/alert.raised",
        type: "alert.raised",
        timestamp: "2093-12-01T08:00:00Z",
        data: {
          namespace: "default",
          schedule: "nightly",
          kind: "queue_wait",
          message: "It has waited.",
          occurrence: "nightly@2093-12-01T07:00:00Z",
          raisedAt: "2093-12-01T08:00:00Z",
          resolvedAt: null,
        },
      },
      expect.objectContaining({
        id: "default/nightly/queue_wait@2093-12-01T08:00:00Z/alert.resolved",
        type: "alert.resolved",
        timestamp: "2093-12-01T08:01:00Z",
      }),
    ]);
  });

  it("that one channel did not take is told there again, and to nobody else", async () => {
    await raise();
    const [queue, webhook] = [channel(), channel()];
    const channels = { queue: queue.tell, webhook: webhook.tell };
    webhook.state.down = true;
    for (let pass = 0; pass < 3; pass++) await tellAlerts(env.LEDGER, channels);
    await resolve();
    webhook.state.down = false;
    for (let pass = 0; pass < 3; pass++) await tellAlerts(env.LEDGER, channels);
    expect(webhook.state.tries).toBe(5);
    expect(webhook.taken.map(({ type }) => type)).toEqual(["alert.raised", "alert.resolved"]);
    expect(queue.taken.map(({ type }) => type)).toEqual(["alert.raised", "alert.resolved"]);
  });

  it("is not told of the past to a channel that is bound later", async () => {
    await raise();
    await tellAlerts(env.LEDGER, { queue: null, webhook: null });
    const late = channel();
    await tellAlerts(env.LEDGER, { queue: null, webhook: late.tell });
    await resolve();
    await tellAlerts(env.LEDGER, { queue: null, webhook: late.tell });
    expect(late.taken.map(({ type }) => type)).toEqual(["alert.resolved"]);
  });
});

describe("the channels", () => {
  it("post a signed body to the address, and take nothing but 2xx for an answer", async () => {
    await raise();
    const answers = [500, 302, 204];
    const posted: { body: string; headers: Headers }[] = [];
    vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
      posted.push({ body: init?.body as string, headers: new Headers(init?.headers) });
      return new Response(null, { status: answers.shift() });
    });
    const webhook = webhookChannel({ url: "https://ops.example/hook", secret: SECRET }, () => Date.now());
    for (let pass = 0; pass < 5; pass++) await tellAlerts(env.LEDGER, { queue: null, webhook });
    expect(posted).toHaveLength(3);
    expect(new Set(posted.map(({ headers }) => headers.get("webhook-id"))).size).toBe(1);
    const { body, headers } = posted.at(-1)!;
    expect(new Webhook(SECRET).verify(body, Object.fromEntries(headers))).toMatchObject({
      type: "alert.raised",
      data: { schedule: "nightly" },
    });
  });

  it("send JSON to the queue", async () => {
    await raise();
    const send = vi.fn(async () => ({}) as QueueSendResponse);
    await tellAlerts(env.LEDGER, { queue: queueChannel({ send }), webhook: null });
    expect(send).toHaveBeenCalledWith(expect.objectContaining({ type: "alert.raised" }), {
      contentType: "json",
    });
  });
});

describe("the configuration", () => {
  const base = { ADMIN_TOKEN: "t".repeat(16), TARGETS: "{}" };
  const ROWS = [
    { name: "none", env: {}, webhook: null, faults: 0 },
    {
      name: "an address and a secret",
      env: { ALERT_WEBHOOK_URL: "https://ops.example/hook", ALERT_WEBHOOK_SECRET: SECRET },
      webhook: { url: "https://ops.example/hook", secret: SECRET },
      faults: 0,
    },
    { name: "no secret", env: { ALERT_WEBHOOK_URL: "https://ops.example" }, webhook: null, faults: 1 },
    {
      name: "an address in clear",
      env: { ALERT_WEBHOOK_URL: "http://ops.example", ALERT_WEBHOOK_SECRET: SECRET },
      webhook: null,
      faults: 1,
    },
    {
      name: "a short secret",
      env: { ALERT_WEBHOOK_URL: "https://ops.example", ALERT_WEBHOOK_SECRET: "whsec_aGVsbG8=" },
      webhook: null,
      faults: 1,
    },
  ];
  it.each(ROWS)("$name", ({ env: given, webhook, faults }) => {
    const config = configOf({ ...base, ...given });
    expect(config.alertWebhook).toEqual(webhook);
    expect(config.faults).toHaveLength(faults);
    expect(JSON.stringify(config.faults)).not.toContain("whsec_M");
  });
});
