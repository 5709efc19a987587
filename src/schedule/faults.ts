/**
 * What a platform error means, by message and cause chain; the platform's own flags do not survive every
 * boundary. Narrow on purpose: what isn't recognised is ours.
 */

export type Fault = "reset" | "transient" | "overloaded" | "ours";

const RESET = [
  "reset because its code was updated", // a deploy superseded this instance
  "This script has been upgraded",
  "storage caused object to be reset",
  "broken.ioGateBroken",
  "The Durable Object's code has been updated",
];
const OVERLOADED = ["is overloaded", "overloaded. Requests queued", "Too many requests queued", "(10250)"];
const TRANSIENT = [
  "Network connection lost",
  "Cannot resolve D1 DB due to transient issue",
  "client disconnected",
];

const CAUSES_MAX = 8;

export function classify(error: unknown): Fault {
  let current: unknown = error;
  for (let depth = 0; depth < CAUSES_MAX && current instanceof Error; depth++) {
    const { message } = current;
    if (RESET.some((sentence) => message.includes(sentence))) return "reset";
    if (OVERLOADED.some((sentence) => message.includes(sentence))) return "overloaded";
    if (TRANSIENT.some((sentence) => message.includes(sentence))) return "transient";
    current = current.cause;
  }
  return "ours";
}
