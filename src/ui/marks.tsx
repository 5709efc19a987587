/** States as people see them: a shape and a word, and a colour only on top of that. */
import type { State } from "../core/occurrence.ts";
import type { HealthView } from "../schedule/stub.ts";

/** Each is told from the others without its colour. */
const SHAPES = {
  bell: "M8 1.2a4 4 0 0 0-4 4c0 4-1 5-2.2 6v1h12.4v-1C13 10.2 12 9.2 12 5.2a4 4 0 0 0-4-4zM6.3 13.4a1.7 1.7 0 0 0 3.4 0z",
  disc: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 0 0 0-11z",
  ring: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 0 0 0-11zm0 2a3.5 3.5 0 1 1 0 7a3.5 3.5 0 0 1 0-7z",
  cross: "M4.2 2.6 8 6.4l3.8-3.8 1.6 1.6L9.6 8l3.8 3.8-1.6 1.6L8 9.6l-3.8 3.8-1.6-1.6L6.4 8 2.6 4.2z",
  diamond: "M8 1.8 14.2 8 8 14.2 1.8 8z",
  slash:
    "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 0 0 0-11zm0 2c.7 0 1.4.2 2 .6L5.1 10A3.5 3.5 0 0 1 8 4.5zm2.9 1.5A3.5 3.5 0 0 1 6 10.9z",
  hatch: "M2.5 6 6 2.5h2.5l-6 6zm0 5 8.5-8.5h2.5L3 13.5h-.5zM7 13.5 13.5 7v2.5l-4 4z",
  play: "M4.5 2.5v11L13.5 8z",
  bars: "M3.5 2.5h3v11h-3zm6 0h3v11h-3z",
  triangle: "M8 2 14.5 13.5h-13z",
  square: "M3 3h10v10H3zm2 2v6h6V5z",
  dots: "M2 8a1.6 1.6 0 1 1 3.2 0A1.6 1.6 0 0 1 2 8zm4.4 0a1.6 1.6 0 1 1 3.2 0a1.6 1.6 0 0 1-3.2 0zm4.4 0A1.6 1.6 0 1 1 14 8a1.6 1.6 0 0 1-3.2 0z",
  again: "M8 2.5A5.5 5.5 0 1 0 13.5 8h-2A3.5 3.5 0 1 1 8 4.5V7l4.5-3.5L8 0z",
  check: "M2.2 8.4 3.8 6.8l2.7 2.7 5.7-5.9 1.6 1.6-7.3 7.5z",
} as const;
type Shape = keyof typeof SHAPES;

/** How good or bad it is: what the style sheet gives a colour. */
export type Tone = "good" | "bad" | "odd" | "warn" | "busy" | "idle";

const STATES: Record<State, [Shape, Tone]> = {
  succeeded: ["disc", "good"],
  failed: ["cross", "bad"],
  expired: ["diamond", "odd"],
  cancelled: ["slash", "idle"],
  skipped: ["hatch", "idle"],
  running: ["play", "busy"],
  dispatched: ["ring", "good"],
  claimed: ["ring", "idle"],
  retrying: ["again", "warn"],
  deferred: ["bars", "warn"],
  buffered: ["dots", "idle"],
};

type Health = HealthView["status"];

const HEALTH: Record<Health, [Shape, Tone]> = {
  healthy: ["disc", "good"],
  late: ["triangle", "warn"],
  failing: ["cross", "bad"],
  stalled: ["square", "bad"],
  waiting: ["dots", "idle"],
  paused: ["bars", "idle"],
  completed: ["check", "idle"],
};

function Mark({ shape, tone, word }: { shape: Shape; tone: Tone; word: string }) {
  return (
    <span class={`mark ${tone}`}>
      <svg viewBox="0 0 16 16" width="12" height="12" aria-hidden="true">
        <use href={`#${shape}`} />
      </svg>
      {word}
    </span>
  );
}

export function StateMark({ state, word = state }: { state: State; word?: string }) {
  const [shape, tone] = STATES[state];
  return <Mark shape={shape} tone={tone} word={word} />;
}

/** The ledger keeps it as text: a word that a later version writes is shown as it is. */
export function HealthMark({ health }: { health: string }) {
  const [shape, tone] = HEALTH[health as Health] ?? ["ring", "idle"];
  return <Mark shape={shape} tone={tone} word={health} />;
}

export function AlertMark({ isOpen }: { isOpen: boolean }) {
  return isOpen ? (
    <Mark shape="triangle" tone="bad" word="open" />
  ) : (
    <Mark shape="check" tone="idle" word="resolved" />
  );
}

export function toneOf(state: State): Tone {
  return STATES[state][1];
}

/** What marks and charts refer to by id, once a document. */
export function Defs() {
  return (
    <svg class="defs" width="0" height="0" aria-hidden="true" focusable="false">
      <defs>
        {Object.entries(SHAPES).map(([id, path]) => (
          <symbol id={id} viewBox="0 0 16 16">
            <path d={path} fill="currentColor" />
          </symbol>
        ))}
        <pattern
          id="hatched"
          width="5"
          height="5"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <rect class="hatch-ground" width="5" height="5" />
          <rect class="hatch-line" width="2" height="5" />
        </pattern>
      </defs>
    </svg>
  );
}
