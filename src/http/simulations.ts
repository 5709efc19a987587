/** `POST /v1/simulate`: what the policies would do, computed by the very code that runs. It touches no object. */
import { Hono } from "hono";
import type * as v from "valibot";
import { fail, ok, type Failure, type Result } from "../core/errors.ts";
import { formatInstant } from "../core/time.ts";
import { gapView, type GapView } from "../ledger/row.ts";
import { simulate, SIMULATED_STEPS_MAX, type Simulation } from "../schedule/simulate.ts";
import type { AppEnv, Caller } from "./context.ts";
import { BODY, operation } from "./operation.ts";
import { simulateBody } from "./past-requests.ts";
import * as past from "./past-views.ts";
import { refuse } from "./problem.ts";
import { accept } from "./validate.ts";

const DAY_MS = 86_400_000;

export function simulations(): Hono<AppEnv> {
  const app = new Hono<AppEnv>();

  app.post(
    "/v1/simulate",
    operation({
      id: "simulate",
      tag: "Tools",
      scope: "read",
      summary: "What a definition would do, given downtime, pauses, and runs that take their time or fail",
      description:
        "The schedule is created at `from` (default: now); `until` defaults to a day later. While the scheduler is down no alarm rings and " +
        "no report arrives; what runs goes on. Durations are taken in turn, one an attempt; every `failEvery`th attempt fails. " +
        `It ends after ${SIMULATED_STEPS_MAX} steps: then \`truncated\` is true and \`reached\` says how far it came.`,
      answers: { 200: { description: "The timeline", schema: past.simulation } },
      refuses: [
        ...BODY,
        "invalid_trigger",
        "never_fires",
        "too_sparse",
        "too_expensive",
        "invalid_duration",
        "invalid_instant",
        "limit_exceeded",
      ],
    }),
    accept("json", simulateBody),
    (c) => {
      const simulated = simulateSaid(c.req.valid("json"), c.var);
      if (!simulated.ok) return refuse(c, simulated.error);
      return c.json({ ...simulated.value, reached: formatInstant(simulated.value.reached) });
    },
  );

  return app;
}

export type SimulationView = Omit<Simulation, "gaps"> & { gaps: GapView[] };

export function simulateSaid(
  { definition: said, downtime, pauses, run, ...range }: v.InferOutput<typeof simulateBody>,
  { namespace, now }: Pick<Caller, "namespace" | "now">,
): Result<SimulationView> {
  const { paused, ...definition } = said;
  const from = range.from ?? now;
  const until = range.until ?? from + DAY_MS;
  const stretches = [
    { from, to: until, pointer: "/until" },
    ...downtime.map((one, i) => ({ ...one, pointer: `/downtime/${i}/to` })),
    ...pauses.map((one, i) => ({ ...one, pointer: `/pauses/${i}/to` })),
  ];
  const backwards = stretches.find((span) => span.from >= span.to);
  if (backwards) {
    const message = `A stretch that begins at ${formatInstant(backwards.from)} must end later than that.`;
    return fail("invalid_field", message, { pointer: backwards.pointer });
  }
  const { duration, durations, failEvery } = run;
  const simulated = simulate({
    namespace,
    name: "simulation",
    definition,
    paused,
    from,
    until,
    downtime,
    pauses,
    run: { durationsMs: durations ?? [duration], failEvery },
  });
  if (!simulated.ok) return { ok: false, error: within(simulated.error) };
  return ok({ ...simulated.value, gaps: simulated.value.gaps.map(gapView) });
}

/** The machine speaks of the definition, which here is one field of the body. */
function within(failure: Failure): Failure {
  const { pointer } = failure;
  return pointer === undefined ? failure : { ...failure, pointer: `/definition${pointer}` };
}
