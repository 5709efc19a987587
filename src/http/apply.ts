/** `POST /v1/apply`: schedules as code. */
import { Hono } from "hono";
import * as v from "valibot";
import { LIMITS } from "../core/limits.ts";
import { carryOutAll, isFailed, plan, pruning, refuseOrder, type Change, type Order } from "./change-set.ts";
import type { AppEnv, Deps } from "./context.ts";
import { namedDefinition } from "./definition.ts";
import { fields, flag, list, shown, text } from "./fields.ts";
import { BODY, operation } from "./operation.ts";
import { refuse, type Refusal } from "./problem.ts";
import { name } from "./requests.ts";
import { DEFINITION } from "./schedules.ts";
import { accept } from "./validate.ts";
import * as views from "./views.ts";

const applyBody = shown(
  fields({
    managedBy: text(LIMITS.TAG_CHARS_MAX, 1),
    schedules: list(namedDefinition, LIMITS.APPLY_SCHEDULES_MAX),
    prune: v.optional(flag, false),
    keep: v.pipe(
      v.optional(list(name, LIMITS.APPLY_KEPT_MAX), []),
      v.description("Further names that `prune` leaves alone: of schedules that other calls apply"),
    ),
    dryRun: v.optional(flag, false),
  }),
  {
    managedBy: "ci",
    schedules: [
      {
        name: "nightly-report",
        trigger: { cron: "0 2 * * *", timezone: "Europe/Berlin" },
        target: { queue: "LIBRARY" },
      },
    ],
    prune: true,
    dryRun: true,
  },
);

const change = v.object({
  name: v.string(),
  action: v.picklist(["create", "update", "unchanged", "delete", "conflict"]),
  diff: v.pipe(
    v.array(v.object({ field: v.string(), from: views.json, to: views.json })),
    v.description("What an update changes"),
  ),
  nextSlot: views.maybeInstant,
  warnings: views.warnings,
  error: v.pipe(
    v.nullable(v.object({ code: v.string(), message: v.string(), hint: views.maybeText })),
    v.description(
      "Why it was left undone: `managed_elsewhere` of a conflict, `held_back` of a removal, a problem's code of what could not be carried out",
    ),
  ),
}) satisfies v.GenericSchema<unknown, Change>;

const applied = views.named(
  "Applied",
  v.object({
    dryRun: v.boolean(),
    failed: v.pipe(v.number(), v.description("Changes that were due and could not be carried out")),
    more: v.pipe(
      v.boolean(),
      v.description(`One call prunes at most ${LIMITS.APPLY_SCHEDULES_MAX}: another would find more`),
    ),
    changes: v.array(change),
  }),
  {
    dryRun: false,
    failed: 0,
    more: false,
    changes: [
      {
        name: "nightly-report",
        action: "update",
        diff: [{ field: "jitter", from: "PT0S", to: "PT30S" }],
        nextSlot: "2026-12-01T01:00:00Z",
        warnings: [],
        error: null,
      },
    ],
  },
);

export function apply(deps: Deps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();

  app.post(
    "/v1/apply",
    operation({
      id: "apply",
      tag: "Schedules",
      scope: "write",
      takesKey: true,
      summary: "Make the schedules of one manager what a list says: plan it, or carry it out",
      description:
        "Any invalid definition refuses the call, and nothing is changed. A schedule that exists and is managed by somebody else, or by hand, " +
        "is a `conflict` and left alone. `prune` removes the schedules of this `managedBy` that are neither in `schedules` nor in `keep`. " +
        "`paused` counts on creation only: nothing is paused or resumed. Each schedule is changed by itself, on the revision that was planned for, and " +
        "pruning comes last, and not at all if something failed: a schedule under a new name is not lost between the two. " +
        "What could not be carried out is 200 with its `error`, counted in `failed`, and the same call again does the rest.",
      answers: { 200: { description: "The changes: planned, or carried out", schema: applied } },
      refuses: [...BODY, ...DEFINITION],
    }),
    accept("json", applyBody, LIMITS.APPLY_BODY_BYTES_MAX),
    async (c) => {
      const { managedBy, schedules, prune, keep, dryRun } = c.req.valid("json");
      const order: Order = { managedBy, schedules };
      const refuseAll = ([first, ...others]: Refusal[]) => (first ? refuse(c, first, ...others) : null);
      const refused = refuseAll(refuseOrder(deps, c.var, order));
      if (refused) return refused;
      const planned = await plan(deps, c.var, order);
      const invalid = refuseAll(planned.refusals);
      if (invalid) return invalid;
      const kept = new Set([...keep, ...schedules.map((wanted) => wanted.name)]);
      const pruned = prune ? await pruning(deps, c.var, order, kept) : { steps: [], more: false };
      const steps = [...planned.steps, ...pruned.steps];
      const changes = dryRun
        ? steps.map(({ change }) => change)
        : await carryOutAll(planned.steps, pruned.steps);
      const failed = changes.filter(isFailed).length;
      return c.json({ dryRun, failed, more: pruned.more, changes });
    },
  );

  return app;
}
