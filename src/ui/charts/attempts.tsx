/** An occurrence's attempts on one axis of time: what waited, what ran, and the lease that is held. A lane each. */
import type { OccurrenceView } from "../../schedule/stub.ts";
import { span } from "../when.ts";

const WIDTH = 1000;
const HEIGHT = 14;
/** What took no time to speak of is still seen. */
const LEAST = 4;

export interface Lane {
  attempt: number;
  dispatchedAt: number;
  startedAt: number | null;
  /** Null: it lasts. */
  endedAt: number | null;
  outcome: string | null;
  leaseUntil: number | null;
  progressAt: number | null;
}

export function lanesOf({ attempts, leaseUntil, progress, state }: OccurrenceView): Lane[] {
  return attempts.flatMap((one, i) => {
    const at = (text: string | null) => (text === null ? null : Date.parse(text));
    const dispatchedAt = at(one.dispatchedAt) ?? at(one.startedAt);
    if (dispatchedAt === null) return [];
    const isHeld = i === attempts.length - 1 && state === "running";
    return {
      attempt: one.attempt,
      dispatchedAt,
      startedAt: at(one.startedAt),
      endedAt: at(one.endedAt),
      outcome: one.outcome,
      leaseUntil: isHeld ? at(leaseUntil) : null,
      progressAt: isHeld ? at(progress?.at ?? null) : null,
    };
  });
}

/** From the instant that it was due to the end of all that is known. */
export function Attempts({ lanes, from, now }: { lanes: Lane[]; from: number; now: number }) {
  const ends = lanes.map(({ endedAt, leaseUntil }) => endedAt ?? leaseUntil ?? now);
  const to = Math.max(from + 1, ...ends);
  const x = (at: number) => Math.round(((Math.max(from, at) - from) / (to - from)) * WIDTH * 10) / 10;
  return (
    <div class="attempts">
      <ol>
        {lanes.map((lane) => (
          <li>
            <p>
              <b>Attempt {lane.attempt}</b> <span class="muted">{wordsOf(lane, now)}</span>
            </p>
            <svg
              viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
              preserveAspectRatio="none"
              class="lane"
              role="img"
              aria-label={`Attempt ${lane.attempt}: ${wordsOf(lane, now)}`}
            >
              <title>{`Attempt ${lane.attempt}: ${wordsOf(lane, now)}`}</title>
              <rect class="ground" width={WIDTH} height={HEIGHT} />
              <Bar class="waited" from={x(lane.dispatchedAt)} to={x(lane.startedAt ?? lane.endedAt ?? now)} />
              {lane.startedAt !== null && (
                <Bar class={`ran ${toneOf(lane)}`} from={x(lane.startedAt)} to={x(lane.endedAt ?? now)} />
              )}
              {lane.leaseUntil !== null && lane.leaseUntil > now && (
                <Bar class="lease" from={x(now)} to={x(lane.leaseUntil)} />
              )}
              {lane.progressAt !== null && (
                <rect class="beat" x={x(lane.progressAt) - 1.5} width="3" height={HEIGHT} />
              )}
            </svg>
          </li>
        ))}
      </ol>
      <p class="ends muted" aria-hidden="true">
        <span>due</span>
        <span>{`+${span(to - from)}`}</span>
      </p>
    </div>
  );
}

function Bar({ class: kind, from, to }: { class: string; from: number; to: number }) {
  const width = Math.max(LEAST, to - from);
  return <rect class={kind} x={Math.min(from, WIDTH - width)} width={width} height={HEIGHT} />;
}

function wordsOf(
  { dispatchedAt, startedAt, endedAt, outcome, leaseUntil, progressAt }: Lane,
  now: number,
): string {
  const end = endedAt ?? now;
  const parts = [
    startedAt === null
      ? `${endedAt === null ? "waiting" : "waited"} ${span(end - dispatchedAt)} for a worker`
      : `waited ${span(startedAt - dispatchedAt)}`,
    startedAt === null ? "" : `${endedAt === null ? "running for" : "ran"} ${span(end - startedAt)}`,
    outcome === null ? "" : outcome.replaceAll("_", " "),
    progressAt === null ? "" : `last heard of ${span(now - progressAt)} ago`,
    leaseUntil === null
      ? ""
      : leaseUntil > now
        ? `lease for another ${span(leaseUntil - now)}`
        : `lease over for ${span(now - leaseUntil)}`,
  ];
  return parts.filter(Boolean).join(", ");
}

function toneOf({ endedAt, outcome }: Lane): string {
  if (endedAt === null) return "busy";
  return outcome === "succeeded"
    ? "good"
    : outcome === "deferred" || outcome === "cancelled"
      ? "idle"
      : "bad";
}
