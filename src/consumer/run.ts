import type { Message, Progress } from "./protocol.ts";

/** What a handler gets: the message, and the lease under which this attempt runs (nulls when not tracked). */
export interface Run extends Message {
  /** Fencing token: grows with every attempt ever granted to this schedule. */
  readonly token: number | null;
  /** When this attempt is over, heartbeats or not. */
  readonly deadline: string | null;
  /** A later slot that already succeeded: don't overwrite what it wrote. */
  readonly newerSucceeded: string | null;
  /** Aborted when the lease is lost, the run is cancelled, or its deadline has passed: stop, and return. */
  readonly signal: AbortSignal;
  /** Leaves news for the next renewal (one each third of the lease, with or without this) and yields a turn. */
  heartbeat(news?: Progress): Promise<void>;
  /** Throws, and so puts the attempt off for e.g. `"10m"` without using it up. Tracked runs only. */
  defer(duration: string): never;
}

export type Outcome = {
  /** JSON up to 16 KB. */
  result?: unknown;
  /** A budget ended this run rather than an empty list: run on at once. */
  workRemaining?: boolean;
  /** Somebody else has the token now, and reports under it: the run stays open, and nobody renews its lease here. */
  handedOn?: boolean;
};

/** Returning nothing is success too; but after a cancel or the deadline it means "I stopped early". */
export type Handler<Env> = (run: Run, env: Env) => Promise<Outcome | void> | Outcome | void;
export type Job = (run: Run) => ReturnType<Handler<unknown>>;

/** Throw this when trying again cannot help: the occurrence is failed at once. */
export class NonRetryable extends Error {
  override name = "NonRetryable";
}

/** Throw this when trying again can help, but not before a while, such as `"30s"`. */
export class RetryLater extends Error {
  override name = "RetryLater";
  readonly after: string;

  constructor(message: string, after: string) {
    super(message);
    this.after = after;
  }
}
