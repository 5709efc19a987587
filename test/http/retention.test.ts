/** How long history is kept where a schedule does not say: its namespace decides, and the definition shows it. */
import { describe, expect, it } from "vitest";
import { configOf } from "../../src/config.ts";
import { DEFINITION, world } from "./world.ts";

const DAY = 86_400_000;
const RETENTION = '{ "ci": "7d", "*": "P30D" }';

async function putIn(namespace: string, more: object = {}, env: object = { RETENTION }) {
  const { send, calls } = world({ ...env });
  const headers = { "carillon-namespace": namespace };
  await send("PUT", "/v1/schedules/nightly", { ...DEFINITION, ...more }, headers);
  const put = calls.find(({ name }) => name === "put")?.args[0] as { input: { retentionMs?: number } };
  return put.input.retentionMs;
}

describe("retention", () => {
  it("is the schedule's own, else its namespace's, else that of all others, else the default", async () => {
    expect(await putIn("ci", { retention: "1d" })).toBe(DAY);
    expect(await putIn("ci")).toBe(7 * DAY);
    expect(await putIn("default")).toBe(30 * DAY);
    expect(await putIn("default", {}, {})).toBeUndefined();
  });

  it("is its namespace's again where PATCH says null", async () => {
    const { send, calls } = world({ RETENTION });
    await send("PATCH", "/v1/schedules/nightly", { retention: null });
    expect(calls.find(({ name }) => name === "patch")?.args[0]).toMatchObject({
      patch: { retentionMs: 30 * DAY },
    });
  });

  it("that cannot be understood closes the API instead of pruning by a guess", () => {
    const faultsOf = (value: unknown) =>
      configOf({ ADMIN_TOKEN: "t".repeat(16), TARGETS: "{}", RETENTION: value }).faults.length;
    expect([RETENTION, "", undefined, "90d", "[", '{ "*": "a year" }'].map(faultsOf)).toEqual([
      0, 0, 0, 1, 1, 1,
    ]);
  });
});
