/** Why it ran, or did not: the question, and the answer in sentences with what it rests on. */
import type { Failure } from "../core/errors.ts";
import { occurrenceId } from "../core/occurrence.ts";
import type { Explained } from "../http/explain.ts";
import { StateMark } from "./marks.tsx";
import { Time } from "./parts.tsx";
import type { Viewer } from "./viewer.ts";

export function AskWhy({ name, viewer, at = "", refusal = null }: AskProps) {
  const { candidates = [] } = (refusal?.data ?? {}) as { candidates?: string[] };
  return (
    <section class="card ask" aria-label="Ask why">
      <form class="filters" method="get" action={`/schedules/${name}/explain`}>
        {viewer.link("/").includes("namespace=") && (
          <input type="hidden" name="namespace" value={viewer.namespace} />
        )}
        <div class="grow">
          <label for="at">Why did it run, or not, at</label>
          <input
            id="at"
            name="at"
            value={at}
            required
            autocomplete="off"
            placeholder="2026-11-30T09:00"
            aria-describedby={refusal ? "at-trouble" : "at-hint"}
            aria-invalid={refusal ? "true" : undefined}
          />
        </div>
        <button>Explain</button>
        {refusal ? (
          <p id="at-trouble" class="trouble whole" role="alert">
            {refusal.message} {candidates.length === 0 && refusal.hint}
            {candidates.map((one) => (
              <>
                {" "}
                <a href={viewer.link(`/schedules/${name}/explain`, { at: one })}>{one}</a>
              </>
            ))}
          </p>
        ) : (
          <small id="at-hint" class="hint whole">
            On the schedule's own clock, or an instant such as 2026-11-30T08:00:00Z
          </small>
        )}
      </form>
    </section>
  );
}

interface AskProps {
  name: string;
  viewer: Viewer;
  at?: string;
  refusal?: Failure | null;
}

export function Explanation({ told, name, viewer }: { told: Explained; name: string; viewer: Viewer }) {
  const { record, sentences, verdict, nearest } = told;
  const own = [record.occurrence, ...record.beside].filter((one) => one !== null);
  return (
    <section class="card" aria-labelledby="why">
      <header>
        <h2 id="why">{verdict.replaceAll("_", " ")}</h2>
        <p>
          <Time at={told.at} viewer={viewer} />
        </p>
      </header>
      <div class="body">
        <Sentences sentences={sentences} />
        {own.length > 0 && (
          <ul class="lines">
            {own.map(({ slot, variant, state, kind }) => (
              <li>
                <StateMark state={state} />
                <a href={viewer.link(`/occurrences/${occurrenceId(name, slot, variant)}`)}>
                  {kind.replace("_", "-")} run {variant}
                </a>
              </li>
            ))}
          </ul>
        )}
        <Evidence told={told} viewer={viewer} />
        <nav class="pager flat" aria-label="Slots beside it">
          {nearest.previous ? (
            <a rel="prev" href={viewer.link(`/schedules/${name}/explain`, { at: nearest.previous })}>
              ← The slot before, <Time at={nearest.previous} viewer={viewer} />
            </a>
          ) : (
            <span />
          )}
          {nearest.next && (
            <a rel="next" href={viewer.link(`/schedules/${name}/explain`, { at: nearest.next })}>
              The slot after, <Time at={nearest.next} viewer={viewer} /> →
            </a>
          )}
        </nav>
      </div>
    </section>
  );
}

export function Sentences({ sentences }: { sentences: string[] }) {
  return (
    <div class="sentences">
      {sentences.map((sentence) => (
        <p>
          <bdi>{sentence}</bdi>
        </p>
      ))}
    </div>
  );
}

/** What the verdict rests on. */
export function Evidence({ told: { evidence }, viewer }: { told: Explained; viewer: Viewer }) {
  const { revision, definedAt, definedBy, rule } = evidence as {
    revision: number | null;
    definedAt: string | null;
    definedBy: string | null;
    rule: string | null;
  };
  if (revision === null) return null;
  return (
    <p class="muted note-line">
      Under revision {revision}, by <bdi>{definedBy}</bdi> <Time at={definedAt} viewer={viewer} />: {rule}.
    </p>
  );
}
