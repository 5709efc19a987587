/** `GET …/explain?at=`: why did it, or didn't it, run then? The evidence is gathered here, and judged in core/. */
import { Hono } from "hono";
import { fail, ok, type Result } from "../core/errors.ts";
import { eraAt, erasOf, type Change, type Era } from "../core/eras.ts";
import { explain, type Evidence, type Explanation } from "../core/explain.ts";
import { momentOf, zoneOfTrigger } from "../core/moment.ts";
import { presentOccurrence } from "../core/present.ts";
import { formatInstant } from "../core/time.ts";
import { within } from "../core/trigger.ts";
import type { Entry } from "../ledger/directory.ts";
import { scheduleKey } from "../ledger/row.ts";
import type { Knowledge } from "../schedule/stub.ts";
import type { AppEnv, Deps } from "./context.ts";
import { operation } from "./operation.ts";
import { explainQuery } from "./past-requests.ts";
import * as past from "./past-views.ts";
import { refuse } from "./problem.ts";
import { namePath } from "./requests.ts";
import { accept } from "./validate.ts";

/** Slots before it, of which one may have been in the way. */
const EARLIER = 20;

export function explanations(deps: Deps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();

  app.get(
    "/v1/schedules/:name/explain",
    operation({
      id: "explain",
      tag: "Schedules",
      scope: "read",
      summary: "Why a schedule did, or did not, run at an instant: past or future",
      description:
        "`at` is an instant, or a local time without offset on the clock of the schedule's zone. One that the clock leaves out is explained " +
        "as `dst_gap`; one that exists twice is refused with the candidates.",
      answers: {
        200: { description: "The verdict, in words, with the evidence", schema: past.explanation },
      },
      refuses: ["invalid_instant", "ambiguous_time"],
    }),
    accept("param", namePath),
    accept("query", explainQuery),
    async (c) => {
      const { name } = c.req.valid("param");
      const { namespace, now } = c.var;
      const told = await explained(deps, { namespace, name }, c.req.valid("query").at, now);
      if (!told.ok) return refuse(c, told.error);
      const { occurrence, gap } = told.value.record;
      const view = occurrence && presentOccurrence(namespace, name, occurrence);
      const { at, verdict, sentences, evidence: facts, nearest } = told.value;
      return c.json({
        at,
        verdict,
        sentences,
        occurrence: view,
        gap: gap && showGap(gap, namespace, name),
        evidence: facts,
        nearest,
      });
    },
  );

  return app;
}

/** The explanation, and the record that it rests on. */
export interface Explained extends Explanation {
  record: Evidence;
}

export async function explained(
  deps: Deps,
  { namespace, name }: { namespace: string; name: string },
  at: string,
  now: number,
): Promise<Result<Explained>> {
  const subject = await subjectOf(deps, namespace, name);
  if (subject === null) return fail("not_found", `There is no schedule ${name} here, and there never was.`);
  const record = await gather(deps, subject, at, now);
  return record.ok ? ok({ ...explain(record.value), record: record.value }) : record;
}

interface Subject {
  namespace: string;
  name: string;
  entry: Entry | null;
  knowledge: Knowledge | null;
  changes: Change[];
  eras: Era[];
}

/** Whatever is known: a deleted schedule, one whose object is not there, one that the ledger has not heard of. */
async function subjectOf(deps: Deps, namespace: string, name: string): Promise<Subject | null> {
  const [entry, told] = await Promise.all([
    deps.ledger.schedule(namespace, name),
    deps.schedule(namespace, name).knowledge(),
  ]);
  const knowledge = told.ok ? told.value : null;
  const changes = await deps.ledger.changes(namespace, name, knowledge?.unrecorded ?? []);
  const eras = erasOf(changes);
  return eras.length === 0 ? null : { namespace, name, entry, knowledge, changes, eras };
}

async function gather(deps: Deps, subject: Subject, asked: string, now: number): Promise<Result<Evidence>> {
  const { namespace, name, entry, knowledge, changes, eras } = subject;
  const last = eras.at(-1)!;
  const moment = momentOf(asked, zoneOfTrigger(last.definition.trigger), last.timetable);
  if (!moment.ok) return moment;
  const { at, gap: wall } = moment.value;
  const era = eraAt(eras, at) ?? last;
  const earlier = within(era.timetable, { from: 0, to: at, order: "newest", limit: EARLIER });
  const unrecorded = knowledge?.unrecorded ?? [];
  const [recorded, live] = await Promise.all([
    entry
      ? deps.ledger.evidence(entry, { at, earlier, unrecorded })
      : { occurrences: [], gap: null, earlier: [] },
    deps.schedule(namespace, name).live(at),
  ]);
  const known = new Map(recorded.occurrences.map((one) => [one.variant, one]));
  if (live.ok) for (const one of live.value) known.set(one.variant, one);
  return ok({
    at,
    now,
    seed: scheduleKey(namespace, name),
    changes,
    standing: knowledge,
    occurrence: known.get("") ?? null,
    beside: [...known.values()].filter(({ variant }) => variant !== ""),
    gap: recorded.gap,
    earlier: recorded.earlier,
    wall,
  });
}

function showGap(
  { from, to, count, reason, revision }: NonNullable<Evidence["gap"]>,
  namespace: string,
  schedule: string,
) {
  return {
    kind: "gap" as const,
    namespace,
    schedule,
    from: formatInstant(from),
    to: formatInstant(to),
    count,
    reason,
    revision,
  };
}
