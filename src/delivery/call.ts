/** One call of a URL: the message as JSON, signed, in headers that say which attempt it is; bounded both ways. */
import { LIMITS } from "../core/limits.ts";
import type { Message } from "../core/message.ts";
import { hasBody } from "../core/target.ts";
import type { CallView } from "../schedule/stub.ts";
import type { Answer } from "./answer.ts";
import { sign } from "./signature.ts";

/** What only a tracked attempt has; the token is for a receiver that reports by itself. */
export interface Lent {
  token: number | null;
  deadline: string | null;
  newerSucceeded: string | null;
}

export async function call(
  to: CallView,
  message: Message,
  lent: Lent,
  { now, signal }: { now: number; signal: AbortSignal },
): Promise<Answer> {
  const { url, method, headers, secretHeaders, signing } = to;
  const body = hasBody(method) ? JSON.stringify(message) : "";
  const response = await fetch(url, {
    method,
    headers: {
      ...(body === "" ? {} : { "content-type": "application/json" }),
      "user-agent": "Carillon",
      ...headers,
      ...secretHeaders,
      ...named(message, lent),
      ...(await sign(signing, { id: message.key, at: now, body })),
    },
    body: body === "" ? undefined : body,
    redirect: "manual",
    cache: "no-store",
    signal,
  });
  const { bytes, isCut } = await readBounded(response, signal);
  const hide = hiding([...Object.values(secretHeaders), ...signing]);
  return {
    host: new URL(url).host,
    status: response.status,
    header: (name) => hideIn(response.headers.get(name), hide),
    text: hide(new TextDecoder().decode(bytes)),
    isCut,
  };
}

function named(message: Message, { token, deadline, newerSucceeded }: Lent): Record<string, string> {
  const headers = {
    "carillon-namespace": message.namespace,
    "carillon-schedule": message.schedule,
    "carillon-slot": message.scheduledFor,
    "carillon-kind": message.kind,
    "carillon-revision": String(message.revision),
    "carillon-attempt": String(message.attempt),
    "carillon-token": token === null ? null : String(token),
    "carillon-deadline": deadline,
    "carillon-newer-succeeded": newerSucceeded,
  };
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== null),
  );
}

/** What is beyond the bound is not waited for, and what never ends is not either. */
async function readBounded({ body }: Response, signal: AbortSignal) {
  const bytes = new Uint8Array(LIMITS.ANSWER_BYTES_MAX);
  if (!body) return { bytes: bytes.subarray(0, 0), isCut: false };
  const reader = body.getReader();
  const stop = () => void reader.cancel().catch(() => {}); // whatever it says: nobody listens any more
  signal.addEventListener("abort", stop);
  let length = 0;
  let isCut = false;
  try {
    while (!isCut) {
      const { done, value } = await reader.read();
      if (done) break;
      isCut = length + value.length > bytes.length;
      const some = value.subarray(0, bytes.length - length);
      bytes.set(some, length);
      length += some.length;
    }
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener("abort", stop);
    if (isCut) stop();
  }
  return { bytes: bytes.subarray(0, length), isCut };
}

const HIDDEN = "(secret)";
const LEAST = 4; // shorter ones are no secrets, and would tear words apart

/** A receiver may send back what it was sent: in an error page, in an echo. It is not kept. */
function hiding(secrets: string[]): (text: string) => string {
  // Of "Bearer x" the x alone as well; and each as URLs write it.
  const bare = secrets.flatMap((secret) => [secret, secret.replace(/^\S+\s+/, "")]);
  const spelt = bare.flatMap((text) => [text, encodeURIComponent(text)]);
  const longestFirst = [...new Set(spelt)]
    .filter((text) => text.length >= LEAST)
    .toSorted((a, b) => b.length - a.length);
  if (longestFirst.length === 0) return (text) => text;
  const any = new RegExp(longestFirst.map(patternOf).join("|"), "g");
  return (text) => text.replaceAll(any, HIDDEN);
}

/** However often it was put into JSON: each time quotes and backslashes gain some of the latter. */
function patternOf(text: string): string {
  return Array.from(text, (character) => {
    if (character === "\\") return "\\\\{1,16}";
    if (character === '"' || character === "/") return `\\\\{0,15}${character}`;
    return /[\w\s]/.test(character) ? character : `\\${character}`;
  }).join("");
}

function hideIn(value: string | null, hide: (text: string) => string): string | null {
  return value === null ? null : hide(value);
}
