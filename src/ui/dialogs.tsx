/**
 * Commands that ask first: a button, and the dialog behind it, which says in a sentence what will happen. The form
 * goes to the API as it stands; see the frame's `data-api`.
 */
import type { Child, PropsWithChildren } from "hono/jsx";

interface Command {
  id: string;
  title: string;
  /** What will happen. */
  says: Child;
  /** `POST /v1/…` */
  api: string;
  /** Where to look afterwards; `{id}` is that of what was made. Nowhere: this page again. */
  then?: string;
  /** On the button that does it. */
  verb: string;
  isDanger?: boolean;
}

export function Opener({
  id,
  children,
  isQuiet = true,
}: PropsWithChildren<{ id: string; isQuiet?: boolean }>) {
  return (
    <button type="button" class={isQuiet ? "quiet" : undefined} data-open={id} aria-haspopup="dialog">
      {children}
    </button>
  );
}

export function Dialog({ id, title, says, api, then, verb, isDanger, children }: PropsWithChildren<Command>) {
  return (
    <dialog id={id} aria-labelledby={`${id}-title`} aria-describedby={`${id}-says`}>
      <form method="dialog" data-api={api} data-then={then}>
        <h2 id={`${id}-title`}>{title}</h2>
        <p id={`${id}-says`}>{says}</p>
        {children}
        <p class="trouble" role="alert"></p>
        <div class="actions">
          <button type="button" class="quiet" data-close>
            Leave it
          </button>
          <button class={isDanger ? "danger" : undefined}>{verb}</button>
        </div>
      </form>
    </dialog>
  );
}

export function Field({
  id,
  label,
  hint,
  children,
}: PropsWithChildren<{ id: string; label: string; hint?: Child }>) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {hint && (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
    </div>
  );
}
