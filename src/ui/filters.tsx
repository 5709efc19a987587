/** The form above a list. It is a plain GET: every view of a list has an address. */
import type { PropsWithChildren } from "hono/jsx";
import { localTimeIn } from "../core/zone.ts";
import type { Viewer } from "./viewer.ts";

type FiltersProps = PropsWithChildren<{
  path: string;
  viewer: Viewer;
  troubles?: string[];
  isFiltered: boolean;
}>;

export function Filters({ path, viewer, troubles = [], isFiltered, children }: FiltersProps) {
  return (
    <form class="filters" method="get" action={path} role="search" aria-label="Filter">
      <input type="hidden" name="namespace" value={viewer.namespace} />
      {children}
      <div class="actions">
        <button class="quiet">Filter</button>
        {isFiltered && (
          <a class="plain" href={viewer.link(path)}>
            Clear
          </a>
        )}
      </div>
      {troubles.length > 0 && (
        <p class="trouble" role="alert">
          Left out: {troubles.join("; ")}
        </p>
      )}
    </form>
  );
}

export function Search({ value, label }: { value: string | undefined; label: string }) {
  return (
    <div class="grow">
      <label for="q">{label}</label>
      <input id="q" name="q" type="search" value={value} maxlength={64} />
    </div>
  );
}

interface ChoiceProps {
  name: string;
  label: string;
  options: readonly string[];
  value: string | undefined;
  any: string;
}

export function Choice({ name, label, options, value, any }: ChoiceProps) {
  return (
    <div>
      <label for={name}>{label}</label>
      <select id={name} name={name}>
        <option value="">{any}</option>
        {options.map((option) => (
          <option value={option} selected={option === value}>
            {option}
          </option>
        ))}
      </select>
    </div>
  );
}

/** On the viewer's clock; the address may also have an instant. */
export function Moment({
  name,
  label,
  at,
  viewer,
}: {
  name: string;
  label: string;
  at?: number;
  viewer: Viewer;
}) {
  return (
    <div>
      <label for={name}>
        {label} <small>({viewer.zone})</small>
      </label>
      <input
        id={name}
        name={name}
        type="datetime-local"
        value={at === undefined ? undefined : localTimeIn(viewer.zone, at).slice(0, 16)}
      />
    </div>
  );
}
