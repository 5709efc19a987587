import { TOKEN, type World } from "../http/world.ts";

const BASE = "https://carillon.test";

/** A page as somebody sees who has signed in with this token. */
export async function look(world: World, path: string, token = TOKEN) {
  const form = new URLSearchParams({ token, to: "/" }).toString();
  const from = { authorization: "", "sec-fetch-site": "same-origin" };
  const signedIn = await world.send("POST", `${BASE}/sign-in`, form, from);
  const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";")[0]!;
  return world.send("GET", BASE + path, undefined, { authorization: "", cookie });
}
