import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/core/limits.ts";
import { PROBLEMS } from "../../src/http/problem.ts";
import { world } from "../http/world.ts";

async function page() {
  const { send } = world();
  const answer = await send("GET", "/docs", undefined, { authorization: "" });
  const { body } = await send("GET", "/openapi.json");
  return { send, ...answer, document: body as unknown as Document };
}
interface Document {
  paths: Record<string, Record<string, { operationId: string; requestBody?: object; security: object[] }>>;
}

describe("/docs", () => {
  it("is a page for whoever has no token yet, and fetches nothing from outside", async () => {
    const { send, status, headers, text } = await page();
    expect(status).toBe(200);
    expect(headers.get("content-type")).toMatch(/^text\/html/);
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    const loaded = [...text.matchAll(/<(?:script|link|img|iframe)[^>]*(?:src|href)="([^"]+)"/g)].map(
      ([, it]) => it!,
    );
    expect(loaded.length).toBeGreaterThan(3);
    for (const address of loaded.filter((it) => !it.startsWith("data:"))) {
      expect(address).toMatch(/^\/assets\//);
      expect((await send("GET", address, undefined, { authorization: "" })).status).toBe(200);
    }
    expect(text).not.toMatch(/<[^>]+\son\w+=|<style|style="/);
    expect(text).toContain('name="viewport"');
  });

  it("has an anchor for each call, with a curl line that carries its example", async () => {
    const { text, document } = await page();
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const block = new RegExp(
          `<details class="call" id="${operation.operationId}".*?</details>`,
          "s",
        ).exec(text)?.[0];
        expect(block, operation.operationId).toContain(`>${path}<`);
        const curl = /<pre>(curl.*?)<\/pre>/s.exec(block!)![1]!;
        if (method !== "get") expect(curl).toContain(`-X ${method.toUpperCase()}`);
        expect(curl.includes("Bearer $TOKEN")).toBe(operation.security.length > 0);
        expect(curl.includes("--json")).toBe(operation.requestBody !== undefined);
        expect(curl).not.toMatch(/undefined|\{name\}|\{id\}/);
      }
    }
  });

  it("has an anchor for each code, and each limit as it is enforced", async () => {
    const { text } = await page();
    for (const [code, { status, title }] of Object.entries(PROBLEMS)) {
      const row = new RegExp(`<tr id="problem-${code}">.*?</tr>`, "s").exec(text)?.[0];
      expect(row, code).toContain(`<td>${status}</td><td>${title.replaceAll("'", "&#39;")}</td>`);
      expect(row).toContain(`urn:carillon:problem:${code}`);
    }
    for (const name of Object.keys(LIMITS)) expect(text).toContain(`id="limit-${name}"`);
    expect(text).toMatch(/id="limit-PAYLOAD_BYTES_MAX">.*?at most 64 KB/s);
    expect(text).toMatch(/id="limit-INTERVAL_MS_MIN">.*?at least PT1S/s);
  });

  it("leads nowhere in vain", async () => {
    const { text } = await page();
    const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    for (const [, anchor] of text.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(anchor);
  });
});
