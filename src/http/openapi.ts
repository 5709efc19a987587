/** `GET /openapi.json`: the document, made from the routes themselves. Open to everybody once configured. */
import type { Hono } from "hono";
import { generateSpecs } from "hono-openapi";
import * as v from "valibot";
import manifest from "../../package.json" with { type: "json" };
import type { AppEnv } from "./context.ts";
import { HEADERS, operation } from "./operation.ts";
import { PROBLEMS, typeOf, type ProblemCode } from "./problem.ts";
import { REMEDIES } from "./remedies.ts";
import { NAMESPACE } from "./requests.ts";

type Document = Awaited<ReturnType<typeof generateSpecs>>;

export function serveDocument(app: Hono<AppEnv>): void {
  let document: Promise<Document> | null = null;
  app.get(
    "/openapi.json",
    operation({
      id: "getDocument",
      tag: "Service",
      scope: null,
      summary: "This document",
      answers: { 200: { description: "OpenAPI 3.1", schema: v.looseObject({ openapi: v.string() }) } },
    }),
    async (c) => c.json(await (document ??= makeDocument(app))),
  );
}

function makeDocument(app: Hono<AppEnv>): Promise<Document> {
  return generateSpecs(app, {
    excludeStaticFile: false,
    defaultValidationErrorResponse: false,
    documentation: {
      info: {
        title: "Carillon",
        version: manifest.version,
        description: `${manifest.description}\n\nErrors are RFC 9457 problem documents with a stable \`code\`.`,
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
}

function problemExample(code: ProblemCode) {
  const { status, title } = PROBLEMS[code];
  return { summary: title, value: { type: typeOf(code), title, status, detail: REMEDIES[code], code } };
}
