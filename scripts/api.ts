/** The scheduler's HTTP API as the scripts and the end-to-end tests use it, and patience for its answers. */

export interface Api {
  url: string;
  token: string;
}

/** One row of a schedule's history: an occurrence, or a gap row for several slots that did not run. */
export type HistoryItem = Occurrence | Gap;
export interface Occurrence {
  kind: "scheduled" | "catch_up" | "manual" | "backfill" | "replay" | "continuation";
  id: string;
  schedule: string;
  scheduledFor: string;
  state: string;
  reason: string | null;
  attempt: number;
  latenessMs: number | null;
  durationMs: number | null;
  result: unknown;
  error: string | null;
}
export interface Gap {
  kind: "gap";
  from: string;
  to: string;
  count: number;
  reason: string;
}

const POLL_MS = 100;
const PAGE = 100;

/** A refusal is thrown, with the problem document's own words. */
export async function call<T>({ url, token }: Api, method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as T;
}

/** All of a schedule's history, newest first. */
export async function history(api: Api, schedule: string): Promise<HistoryItem[]> {
  const items: HistoryItem[] = [];
  let cursor: string | null = null;
  do {
    const after = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const path = `/v1/schedules/${schedule}/occurrences?limit=${PAGE}${after}`;
    const page: { items: HistoryItem[]; nextCursor: string | null } = await call(api, "GET", path);
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return items;
}

export function occurrences(items: HistoryItem[]): Occurrence[] {
  return items.filter((item): item is Occurrence => item.kind !== "gap");
}

/** Asks until there is an answer, neither null nor undefined; `what` is what never came true if there is none. */
export async function eventually<T>(
  what: string,
  withinMs: number,
  ask: () => Promise<T | null | undefined>,
): Promise<T> {
  const until = Date.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null && answer !== undefined) return answer;
    if (Date.now() > until) throw new Error(`not within ${withinMs / 1_000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
