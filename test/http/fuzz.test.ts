/**
 * Whatever the document says may be sent is sent: as it says, broken in one place, and hostile. No answer is a 5xx,
 * each is what the document declares for its status, and what was refused has changed nothing.
 */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Change } from "../../src/core/eras.ts";
import { formatInstant } from "../../src/core/time.ts";
import { broken, json, rawBody, valid, word, type Known, type Schema } from "./arbitrary.ts";
import { livingStub, type Population } from "./living.ts";
import { validatorOf } from "./validator.ts";
import { DEFINITION, NOW, occurrenceView, world, type Answer } from "./world.ts";

/** Of all operations together. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 20_000);

interface Parameter {
  $ref?: string;
  in: "path" | "query" | "header";
  name: string;
  required?: boolean;
  schema: Schema;
}
interface Operation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { headers?: object; content: Record<string, { schema: Schema }> }>;
}

// ── a world in which something goes on ──────────────────────────────────────────────────────────

const population: Population = new Map();
const { send, ledger, calls, tokens, faults } = world({}, (namespace, name) =>
  livingStub(population, `${namespace}/${name}`, () => NOW),
);

async function granted(call: Promise<Answer>): Promise<Record<string, unknown>> {
  const { status, body, text } = await call;
  if (status >= 300) throw new Error(text);
  return body;
}

/** One that is busy, one that is paused, one that is done, one that counts from its last end. */
async function settle(): Promise<Known> {
  const put = (name: string, more: object) =>
    granted(send("PUT", `/v1/schedules/${name}`, { ...DEFINITION, overlap: "buffer_all", ...more }));
  const trigger = async (name: string) =>
    String((await granted(send("POST", `/v1/schedules/${name}/trigger`))).id);
  await put("busy", { maxConcurrent: 2 });
  const [running, dispatched, waiting] = [
    await trigger("busy"),
    await trigger("busy"),
    await trigger("busy"),
  ];
  const { token } = await granted(
    send("POST", `/v1/occurrences/${running}/start`, { attempt: 1, worker: "w" }),
  );
  await granted(
    send("POST", "/v1/schedules/busy/backfill", { from: "2026-11-30T00:00:00Z", to: "2026-11-30T06:00:00Z" }),
  );
  await put("paused", {});
  await granted(send("POST", "/v1/schedules/paused/pause", {}));
  await put("done", { trigger: { in: "0s" } });
  await put("chain", { trigger: { after: "1h" }, overlap: "skip" });
  const { id: tokenId } = await granted(
    send("POST", "/v1/tokens", { name: "worker", scopes: ["work"], namespaces: ["default"] }),
  );
  const name = ["busy", "paused", "done", "chain", "never-was"];
  return {
    name,
    schedule: name,
    id: [
      tokenId,
      running,
      dispatched,
      waiting,
      `busy@${formatInstant(NOW - 900_000)}`,
      `never-was@${formatInstant(NOW)}`,
    ],
    backfill: ["b1", "b2"],
    from: ["2026-11-30T06:00:00Z", "2026-11-29T00:00:00Z"],
    to: ["2026-11-30T11:00:00Z", "2026-11-30T12:00:00Z"],
    token: [token],
    queue: ["LIBRARY"],
    "if-match": ['"1"', '"2"', "*"],
    timezone: ["Europe/Berlin", "Pacific/Apia"],
    cron: ["*/5 * * * *", "0 2 * * *", "0 0 31 * *"],
    at: ["2026-11-30T12:00:00Z", "2026-10-25T02:30", "2027-03-28T02:30:00"],
  };
}

const known = await settle();
const first = new Map(population);
const firstTokens = new Map(tokens);
const entry = {
  namespace: "default",
  name: "busy",
  shard: "LEDGER",
  state: "active" as const,
  revision: 1,
  createdAt: NOW - 1e6,
  updatedAt: NOW,
  description: null,
  tags: [],
  managedBy: null,
  health: "healthy",
  definition: { trigger: { every: "PT15M" }, target: { queue: "LIBRARY" } },
};
const item = occurrenceView("default", "busy", { state: "failed" });
const placed = { at: { slot: NOW, schedule: "default/busy", variant: "" }, item };
ledger.schedule = (_, name) => Promise.resolve(name === "busy" ? entry : null);
ledger.schedules = () => Promise.resolve([entry, entry]);
ledger.schedulesAfter = () => Promise.resolve([entry]);
ledger.history = () => Promise.resolve({ items: [placed], end: placed.at });
ledger.occurrences = () => Promise.resolve({ items: [placed], end: null });
ledger.occurrence = (_, name) =>
  Promise.resolve(
    name === "busy" ? { occurrence: item, isFinal: true, token: 7, payload: null, queue: null } : null,
  );
ledger.revision = () => Promise.resolve(entry.definition);
const made: Change = {
  version: 1,
  revision: 1,
  at: NOW - 1e6,
  cursor: NOW - 1e6,
  action: "create",
  who: "admin",
  note: null,
  paused: false,
  until: null,
  catchUp: null,
  dueAt: null,
  definition: entry.definition,
};
ledger.changes = (_, name) => Promise.resolve(name === "busy" ? [made] : []);
ledger.revisions = () => Promise.resolve([made]);
ledger.work = () => Promise.resolve([placed.at]);

// ── the document ────────────────────────────────────────────────────────────────────────────────

const document = (await send("GET", "/openapi.json")).body as unknown as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
};
const validate = validatorOf(document);
const lookUp = (ref: string) => document.components.schemas[ref.split("/").at(-1)!]!;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    call: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    operation,
  })),
);

// ── requests ────────────────────────────────────────────────────────────────────────────────────

interface Sent {
  path: Record<string, string>;
  query: [string, string][];
  headers: Record<string, string>;
  body: string | undefined;
}

function requestsOf({ parameters = [], requestBody }: Operation): fc.Arbitrary<Sent> {
  const all = parameters.map((it) =>
    it.$ref === undefined ? it : document.components.parameters[it.$ref.split("/").at(-1)!]!,
  );
  const text = ({ name, schema }: Parameter) => {
    const good = fc.oneof(
      ...(known[name] ? [{ arbitrary: fc.constantFrom(...known[name]), weight: 8 }] : []),
      { arbitrary: valid(schema, lookUp, known), weight: 4 },
      { arbitrary: word, weight: 1 },
    );
    return good.map(String);
  };
  const part = (where: Parameter["in"], optional: boolean) =>
    fc.record(
      Object.fromEntries(all.filter((it) => it.in === where).map((it) => [it.name, text(it)])),
      optional
        ? { requiredKeys: all.filter((it) => it.in === where && it.required).map((it) => it.name) }
        : {},
    );
  const strayed = fc.oneof(
    { arbitrary: fc.constant([]), weight: 8 },
    fc.array(fc.tuple(fc.oneof(word, fc.constantFrom(...all.map(({ name }) => name), "limit")), word), {
      maxLength: 2,
    }),
  );
  return fc.record({
    // Segments that the URL itself takes away name another resource: paths.test.ts has those.
    path: part("path", false).filter((it) => Object.values(it).every((text) => !/^\.{0,2}$/.test(text))),
    query: fc.tuple(part("query", true), strayed).map(([own, strays]) => [...Object.entries(own), ...strays]),
    headers: part("header", true).map((it) =>
      Object.fromEntries(
        Object.entries(it).map(([name, text]) => [name, text.replaceAll(/[^\x20-\x7e]/g, "?")]),
      ),
    ),
    body: requestBody ? bodiesOf(requestBody.content["application/json"]!.schema) : fc.constant(undefined),
  }) as fc.Arbitrary<Sent>;
}

function bodiesOf(schema: Schema): fc.Arbitrary<string | undefined> {
  const good = valid(schema, lookUp, known);
  const sent = (values: fc.Arbitrary<unknown>) => values.map((value) => JSON.stringify(value));
  return fc.oneof(
    { arbitrary: sent(good), weight: 10 },
    { arbitrary: sent(broken(good)), weight: 8 },
    { arbitrary: sent(json), weight: 2 },
    { arbitrary: rawBody, weight: 1 },
    { arbitrary: fc.constant(undefined), weight: 1 },
  );
}

function addressOf(path: string, { path: inPath, query }: Sent): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(inPath[name]!.toWellFormed()),
  );
  const search = new URLSearchParams(query.map(([k, v]) => [k.toWellFormed(), v.toWellFormed()])).toString();
  return search === "" ? filled : `${filled}?${search}`;
}

// ── what holds for every answer ─────────────────────────────────────────────────────────────────

function expectDeclared({ responses }: Operation, { status, headers, body, text }: Answer): void {
  const declared = responses[status];
  expect(declared, `status ${status} of ${Object.keys(responses).join(", ")}: ${text}`).toBeDefined();
  const type = headers.get("content-type") ?? "";
  const content = declared!.content[type];
  expect(content, `content type ${type}`).toBeDefined();
  for (const name of Object.keys(declared!.headers ?? {}))
    if (name !== "Location" || status === 201) expect(headers.get(name), name).not.toBeNull();
  expect(validate(content!.schema, type.includes("json") ? body : text), text).toEqual([]);
}

const GLOBALS = Object.getOwnPropertyNames(Object.prototype).length;
const statuses = new Map<string, number>();

describe("every answer is one that the document declares", () => {
  const each = Math.ceil(REQUESTS / operations.length);

  it.each(operations)("$call", async ({ method, path, operation }) => {
    await fc.assert(
      fc.asyncProperty(requestsOf(operation), async (sent) => {
        calls.length = 0;
        const before = new Map(population);
        const knownTokens = [...tokens.keys()];
        const answer = await send(method, addressOf(path, sent), sent.body, sent.headers);
        const counted = `${operation.operationId} ${answer.status}`;
        statuses.set(counted, (statuses.get(counted) ?? 0) + 1);
        expect(answer.status, answer.text).toBeLessThan(500);
        expectDeclared(operation, answer);
        if (answer.status >= 400) {
          expect([...population]).toEqual([...before]);
          expect([...tokens.keys()]).toEqual(knownTokens);
        }
        expect(Object.getOwnPropertyNames(Object.prototype).length).toBe(GLOBALS);
        population.clear();
        for (const [key, living] of first) population.set(key, living);
        tokens.clear();
        for (const [id, token] of firstTokens) tokens.set(id, token);
      }),
      { numRuns: each },
    );
    expect(faults).toEqual([]);
  });

  it("all operations were granted as well as refused", () => {
    const seen = (id: string, matches: RegExp) =>
      [...statuses].some(([counted]) => counted.startsWith(`${id} `) && matches.test(counted));
    const never = operations
      .map(({ operation }) => operation.operationId)
      .filter((id) => !seen(id, / 2\d\d$/));
    expect(never).toEqual([]);
  });
});
