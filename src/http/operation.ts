/**
 * What a route is: its words in the OpenAPI document and the scope it needs, in one piece, so that the
 * document cannot promise what the door does not do.
 */
import type { Context } from "hono";
import { uniqueSymbol } from "hono-openapi";
import * as v from "valibot";
import type { Scope } from "../ledger/tokens.ts";
import type { AppEnv } from "./context.ts";
import { coversSchedule } from "./principal.ts";
import { PROBLEMS, refuse, type ProblemCode } from "./problem.ts";
import { document } from "./validate.ts";
import { problem } from "./views.ts";

interface Operation {
  id: string;
  summary: string;
  description?: string;
  tag: "Schedules" | "Occurrences" | "Work" | "Tools" | "Service";
  /**
   * Null: open to everybody. `read` looks, `write` defines (pause and resume are part of that), `trigger` starts runs by
   * hand and calls them off, `work` runs, `admin` looks after tokens and the service. None implies another.
   */
  scope: Scope | null;
  answers: { [status: number]: Answer };
  refuses?: readonly ProblemCode[];
  /** Every POST that does something takes an Idempotency-Key (idempotency.ts), and says so. */
  takesKey?: true;
}

interface Answer {
  description: string;
  /** Null: it has no body. */
  schema: v.GenericSchema | null;
  headers?: readonly (keyof typeof HEADERS)[];
  /** JSON unless told otherwise. */
  type?: string;
}

/** What answers carry beside their body. */
export const HEADERS = {
  ETag: "The revision in force, for `If-Match`",
  Location: "Where what was made can be read",
  "Retry-After": "Seconds after which the same request may work",
  "WWW-Authenticate": "That a bearer token is wanted",
} as const;

/** What any call with a token may meet. */
const ALWAYS: ProblemCode[] = [
  "unauthorized",
  "forbidden",
  "not_found",
  "unknown_field",
  "invalid_field",
  "internal",
];
const PASSING: ProblemCode[] = ["rate_limited", "not_configured", "ledger_unavailable", "overloaded"];
const REPEATS: ProblemCode[] = ["idempotency_in_progress", "idempotency_key_reused"];
/** What a call with a body may meet beside. */
export const BODY: ProblemCode[] = ["invalid_json", "body_too_large"];

export function operation(of: Operation) {
  async function requireScope(c: Context<AppEnv>, next: () => Promise<void>) {
    if (of.scope !== null && !c.get("principal").scopes.includes(of.scope)) {
      return refuse(c, {
        code: "forbidden",
        message: `This call needs the scope "${of.scope}".`,
        data: { scope: of.scope },
      });
    }
    const named = scheduleIn(c);
    if (of.scope !== null && named !== null && !coversSchedule(c.get("principal"), named)) {
      return refuse(c, { code: "not_found", message: "This token sees no such schedule." });
    }
    return next();
  }
  return Object.assign(requireScope, { [uniqueSymbol]: { spec: describe(of) } });
}

/** The schedule that the path names, by itself or with one of its occurrences. */
export function scheduleIn(c: Context): string | null {
  const { name, id } = c.req.param() as { name?: string; id?: string };
  return name ?? /^(.+?)@/.exec(id ?? "")?.[1] ?? null;
}

function describe({ id, summary, description, tag, scope, answers, refuses = [], takesKey }: Operation) {
  const repeats = takesKey ? REPEATS : [];
  const codes = scope === null ? refuses : [...ALWAYS, ...refuses, ...repeats, ...PASSING];
  return {
    operationId: id,
    summary,
    description: [description, scope === null ? "" : `Scope: \`${scope}\`.`].filter(Boolean).join("\n\n"),
    tags: [tag],
    security: scope === null ? [] : [{ bearer: [] }],
    parameters: [
      ...(scope === null ? [] : [{ $ref: "#/components/parameters/Namespace" }]),
      ...(takesKey ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
    ],
    responses: { ...describeAnswers(answers), ...describeProblems(codes) },
  };
}

function describeAnswers(answers: Operation["answers"]) {
  return Object.fromEntries(
    Object.entries(answers).map(
      ([status, { description, schema, headers = [], type = "application/json" }]) => [
        status,
        {
          description,
          ...describeHeaders(headers),
          ...(schema && { content: { [type]: { schema: document(schema) } } }),
        },
      ],
    ),
  );
}

/** One response for each status: its schema knows the codes that may come with it, and each has its example. */
function describeProblems(codes: readonly ProblemCode[]) {
  const byStatus = Map.groupBy(new Set(codes), (code) => PROBLEMS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}`).join("; "),
        ...describeHeaders(headersOf(status, codes)),
        content: {
          "application/problem+json": {
            schema: document(v.intersect([problem, v.looseObject({ code: v.picklist(codes) })])),
            examples: Object.fromEntries(
              codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
            ),
          },
        },
      },
    ]),
  );
}

function headersOf(status: number, codes: ProblemCode[]): (keyof typeof HEADERS)[] {
  if (status === 401) return ["WWW-Authenticate"];
  return codes.some((code) => PROBLEMS[code].retryAfter !== undefined) ? ["Retry-After"] : [];
}

function describeHeaders(names: readonly (keyof typeof HEADERS)[]) {
  if (names.length === 0) return {};
  return {
    headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
  };
}
