/** What each field of a definition means, in a sentence, and what stands there if nothing is said: for the document. */
import { invariant } from "../core/errors.ts";
import { presentDefinition } from "../core/present.ts";
import { complete } from "../core/schedule.ts";
import type { JsonSchema } from "./fields.ts";

const WORDS: Record<string, string> = {
  description: "For people",
  tags: "For people, and to list by",
  managedBy: "Who keeps it as code: what applies definitions prunes its own only",
  trigger: "The time rule",
  exclude: "Exceptions",
  startAt: "No slot before it; inclusive",
  endAt: "No slot after it; inclusive",
  maxOccurrences: "How many planned occurrences there may be, over all revisions; null: no limit",
  jitter: "Up to how much later than its slot an occurrence is due; never beyond the next slot",
  target: "Who runs it: a queue that may be named here",
  payload: "Handed on as it is",
  tracked: "Whether consumers report start and end; false: done once dispatched",
  overlap:
    "What becomes of a slot while an earlier one runs; `allow` is the default, and the only value, when not tracked",
  maxConcurrent: "Seats: how many run at one time; null under overlap `allow`",
  maxBuffered: "How many may wait under `buffer_all`",
  maxContinuations: "How often one occurrence may say `workRemaining`",
  catchUp: "What becomes of slots that nobody was awake for",
  "catchUp.policy":
    "`skip`: none runs; `latest`: one run covers them; `all`: up to `limit`, one after another",
  "catchUp.limit": "How many of the missed ones `all` runs: the latest",
  "catchUp.window": "How long a slot stays worth running; null: for ever",
  "catchUp.grace": "How late the latest due slot may be and still count as current",
  "catchUp.rate": "Catch-up runs a second under overlap `allow`",
  retry: "What follows a failure",
  "retry.maxAttempts": "The first one included",
  "retry.initial": "Before the second attempt",
  "retry.factor": "By which each further pause is longer",
  "retry.max": "The longest pause",
  "retry.jitter": "Share of the pause by which it is spread to either side",
  "retry.maxElapsed": "From the first dispatch; then it expires",
  "retry.untilNextSlot": "Expires when the next slot is due",
  timeouts: "How long each step may take",
  "timeouts.start": "From dispatch to start: then the message is sent again",
  "timeouts.lease": "From one heartbeat to the next: then another attempt may begin",
  "timeouts.run": "Of one attempt, heartbeats or not",
  "timeouts.cancel": "From being asked to stop to being cancelled",
  pauseAfterFailures: "Failed occurrences in a row after which it is paused; null: never",
  afterCompletion: "What becomes of a schedule with nothing ahead",
  retention: "How long history is kept; the operator may set another default for a namespace",
  alerts: "What is told",
  "alerts.noSuccessFor": "Told when nothing has succeeded for so long; null: never",
  "alerts.queueWait": "Told when a message waits for so long; null: never",
  paused: "Only counts on creation: state, not definition",
};

interface Nested {
  [field: string]: unknown;
}

/**
 * Adds the words to the schema of a definition; and, where what is left out takes its default, the defaults: in words
 * too, since generators of typed clients take a field with a `default` for one that is always there, and demand it.
 */
export function explainFields(schema: JsonSchema, { withDefaults }: { withDefaults: boolean }): void {
  const required = new Set(schema.required as string[] | undefined);
  const defaults: Nested = { ...defaultsOf(), paused: false };
  for (const [path, words] of Object.entries(WORDS)) {
    const [name = "", inner] = path.split(".");
    const outer = propertiesOf(schema)?.[name];
    const field = inner === undefined ? outer : propertiesOf(outer)?.[inner];
    if (!field) continue;
    const standing = inner === undefined ? defaults[name] : (defaults[name] as Nested)[inner];
    const isSettled = required.has(name) || propertiesOf(field);
    field.description = [
      words,
      ...(typeof field.description === "string" ? [field.description] : []),
      ...(withDefaults && !isSettled ? [`Default: \`${JSON.stringify(standing)}\``] : []),
    ].join(". ");
  }
}

/** Of a group that may be null, the properties of the object. */
function propertiesOf(schema: JsonSchema | undefined): Record<string, JsonSchema> | undefined {
  const { properties, anyOf = [] } = (schema ?? {}) as {
    properties?: object;
    anyOf?: { properties?: object }[];
  };
  return (properties ?? anyOf[0]?.properties) as Record<string, JsonSchema> | undefined;
}

/** As the very code fills them in. */
function defaultsOf(): Nested {
  const bare = complete({ trigger: { every: "PT1H" }, target: { queue: "" } });
  invariant(bare.ok, "a definition of nothing but defaults is complete");
  return presentDefinition(bare.value);
}
