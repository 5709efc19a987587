/**
 * A slice of the document's fuzzer against the real app: objects, ledger and queues as they are. The many are sent in the
 * node room (test/http/fuzz.test.ts); here it is held that the platform makes no 5xx of what the API lets through.
 */
import { Validator } from "@cfworker/json-schema";
import { env, exports } from "cloudflare:workers";
import * as fc from "fast-check";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { signals } from "../../src/schedule/signals.ts";
import { addressOf, readDocument } from "../http/document.ts";
import { settle } from "../http/known.ts";
import { START } from "./start.ts";

/** Of all operations together. */
const REQUESTS = 1_000;
/** What an object does for itself, whenever it comes to it. */
const OWN = ["wake", "handedOver"];

async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await exports.default.fetch(`https://carillon.test${path}`, {
    method,
    body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
    headers: {
      authorization: `Bearer ${env.ADMIN_TOKEN}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
  });
  const text = await response.text();
  const isJson = /\bjson\b/.test(response.headers.get("content-type") ?? "");
  const read = isJson && text !== "" ? (JSON.parse(text) as Record<string, unknown>) : {};
  return { status: response.status, headers: response.headers, text, body: read };
}

/** Ajv makes functions of texts, which this runtime does not allow. */
function validatorOf(document: object) {
  return (schema: object, value: unknown): string[] => {
    const { errors } = new Validator({ ...document, ...schema }, "2020-12", false).validate(value);
    return errors.map(({ instanceLocation, error }) => `${instanceLocation} ${error}`);
  };
}

async function tokensKept(): Promise<unknown> {
  return env.LEDGER.prepare("SELECT count(*) AS tokens FROM tokens").first();
}

beforeEach(() => {
  vi.useFakeTimers({ now: START, toFake: ["Date"] });
});

const document = (await send("GET", "/openapi.json")).body;
const { operations } = readDocument(document, validatorOf, {});

describe("the real app answers as the document declares", () => {
  const each = Math.ceil(REQUESTS / operations.length);

  it.each(operations)("$call", async ({ method, path, operation }) => {
    const { requestsOf, expectDeclared } = readDocument(document, validatorOf, await settle(send, START));
    const commands: string[] = [];
    signals.saved = ({ name }) => void (OWN.includes(name) || commands.push(name));
    await fc.assert(
      fc.asyncProperty(requestsOf(operation), async (sent) => {
        const before = await tokensKept();
        commands.length = 0;
        const answer = await send(method, addressOf(path, sent), sent.body, sent.headers);
        expect(answer.status, answer.text).toBeLessThan(500);
        expectDeclared(operation, answer);
        if (answer.status < 400) return;
        expect(commands).toEqual([]);
        expect(await tokensKept()).toEqual(before);
      }),
      { numRuns: each },
    );
    signals.saved = null;
  });
});
