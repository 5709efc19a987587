import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PROBLEMS } from "../../src/http/problem.ts";
import { DEFINITION, world } from "./world.ts";

/** Whatever is sent: no 5xx, and every refusal is a problem document with a code of the list. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 300);

const { send } = world();

const word = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom(
    "15m",
    "PT1H",
    "1mo",
    "-1s",
    "9".repeat(30),
    "2026-12-01T00:00:00Z",
    "0 9 * * *",
    "* * * * * *",
    "@reboot",
  ),
  fc.constantFrom("__proto__", "constructor", "LIBRARY", "Europe/Berlin", "skip", "*", "", "null"),
);
const scalar = fc.oneof(word, fc.double(), fc.integer(), fc.boolean(), fc.constant(null));
const FIELDS = `
  description tags managedBy trigger exclude startAt endAt maxOccurrences jitter target payload
  tracked overlap maxConcurrent maxBuffered maxContinuations catchUp retry timeouts
  pauseAfterFailures afterCompletion retention alerts paused policy limit window grace rate
  initial max factor start lease run cancel cron timezone dst gap fold monthDay every anchor
  after at in date from to queue url token attempt worker error for until count note
`
  .trim()
  .split(/\s+/);
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie("json"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...FIELDS), word), tie("json"), { maxKeys: 6 }),
  ),
}));

const CALLS: [method: string, path: string][] = [
  ["PUT", "/v1/schedules/nightly"],
  ["PATCH", "/v1/schedules/nightly"],
  ["POST", "/v1/schedules/nightly/pause"],
  ["POST", "/v1/schedules/nightly/resume"],
  ["POST", "/v1/schedules/nightly/trigger"],
  ["POST", "/v1/preview"],
  ["POST", "/v1/occurrences/nightly@2026-11-30T12:00:00Z/start"],
  ["POST", "/v1/occurrences/nightly@2026-11-30T12:00:00Z/heartbeat"],
  ["POST", "/v1/occurrences/nightly@2026-11-30T12:00:00Z/complete"],
  ["POST", "/v1/occurrences/nightly@2026-11-30T12:00:00Z/fail"],
  ["POST", "/v1/occurrences/nightly@2026-11-30T12:00:00Z/defer"],
];

function expectSane({ status, body, headers }: Awaited<ReturnType<typeof send>>) {
  expect(status).toBeLessThan(500);
  if (status < 400) return;
  expect(headers.get("content-type")).toBe("application/problem+json");
  expect(body).toMatchObject({ status, detail: expect.any(String), title: expect.any(String) });
  expect(Object.keys(PROBLEMS)).toContain(body.code);
}

describe("nothing that is sent makes a 5xx", () => {
  it.each(CALLS)("%s %s, with any JSON", async (method, path) => {
    await fc.assert(
      fc.asyncProperty(json, async (body) => expectSane(await send(method, path, JSON.stringify(body)))),
      { numRuns: RUNS },
    );
  });

  it("PUT, with a definition of which one field is anything", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...FIELDS), json, async (field, value) =>
        expectSane(await send("PUT", "/v1/schedules/nightly", { ...DEFINITION, [field]: value })),
      ),
      { numRuns: RUNS * 3 },
    );
  });

  it("any bytes for a body", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 200 }), async (body) =>
        expectSane(await send("PUT", "/v1/schedules/nightly", body)),
      ),
      { numRuns: RUNS },
    );
  });

  it("any path and any query", async () => {
    const path = fc.constantFrom(
      "schedules",
      "occurrences",
      "work",
      "schedules/nightly/occurrences",
      "schedules/nightly/upcoming",
    );
    const query = fc.dictionary(
      fc.oneof(fc.constantFrom("limit", "cursor", "from", "to", "state", "q", "queue", "count"), word),
      word,
    );
    const segment = fc.string({ unit: "grapheme", maxLength: 30 }).filter((it) => it !== "." && it !== "..");
    await fc.assert(
      fc.asyncProperty(path, query, segment, async (path, query, segment) => {
        const search = new URLSearchParams(query).toString();
        expectSane(await send("GET", `/v1/${path}?${search}`));
        expectSane(await send("GET", `/v1/schedules/${encodeURIComponent(segment)}`));
        expectSane(await send("GET", `/v1/occurrences/${encodeURIComponent(segment)}`));
      }),
      { numRuns: RUNS },
    );
  });
});
