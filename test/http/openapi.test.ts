import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { PROBLEMS } from "../../src/http/problem.ts";
import { validatorOf } from "./validator.ts";
import { world } from "./world.ts";

interface Operation {
  operationId: string;
  summary: string;
  security: object[];
  parameters?: { $ref?: string; name?: string; in?: string; required?: boolean; schema?: object }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, Response>;
}
interface Response {
  description: string;
  headers?: Record<string, object>;
  content?: Record<string, { schema: Schema; examples?: Record<string, object> }>;
}
interface Schema {
  $ref?: string;
  description?: string;
  required?: string[];
  examples?: unknown[];
  allOf?: [Schema, Schema];
  properties?: Record<string, Schema>;
  enum?: string[];
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    parameters: Record<string, object>;
    headers: Record<string, object>;
    examples: Record<string, { value: object }>;
  };
}

async function read() {
  const { send } = world();
  const { body } = await send("GET", "/openapi.json");
  const document = body as unknown as Document;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  return { send, document, operations };
}

function lookUp(document: Document, schema: Schema): Schema {
  const name = schema.$ref?.split("/").at(-1);
  return name === undefined ? schema : document.components.schemas[name]!;
}

/** The fields of an object and of the objects in it, by their path. */
function leavesOf({ properties = {} }: Schema): Map<string, Schema> {
  return new Map(
    Object.entries(properties).flatMap(([name, field]) =>
      field.properties
        ? [...leavesOf(field)].map(([inner, leaf]): [string, Schema] => [`${name}.${inner}`, leaf])
        : [[name, field]],
    ),
  );
}

const CALLS = [
  "GET /healthz",
  "GET /openapi.json",
  "PUT /v1/schedules/{name}",
  "GET /v1/schedules/{name}",
  "PATCH /v1/schedules/{name}",
  "DELETE /v1/schedules/{name}",
  "GET /v1/schedules",
  "POST /v1/schedules/{name}/pause",
  "POST /v1/schedules/{name}/resume",
  "POST /v1/schedules/{name}/trigger",
  "GET /v1/schedules/{name}/occurrences",
  "GET /v1/schedules/{name}/upcoming",
  "GET /v1/occurrences",
  "GET /v1/occurrences/{id}",
  "POST /v1/occurrences/{id}/cancel",
  "POST /v1/occurrences/{id}/start",
  "POST /v1/occurrences/{id}/heartbeat",
  "POST /v1/occurrences/{id}/complete",
  "POST /v1/occurrences/{id}/fail",
  "POST /v1/occurrences/{id}/defer",
  "GET /v1/work",
  "POST /v1/preview",
  "POST /v1/simulate",
  "POST /v1/schedules/{name}/backfill",
  "DELETE /v1/schedules/{name}/backfill/{backfill}",
  "GET /v1/schedules/{name}/revisions",
  "GET /v1/schedules/{name}/explain",
  "GET /v1/schedules/{name}/audit",
  "GET /v1/audit",
  "POST /v1/occurrences/{id}/replay",
  "POST /v1/apply",
  "POST /v1/occurrences/replay",
  "POST /v1/sweep",
  "GET /v1/alerts",
  "GET /v1/stats",
  "GET /metrics",
  "POST /v1/tokens",
  "GET /v1/changes",
  "GET /v1/tokens",
  "DELETE /v1/tokens/{id}",
];

describe("the OpenAPI document", () => {
  it("is valid by the official schema of OpenAPI 3.1", async () => {
    const { document } = await read();
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document) as never);
    expect({ valid, errors, version: validator.version }).toEqual({ valid: true, version: "3.1" });
  });

  it("has every call of the API", async () => {
    const { document, operations } = await read();
    expect(document.openapi).toMatch(/^3\.1\./);
    const calls = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect(calls.toSorted()).toEqual(CALLS.toSorted());
  });

  it("names each operation once, says what it does, and which token it needs", async () => {
    const { operations } = await read();
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, operation } of operations) {
      expect(operation.summary).toMatch(/\w/);
      const isClosed = path.startsWith("/v1/") || path === "/metrics";
      expect(operation.security).toEqual(isClosed ? [{ bearer: [] }] : []);
    }
  });

  it("describes each path parameter as required, and points nowhere in vain", async () => {
    const { document, operations } = await read();
    for (const { path, operation } of operations) {
      const inPath = (operation.parameters ?? []).filter((it) => it.in === "path");
      expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
      expect(inPath.every(({ required, schema }) => required === true && schema)).toBe(true);
    }
    for (const [, section, name] of JSON.stringify(document).matchAll(/"#\/components\/(\w+)\/([\w-]+)"/g)) {
      expect(document.components).toHaveProperty([section!, name!]);
    }
  });

  it("lets every POST that does something carry an Idempotency-Key", async () => {
    const { operations } = await read();
    const ref = { $ref: "#/components/parameters/IdempotencyKey" };
    const without = operations.filter(
      ({ operation }) => !JSON.stringify(operation.parameters ?? []).includes(ref.$ref),
    );
    expect(without.filter(({ method }) => method === "post").map(({ path }) => path)).toEqual([
      "/v1/preview",
      "/v1/simulate",
    ]);
    expect(without.length).toBe(operations.filter(({ method }) => method !== "post").length + 2);
  });

  it("promises a problem document for every refusal, and every code somewhere", async () => {
    const { document, operations } = await read();
    const told = new Set<string>();
    for (const { path, operation } of operations) {
      for (const [status, { description, content }] of Object.entries(operation.responses)) {
        // What /healthz says in red is no refusal.
        if (Number(status) < 400 || path === "/healthz") continue;
        const { schema, examples } = content!["application/problem+json"]!;
        const [known, { properties }] = schema.allOf!;
        expect(known).toEqual({ $ref: "#/components/schemas/Problem" });
        for (const code of properties!.code!.enum!) {
          expect(description).toContain(`\`${code}\``);
          expect(examples).toHaveProperty(code, { $ref: `#/components/examples/${code}` });
          expect(document.components.examples[code]!.value).toMatchObject({ code, status: Number(status) });
          told.add(code);
        }
      }
      if (path.startsWith("/v1/")) expect(operation.responses).toHaveProperty("401");
    }
    const untold = Object.keys(PROBLEMS).filter((code) => !told.has(code));
    expect(untold).toEqual(["method_not_allowed"]);
  });

  it("shows an example of every body, and each is taken", async () => {
    const { send, document, operations } = await read();
    for (const { path, method, operation } of operations) {
      const schema = operation.requestBody?.content["application/json"]?.schema;
      if (!schema) continue;
      const [example] = lookUp(document, schema).examples ?? [];
      expect(validatorOf(document)(schema, example), `${method} ${path}`).toEqual([]);
      expect(example, `${method} ${path}`).toBeDefined();
      const real = path.replace("{name}", "nightly").replace("{id}", "nightly@2026-11-30T12:00:00Z");
      const { status, text } = await send(method.toUpperCase(), real, example);
      expect([200, 201, 404], `${method} ${path}: ${text}`).toContain(status);
    }
  });

  it("shows an example of every answer, and each is one", async () => {
    const { document, operations } = await read();
    const validate = validatorOf(document);
    for (const { path, method, operation } of operations) {
      for (const [status, { content = {} }] of Object.entries(operation.responses)) {
        for (const [type, { schema, examples }] of Object.entries(content)) {
          const where = `${method} ${path} ${status} ${type}`;
          const shown = examples
            ? Object.keys(examples).map((code) => document.components.examples[code]!.value)
            : (lookUp(document, schema).examples ?? []);
          expect(shown.length, where).toBeGreaterThan(0);
          for (const example of shown) expect(validate(schema, example), where).toEqual([]);
        }
      }
    }
  });

  it("says of every field of a definition what it means, and what its default is", async () => {
    const { document } = await read();
    const { Definition, DefinitionPatch } = document.components.schemas;
    expect(Definition!.required).toEqual(["trigger", "target"]);
    for (const [name, field] of leavesOf(Definition!)) {
      expect(field.description, name).toMatch(/\w/);
      const isRequired = Definition!.required!.includes(name);
      expect(field.description!.includes("Default: `"), name).toBe(!isRequired);
    }
    expect(leavesOf(Definition!).get("catchUp.grace")!.description).toContain('Default: `"PT5M"`');
    // A field that a patch leaves out stays as it is.
    for (const { description } of leavesOf(DefinitionPatch!).values())
      expect(description).not.toContain("Default: ");
  });

  it("lets a body be left out where nothing in it is required", async () => {
    const { operations } = await read();
    const optional = operations.filter(({ operation }) => operation.requestBody?.required === false);
    expect(optional.map(({ operation }) => operation.operationId)).toEqual([
      "patchSchedule",
      "pauseSchedule",
      "resumeSchedule",
      "triggerSchedule",
      "replayOccurrence",
    ]);
  });
});
