/** `/v1/schedules`. */
import type {
  Audit,
  Backfill,
  BackfillEnd,
  Explanation,
  HistoryItem,
  ListedSchedule,
  Occurrence,
  Preview,
  Revision,
  Schedule,
  ScheduleState,
} from "./answers.ts";
import { auditAll } from "./audit.ts";
import type { CatchUpPolicy, Definition, DefinitionPatch, Json, Overlap } from "./definition.ts";
import { Pages } from "./pages.ts";
import { once, type Once, Resource } from "./resource.ts";
import type { CallOptions } from "./transport.ts";

export interface ScheduleFilter {
  state?: ScheduleState;
  health?: string;
  tag?: string;
  managedBy?: string;
  /** Part of a name, description or tag. */
  q?: string;
  /** Of a page. */
  limit?: number;
}

/** [from, to), RFC 3339. */
export interface Range {
  from?: string;
  to?: string;
}

export class Schedules extends Resource {
  /** Creates or replaces. An identical definition changes nothing; to replace another one, say which revision. */
  put(
    name: string,
    definition: Definition,
    {
      ifMatch,
      createOnly = false,
      ...options
    }: CallOptions & { ifMatch?: number; createOnly?: boolean } = {},
  ): Promise<Schedule> {
    return this.send({
      ...options,
      method: "PUT",
      path: at(name),
      body: definition,
      headers: { ...match(ifMatch), ...(createOnly ? { "if-none-match": "*" } : {}) },
      repeatable: !createOnly,
    });
  }

  get(name: string, options: CallOptions = {}): Promise<Schedule> {
    return this.read(at(name), {}, options);
  }

  /** Merge patch by top-level field; `catchUp`, `retry`, `timeouts` and `alerts` merge one level deep. */
  patch(
    name: string,
    change: DefinitionPatch,
    { ifMatch, ...options }: CallOptions & { ifMatch?: number } = {},
  ): Promise<Schedule> {
    const headers = match(ifMatch);
    const repeatable = ifMatch === undefined;
    return this.send({ ...options, method: "PATCH", path: at(name), body: change, headers, repeatable });
  }

  /** What has not started is cancelled, running work finishes, history stays. */
  delete(name: string, { ifMatch, ...options }: CallOptions & { ifMatch?: number } = {}): Promise<Schedule> {
    const headers = match(ifMatch);
    return this.send({ ...options, method: "DELETE", path: at(name), headers, repeatable: true });
  }

  /** Newest first. */
  list({ signal, ...filter }: ScheduleFilter & CallOptions = {}): Pages<ListedSchedule> {
    return new Pages((cursor) => this.read("/v1/schedules", { ...filter, cursor }, { signal }));
  }

  pause(
    name: string,
    { note, until, ...options }: { note?: string; until?: string } & Once = {},
  ): Promise<Schedule> {
    return this.send(once(at(name, "pause"), { note, until }, options));
  }

  /** What passed is recorded as paused, or by the catch-up policy that is named. */
  resume(
    name: string,
    { note, catchUp, ...options }: { note?: string; catchUp?: CatchUpPolicy } & Once = {},
  ): Promise<Schedule> {
    return this.send(once(at(name, "resume"), { note, catchUp }, options));
  }

  /** Runs now, beside the plan. */
  trigger(
    name: string,
    { payload, overlap, ...options }: { payload?: Json; overlap?: Overlap } & Once = {},
  ): Promise<Occurrence> {
    return this.send(once(at(name, "trigger"), { payload, overlap }, options));
  }

  backfill(
    name: string,
    {
      signal,
      idempotencyKey,
      ...range
    }: Required<Range> & {
      order?: "oldest" | "newest";
      limit?: number;
      /** Also what succeeded. */
      rerun?: boolean;
      dryRun?: boolean;
    } & Once,
  ): Promise<Backfill> {
    return this.send(once(at(name, "backfill"), range, { signal, idempotencyKey }));
  }

  cancelBackfill(name: string, id: string, options: CallOptions = {}): Promise<BackfillEnd> {
    const path = at(name, `backfill/${encodeURIComponent(id)}`);
    return this.send({ ...options, method: "DELETE", path, repeatable: true });
  }

  /** The next slots, with notes. */
  upcoming(
    name: string,
    { signal, ...query }: { count?: number; from?: string } & CallOptions = {},
  ): Promise<Preview> {
    return this.read(at(name, "upcoming"), query, { signal });
  }

  /** History, newest first, gap rows included. */
  occurrences(
    name: string,
    { signal, ...query }: Range & { limit?: number } & CallOptions = {},
  ): Pages<HistoryItem> {
    return new Pages((cursor) => this.read(at(name, "occurrences"), { ...query, cursor }, { signal }));
  }

  /** Why it ran, or did not, or will not, at an instant or a local time. */
  explain(name: string, instant: string, options: CallOptions = {}): Promise<Explanation> {
    return this.read(at(name, "explain"), { at: instant }, options);
  }

  /** Every slot of a range recomputed and compared with what is on record; no discrepancies is the proof. */
  audit(name: string, { signal, ...range }: Range & CallOptions = {}): Promise<Audit> {
    return auditAll((cursor) => this.read(at(name, "audit"), { ...range, cursor }, { signal }));
  }

  revisions(name: string, { signal, ...query }: { limit?: number } & CallOptions = {}): Pages<Revision> {
    return new Pages((cursor) => this.read(at(name, "revisions"), { ...query, cursor }, { signal }));
  }
}

function at(name: string, what?: string): string {
  return `/v1/schedules/${encodeURIComponent(name)}${what === undefined ? "" : `/${what}`}`;
}

function match(revision: number | undefined): Record<string, string> {
  return revision === undefined ? {} : { "if-match": `"${revision}"` };
}
