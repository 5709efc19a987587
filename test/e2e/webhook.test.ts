/** A URL target from end to end: API → object → alarm → queue → our consumer → a real HTTP server. */
import type { ServerResponse } from "node:http";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, eventually, history, type Occurrence, occurrences } from "../../scripts/api.ts";
import { openReceiver, type Received, type Receiver } from "./receiver.ts";
import { openSession, type Session } from "./session.ts";

const CHAIN_MS_MAX = 15_000;
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

let session: Session;
let receiver: Receiver;
let answer: (received: Received, response: ServerResponse) => void;
beforeAll(async () => {
  receiver = await openReceiver((received, response) => answer(received, response));
  session = await openSession();
});
afterAll(async () => {
  await session?.close();
  await receiver?.close();
});

async function rung(name: string, target: object): Promise<{ sent: Received; item: Occurrence }> {
  const definition = {
    trigger: { at: "2099-01-01T00:00:00Z" },
    target,
    payload: { report: "daily" },
    retry: { maxAttempts: 1 },
  };
  await call(session.api, "PUT", `/v1/schedules/${name}`, definition);
  const before = receiver.calls.length;
  await call(session.api, "POST", `/v1/schedules/${name}/trigger`, {});
  const item = await eventually(`${name} has ended`, CHAIN_MS_MAX, async () => {
    const [last] = occurrences(await history(session.api, name));
    return last && ["succeeded", "failed"].includes(last.state) ? last : null;
  });
  return { sent: receiver.calls[before]!, item };
}

describe("a URL target", () => {
  it("is called, signed, and its answer kept; what is secret stays secret", async () => {
    answer = ({ headers }, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ rows: 120, heard: headers["authorization"] }));
    };
    const { sent, item } = await rung("signed", {
      url: receiver.url,
      headers: { "x-tenant": "acme" },
      secretHeaders: { authorization: "Bearer tell-nobody" },
      secret: SECRET,
    });
    expect(new Webhook(SECRET).verify(sent.body, sent.headers)).toMatchObject({
      id: item.id,
      payload: { report: "daily" },
    });
    expect(sent).toMatchObject({
      method: "POST",
      headers: { "x-tenant": "acme", authorization: "Bearer tell-nobody", "carillon-attempt": "1" },
    });
    expect(item).toMatchObject({
      state: "succeeded",
      result: { status: 200, body: { rows: 120, heard: "(secret)" } },
    });
    const shown = await call<object>(session.api, "GET", "/v1/schedules/signed");
    expect(shown).toMatchObject({
      target: { secret: { set: true }, secretHeaders: { authorization: { set: true } } },
    });
    expect(JSON.stringify(shown)).not.toMatch(/tell-nobody|MfKQ9r8G/);
  });

  it("may report later, with the token that it was given", async () => {
    answer = ({ headers, body }, response) => {
      response.writeHead(202, { "carillon-report": "later" }).end();
      const { id } = JSON.parse(body) as { id: string };
      const report = { token: Number(headers["carillon-token"]), result: { rows: 7 } };
      void call(session.api, "POST", `/v1/occurrences/${encodeURIComponent(id)}/complete`, report);
    };
    const { item } = await rung("later", { url: receiver.url });
    expect(item).toMatchObject({ state: "succeeded", result: { rows: 7 } });
  });

  it("is not followed elsewhere", async () => {
    answer = (_, response) => response.writeHead(301, { location: `${receiver.url}/else` }).end();
    const before = receiver.calls.length;
    const { item } = await rung("moved", { url: receiver.url });
    expect(item).toMatchObject({ state: "failed", error: expect.stringContaining("a redirect, to") });
    expect(receiver.calls).toHaveLength(before + 1);
  });

  it("whose answer never ends is given up", async () => {
    answer = (_, response) => void response.writeHead(200).write("a beginning");
    const { item } = await rung("endless", { url: receiver.url, timeout: "1s" });
    expect(item).toMatchObject({ error: expect.stringContaining("did not answer within PT1S") });
  });
});
