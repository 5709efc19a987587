/** `carillon/consumer`: the part of Carillon that other Workers import. */
export { consume, type Delivery, type Jobs, type Options } from "./consume.ts";
export type { Grant, Message, Progress, Refusal, Renewal, Result, Runs } from "./protocol.ts";
export { type Handler, NonRetryable, type Outcome, RetryLater, type Run } from "./run.ts";
