/**
 * A browser's session: a signed cookie with a token's id and the session's end, and nothing of the token itself.
 * Whom it stands for is looked up on each request, so that a revoked token ends its sessions at once.
 *
 * A cookie travels with requests that its owner never meant, so the API takes it only beside the header
 * `carillon-csrf`, which no foreign page may send, with a value that only our own pages know. That leaves one
 * implementation of each command: the dashboard calls the API that everybody calls.
 */
import type { Context } from "hono";
import { deleteCookie, getSignedCookie, setSignedCookie } from "hono/cookie";
import type { Config } from "../config.ts";

export interface Session {
  /** The id of the token that signed in. */
  id: string;
  expiresAt: number;
  /** What a command of this session has to show. */
  csrf: string;
}

/** A working day. */
const SESSION_MS = 8 * 3_600_000;
const COOKIE = "carillon";
export const CSRF_HEADER = "carillon-csrf";

export async function beginSession(c: Context, config: Config, id: string, now: number): Promise<void> {
  const expiresAt = now + SESSION_MS;
  await setSignedCookie(c, COOKIE, `${id}.${expiresAt}`, await derive(config, "session"), {
    ...placeOf(c),
    httpOnly: true,
    sameSite: "Strict",
    maxAge: SESSION_MS / 1_000,
  });
}

export function endSession(c: Context): void {
  const { prefix, ...place } = placeOf(c);
  deleteCookie(c, prefix === undefined ? COOKIE : `__Host-${COOKIE}`, place);
}

/** Null: there is none, it is not ours, or it is over. */
export async function sessionOf(c: Context, config: Config, now: number): Promise<Session | null> {
  const { prefix } = placeOf(c);
  const value = await getSignedCookie(c, await derive(config, "session"), COOKIE, prefix);
  const [, id, end] = /^(.+)\.(\d+)$/.exec(value || "") ?? [];
  if (id === undefined || Number(end) <= now) return null;
  const csrf = base64url(await derive(config, `csrf ${value}`));
  return { id, expiresAt: Number(end), csrf };
}

/** Sent by a page of ours: what browsers say of it, and those that don't say it name the origin of a command. */
export function isSameOrigin(c: Context): boolean {
  const site = c.req.header("sec-fetch-site");
  return site === undefined ? c.req.header("origin") === new URL(c.req.url).origin : site === "same-origin";
}

/** Cookies need a safe way: https, or one that never leaves the machine. */
export function isSafeWay(c: Context): boolean {
  const { protocol, hostname } = new URL(c.req.url);
  return protocol === "https:" || ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}

function placeOf(c: Context): { path: string; secure: boolean; prefix?: "host" } {
  const secure = new URL(c.req.url).protocol === "https:";
  return { path: "/", secure, ...(secure ? { prefix: "host" } : {}) };
}

/** Whoever changes ADMIN_TOKEN ends every session. */
async function derive({ adminToken }: Config, label: string): Promise<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  const root = await crypto.subtle.importKey("raw", encoder.encode(adminToken ?? ""), "HKDF", false, [
    "deriveBits",
  ]);
  const info = encoder.encode(`carillon ${label}`);
  const how = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
  return new Uint8Array(await crypto.subtle.deriveBits(how, root, 256));
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
