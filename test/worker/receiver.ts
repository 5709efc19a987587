/** Somebody's endpoint, and the delivery of calls to it: what it was sent, and what it answers. */
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import type { Message } from "../../src/core/message.ts";
import type { DefinitionSaid } from "../../src/core/schedule.ts";
import { consumeCalls } from "../../src/delivery/webhook.ts";
import { createBell, type Bell } from "./bell.ts";
import { START } from "./start.ts";

export const HOUR = 3_600_000;
export const URL_ = "https://hooks.example.com/nightly";

export interface Received {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
}

export type Answering = (received: Received) => Response | Promise<Response>;

/** Stands where the internet is. */
export function receive(answering: Answering): Received[] {
  const calls: Received[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input as string, init);
    const received = {
      url: request.url,
      method: request.method,
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
      signal: init!.signal!,
    };
    calls.push(received);
    return answering(received);
  });
  return calls;
}

export function createCaller(target: object = {}, more: Partial<DefinitionSaid> = {}): Promise<Bell> {
  return createBell({ target: { url: URL_, ...target }, ...more } as Partial<DefinitionSaid>);
}

/** The queue hands a message to our consumer. What it said to the queue. */
export async function deliver(message: Message): Promise<string> {
  const verdicts: string[] = [];
  const delivery = {
    body: message,
    ack: () => void verdicts.push("ack"),
    retry: ({ delaySeconds }: { delaySeconds: number }) => void verdicts.push(`retry in ${delaySeconds} s`),
  };
  await consumeCalls({ messages: [delivery] }, env);
  return verdicts.join(" and ");
}

/** Rings for the first slot and has its call made. */
export async function callOnce(bell: Bell): Promise<string> {
  await bell.ring(START + HOUR);
  return deliver(bell.sent.at(-1)!);
}
