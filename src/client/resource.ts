/** What the groups of calls have in common. */
import type { Call, CallOptions, Transport } from "./transport.ts";

export class Resource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  protected send<T>(call: Call): Promise<T> {
    return this.#transport.send(call);
  }

  protected read<T>(path: string, query: NonNullable<Call["query"]>, options: CallOptions): Promise<T> {
    return this.#transport.send({ ...options, method: "GET", path, query, repeatable: true });
  }
}

/** A POST that acts. Its key makes a second one, should the answer be lost, find the first one's. */
export interface Once extends CallOptions {
  /** A new random one unless told otherwise. */
  idempotencyKey?: string;
}

export function once(
  path: string,
  body: object,
  { idempotencyKey = crypto.randomUUID(), signal }: Once,
): Call {
  const headers = { "idempotency-key": idempotencyKey };
  return { method: "POST", path, body, headers, repeatable: true, signal };
}

/** A POST that only asks, or that comes to the same when it is made again. */
export function ask(path: string, body: object, { signal }: CallOptions): Call {
  return { method: "POST", path, body, repeatable: true, signal };
}
