/** A scheduler, as a program speaks to it. */
import type { Alert, Applied, Audit, Message, Preview, Simulation, Stats, Sweep } from "./answers.ts";
import { auditAll } from "./audit.ts";
import type { CatchUpPolicy, Definition, Exclusion, NamedDefinition, Trigger } from "./definition.ts";
import { Occurrences } from "./occurrences.ts";
import { Pages } from "./pages.ts";
import { ask, Resource } from "./resource.ts";
import { type Range, Schedules } from "./schedules.ts";
import { Tokens } from "./tokens.ts";
import { type CallOptions, type Options, Transport } from "./transport.ts";

export interface ApplyOrder {
  managedBy: string;
  schedules: NamedDefinition[];
  /** Removes the manager's schedules that neither `schedules` nor `keep` name. */
  prune?: boolean;
  keep?: string[];
  dryRun?: boolean;
}

export interface PreviewOrder {
  trigger: Trigger | Trigger[];
  exclude?: Exclusion[];
  startAt?: string | null;
  endAt?: string | null;
  jitter?: string;
  /** Exclusive; now, unless told otherwise. */
  from?: string;
  until?: string;
  count?: number;
}

export interface SimulationOrder {
  definition: Definition;
  from?: string;
  until?: string;
  downtime?: { from: string; to: string }[];
  pauses?: { from: string; to: string; catchUp?: CatchUpPolicy }[];
  run?: { duration?: string; durations?: string[]; failEvery?: number };
}

export class Carillon extends Resource {
  readonly schedules: Schedules;
  readonly occurrences: Occurrences;
  readonly tokens: Tokens;

  constructor(options: Options) {
    const transport = new Transport(options);
    super(transport);
    this.schedules = new Schedules(transport);
    this.occurrences = new Occurrences(transport);
    this.tokens = new Tokens(transport);
  }

  /** Schedules as code. Made again, it does what an earlier one left undone. */
  apply(order: ApplyOrder, options: CallOptions = {}): Promise<Applied> {
    return this.send(ask("/v1/apply", order, options));
  }

  /** The slots of a trigger that nobody has saved. */
  preview(order: PreviewOrder, options: CallOptions = {}): Promise<Preview> {
    return this.send(ask("/v1/preview", order, options));
  }

  /** What a definition would do through downtime, pauses and failures. */
  simulate(order: SimulationOrder, options: CallOptions = {}): Promise<Simulation> {
    return this.send(ask("/v1/simulate", order, options));
  }

  /** Of all schedules; see `schedules.audit`. */
  audit({ signal, ...range }: Range & CallOptions = {}): Promise<Audit> {
    return auditAll((cursor) => this.read("/v1/audit", { ...range, cursor }, { signal }));
  }

  /** Messages that wait for a worker that polls, oldest first. Listing takes nothing: `occurrences.start` does. */
  async work(queue: string, { signal, limit }: { limit?: number } & CallOptions = {}): Promise<Message[]> {
    const { items } = await this.read<{ items: Message[] }>("/v1/work", { queue, limit }, { signal });
    return items;
  }

  alerts({
    signal,
    ...filter
  }: { state?: "open" | "resolved"; schedule?: string; limit?: number } & CallOptions = {}): Pages<Alert> {
    return new Pages((cursor) => this.read("/v1/alerts", { ...filter, cursor }, { signal }));
  }

  stats({ signal, ...range }: Range & CallOptions = {}): Promise<Stats> {
    return this.read("/v1/stats", range, { signal });
  }

  /** One pass of the sweep, now: for deployments whose cron is elsewhere. */
  sweep(options: CallOptions = {}): Promise<Sweep> {
    return this.send(ask("/v1/sweep", {}, options));
  }
}
