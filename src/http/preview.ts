/** What a time rule will do: of a definition that nobody has saved yet, and of a schedule that exists. */
import { Hono } from "hono";
import * as v from "valibot";
import { invariant, ok, type Result } from "../core/errors.ts";
import { preview, type PreviewResponse } from "../core/preview.ts";
import { complete, type Definition, type DefinitionSaid } from "../core/schedule.ts";
import type { Target } from "../core/target.ts";
import { compile, resolveTrigger } from "../core/trigger.ts";
import type { ScheduleView } from "../schedule/stub.ts";
import type { AppEnv, Caller, Deps } from "./context.ts";
import { definitionBody } from "./definition.ts";
import { BODY, operation } from "./operation.ts";
import { refuse } from "./problem.ts";
import { namePath, previewBody, upcomingQuery } from "./requests.ts";
import { accept } from "./validate.ts";
import * as views from "./views.ts";

export function previews(deps: Deps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();

  app.post(
    "/v1/preview",
    operation({
      id: "preview",
      tag: "Tools",
      scope: "read",
      summary:
        "The slots that a trigger makes, with notes, and the local times that make none, with the reason",
      description: "`from` is exclusive (default: now), `until` inclusive.",
      answers: { 200: { description: "The slots", schema: views.preview } },
      refuses: [
        ...BODY,
        "invalid_trigger",
        "never_fires",
        "too_sparse",
        "too_expensive",
        "invalid_duration",
        "invalid_instant",
      ],
    }),
    accept("json", previewBody),
    (c) => {
      const result = previewed(c.req.valid("json"), c.var);
      return result.ok ? c.json(result.value) : refuse(c, result.error);
    },
  );

  app.get(
    "/v1/schedules/:name/upcoming",
    operation({
      id: "listUpcoming",
      tag: "Schedules",
      scope: "read",
      summary: "The next slots of a schedule, with notes",
      description:
        "What the trigger will make from `from` (exclusive, default: now) on, whether the schedule is paused or not.",
      answers: { 200: { description: "The slots", schema: views.preview } },
      refuses: ["invalid_instant", "too_expensive"],
    }),
    accept("param", namePath),
    accept("query", upcomingQuery),
    async (c) => {
      const { from = c.var.now, count } = c.req.valid("query");
      const reply = await deps.schedule(c.var.namespace, c.req.valid("param").name).read();
      if (!reply.ok) return refuse(c, reply.error);
      const result = upcoming(reply.value, { from, count, now: c.var.now });
      return result.ok ? c.json(result.value) : refuse(c, result.error);
    },
  );

  return app;
}

/** A rule that nobody has saved. */
export function previewed(
  { trigger, exclude, startAt, endAt, jitter, from, until, count }: v.InferOutput<typeof previewBody>,
  { namespace, now }: Pick<Caller, "namespace" | "now">,
): Result<PreviewResponse> {
  const rule = { trigger: resolveTrigger(trigger, now), exclude, startAt, endAt };
  const seed = `${namespace}/preview`;
  return preview({ rule, jitterMs: jitter, seed, from: from ?? now, until, count });
}

interface Stretch {
  from: number;
  count: number;
  now: number;
}

/** What will happen, not only what the trigger says: the slots that `maxOccurrences` leaves, and the chain of a fixed delay. */
export function upcoming(schedule: ScheduleView, { from, count, now }: Stretch): Result<PreviewResponse> {
  const asked = { ...timeRule(schedule), from, until: null, count };
  const named = preview(asked);
  const compiled = compile(asked.rule);
  if (!named.ok || !compiled.ok) return named;
  if (compiled.value.kind === "delay") return ok({ ...named.value, slots: chained(schedule, from) });
  const left = schedule.state === "completed" ? 0 : schedule.remaining;
  if (left === null) return named;
  const before = from > now ? compiled.value.count(now, from).count : 0;
  const slots = named.value.slots.slice(0, Math.max(0, left - before));
  return ok({ ...named.value, slots, exhausted: named.value.exhausted || slots.length < count });
}

/** Of a fixed delay one slot is known, once its predecessor is settled. */
function chained({ nextSlot }: ScheduleView, from: number): PreviewResponse["slots"] {
  if (nextSlot === null) return [];
  const rule = { trigger: { at: nextSlot }, exclude: [], startAt: null, endAt: null };
  const known = preview({ rule, jitterMs: 0, seed: "", from, until: null, count: 1 });
  return known.ok ? known.value.slots : [];
}

/** What the API shows of a definition, it also accepts: so the shown one is read back. */
function readBack({ definition }: Pick<ScheduleView, "definition">): DefinitionSaid {
  const read = v.safeParse(definitionBody, definition);
  invariant(read.success, "a presented definition is a valid one");
  return read.output;
}

/** With every default filled in. */
export function definitionOf(view: Pick<ScheduleView, "definition">): Definition {
  const { target, ...same } = readBack(view);
  const completed = complete({ ...same, target: target as Target });
  invariant(completed.ok, "a presented definition is a complete one");
  return completed.value;
}

export function timeRule(view: ScheduleView) {
  const { namespace, name } = view;
  const { trigger, exclude = [], startAt = null, endAt = null, jitterMs = 0 } = readBack(view);
  return { rule: { trigger, exclude, startAt, endAt }, jitterMs, seed: `${namespace}/${name}` };
}
