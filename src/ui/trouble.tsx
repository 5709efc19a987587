/** Pages for what went wrong: what it was, and what to do about it. */
import type { Context } from "hono";
import { PROBLEMS, type Refusal } from "../http/problem.ts";
import { show } from "./page.tsx";
import type { PageEnv } from "./viewer.ts";

export function lost(c: Context<PageEnv>, message: string): Response | Promise<Response> {
  return troubled(c, { code: "not_found", message });
}

export function troubled(c: Context<PageEnv>, refusal: Refusal): Response | Promise<Response> {
  const { status, title } = PROBLEMS[refusal.code];
  return show(
    c,
    { title, status },
    <section class="notice" role="alert">
      <h1>{title}</h1>
      <p>{refusal.message}</p>
      {refusal.hint && <p>{refusal.hint}</p>}
      <p>
        <a href="/">To the overview</a>
      </p>
    </section>,
  );
}
