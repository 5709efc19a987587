/** One call: the request, patience for its answer, and another try where a second one does no harm. */
import { CarillonError, errorOf } from "./error.ts";

export interface Options {
  /** Where the scheduler is: `https://carillon.example.workers.dev`. */
  url: string;
  token: string;
  /** For tokens that may use several; the token's own unless told otherwise. */
  namespace?: string;
  /** Instead of the global one: a service binding's, or a test's. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Further tries of what may be repeated; 4 unless told otherwise. */
  retries?: number;
  /** For one try; 30,000 unless told otherwise. */
  timeoutMs?: number;
}

/** What any call takes. */
export interface CallOptions {
  signal?: AbortSignal;
}

export interface Call extends CallOptions {
  method: "GET" | "PUT" | "PATCH" | "POST" | "DELETE";
  path: string;
  query?: { [name: string]: string | number | boolean | null | undefined };
  headers?: Record<string, string>;
  body?: unknown;
  /** A second one, should the answer to the first be lost, comes to the same. */
  repeatable: boolean;
}

const RETRIES = 4;
const TIMEOUT_MS = 30_000;
const PAUSE_MS = 250; // doubled each time, and spread: many clients that fail together should not come back together
const PAUSE_MS_MAX = 10_000;
const RETRY_AFTER_MS_MAX = 60_000; // who is asked to wait longer hears of it instead
const PASSING = new Set([429, 502, 503, 504]);

export class Transport {
  readonly #options: Options;
  readonly #base: string;

  constructor(options: Options) {
    this.#options = options;
    this.#base = options.url.replace(/\/+$/, "");
    if (!/^https?:\/\/[^/]/.test(this.#base)) throw new TypeError(`url is no http address: ${this.#base}`);
    if (options.token === "") throw new TypeError("token is empty");
  }

  async send<T>(call: Call): Promise<T> {
    const retries = this.#options.retries ?? RETRIES;
    for (let tried = 0; ; tried++) {
      const answer = await this.#try(call);
      if (answer instanceof Response) return (await readJson(answer)) as T;
      const { error, retryAfterMs } = answer;
      if (tried >= retries || !mayRepeat(call, error)) throw error;
      const pauseMs = retryAfterMs ?? Math.min(PAUSE_MS * 2 ** tried, PAUSE_MS_MAX);
      if (pauseMs > RETRY_AFTER_MS_MAX) throw error;
      await pause(pauseMs * (1 + Math.random() / 2), call.signal);
    }
  }

  async #try(call: Call): Promise<Response | { error: CarillonError; retryAfterMs: number | null }> {
    const { timeoutMs = TIMEOUT_MS, fetch: send = (url, init) => fetch(url, init) } = this.#options;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    const signal = call.signal ? AbortSignal.any([call.signal, late.signal]) : late.signal;
    try {
      const response = await send(this.#urlOf(call), { ...this.#initOf(call), signal });
      // The body belongs to the answer: it is read before the clock is stopped.
      const whole = new Response(await response.arrayBuffer(), response);
      if (whole.ok) return whole;
      return { error: await errorOf(whole), retryAfterMs: retryAfter(whole) };
    } catch (cause) {
      call.signal?.throwIfAborted();
      return {
        error: late.signal.aborted ? tooLate(timeoutMs) : unreachable(this.#base, cause),
        retryAfterMs: null,
      };
    } finally {
      clearTimeout(timer);
    }
  }

  #urlOf({ path, query = {} }: Call): string {
    const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
    const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    return `${this.#base}${path}${search === "" ? "" : `?${search}`}`;
  }

  #initOf({ method, headers, body }: Call): RequestInit {
    const { token, namespace } = this.#options;
    return {
      method,
      redirect: "error", // the token is for this address
      headers: {
        authorization: `Bearer ${token}`,
        accept: "application/json",
        ...(namespace === undefined ? {} : { "carillon-namespace": namespace }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
  }
}

/** 429 did nothing, so it may always be tried again. A scheduler without configuration will not get one meanwhile. */
function mayRepeat({ repeatable }: Call, { status, code }: CarillonError): boolean {
  if (status === 429) return true;
  const isPassing = status === 0 || (PASSING.has(status) && code !== "not_configured");
  return repeatable && isPassing;
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch (cause) {
    const detail = `The address answered ${response.status}, but not with JSON. Is it the scheduler's?`;
    throw new CarillonError({ code: "unexpected_answer", detail }, { status: response.status, cause });
  }
}

/** Seconds, or a date. */
function retryAfter({ headers }: Response): number | null {
  const text = headers.get("retry-after");
  if (text === null) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

function unreachable(base: string, cause: unknown): CarillonError {
  const why = cause instanceof Error ? (causeOf(cause) ?? cause.message) : String(cause);
  return new CarillonError(
    { code: "unreachable", detail: `${base} was not reached: ${why}` },
    { status: 0, cause },
  );
}

/** Node hides the reason one level down. */
function causeOf({ cause }: Error): string | null {
  return cause instanceof Error ? cause.message || cause.name : null;
}

function tooLate(timeoutMs: number): CarillonError {
  return new CarillonError(
    { code: "timeout", detail: `There was no answer within ${timeoutMs / 1_000} s.` },
    { status: 0 },
  );
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
