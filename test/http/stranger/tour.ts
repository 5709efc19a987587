/**
 * What someone writes who knows nothing of Carillon but its document. `paths` is generated in the test, which has
 * this file checked against it: the lines marked as errors must be errors.
 */
import createClient, { type ClientOptions } from "openapi-fetch";
import type { components, paths } from "./api.ts";

type Schedule = components["schemas"]["Schedule"];

export async function tour(options: ClientOptions) {
  const client = createClient<paths>(options);
  const path = { name: "stranger" };

  const put = await client.PUT("/v1/schedules/{name}", {
    params: { path, header: { "if-none-match": "*" } },
    body: {
      trigger: { cron: "0 9 * * *", timezone: "Europe/Berlin" },
      target: { queue: "LIBRARY" },
      retry: { maxAttempts: 3 },
      payload: { any: ["json", 1, null] },
    },
  });
  const created: Schedule = put.data ?? raise(put.error);
  const etag = put.response.headers.get("etag") ?? "";

  const { data: read } = await client.GET("/v1/schedules/{name}", { params: { path } });
  const state: "active" | "paused" | "completed" | "deleted" | undefined = read?.state;

  const { data: page } = await client.GET("/v1/schedules", {
    params: { query: { state: "active", limit: 1 } },
  });
  const next: string | null | undefined = page?.nextCursor;

  await client.POST("/v1/schedules/{name}/pause", { params: { path }, body: { note: "to look around" } });
  const { data: run } = await client.POST("/v1/schedules/{name}/trigger", { params: { path } });

  const { data: shown } = await client.POST("/v1/preview", {
    body: { trigger: { every: "15m" }, from: "2026-12-01T00:00:00Z", count: 2 },
  });

  const wrong = await client.PUT("/v1/schedules/{name}", {
    params: { path },
    body: {
      // @ts-expect-error A trigger is no text.
      trigger: "0 9 * * *",
      target: { queue: "LIBRARY" },
    },
  });
  const { code, pointer } = wrong.error ?? raise("a trigger that is a text was taken");
  // @ts-expect-error The codes that this call may answer are known, and this is none of them.
  const isOfAnotherCall = code === "lease_lost";

  const lost = await client.POST("/v1/occurrences/{id}/heartbeat", {
    params: { path: { id: "stranger@2026-11-30T12:00:00Z" } },
    body: { token: 1 },
  });

  // @ts-expect-error There is no such call.
  await client.GET("/v1/nothing", {});

  return {
    created: `${created.name} ${created.timeouts.lease} ${state}`,
    etag,
    next,
    manual: run?.kind,
    slots: shown?.slots.map(({ scheduledFor }) => scheduledFor),
    refused: { code, pointer, isOfAnotherCall },
    lost: lost.error?.code,
  };
}

function raise(what: unknown): never {
  throw new Error(JSON.stringify(what));
}
