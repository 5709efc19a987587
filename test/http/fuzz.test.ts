/**
 * Whatever the document says may be sent is sent: as it says, broken in one place, and hostile. No answer is a 5xx,
 * each is what the document declares for its status, and what was refused has changed nothing.
 */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Change } from "../../src/core/eras.ts";
import { addressOf, readDocument } from "./document.ts";
import { settle } from "./known.ts";
import { livingStub, type Population } from "./living.ts";
import { validatorOf } from "./validator.ts";
import { NOW, occurrenceView, world } from "./world.ts";

/** Of all operations together. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 20_000);

// ── a world in which something goes on ──────────────────────────────────────────────────────────

const population: Population = new Map();
const { send, ledger, calls, tokens, faults } = world({}, (namespace, name) =>
  livingStub(population, `${namespace}/${name}`, () => NOW),
);

const known = await settle(send, NOW);
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

const { operations, requestsOf, expectDeclared } = readDocument(
  (await send("GET", "/openapi.json")).body,
  validatorOf,
  known,
);

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
