/** Who is limited, by what, and who is not. */
import { describe, expect, it } from "vitest";
import type { Limiter } from "../../src/http/flood.ts";
import { present, world } from "./world.ts";

/** Lets so many pass of each key. */
function letting(many: number): Limiter & { keys: string[] } {
  const keys: string[] = [];
  return {
    keys,
    limit({ key }) {
      keys.push(key);
      return Promise.resolve({ success: keys.filter((one) => one === key).length <= many });
    },
  };
}

describe("requests", () => {
  it("of one token are limited, those of another and of the operator are not", async () => {
    const here = world();
    here.limiters.requests = letting(2);
    const [busy, other] = [await present(here), await present(here)];
    const ask = (headers = {}) => here.send("GET", "/v1/schedules", undefined, headers);
    expect([await ask(busy), await ask(busy)].map(({ status }) => status)).toEqual([200, 200]);
    const limited = await ask(busy);
    expect(limited).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect(limited.headers.get("retry-after")).toBe("60");
    expect((await ask(other)).status).toBe(200);
    for (let i = 0; i < 4; i++) expect((await ask()).status).toBe(200);
  });

  it("count for a token only once it is known to be right", async () => {
    const here = world();
    const limiter = letting(1);
    here.limiters.requests = limiter;
    const { authorization } = await present(here);
    await here.send("GET", "/v1/schedules", undefined, {
      authorization: authorization.slice(0, -4) + "0000",
    });
    expect(limiter.keys).toEqual([]);
  });

  it("pass where the limiter fails, which is reported", async () => {
    const here = world();
    here.limiters.requests = { limit: () => Promise.reject(new Error("away")) };
    expect((await here.send("GET", "/v1/schedules", undefined, await present(here))).status).toBe(200);
    expect(here.faults).toHaveLength(1);
  });
});

describe("sign-ins that fail", () => {
  it("are limited for each address; none presented, or the right one, is no failure", async () => {
    const here = world();
    const limiter = letting(1);
    here.limiters.signIns = limiter;
    const from = (address: string, authorization: string) =>
      here.send("GET", "/v1/schedules", undefined, { "cf-connecting-ip": address, authorization });
    expect((await from("192.0.2.1", "Bearer guess-1")).status).toBe(401);
    const limited = await from("192.0.2.1", "Bearer guess-2");
    expect(limited).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect(limited.headers.get("retry-after")).toBe("60");
    expect((await from("192.0.2.2", "Bearer guess-3")).status).toBe(401);
    expect((await from("192.0.2.1", "")).status).toBe(401);
    const { authorization } = await present(here);
    expect((await from("192.0.2.1", authorization)).status).toBe(200);
    expect(limiter.keys).toEqual(["192.0.2.1", "192.0.2.1", "192.0.2.2"]);
  });
});
