import { describe, expect, it } from "vitest";
import { DEFINITION, NOW, TOKEN, world, type World } from "../http/world.ts";

const BASE = "https://carillon.test";
const SAME = { authorization: "", "sec-fetch-site": "same-origin" };
const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();

async function signIn({ send }: World, token = TOKEN, headers: Record<string, string> = SAME, to = "/") {
  return send("POST", `${BASE}/sign-in`, form({ token, to }), headers);
}

/** The cookie of a session, and what its pages know. */
async function session(world: World) {
  const cookie = ((await signIn(world)).headers.get("set-cookie") ?? "").split(";")[0]!;
  const page = await world.send("GET", `${BASE}/`, undefined, { authorization: "", cookie });
  return { cookie, csrf: /name="carillon-csrf" content="([^"]+)"/.exec(page.text)?.[1] ?? "" };
}

describe("signing in", () => {
  it("gives a cookie for a right token, and leads to where one came from", async () => {
    const answer = await signIn(world(), TOKEN, SAME, "/alerts?state=open");
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe("/alerts?state=open");
    const cookie = answer.headers.get("set-cookie");
    expect(cookie).toMatch(/^__Host-carillon=/);
    for (const part of ["HttpOnly", "Secure", "SameSite=Strict", "Path=/", "Max-Age=28800"])
      expect(cookie).toContain(part);
    expect(cookie).not.toContain(TOKEN);
  });

  it("on localhost, without https, the cookie does without Secure; elsewhere there is none", async () => {
    const { send } = world();
    const at = (host: string) => send("POST", `http://${host}/sign-in`, form({ token: TOKEN }), SAME);
    expect((await at("localhost:8787")).headers.get("set-cookie")).toMatch(/^carillon=(?!.*Secure)/);
    const refused = await at("carillon.test");
    expect(refused.status).toBe(403);
    expect(refused.headers.get("set-cookie")).toBeNull();
    expect(refused.text).toContain("open the dashboard with https");
  });

  it.each([
    { name: "a wrong token", token: "wrong", headers: SAME, status: 401, says: "No token like this" },
    { name: "none", token: " ", headers: SAME, status: 422, says: "Paste a token." },
    {
      name: "a foreign page",
      token: TOKEN,
      headers: { ...SAME, "sec-fetch-site": "cross-site" },
      status: 403,
      says: "did not come from a page of this dashboard",
    },
    {
      name: "a foreign page in an old browser",
      token: TOKEN,
      headers: { authorization: "", origin: "https://evil.test" },
      status: 403,
      says: "did not come from a page of this dashboard",
    },
  ])("$name: $status, no cookie, and what to do", async ({ token, headers, status, says }) => {
    const answer = await signIn(world(), token, headers as typeof SAME);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("set-cookie")).toBeNull();
    expect(answer.text).toContain(says);
    expect(answer.text).not.toContain(TOKEN);
  });

  it.each(["//evil.test", "https://evil.test", "/\\evil.test", "javascript:alert(1)", ""])(
    "leads nowhere else: %j",
    async (to) => {
      expect((await signIn(world(), TOKEN, SAME, to)).headers.get("location")).toBe("/");
    },
  );
});

describe("a session", () => {
  it("opens pages; without one they lead to the sign-in and back", async () => {
    const it = world();
    const { cookie } = await session(it);
    const page = await it.send("GET", `${BASE}/`, undefined, { authorization: "", cookie });
    expect(page.status).toBe(200);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(page.headers.get("cache-control")).toBe("no-store");
    const away = await it.send("GET", `${BASE}/?namespace=ci`, undefined, { authorization: "" });
    expect(away.status).toBe(303);
    expect(away.headers.get("location")).toBe("/sign-in?to=%2F%3Fnamespace%3Dci");
  });

  it("is over after eight hours, when it is not ours, and when ADMIN_TOKEN has changed", async () => {
    const first = world();
    const { cookie } = await session(first);
    const status = async (of: World, sent: string) =>
      (await of.send("GET", `${BASE}/`, undefined, { authorization: "", cookie: sent })).status;
    expect(await status(first, cookie)).toBe(200);
    expect(await status(first, cookie.replace(/.(?=%3D$|$)/, "A"))).toBe(303);
    expect(await status(first, cookie.replace("admin", "other"))).toBe(303);
    expect(
      await status(first, cookie.replace(String(NOW + 8 * 3_600_000), String(NOW + 9 * 3_600_000))),
    ).toBe(303);
    expect(await status(world({ ADMIN_TOKEN: "another-admin-token" }), cookie)).toBe(303);
  });

  it("commands the API only from our pages, with the header that proves it", async () => {
    const it = world();
    const { cookie, csrf } = await session(it);
    const put = (headers: Record<string, string>) =>
      it.send("PUT", `${BASE}/v1/schedules/a`, DEFINITION, headers);
    const from = { ...SAME, cookie };
    expect((await put({ ...from, "carillon-csrf": csrf })).status).toBe(201);
    expect((await put(from)).status).toBe(401);
    expect((await put({ ...from, "carillon-csrf": "wrong" })).status).toBe(401);
    expect((await put({ ...from, "carillon-csrf": csrf, "sec-fetch-site": "cross-site" })).status).toBe(401);
    expect((await put({ ...SAME, "carillon-csrf": csrf })).status).toBe(401);
  });

  it("ends with sign-out, which no foreign page can ask for", async () => {
    const it = world();
    const { cookie, csrf } = await session(it);
    const out = (fields: Record<string, string>, headers = SAME) =>
      it.send("POST", `${BASE}/sign-out`, form(fields), { ...headers, cookie });
    expect((await out({})).status).toBe(403);
    expect((await out({ csrf }, { ...SAME, "sec-fetch-site": "cross-site" })).status).toBe(403);
    const answer = await out({ csrf });
    expect(answer.status).toBe(303);
    expect(answer.headers.get("set-cookie")).toMatch(/^__Host-carillon=;.*Max-Age=0/);
  });
});

describe("what pages load", () => {
  it("is kept for long under its own address, and under no other", async () => {
    const { send } = world();
    const page = await send("GET", `${BASE}/sign-in`, undefined, { authorization: "" });
    const [, path = ""] = /href="(\/assets\/[^"]+)"/.exec(page.text) ?? [];
    const style = await send("GET", BASE + path, undefined, { authorization: "" });
    expect(style.status).toBe(200);
    expect(style.headers.get("content-type")).toContain("text/css");
    expect(style.headers.get("cache-control")).toContain("immutable");
    const old = await send("GET", `${BASE}/assets/0/style.css`, undefined, { authorization: "" });
    expect(old.headers.get("cache-control")).toBe("no-cache");
    expect((await send("GET", `${BASE}/assets/0/secrets`)).status).toBe(404);
  });

  it("a page that is not there says so to people, and to programs as ever", async () => {
    const { send } = world();
    const people = await send("GET", `${BASE}/nowhere`, undefined, {
      authorization: "",
      accept: "text/html",
    });
    expect(people.status).toBe(404);
    expect(people.text).toContain("There is no such page.");
    expect((await send("GET", `${BASE}/nowhere`)).body).toMatchObject({ code: "not_found" });
  });
});
