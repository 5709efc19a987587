import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Position } from "../../src/ledger/page.ts";
import type { ItemsQuery, LedgerReads } from "../../src/ledger/reads.ts";
import type { HistoryItem } from "../../src/ledger/row.ts";
import { brief, gap, HOUR, ledger, MINUTE, NOW, occurrence, record, schedule } from "./rows.ts";

describe("occurrences of a namespace", () => {
  const query = (more: Partial<ItemsQuery> = {}): ItemsQuery => ({
    namespace: "default",
    schedules: null,
    state: null,
    reason: null,
    kind: null,
    from: 0,
    before: { slot: NOW + 1, schedule: "", variant: "" },
    limit: 50,
    ...more,
  });
  const names = (items: { item: HistoryItem }[]) =>
    items.map(({ item }) => `${item.schedule} ${brief(item)}`);
  const of = (name: string, namespace = "default") => ({ schedule: `${namespace}/${name}` });

  it("are listed newest first, gap rows included, and no other namespace's", async () => {
    await record(
      occurrence(NOW - HOUR, of("a")),
      occurrence(NOW - HOUR, of("b")),
      occurrence(NOW - 2 * HOUR, of("a")),
      gap(NOW - 5 * HOUR, NOW - 90 * MINUTE, of("b")),
      occurrence(NOW, of("a", "default-2")),
      occurrence(NOW, of("a", "billing")),
    );
    const all = ["b 60", "a 60", "b 300..90", "a 120"];
    expect(names((await ledger.occurrences(query())).items)).toEqual(all);
    const seen: string[] = [];
    for (let before: Position | null = query().before; before;) {
      const page: Awaited<ReturnType<LedgerReads["occurrences"]>> = await ledger.occurrences(
        query({ before, limit: 1 }),
      );
      seen.push(...names(page.items));
      before = page.end;
    }
    expect(seen).toEqual(all);
  });

  it("are filtered by state, reason, kind and range", async () => {
    await record(
      occurrence(NOW - HOUR),
      occurrence(NOW - 2 * HOUR, { state: "failed", reason: "lease_expired" }),
      occurrence(NOW - 3 * HOUR, { state: "skipped", reason: "overlap" }),
      occurrence(NOW - 4 * HOUR, { state: "failed", kind: "catch_up" }),
      gap(NOW - 6 * HOUR, NOW - 5 * HOUR, { reason: "missed" }),
      gap(NOW - 8 * HOUR, NOW - 7 * HOUR, { reason: "paused" }),
    );
    const list = async (more: Partial<ItemsQuery>) =>
      (await ledger.occurrences(query(more))).items.map(({ item }) => brief(item));
    expect(await list({ state: "failed" })).toEqual(["120", "240"]);
    expect(await list({ state: "failed", kind: "catch_up" })).toEqual(["240"]);
    expect(await list({ state: "failed", reason: "lease_expired" })).toEqual(["120"]);
    expect(await list({ state: "skipped" })).toEqual(["180", "360..300", "480..420"]);
    expect(await list({ reason: "missed" })).toEqual(["360..300"]);
    expect(await list({ kind: "gap" })).toEqual(["360..300", "480..420"]);
    expect(await list({ state: "succeeded" })).toEqual(["60"]);
    expect(
      await list({ from: NOW - 3 * HOUR, before: { slot: NOW - HOUR, schedule: "", variant: "" } }),
    ).toEqual(["120", "180"]);
  });

  it("read nothing but failed ones to list failed ones, and a bounded stretch for a rare kind", async () => {
    const happy = Array.from({ length: 4_500 }, (_, i) => occurrence(NOW - i * 1_000));
    await record(...happy, occurrence(NOW - 5_000_000, { state: "failed", kind: "manual", computed: 0 }));
    const read = meter();
    expect(names((await ledger.occurrences(query({ state: "failed", kind: "manual" }))).items)).toHaveLength(
      1,
    );
    expect(read()).toBeLessThan(20);

    const pages: number[] = [];
    for (let before: Position | null = query().before; before;) {
      const page: Awaited<ReturnType<LedgerReads["occurrences"]>> = await ledger.occurrences(
        query({ before, kind: "manual" }),
      );
      expect(read()).toBeLessThan(2_500);
      pages.push(page.items.length);
      before = page.end;
    }
    expect(pages).toEqual([0, 0, 0, 0, 1]);
  });

  /** Rows read by `all()` since the last look. */
  function meter(): () => number {
    let rows = 0;
    const prepare = env.LEDGER.prepare.bind(env.LEDGER);
    vi.spyOn(env.LEDGER, "prepare").mockImplementation((sql) => {
      const statement = prepare(sql);
      const bind = statement.bind.bind(statement);
      statement.bind = (...values) => {
        const bound = bind(...values);
        const all = bound.all.bind(bound);
        bound.all = async <T>() => {
          const result = await all<T>();
          rows += result.meta.rows_read;
          return result;
        };
        return bound;
      };
      return statement;
    });
    return () => {
      const read = rows;
      rows = 0;
      return read;
    };
  }
});

describe("one occurrence", () => {
  it("is found by its key, with the token that settled it", async () => {
    await record(
      schedule("nightly"),
      occurrence(NOW, { token: 7 }),
      occurrence(NOW, { variant: "~r1", state: "running", kind: "replay" }),
      occurrence(NOW - HOUR, { state: "dispatched", body: { tracked: false, attempts: [] } }),
    );
    const find = (slot: number, variant: string) =>
      ledger.occurrence("default", "nightly", { slot, variant });
    expect(await find(NOW, "")).toMatchObject({
      isFinal: true,
      token: 7,
      occurrence: { state: "succeeded" },
    });
    expect(await find(NOW, "~r1")).toMatchObject({
      isFinal: false,
      token: null,
      occurrence: { kind: "replay" },
    });
    expect(await find(NOW - HOUR, "")).toMatchObject({ isFinal: true });
    expect(await find(NOW, "~r2")).toBeNull();
    expect(await ledger.occurrence("billing", "nightly", { slot: NOW, variant: "" })).toBeNull();
  });
});

describe("work", () => {
  it("is what is dispatched to a polled queue and not started, oldest first", async () => {
    const waiting = { state: "dispatched", queue: "EXTERNAL" };
    await record(
      occurrence(NOW, waiting),
      occurrence(NOW - HOUR, waiting),
      occurrence(NOW - 2 * HOUR, { ...waiting, queue: "OTHER" }),
      occurrence(NOW - 3 * HOUR, { ...waiting, state: "running" }),
      occurrence(NOW - 4 * HOUR, { ...waiting, schedule: "billing/nightly" }),
    );
    const work = { namespace: "default", schedules: null, queue: "EXTERNAL" };
    const place = (slot: number) => ({ slot, schedule: "default/nightly", variant: "" });
    expect(await ledger.work({ ...work, limit: 10 })).toEqual([place(NOW - HOUR), place(NOW)]);
    expect(await ledger.work({ ...work, limit: 1 })).toEqual([place(NOW - HOUR)]);
    expect(await ledger.work({ ...work, schedules: ["other"], limit: 10 })).toEqual([]);
  });
});

describe("the directory", () => {
  const query = {
    namespace: "default",
    schedules: null,
    state: null,
    health: null,
    tag: null,
    managedBy: null,
    q: null,
    before: null,
    limit: 10,
  };
  const list = async (more: object) =>
    (await ledger.schedules({ ...query, ...more })).map(({ name }) => name);

  beforeEach(() =>
    record(
      schedule("b", { created_at: 1, tags: ["finance", "50%"], managed_by: "ci" }),
      schedule("a", { created_at: 1, description: "Reports of the NIGHT" }),
      schedule("c", { created_at: 2, state: "paused", health: "paused" }),
      schedule("gone", { created_at: 3, state: "deleted" }),
      schedule("theirs", { created_at: 4, namespace: "billing" }),
    ),
  );

  it("lists newest first, and goes on after the last", async () => {
    expect(await list({})).toEqual(["c", "b", "a"]);
    expect(await list({ before: { createdAt: 1, name: "b" } })).toEqual(["a"]);
    expect(await list({ limit: 1 })).toEqual(["c", "b"]);
  });

  it.each([
    { by: { state: "paused" }, found: ["c"] },
    { by: { state: "deleted" }, found: ["gone"] },
    { by: { health: "healthy" }, found: ["b", "a"] },
    { by: { tag: "finance" }, found: ["b"] },
    { by: { tag: "fin" }, found: [] },
    { by: { managedBy: "ci" }, found: ["b"] },
    { by: { q: "night" }, found: ["a"] },
    { by: { q: "50%" }, found: ["b"] },
    { by: { q: "%" }, found: ["b"] },
    { by: { q: "_" }, found: [] },
  ])("finds $found by $by", async ({ by, found }) => {
    expect(await list(by)).toEqual(found);
  });

  it("reads one, deleted or not", async () => {
    expect(await ledger.schedule("default", "gone")).toMatchObject({
      name: "gone",
      state: "deleted",
      tags: [],
    });
    expect(await ledger.schedule("default", "theirs")).toBeNull();
  });
});
