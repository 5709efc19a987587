/** `GET /openapi.json`: the document, made from the routes themselves. Open to everybody once configured. */
import type { Hono } from "hono";
import { generateSpecs } from "hono-openapi";
import * as v from "valibot";
import manifest from "../../package.json" with { type: "json" };
import type { AppEnv } from "./context.ts";
import { shown, type JsonSchema } from "./fields.ts";
import { explainFields } from "./glossary.ts";
import { HEADERS, operation } from "./operation.ts";
import { PROBLEMS, typeOf, type ProblemCode } from "./problem.ts";
import { REMEDIES } from "./remedies.ts";
import { NAMESPACE } from "./requests.ts";

const ABOUT = [
  "Errors are RFC 9457 problem documents (`application/problem+json`) with a stable `code`, the place that is to blame, and often a hint.",
  "Unknown fields and parameters are refused, by name. Durations are exact: ISO 8601 (`PT15M`) or short (`15m`) in, ISO 8601 out. Instants are RFC 3339.",
  "Lists answer `{ items, nextCursor }`, newest first: go on with `cursor` until it is null.",
  "A method that a resource does not know is 405 (`method_not_allowed`), with the others in `Allow`; each GET has its HEAD. `/docs` shows this document, all codes and all limits.",
].join("\n\n");

type Document = Awaited<ReturnType<typeof generateSpecs>>;

export function serveDocument(app: Hono<AppEnv>): void {
  let made: Promise<Document> | null = null;
  const document = () => (made ??= makeDocument(app));
  app.use(async function offerDocument(c, next) {
    c.set("document", document);
    await next();
  });
  app.get(
    "/openapi.json",
    operation({
      id: "getDocument",
      tag: "Service",
      scope: null,
      summary: "This document",
      answers: {
        200: {
          description: "OpenAPI 3.1",
          schema: shown(v.looseObject({ openapi: v.string() }), { openapi: "3.1.0" }),
        },
      },
    }),
    async (c) => c.json(await c.var.document()),
  );
}

async function makeDocument(app: Hono<AppEnv>): Promise<Document> {
  const document = await generateSpecs(app, {
    excludeStaticFile: false,
    defaultValidationErrorResponse: false,
    documentation: {
      info: {
        title: "Carillon",
        version: manifest.version,
        description: `${manifest.description}\n\n${ABOUT}`,
        license: { name: "MIT", identifier: "MIT" },
      },
      servers: [{ url: "/" }],
      tags: [
        { name: "Schedules", description: "Definitions, their state, their history" },
        { name: "Occurrences", description: "What became of each slot" },
        { name: "Work", description: "The worker protocol: any language can be a worker" },
        { name: "Tools", description: "Without saving anything" },
        { name: "Service", description: "The scheduler itself" },
      ],
      components: {
        headers: Object.fromEntries(
          Object.entries(HEADERS).map(([name, description]) => [
            name,
            { description, schema: { type: "string" as const } },
          ]),
        ),
        examples: Object.fromEntries(
          (Object.keys(PROBLEMS) as ProblemCode[]).map((code) => [code, problemExample(code)]),
        ),
        securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
        parameters: {
          IdempotencyKey: {
            name: "Idempotency-Key",
            in: "header",
            description: "The same key and body again within a day gets the first answer again",
            schema: { type: "string", minLength: 1, maxLength: 255 },
            example: "8e03978e-40d5-43dd-bc93-6894a57f9324",
          },
          Namespace: {
            name: "Carillon-Namespace",
            in: "header",
            description: "For tokens that may use several namespaces",
            schema: { type: "string", pattern: NAMESPACE.source, default: "default" },
          },
        },
      },
    },
  });
  for (const name of ["Definition", "DefinitionPatch", "Schedule"]) {
    const schema = document.components?.schemas?.[name];
    if (schema) explainFields(schema as JsonSchema, { withDefaults: name === "Definition" });
  }
  return document;
}

function problemExample(code: ProblemCode) {
  const { status, title } = PROBLEMS[code];
  return { summary: title, value: { type: typeOf(code), title, status, detail: REMEDIES[code], code } };
}
