/** The playground's form: text fields, and the definition and the made-up world that they stand for. */
import { parseDuration } from "../core/time.ts";

/** Looked up for the calendar. */
export const SLOTS_MAX = 1_000;

/** Each field with what it holds unless the address says otherwise. They name the form's fields and the address's parameters. */
export const FIELDS = {
  kind: "cron",
  cron: "30 2 * * *",
  timezone: "",
  gap: "",
  fold: "",
  monthDay: "",
  every: "15m",
  anchor: "",
  after: "1h",
  at: "",
  in: "10m",
  trigger: "",
  exclude: "",
  jitter: "",
  overlap: "",
  catchUp: "",
  limit: "",
  grace: "",
  attempts: "",
  more: "",
  begin: "",
  span: "1d",
  downFrom: "0",
  downFor: "0",
  run: "5m",
  failEvery: "",
} as const;
export type FieldName = keyof typeof FIELDS;
export type Fields = Record<FieldName, string>;

export const KINDS = {
  cron: "Cron",
  every: "At a fixed rate",
  after: "After the last run",
  at: "Once, at",
  in: "Once, in",
  trigger: "As JSON",
} as const;

const CHARS_MAX = 8_000;
const DAY_MS = 86_400_000;

export function readFields(query: Record<string, string>, zone: string): Fields {
  const read = Object.entries(FIELDS).map(([name, standard]) => [
    name,
    (query[name] ?? (name === "timezone" ? zone : standard)).slice(0, CHARS_MAX),
  ]);
  return Object.fromEntries(read) as Fields;
}

export interface Draft {
  definition: Record<string, unknown>;
  /** Fields that are no JSON, before the API would look at anything. */
  troubles: Partial<Record<FieldName, string>>;
}

/** Only what was said: an empty field leaves the default to the API. */
export function draftOf(fields: Fields, queue: string): Draft {
  const troubles: Draft["troubles"] = {};
  const parse = (name: FieldName): unknown => {
    if (fields[name].trim() === "") return undefined;
    try {
      return JSON.parse(fields[name]);
    } catch (error) {
      troubles[name] = `This is no JSON: ${error instanceof Error ? error.message : ""}`;
      return undefined;
    }
  };
  const more = parse("more");
  const { overlap, jitter } = fields;
  const definition = said({
    trigger: fields.kind === "trigger" ? parse("trigger") : triggerOf(fields),
    exclude: excludeOf(fields.exclude),
    target: { queue },
    jitter: textOf(jitter),
    overlap: textOf(overlap),
    catchUp: groupOf({
      policy: textOf(fields.catchUp),
      limit: numberOf(fields.limit),
      grace: textOf(fields.grace),
    }),
    retry: groupOf({ maxAttempts: numberOf(fields.attempts) }),
  });
  return { definition: { ...definition, ...(isObject(more) ? more : {}) }, troubles };
}

function triggerOf(fields: Fields): Record<string, unknown> {
  const { gap, fold } = fields;
  const dst = gap === "" && fold === "" ? undefined : { gap: gap || "next", fold: fold || "first" };
  const zones = fields.timezone.split(",").map((zone) => zone.trim());
  const timezone = zones.length > 1 ? zones : textOf(fields.timezone);
  switch (fields.kind) {
    case "every":
      return said({ every: fields.every, anchor: textOf(fields.anchor) });
    case "after":
      return { after: fields.after };
    case "at":
      return said({
        at: fields.at,
        timezone: /(Z|[+-]\d\d:\d\d)$/i.test(fields.at) ? undefined : timezone,
        dst,
      });
    case "in":
      return { in: fields.in };
    default:
      return said({ cron: fields.cron, timezone, dst, monthDay: textOf(fields.monthDay) });
  }
}

/** One a line: a date, a range of dates, or a cron expression. */
function excludeOf(text: string): object[] | undefined {
  const lines = text.split("\n").map((line) => line.trim());
  const all = lines.flatMap((line) => {
    if (line === "") return [];
    const [from = "", to] = line.split(/\s*(?:\.\.|to)\s*/);
    if (to !== undefined) return { from, to };
    return /^\d{4}-/.test(line) ? { date: line } : { cron: line };
  });
  return all.length === 0 ? undefined : all;
}

/** The stretch that is simulated, and how long of it the scheduler is away. */
export function worldOf(fields: Fields, definition: object, now: number) {
  const begun = Date.parse(`${fields.begin}T00:00:00Z`);
  const from = Number.isNaN(begun) ? now - (now % 60_000) : begun;
  const length = parseDuration(fields.span);
  const to = from + (length.ok && length.value > 0 ? Math.min(length.value, 366 * DAY_MS) : DAY_MS);
  const share = (text: string) => Math.min(100, Math.max(0, Number(text) || 0)) / 100;
  const downFrom = Math.round(from + share(fields.downFrom) * (to - from));
  const downTo = Math.min(to, Math.round(downFrom + share(fields.downFor) * (to - from)));
  const downtime = downTo > downFrom ? [{ from: downFrom, to: downTo }] : [];
  const iso = (at: number) => new Date(at).toISOString();
  const body = {
    definition,
    from: iso(from),
    until: iso(to),
    downtime: downtime.map((down) => ({ from: iso(down.from), to: iso(down.to) })),
    run: said({ duration: textOf(fields.run), failEvery: numberOf(fields.failEvery) }),
  };
  return { from, to, downtime, body };
}

const POINTERS: [RegExp, FieldName][] = [
  [/^\/trigger\/(\d+\/)?timezone/, "timezone"],
  [/^\/trigger\/(cron|every|after|at|in|anchor|monthDay)$/, "cron"],
  [/^\/trigger\/dst/, "gap"],
  [/^\/exclude/, "exclude"],
  [/^\/jitter/, "jitter"],
  [/^\/overlap/, "overlap"],
  [/^\/catchUp\/limit/, "limit"],
  [/^\/catchUp\/grace/, "grace"],
  [/^\/catchUp/, "catchUp"],
  [/^\/retry\/maxAttempts/, "attempts"],
  [/^\/run\/failEvery/, "failEvery"],
  [/^\/run/, "run"],
];

/** The field of the form that a pointer into the definition, or into the simulation around it, blames. */
export function fieldOf(pointer: string | undefined, fields: Fields): FieldName {
  const inside = (pointer ?? "/trigger").replace(/^\/definition/, "");
  const kind = fields.kind in KINDS ? (fields.kind as FieldName) : "cron";
  if (inside.startsWith("/trigger") && fields.kind === "trigger") return "trigger";
  const own = /^\/trigger\/(anchor|monthDay)$/.exec(inside)?.[1];
  if (own) return own as FieldName;
  const found = POINTERS.find(([pattern]) => pattern.test(inside))?.[1];
  if (found === "cron" || inside === "/trigger") return kind === ("kind" as FieldName) ? "cron" : kind;
  return found ?? "more";
}

function textOf(text: string): string | undefined {
  return text.trim() === "" ? undefined : text.trim();
}

/** What is no number is left as it is, for the API to say so. */
function numberOf(text: string): number | string | undefined {
  const trimmed = textOf(text);
  return trimmed === undefined || Number.isNaN(Number(trimmed)) ? trimmed : Number(trimmed);
}

function groupOf(group: Record<string, unknown>): Record<string, unknown> | undefined {
  const kept = said(group);
  return Object.keys(kept).length === 0 ? undefined : kept;
}

function said(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
