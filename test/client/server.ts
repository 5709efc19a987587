/** A server that answers in turn what a test tells it to, and remembers what it was asked. */
import { Carillon, type Options } from "../../src/client/index.ts";

export interface Asked {
  method: string;
  url: string;
  headers: Headers;
  body: unknown;
}

/** An answer, or what is thrown in its stead; `never` waits for the caller to lose patience. */
export type Turn = Response | Error | "never";

export function answering(turns: Turn[], more: Partial<Options> = {}) {
  const asked: Asked[] = [];
  const left = [...turns];
  const carillon = new Carillon({
    url: "https://scheduler.test/",
    token: "t0ken",
    ...more,
    fetch: (url, init) => {
      const { method = "", body, signal } = init;
      asked.push({
        method,
        url: url.replace("https://scheduler.test", ""),
        headers: new Headers(init.headers),
        body: typeof body === "string" ? (JSON.parse(body) as unknown) : undefined,
      });
      const turn = left.length > 1 ? left.shift()! : left[0]!;
      if (turn instanceof Response) return Promise.resolve(turn.clone() as Response);
      if (turn !== "never") return Promise.reject(turn);
      return new Promise((_, reject) => {
        signal!.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
      });
    },
  });
  return { carillon, asked };
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers });
}

export function problem(
  status: number,
  code: string,
  more: object = {},
  headers: Record<string, string> = {},
) {
  const document = {
    type: `urn:carillon:problem:${code}`,
    title: "t",
    status,
    detail: `It is ${code}.`,
    code,
    ...more,
  };
  return json(document, status, headers);
}
