/**
 * The last slots as a row of cells, oldest first: a link each, told apart by height and hatching before colour.
 * It wraps to the width there is. One cell is in the tab order; the arrow keys go on from there.
 */
import type { Tone } from "../marks.tsx";

export interface Cell {
  href: string;
  /** All that there is to say about it in one line. */
  label: string;
  tone: Tone;
  shape: "full" | "mid" | "low";
  isHatched: boolean;
  /** More than one for a row of slots that did not run for one reason. */
  slots: number;
}

/** A row of a million skipped slots takes no more room than this many cells. */
const WIDEST = 8;

export function Strip({ cells, name }: { cells: Cell[]; name: string }) {
  return (
    <div class="strip-box" data-strip>
      <ol class="strip" aria-label={name}>
        {cells.map((cell, i) => (
          <li class={`w${Math.min(cell.slots, WIDEST)}`}>
            <a
              href={cell.href}
              tabindex={i === cells.length - 1 ? undefined : -1}
              class={`${cell.tone} ${cell.shape}${cell.isHatched ? " hatched" : ""}`}
              title={cell.label}
            >
              <span class="hidden">{cell.label}</span>
            </a>
          </li>
        ))}
      </ol>
      <p class="readout muted" aria-hidden="true" data-readout></p>
    </div>
  );
}
