/** `trigger` and `exclude` as request fields: core/ reads them and explains what is wrong; here is their JSON Schema. */
import { parseExclude, parseTrigger } from "../core/trigger.ts";
import { durationSchema, parsed, type JsonSchema } from "./fields.ts";

const timezone: JsonSchema = { type: "string", description: "IANA time zone", examples: ["Europe/Berlin"] };
const duration = durationSchema();
const cronText: JsonSchema = {
  type: "string",
  description: "Open Cron Pattern Specification 1.4: 5 fields, 6 with seconds first, 7 with the year last",
  examples: ["0 2 * * *"],
};
const dst: JsonSchema = {
  description:
    "What a change of the clocks does; auto: once a day for a fixed time of day, else elapsed time",
  oneOf: [
    { const: "auto" },
    object({ gap: { enum: ["skip", "next", "shift"] }, fold: { enum: ["first", "second", "both"] } }, [
      "gap",
      "fold",
    ]),
  ],
};

const triggers: JsonSchema[] = [
  {
    title: "cron",
    ...object(
      {
        cron: cronText,
        timezone: { oneOf: [timezone, { type: "array", items: timezone, minItems: 1 }] },
        dst,
        monthDay: { enum: ["skip", "clamp"] },
      },
      ["cron", "timezone"],
    ),
  },
  {
    title: "fixed rate",
    ...object({ every: duration, anchor: { type: "string", format: "date-time" } }, ["every"]),
  },
  { title: "fixed delay", ...object({ after: duration }, ["after"]) },
  {
    title: "once, at",
    ...object({ at: { type: "string", examples: ["2026-12-24T18:00:00"] }, timezone, dst }, ["at"]),
  },
  {
    title: "once, in",
    ...object({ in: duration, dueAt: { type: "string", format: "date-time", readOnly: true } }, ["in"]),
  },
];

const exclusions: JsonSchema[] = [
  object({ date: { type: "string", format: "date" }, timezone }, ["date"]),
  object({ from: { type: "string", format: "date" }, to: { type: "string", format: "date" }, timezone }, [
    "from",
    "to",
  ]),
  object({ cron: cronText, timezone }, ["cron"]),
];

export const trigger = parsed((input) => parseTrigger(input, "/trigger"), {
  description: "What makes slots: one rule, or the union of several",
  oneOf: [...triggers, { title: "union", type: "array", minItems: 1, items: { oneOf: triggers } }],
  examples: [{ cron: "0 2 * * *", timezone: "Europe/Berlin" }, { every: "15m" }],
});

export const exclude = parsed((input) => parseExclude(input, "/exclude"), {
  description: "Removes slots, by local date, by a range of local dates, or by cron",
  type: "array",
  items: { oneOf: exclusions },
});

function object(properties: Record<string, JsonSchema>, required: string[]): JsonSchema {
  return { type: "object", properties, required, additionalProperties: false };
}
