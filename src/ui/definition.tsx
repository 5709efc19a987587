/** A definition in words, and as the JSON that the API takes. */
import { describePolicies } from "../core/describe-policies.ts";
import type { Definition, Warning } from "../core/schedule.ts";

export function Words({ description, definition }: { description: string; definition: Definition }) {
  return (
    <>
      <p class="rule">{description}.</p>
      <ul class="policies">
        {describePolicies(definition).map(({ text }) => (
          <li>
            <bdi>{text}</bdi>
          </li>
        ))}
      </ul>
    </>
  );
}

export function Warnings({ warnings }: { warnings: readonly Warning[] }) {
  if (warnings.length === 0) return null;
  return (
    <ul class="warnings">
      {warnings.map(({ message }) => (
        <li>
          <svg viewBox="0 0 16 16" width="12" height="12" aria-hidden="true">
            <use href="#triangle" />
          </svg>
          <span>{message}</span>
        </li>
      ))}
    </ul>
  );
}

/** What changes the direction of all the text behind it is written as an escape, as JSON may. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    DIRECTIONS,
    (mark) => `\\u${mark.charCodeAt(0).toString(16)}`,
  );
}

/** Any JSON, as text. It scrolls, so the keyboard has to reach it. */
export function Json({ id, value, name }: { id: string; value: unknown; name: string }) {
  return (
    <div class="json">
      <button type="button" class="quiet small" data-copy={id}>
        Copy
      </button>
      <pre id={id} tabindex={0} role="region" aria-label={name} dir="ltr">
        {jsonText(value)}
      </pre>
    </div>
  );
}
