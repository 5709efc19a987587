/** OCPS 1.1, nicknames: increments/OCPS-increment-1.1.md. */
import { describe, expect, it } from "vitest";
import { parseCron } from "../../src/core/cron.ts";
import { cron, refusal, slots } from "./ask.ts";

const FROM = "2026-11-30T00:00:00Z";
const refused = (pattern: string) => refusal({ trigger: { cron: pattern, timezone: "UTC" } });

describe("§4.1 nicknames", () => {
  it.each([
    ["@yearly", "0 0 1 1 *"],
    ["@annually", "0 0 1 1 *"],
    ["@monthly", "0 0 1 * *"],
    ["@weekly", "0 0 * * 0"],
    ["@daily", "0 0 * * *"],
    ["@midnight", "0 0 * * *"],
    ["@hourly", "0 * * * *"],
  ])("%s is %s", (nickname, pattern) => {
    expect(slots(cron(nickname), FROM, 10)).toEqual(slots(cron(pattern), FROM, 10));
  });
  it("are case-sensitive", () => {
    expect(refused("@MONTHLY")).toMatchObject({
      hint: "Did you mean @monthly ?",
      data: { suggestion: "@monthly" },
    });
    expect(refused("@Daily").code).toBe("invalid_trigger");
  });
  it.each(["@daily 0 0 * * *", "0 0 * * * @daily", "@daily @hourly", "@every 5m", "@", "@day"])(
    "stand alone: %s",
    (pattern) => {
      expect(refused(pattern).code).toBe("invalid_trigger");
    },
  );
  it("keep their name in the definition", () => {
    const parsed = parseCron(" @daily ");
    expect(parsed.ok && parsed.value.text).toBe("@daily");
  });
});

describe("§4.2 @reboot", () => {
  it("is known, and refused with its own message rather than as a mistake", () => {
    expect(refused("@reboot").message).toContain("@reboot is valid cron, but");
    expect(refused("@reboot").hint).toBeUndefined();
  });
});
