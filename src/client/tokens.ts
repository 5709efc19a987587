/** `/v1/tokens`: who else may call. */
import type { NewToken, Token } from "./answers.ts";
import { Pages } from "./pages.ts";
import { Resource } from "./resource.ts";
import type { CallOptions } from "./transport.ts";

export type Scope = "read" | "write" | "trigger" | "work" | "admin";

export interface TokenOrder {
  name: string;
  /** None implies another. */
  scopes: Scope[];
  /** `["*"]`: all. */
  namespaces: string[];
  /** What it may work on, and name as a target; all, unless told otherwise. */
  queues?: string[] | null;
  /** What it sees at all. */
  schedules?: string[] | null;
  expiresAt?: string | null;
}

export class Tokens extends Resource {
  /** The token's text is in this answer and in no other: should the answer be lost, make another and revoke this one. */
  create(order: TokenOrder, options: CallOptions = {}): Promise<NewToken> {
    return this.send({ ...options, method: "POST", path: "/v1/tokens", body: order, repeatable: false });
  }

  list({ signal, ...query }: { limit?: number } & CallOptions = {}): Pages<Token> {
    return new Pages((cursor) => this.read("/v1/tokens", { ...query, cursor }, { signal }));
  }

  /** From the next request on it opens nothing. */
  revoke(id: string, options: CallOptions = {}): Promise<Token> {
    const path = `/v1/tokens/${encodeURIComponent(id)}`;
    return this.send({ ...options, method: "DELETE", path, repeatable: true });
  }
}
