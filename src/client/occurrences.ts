/** `/v1/occurrences`, the worker protocol included: every call of it may be repeated. */
import type { Grant, HistoryItem, Kind, Occurrence, OccurrenceState, Renewal, Replayed } from "./answers.ts";
import type { Json } from "./definition.ts";
import { type Page, Pages } from "./pages.ts";
import { ask, once, type Once, Resource } from "./resource.ts";
import type { Range } from "./schedules.ts";
import type { CallOptions } from "./transport.ts";

export interface OccurrenceFilter extends Range {
  state?: OccurrenceState;
  reason?: string;
  kind?: Kind | "gap";
  schedule?: string;
  /** Of a page. */
  limit?: number;
}

export interface ReplayFilter extends Range {
  schedule?: string;
  state?: "failed" | "expired" | "cancelled";
  reason?: string;
}

export class Occurrences extends Resource {
  /** Newest first, gap rows included. */
  list({ signal, ...filter }: OccurrenceFilter & CallOptions = {}): Pages<HistoryItem> {
    return new Pages((cursor) => this.read("/v1/occurrences", { ...filter, cursor }, { signal }));
  }

  get(id: string, options: CallOptions = {}): Promise<Occurrence> {
    return this.read(at(id), {}, options);
  }

  cancel(id: string, options: Once = {}): Promise<Occurrence> {
    return this.send(once(at(id, "cancel"), {}, options));
  }

  /** Again, under an identity of its own; with the definition of now, if that is asked for. */
  replay(id: string, { revision, ...options }: { revision?: "current" } & Once = {}): Promise<Occurrence> {
    return this.send(once(at(id, "replay"), { revision }, options));
  }

  /** All that ended badly, a page a call: `nextCursor` goes on with older ones. */
  replayAll(
    filter: ReplayFilter,
    {
      signal,
      idempotencyKey,
      ...more
    }: { revision?: "current"; limit?: number; cursor?: string } & Once = {},
  ): Promise<Page<Replayed>> {
    return this.send(once("/v1/occurrences/replay", { filter, ...more }, { signal, idempotencyKey }));
  }

  /** `worker` is a random id of this invocation: the same one gets the same token again. */
  start(id: string, report: { attempt: number; worker: string }, options: CallOptions = {}): Promise<Grant> {
    return this.send(ask(at(id, "start"), report, options));
  }

  heartbeat(
    id: string,
    report: { token: number; progress?: number; note?: string },
    options: CallOptions = {},
  ): Promise<Renewal> {
    return this.send(ask(at(id, "heartbeat"), report, options));
  }

  complete(
    id: string,
    report: { token: number; result?: Json; workRemaining?: boolean },
    options: CallOptions = {},
  ): Promise<Occurrence> {
    return this.send(ask(at(id, "complete"), report, options));
  }

  fail(
    id: string,
    report: { token: number; error: string; retryable?: boolean; retryAfter?: string },
    options: CallOptions = {},
  ): Promise<Occurrence> {
    return this.send(ask(at(id, "fail"), report, options));
  }

  defer(id: string, report: { token: number; for: string }, options: CallOptions = {}): Promise<Occurrence> {
    return this.send(ask(at(id, "defer"), report, options));
  }
}

function at(id: string, what?: string): string {
  return `/v1/occurrences/${encodeURIComponent(id)}${what === undefined ? "" : `/${what}`}`;
}
