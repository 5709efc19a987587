/** Reads one part of a request by its schema, for the handler, for the types and for the OpenAPI document. */
import type { Context, MiddlewareHandler } from "hono";
import { resolver, uniqueSymbol } from "hono-openapi";
import * as v from "valibot";
import { ok, type Ok } from "../core/errors.ts";
import { readJson } from "./body.ts";
import type { AppEnv } from "./context.ts";
import type { FailureIssue, HintedIssue, ParsedSchema } from "./fields.ts";
import { refuse, type Outcome, type Refusal } from "./problem.ts";

type Part = "json" | "query" | "param" | "header";

export function accept<const P extends Part, S extends v.GenericSchema>(
  part: P,
  schema: S,
  bytesMax?: number,
): MiddlewareHandler<AppEnv, string, { in: Record<P, v.InferInput<S>>; out: Record<P, v.InferOutput<S>> }> {
  async function validate(c: Context<AppEnv>, next: () => Promise<void>) {
    const input = await read(c, part, bytesMax);
    if (!input.ok) return refuse(c, input.error);
    const found = check(part, schema, input.value);
    if (!found.ok) return refuse(c, ...found.errors);
    c.req.addValidatedData(part, found.value as object);
    return next();
  }
  return Object.assign(validate, {
    [uniqueSymbol]: part === "json" ? describeBody(schema) : describePart(part, schema),
  });
}

type Checked<T> = Ok<T> | { ok: false; errors: [Refusal, ...Refusal[]] };

/** What the API would say to it, for whoever asks without a request of that kind. */
export function check<S extends v.GenericSchema>(
  part: Part,
  schema: S,
  input: unknown,
): Checked<v.InferOutput<S>> {
  const result = v.safeParse(schema, input, { abortPipeEarly: true });
  if (result.success) return ok(result.output);
  const [first, ...others] = result.issues.map((issue) => toRefusal(part, issue));
  return { ok: false, errors: [first!, ...others] };
}

function describePart(part: Part, schema: v.GenericSchema) {
  return { target: part, ...document(schema) };
}

/** A body that may be empty is one that may be left out. */
function describeBody(schema: v.GenericSchema) {
  const required = !v.is(schema, {});
  return {
    spec: { requestBody: { required, content: { "application/json": { schema: document(schema) } } } },
  };
}

/** The schema as the OpenAPI document shows it: what goes in, and what `parsed` says of itself. */
export function document(schema: v.GenericSchema) {
  return resolver(schema, {
    options: {
      typeMode: "input",
      overrideSchema: ({ valibotSchema }: { valibotSchema: v.GenericSchema }) =>
        valibotSchema.type === "parsed" ? (valibotSchema as ParsedSchema<unknown>).jsonSchema : undefined,
    },
  });
}

async function read(c: Context<AppEnv>, part: Part, bytesMax?: number): Promise<Outcome<unknown>> {
  switch (part) {
    case "json":
      return readJson(c.req.raw, bytesMax);
    case "query":
      return ok(c.req.query());
    case "param":
      return ok(c.req.param());
    case "header":
      return ok(c.req.header());
  }
}

function toRefusal(part: Part, issue: v.BaseIssue<unknown> & Partial<FailureIssue & HintedIssue>): Refusal {
  const keys = (issue.path ?? []).map((item) => String(item.key).slice(0, 64));
  const at = (pointer = pointerOf(keys)) => (part === "json" ? { pointer } : { parameter: keys[0] });
  const field = keys.length > 0 ? keys.join(".") : "The body";
  const sentence = (text: string) => (text.startsWith("must ") ? `${field} ${text}.` : text);
  if (issue.failure) {
    const { pointer: inside, message } = issue.failure;
    return {
      ...issue.failure,
      message: sentence(message),
      ...at(inside && pointerOf(keys.slice(0, -1)) + inside),
    };
  }
  const isUnknown = issue.type === "unknown_field";
  const isAbsent = issue.path?.at(-1)?.origin === "key" && !isUnknown;
  return {
    code: isUnknown ? "unknown_field" : "invalid_field",
    message: isAbsent ? `${field} is required.` : sentence(issue.message),
    ...at(),
    hint: issue.hint ?? undefined,
  };
}

/** RFC 6901. */
function pointerOf(keys: string[]): string {
  return keys.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
