/** The OpenAPI document as the reference page reads it: each call with its parts in order, and a curl line that works. */
import type { JsonSchema } from "../http/fields.ts";

export interface Field {
  name: string;
  type: string;
  required: boolean;
  words: string;
}

export interface Reply {
  status: string;
  description: string;
  headers: string[];
  /** Codes, where it is a problem. */
  codes: string[];
  example: unknown;
}

export interface Call {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  parameters: (Field & { where: string })[];
  body: { fields: Field[]; example: unknown } | null;
  replies: Reply[];
  curl: string;
}

export interface Group {
  name: string;
  description: string;
  calls: Call[];
}

/** What of OpenAPI 3.1 our own document uses. */
interface Document {
  tags: { name: string; description: string }[];
  paths: { [path: string]: { [method: string]: Operation } };
  components: { [section: string]: { [name: string]: object } };
}
interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: object[];
  parameters: (Referring & Parameter)[];
  requestBody?: { content: { [type: string]: { schema: JsonSchema } } };
  responses: { [status: string]: Response };
}
interface Referring {
  $ref?: string;
}
interface Parameter {
  in: string;
  name: string;
  required?: boolean;
  description?: string;
  schema: JsonSchema;
}
interface Content {
  schema: JsonSchema;
  examples?: object;
}
interface Response {
  description: string;
  headers?: object;
  content?: { [type: string]: Content };
}

export function readReference(openapi: object): Group[] {
  const document = openapi as Document;
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      tag: operation.tags[0],
      call: callOf(document, { path, method: method.toUpperCase(), operation }),
    })),
  );
  return document.tags.map(({ name, description }) => ({
    name,
    description,
    calls: calls.filter(({ tag }) => tag === name).map(({ call }) => call),
  }));
}

type Place = { path: string; method: string; operation: Operation };

function callOf(document: Document, place: Place): Call {
  const { operationId, summary, description, requestBody, responses } = place.operation;
  const parameters = place.operation.parameters.map((it) => follow(document, it));
  const schema = requestBody && follow(document, requestBody.content["application/json"]!.schema);
  const body = schema ? { fields: fieldsOf(document, schema), example: exampleOf(schema) } : null;
  return {
    id: operationId,
    method: place.method,
    path: place.path,
    summary,
    description,
    parameters: parameters.map((it) => ({
      where: it.in,
      name: it.name,
      type: typeOf(document, it.schema),
      required: it.required ?? false,
      words: it.description ?? textOf(it.schema.description),
    })),
    body,
    replies: Object.entries(responses).map(([status, reply]) => replyOf(document, status, reply)),
    curl: curlOf(place, parameters, body),
  };
}

function replyOf(document: Document, status: string, { description, headers, content }: Response): Reply {
  // Not modified has no content.
  const [{ schema, examples } = {}] = Object.values(content ?? {}) as [Content?];
  return {
    status,
    description,
    headers: Object.keys(headers ?? {}),
    codes: Object.keys(examples ?? {}),
    example: examples || !schema ? undefined : exampleOf(follow(document, schema)),
  };
}

function curlOf({ path, method, operation }: Place, parameters: Parameter[], body: Call["body"]): string {
  const exampleFor = (it: Parameter) => encodeURIComponent(textOf(exampleOf(it.schema)) || `{${it.name}}`);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((it) => it.in === "path" && it.name === name);
    return parameter ? exampleFor(parameter).replaceAll("%40", "@").replaceAll("%3A", ":") : name;
  });
  const query = parameters
    .filter((it) => it.in === "query" && it.required)
    .map((it) => `${it.name}=${exampleFor(it)}`);
  const lines = [
    `curl${method === "GET" ? "" : ` -X ${method}`} "$CARILLON${filled}${query.length > 0 ? `?${query.join("&")}` : ""}"`,
    ...(operation.security.length > 0 ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(body ? [`--json '${JSON.stringify(body.example).replaceAll("'", String.raw`'\''`)}'`] : []),
  ];
  return lines.join(" \\\n  ");
}

/** The fields of an object, those of the objects in it behind a dot. */
function fieldsOf(document: Document, schema: JsonSchema, before = ""): Field[] {
  const required = new Set(schema.required as string[] | undefined);
  return Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).flatMap(([name, said]) => {
    const field = follow(document, said);
    const own = {
      name: before + name,
      type: typeOf(document, field),
      required: required.has(name),
      words: textOf(field.description),
    };
    const isGroup = field.properties !== undefined && before === "";
    return [own, ...(isGroup ? fieldsOf(document, field, `${name}.`) : [])];
  });
}

function typeOf(document: Document, said: JsonSchema): string {
  const schema = follow(document, said);
  if ("const" in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((one) => JSON.stringify(one)).join(" · ");
  const several = (schema.oneOf ?? schema.anyOf) as JsonSchema[] | undefined;
  if (several)
    return [...new Set(several.map((one) => textOf(one.title) || typeOf(document, one)))].join(" · ");
  if (schema.type === "array") return `list of ${typeOf(document, (schema.items ?? {}) as JsonSchema)}`;
  return `${textOf(schema.type) || "any"}${rangeOf(schema)}`;
}

function rangeOf({ minimum, maximum, maxLength }: JsonSchema): string {
  if (minimum !== undefined || maximum !== undefined) return ` ${textOf(minimum)}–${textOf(maximum)}`;
  return maxLength === undefined ? "" : ` up to ${textOf(maxLength)} characters`;
}

function exampleOf({ examples }: JsonSchema): unknown {
  return Array.isArray(examples) ? examples[0] : undefined;
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function follow<T extends object>(document: Document, one: T): T {
  const [, section, name] = /^#\/components\/(\w+)\/([\w-]+)$/.exec((one as Referring).$ref ?? "") ?? [];
  return section === undefined || name === undefined ? one : (document.components[section]![name] as T);
}
