/**
 * The OpenAPI document as a tester reads it: what may be sent to an operation, as it says, broken in one place or hostile,
 * and whether an answer is one that it declares.
 */
import * as fc from "fast-check";
import { expect } from "vitest";
import { broken, json, rawBody, valid, word, type Known, type Schema } from "./arbitrary.ts";

interface Parameter {
  $ref?: string;
  in: "path" | "query" | "header";
  name: string;
  required?: boolean;
  schema: Schema;
}
export interface Operation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { headers?: object; content?: Record<string, { schema: Schema }> }>;
}

export interface Sent {
  path: Record<string, string>;
  query: [string, string][];
  headers: Record<string, string>;
  body: string | undefined;
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
}

type Validate = (schema: object, value: unknown) => string[];

/** `known`: what the world that is asked knows by name. */
export function readDocument(source: unknown, validatorOf: (document: object) => Validate, known: Known) {
  const document = source as Document;
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
      query: fc
        .tuple(part("query", true), strayed)
        .map(([own, strays]) => [...Object.entries(own), ...strays]),
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

  function expectDeclared({ responses }: Operation, { status, headers, text }: Reply): void {
    const declared = responses[status];
    expect(declared, `status ${status} of ${Object.keys(responses).join(", ")}: ${text}`).toBeDefined();
    for (const name of Object.keys(declared!.headers ?? {}))
      if (isOwed(name, status)) expect(headers.get(name), name).not.toBeNull();
    if (declared!.content === undefined) return expect(text).toBe("");
    const type = headers.get("content-type") ?? "";
    const content = declared!.content[type];
    expect(content, `content type ${type}`).toBeDefined();
    expect(validate(content!.schema, type.includes("json") ? JSON.parse(text) : text), text).toEqual([]);
  }

  return { operations, requestsOf, expectDeclared };
}

/** Only a resource that was made has a place; of the codes that share a status only some say when to come again. */
function isOwed(name: string, status: number): boolean {
  return name !== "Retry-After" && (name !== "Location" || status === 201);
}

export function addressOf(path: string, { path: inPath, query }: Sent): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(inPath[name]!.toWellFormed()),
  );
  const search = new URLSearchParams(query.map(([k, v]) => [k.toWellFormed(), v.toWellFormed()])).toString();
  return search === "" ? filled : `${filled}?${search}`;
}
