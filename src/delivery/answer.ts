/**
 * What a receiver's answer means for the attempt. 2xx is success; a 202 may say that the end is reported later. What
 * repeating cannot change is not repeated: 4xx but for those that mean "not now", and redirects that are for good.
 */
import { isSane } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import type { Json } from "../core/schedule.ts";

/** As it was read: bounded, and without any secret that the receiver sent back. */
export interface Answer {
  /** Who answered. */
  host: string;
  status: number;
  header(name: string): string | null;
  text: string;
  /** There was more of it. */
  isCut: boolean;
}

export type Meaning =
  | { is: "done"; result: Json }
  | { is: "handed_on" }
  | { is: "failed"; error: string; retryable: boolean; retryAfterMs: number | null };

/** Request timeout, too early, too many requests; redirects that are for now. */
const NOT_NOW = new Set([408, 425, 429, 302, 303, 307]);
const SAYS_WHEN = new Set([429, 503]);

export function meaningOf(answer: Answer, now: number): Meaning {
  const { status } = answer;
  if (status === 202 && answer.header("carillon-report") === "later") return { is: "handed_on" };
  if (status >= 200 && status < 300) return { is: "done", result: resultOf(answer) };
  return {
    is: "failed",
    error: inWords(answer),
    retryable: status >= 500 || NOT_NOW.has(status),
    retryAfterMs: SAYS_WHEN.has(status) ? retryAfter(answer.header("retry-after"), now) : null,
  };
}

// An eighth: escaped, a character takes up to six bytes, and status and quotes have to fit as well.
const TEXT_CHARS_MAX = LIMITS.RESULT_BYTES_MAX / 8;

function resultOf({ status, header, text, isCut }: Answer): Json {
  const type = header("content-type") ?? "";
  const read = !isCut && /\bjson\b/i.test(type) ? parse(text) : undefined;
  if (read !== undefined) return { status, body: read };
  const wasCut = isCut || text.length > TEXT_CHARS_MAX;
  const body = text === "" ? null : text.slice(0, TEXT_CHARS_MAX).toWellFormed();
  return { status, body, ...(wasCut ? { truncated: true } : {}) };
}

/** Undefined: no JSON, or none that can be kept. */
function parse(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json;
    if (!isSane(value)) return undefined;
    const bytes = new TextEncoder().encode(JSON.stringify({ status: 200, body: value })).length;
    return bytes <= LIMITS.RESULT_BYTES_MAX ? value : undefined;
  } catch {
    return undefined;
  }
}

function inWords({ host, status, header, text }: Answer): string {
  if (status >= 300 && status < 400) {
    const to = header("location");
    const where = to === null ? "" : `, to ${excerpt(to)}`;
    return `${host} answered ${status}: a redirect${where}. Redirects are not followed: name the final address.`;
  }
  const said = excerpt(text);
  return `${host} answered ${status}${said === "" ? "" : `: ${said}`}`;
}

function excerpt(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, LIMITS.EXCERPT_CHARS_MAX).toWellFormed();
}

/** Seconds, or a date (RFC 9110 §10.2.3); null where it is neither. */
function retryAfter(value: string | null, now: number): number | null {
  const text = value?.trim() ?? "";
  const isDate = /^[A-Z][a-z]{2,8}[, ].*\d/.test(text);
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : isDate ? Date.parse(text) - now : Number.NaN;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), LIMITS.RETRY_MS_MAX);
}
