/**
 * Which addresses a schedule may call. Read as fetch will read them, so that no spelling (decimal, octal, hex, short,
 * percent-encoded, full-width) hides where a request would go. What a name resolves to cannot be seen from here.
 */
import { fail, ok, type Result } from "./errors.ts";
import { LIMITS } from "./limits.ts";

const PORT_LEAST = 1_024; // below are other protocols' services; 443 aside

/** `allowPrivate`: for local development, where the receiver is the machine itself. */
export function readUrl(text: string, allowPrivate: boolean): Result<URL> {
  if (text.length > LIMITS.URL_CHARS_MAX) {
    return refuse(`must be an address of at most ${LIMITS.URL_CHARS_MAX} characters`);
  }
  // The parser drops tabs and line breaks and reads \ as /: whoever writes one means to be misread.
  if (/[\s\\\p{Cc}]/u.test(text) || !URL.canParse(text)) {
    return refuse("must be an absolute address", 'Such as "https://example.com/hook".');
  }
  const url = new URL(text);
  if (url.protocol !== "https:" && !(allowPrivate && url.protocol === "http:")) {
    return refuse("must begin with https://", "A call carries what the schedule says, and its signature.");
  }
  if (url.username !== "" || url.password !== "") {
    return refuse(
      "must not carry a user or password",
      'Use "secretHeaders": { "authorization": "Basic …" }.',
    );
  }
  if (url.hash !== "") return refuse("must not have a fragment: it would not be sent");
  if (allowPrivate) return ok(url);
  const port = Number(url.port || 443);
  if (port !== 443 && port < PORT_LEAST) {
    return refuse(`must name port 443, or one from ${PORT_LEAST} on`);
  }
  const host = url.hostname.replace(/\.+$/, "");
  const fault = host.startsWith("[") ? faultOfV6(host) : isV4(host) ? faultOfV4(host) : faultOfName(host);
  if (fault === null) return ok(url);
  return refuse(`names ${host.slice(0, 100)}, ${fault}`, "Only addresses of the public internet are called.");
}

function refuse(message: string, hint?: string): Result<never> {
  return fail("invalid_field", message, hint === undefined ? {} : { hint });
}

/** Reserved (RFC 6761, 6762, 8375, 9476), or in use for what is not public. */
const PRIVATE_SUFFIXES = new Set(
  `alt arpa corp example home internal intranet invalid lan local localdomain localhost onion private
  test`.split(/\s+/),
);

function faultOfName(host: string): string | null {
  const labels = host.split(".");
  if (host.length > 253 || labels.some((label) => !/^[a-z0-9_-]{1,63}$/.test(label)))
    return "which is no name";
  if (PRIVATE_SUFFIXES.has(labels.at(-1) ?? "")) return "a name that is not public";
  return labels.length < 2 ? "which has no domain" : null;
}

// ── addresses ───────────────────────────────────────────────────────────────────────────────────

/** IANA's special-purpose registry, and one public address behind which a cloud keeps its secrets. */
const V4_RESERVED = ranges(32, {
  "0.0.0.0/8": "this network",
  "10.0.0.0/8": "private",
  "100.64.0.0/10": "shared by a carrier",
  "127.0.0.0/8": "loopback",
  "168.63.129.16/32": "a cloud's metadata service",
  "169.254.0.0/16": "link-local",
  "172.16.0.0/12": "private",
  "192.0.0.0/24": "reserved",
  "192.0.2.0/24": "for documentation",
  "192.88.99.0/24": "reserved",
  "192.168.0.0/16": "private",
  "198.18.0.0/15": "for benchmarks",
  "198.51.100.0/24": "for documentation",
  "203.0.113.0/24": "for documentation",
  "224.0.0.0/4": "multicast",
  "240.0.0.0/4": "reserved",
});

/** Global unicast is all that is public, and of it not what tunnels to IPv4 or is set aside. */
const V6_GLOBAL = ranges(128, { "2000::/3": "public" });
const V6_RESERVED = ranges(128, {
  "2001::/23": "reserved, tunnels among it",
  "2001:db8::/32": "for documentation",
  "2002::/16": "a tunnel to IPv4",
  "3fff::/20": "for documentation",
});

function faultOfV4(host: string): string | null {
  return rangeOf(V4_RESERVED, numberOf(host));
}

function faultOfV6(host: string): string | null {
  const address = numberOf(host.slice(1, -1));
  return rangeOf(V6_GLOBAL, address) === null ? "which is not public" : rangeOf(V6_RESERVED, address);
}

interface Range {
  prefix: bigint;
  shift: bigint;
  what: string;
}

function ranges(width: number, table: Record<string, string>): Range[] {
  return Object.entries(table).map(([range, what]) => {
    const [base = "", bits = ""] = range.split("/");
    const shift = BigInt(width - Number(bits));
    return { prefix: numberOf(base) >> shift, shift, what: `which is ${what}` };
  });
}

function rangeOf(table: readonly Range[], address: bigint): string | null {
  return table.find(({ prefix, shift }) => address >> shift === prefix)?.what ?? null;
}

function isV4(host: string): boolean {
  return /^\d+\.\d+\.\d+\.\d+$/.test(host);
}

/** Of an address in its normal form, as the URL parser leaves it. */
function numberOf(address: string): bigint {
  if (isV4(address)) return BigInt(address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0));
  const [head = [], tail = []] = address.split("::").map((half) => half.split(":").filter(Boolean));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  return [...head, ...zeros, ...tail].reduce((sum, group) => (sum << 16n) + BigInt(`0x${group}`), 0n);
}
