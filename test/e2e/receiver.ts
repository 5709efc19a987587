/** A real HTTP server on this machine that others' calls arrive at. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  method: string;
  headers: Record<string, string>;
  body: string;
}

export interface Receiver {
  url: string;
  calls: Received[];
  close(): Promise<void>;
}

export async function openReceiver(
  answer: (received: Received, response: ServerResponse) => void,
): Promise<Receiver> {
  const calls: Received[] = [];
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const received = await read(request);
    calls.push(received);
    answer(received, response);
  }
  const server = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    calls,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function read(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers = request.headers as Record<string, string>;
  return { method: request.method ?? "", headers, body: Buffer.concat(chunks).toString() };
}
