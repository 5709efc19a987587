import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createBell } from "./bell.ts";
import { START } from "./start.ts";

interface Page {
  items: { id?: string; kind: string; state?: string }[];
  nextCursor: string | null;
}

const PAGES_MAX = 50;

async function get(path: string): Promise<Page> {
  const answer = await exports.default.fetch(`https://carillon.test${path}`, {
    headers: { authorization: `Bearer ${env.ADMIN_TOKEN}` },
  });
  expect(answer.status).toBe(200);
  return answer.json();
}

async function all(path: string): Promise<Page["items"]> {
  const items: Page["items"] = [];
  let cursor: string | null = null;
  for (let page = 0; page < PAGES_MAX; page++) {
    const next: Page = await get(`${path}${cursor === null ? "" : `&cursor=${cursor}`}`);
    items.push(...next.items);
    cursor = next.nextCursor;
    if (cursor === null) return items;
  }
  throw new Error("the list does not end");
}

describe("lists, page by page over the real ledger", () => {
  for (const path of ["/v1/occurrences?limit=3", "/v1/occurrences?limit=3&state=dispatched", "HISTORY"]) {
    it(`${path} gives every occurrence once, newest first`, async () => {
      const bell = await createBell({ tracked: false, trigger: { every: "PT1M" } });
      for (let minute = 1; minute <= 10; minute++) await bell.ring(START + minute * 60_000);
      const name = bell.object.name?.split("/")[1] ?? "";
      const list = path === "HISTORY" ? `/v1/schedules/${name}/occurrences?limit=3` : path;
      const ids = (await all(list)).map(({ id }) => id);
      const expected = Array.from(
        { length: 10 },
        (_, i) => `${name}@2093-12-01T00:${String(10 - i).padStart(2, "0")}:00Z`,
      );
      expect(ids).toEqual(expected);
    });
  }

  it("shows a run of missed slots as one gap row between occurrences", async () => {
    const bell = await createBell({ tracked: false, trigger: { every: "PT1M" } });
    await bell.ring(START + 60_000);
    await bell.ring(START + 10 * 60_000);
    const name = bell.object.name?.split("/")[1] ?? "";
    expect(await all(`/v1/schedules/${name}/occurrences?limit=2`)).toMatchObject([
      { kind: "scheduled", scheduledFor: "2093-12-01T00:10:00Z" },
      {
        kind: "gap",
        from: "2093-12-01T00:02:00Z",
        to: "2093-12-01T00:09:00Z",
        count: 8,
        reason: "coalesced",
      },
      { kind: "scheduled", scheduledFor: "2093-12-01T00:01:00Z" },
    ]);
  });
});
