/** The small pieces that every page is made of. */
import type { Child, PropsWithChildren } from "hono/jsx";
import { formatInstant } from "../core/time.ts";
import type { Viewer } from "./viewer.ts";
import { fullTime, relative, wallOf } from "./when.ts";

/** An instant, in milliseconds or as the API shows it, on the viewer's clock or on another one. */
export function Time({ at, viewer, zone }: { at: number | string | null; viewer: Viewer; zone?: string }) {
  if (at === null) return <span class="muted">–</span>;
  const instant = typeof at === "string" ? Date.parse(at) : at;
  const read = zone ?? viewer.zone;
  const { day, clock, offset } = wallOf(instant, read, viewer.now);
  return (
    <time datetime={formatInstant(instant)} title={fullTime(instant, read)}>
      {day && `${day} `}
      {clock} <small>{offset}</small>
    </time>
  );
}

/** How long ago, or how soon; the instant itself stands behind it. */
export function Since({ at, viewer }: { at: number | string; viewer: Viewer }) {
  const instant = typeof at === "string" ? Date.parse(at) : at;
  return (
    <time datetime={formatInstant(instant)} title={fullTime(instant, viewer.zone)}>
      {relative(instant, viewer.now)}
    </time>
  );
}

/** A part that is fetched again every few seconds while somebody looks at it. `from` answers with its content. */
export function Live({
  id,
  from,
  every = 5,
  children,
}: PropsWithChildren<{ id: string; from: string; every?: number }>) {
  return (
    <div id={id} data-live={from} data-every={every}>
      {children}
    </div>
  );
}

export function Heading({ title, lead, children }: PropsWithChildren<{ title: Child; lead?: Child }>) {
  return (
    <div class="heading">
      <div>
        <h1>{title}</h1>
        {lead && <p class="lead">{lead}</p>}
      </div>
      {children && <div class="actions">{children}</div>}
    </div>
  );
}

/** Nothing to show: why, and what to do about it. */
export function Empty({ children }: PropsWithChildren) {
  return <div class="empty">{children}</div>;
}

/** A list goes on below; it has no last page to jump to. */
export function Pager({ viewer, path, query, next }: PagerProps) {
  const { cursor, ...filter } = query;
  if (!cursor && !next) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {cursor ? <a href={viewer.link(path, filter)}>Newest</a> : <span />}
      {next && (
        <a rel="next" href={viewer.link(path, { ...filter, cursor: next })}>
          Older
        </a>
      )}
    </nav>
  );
}

interface PagerProps {
  viewer: Viewer;
  path: string;
  /** What the page was asked for, its cursor included. */
  query: { [name: string]: string | undefined };
  next: string | null;
}
