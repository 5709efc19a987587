/**
 * `/playground`: a trigger and policies, and what they would do. The form is the address, so what was tried can be
 * sent to somebody; the browser module asks for this very page again while one types, and puts its answer in place.
 */
import { Hono } from "hono";
import { CATCH_UP_POLICIES } from "../core/schedule.ts";
import { DEFAULTS } from "../core/limits.ts";
import type { PreviewResponse } from "../core/preview.ts";
import { formatInstant } from "../core/time.ts";
import type { Deps } from "../http/context.ts";
import { simulateBody } from "../http/past-requests.ts";
import { definitionOf, previewed } from "../http/preview.ts";
import type { Refusal } from "../http/problem.ts";
import { previewBody } from "../http/requests.ts";
import { simulateSaid, type SimulationView } from "../http/simulations.ts";
import { allowedQueues } from "../http/targets.ts";
import { check } from "../http/validate.ts";
import { Month } from "./charts/month.tsx";
import { Simulated } from "./charts/simulated.tsx";
import { OVERLAP_WORDS } from "./commands.tsx";
import { jsonText, Json, Warnings, Words } from "./definition.tsx";
import { Field, Opener } from "./dialogs.tsx";
import { draftOf, fieldOf, KINDS, readFields, worldOf, type FieldName, type Fields } from "./draft.ts";
import { StateMark } from "./marks.tsx";
import { show } from "./page.tsx";
import { Heading, Time } from "./parts.tsx";
import { reasonWords } from "./reasons.ts";
import { Upcoming } from "./upcoming.tsx";
import type { PageEnv, Viewer } from "./viewer.ts";
import { count } from "./when.ts";

const LISTED = 8;
const SLOTS_MAX = 1_000;
const LOOK_MS = 62 * 86_400_000;
const LOST_MAX = 4;

type Troubles = Partial<Record<FieldName, Pick<Refusal, "message" | "hint">>>;

export function playground(deps: Deps): Hono<PageEnv> {
  const app = new Hono<PageEnv>();

  app.get("/playground", async (c) => {
    const { viewer, namespace, now } = c.var;
    const queues = allowedQueues(deps, c.var);
    const given = { ...(await fieldsOfSchedule(deps, namespace, c.req.query("schedule"))), ...c.req.query() };
    const fields = readFields(given, viewer.zone);
    const draft = draftOf(fields, queues[0] ?? "QUEUE");
    const troubles: Troubles = {};
    for (const [name, message] of Object.entries(draft.troubles)) troubles[name as FieldName] = { message };
    const blame = (refusals: Refusal[]) => {
      for (const one of refusals) troubles[fieldOf(one.pointer, fields)] ??= one;
    };
    const world = worldOf(fields, draft.definition, now);
    const { trigger, exclude, jitter } = draft.definition;
    const rule = { trigger, exclude, jitter, from: formatInstant(world.from - 1), count: SLOTS_MAX };
    const asked = check("json", previewBody, { ...rule, until: formatInstant(world.from + LOOK_MS) });
    const shown = asked.ok ? previewed(asked.value, c.var) : null;
    if (!asked.ok) blame(asked.errors);
    if (shown?.ok === false) blame([shown.error]);
    const body = check("json", simulateBody, world.body);
    const told = body.ok ? simulateSaid(body.value, c.var) : null;
    if (!body.ok) blame(body.errors);
    if (told?.ok === false) blame([told.error]);
    return show(
      c,
      { title: "Playground", section: "playground", scripts: ["playground.browser.js"] },
      <>
        <Heading
          title="Playground"
          lead="Try a trigger and its policies. Nothing is saved until you create it."
        >
          {viewer.can("write") && (
            <Opener id="create" isQuiet={false}>
              Create it…
            </Opener>
          )}
        </Heading>
        <div class="bench">
          <Form fields={fields} troubles={troubles} viewer={viewer} />
          <div id="answer">
            {shown?.ok ? (
              <Rule
                preview={shown.value}
                definition={told?.ok ? draft.definition : null}
                from={world.from}
                viewer={viewer}
              />
            ) : (
              <section class="card">
                <p class="empty">
                  <b>This makes no slots yet.</b>
                  What is wrong stands at the field.
                </p>
              </section>
            )}
            {told?.ok && <WhatIf told={told.value} world={world} viewer={viewer} />}
            <Copies definition={draft.definition} world={world.body} />
          </div>
        </div>
        {viewer.can("write") && <Create queues={queues} viewer={viewer} />}
      </>,
    );
  });

  return app;
}

/** A schedule that exists, as a draft. */
async function fieldsOfSchedule(
  deps: Deps,
  namespace: string,
  name: string | undefined,
): Promise<Partial<Fields>> {
  if (!name) return {};
  const read = await deps.schedule(namespace, name).read();
  if (!read.ok) return {};
  const { trigger, target: _, catchUp, overlap, jitter, ...more } = read.value.definition;
  return {
    kind: "trigger",
    trigger: JSON.stringify(trigger),
    overlap: overlap as string,
    jitter: jitter as string,
    more: jsonText({ ...more, catchUp }),
  };
}

// ── the answer ───────────────────────────────────────────────────────────────────────────────────

interface RuleProps {
  preview: PreviewResponse;
  definition: Record<string, unknown> | null;
  from: number;
  viewer: Viewer;
}

function Rule({ preview, definition, from, viewer }: RuleProps) {
  const { slots, suppressed, description, warnings, exhausted } = preview;
  const listed = slots.slice(0, LISTED);
  const last = listed.at(-1)?.localTime.slice(0, 19) ?? "";
  const lost = suppressed.filter(({ localTime }) => slots.length <= LISTED || localTime.slice(0, 19) <= last);
  return (
    <section class="card" aria-labelledby="rule">
      <div class="body">
        <div role="status">
          <h2 id="rule" class="rule">
            {description}
          </h2>
        </div>
        <Warnings warnings={warnings} />
        {definition && (
          <details class="more">
            <summary>The policies in words</summary>
            <Words description={description} definition={definitionOf({ definition: definition as never })} />
          </details>
        )}
        <div class="ahead-grid">
          <div>
            <h3>Next slots</h3>
            {listed.length === 0 ? (
              <p class="muted">
                {exhausted ? "Nothing comes after this." : "None in the coming two months."}
              </p>
            ) : (
              <Upcoming slots={listed} suppressed={lost.slice(0, LOST_MAX)} viewer={viewer} />
            )}
          </div>
          <Calendar preview={preview} from={from} viewer={viewer} />
        </div>
      </div>
    </section>
  );
}

function Calendar({
  preview: { slots, suppressed },
  from,
  viewer,
}: {
  preview: PreviewResponse;
  from: number;
  viewer: Viewer;
}) {
  const zone = slots[0]?.timezones[0] ?? suppressed[0]?.timezone ?? viewer.zone;
  const begin = new Date(Date.parse(slots[0]?.scheduledFor ?? formatInstant(from)));
  const months = [0, 1].map(
    (ahead) => new Date(Date.UTC(begin.getUTCFullYear(), begin.getUTCMonth() + ahead, 1)),
  );
  return (
    <div class="months">
      {months.map((first) => (
        <Month
          year={first.getUTCFullYear()}
          month={first.getUTCMonth() + 1}
          zone={zone}
          slots={slots.map(({ localTime }) => localTime)}
          lost={suppressed.map(({ localTime }) => localTime)}
        />
      ))}
      <p class="muted note-line">
        {`On the clock of ${zone}; ◷ marks a change of the clock.`}
        {slots.length === SLOTS_MAX && ` The first ${count(SLOTS_MAX)} slots are shown.`}
      </p>
    </div>
  );
}

interface WhatIfProps {
  told: SimulationView;
  world: ReturnType<typeof worldOf>;
  viewer: Viewer;
}

function WhatIf({ told, world, viewer }: WhatIfProps) {
  const { counts, occurrences, gaps, truncated, reached } = told;
  const states = STATES.filter((state) => (counts[state] ?? 0) > 0);
  const reasons = Object.entries(counts).filter(([word]) => !(STATES as readonly string[]).includes(word));
  const summary = `${states.map((state) => `${count(counts[state] ?? 0)} ${state}`).join(", ") || "No slot"} in this stretch.`;
  return (
    <section class="card" aria-labelledby="what-if">
      <header>
        <h2 id="what-if">What would run</h2>
        <p>Drag over the picture to take the scheduler down, or use the sliders</p>
      </header>
      <div class="body">
        <Simulated
          occurrences={occurrences}
          gaps={gaps}
          downtime={world.downtime}
          from={world.from}
          to={world.to}
          summary={summary}
        />
        <p class="ends muted">
          <Time at={world.from} viewer={viewer} />
          <Time at={world.to} viewer={viewer} />
        </p>
        <ul class="legend">
          {states.map((state) => (
            <li>
              <StateMark state={state} word={`${count(counts[state] ?? 0)} ${state}`} />
            </li>
          ))}
          {occurrences.some(({ kind }) => kind === "catch_up") && (
            <li class="odd">{`${count(occurrences.filter(({ kind }) => kind === "catch_up").length)} of them as catch-up`}</li>
          )}
          {world.downtime.length > 0 && <li>▒ the scheduler is away</li>}
        </ul>
        {reasons.length > 0 && (
          <ul class="policies">
            {reasons.map(([reason, slots]) => (
              <li>{`${count(slots)} ${reason}: ${reasonWords(reason)}`}</li>
            ))}
          </ul>
        )}
        {truncated && (
          <p class="muted note-line">
            It was followed up to <Time at={reached} viewer={viewer} />: there is too much going on to look
            further.
          </p>
        )}
      </div>
    </section>
  );
}

const STATES = [
  "succeeded",
  "dispatched",
  "running",
  "retrying",
  "buffered",
  "failed",
  "expired",
  "cancelled",
  "skipped",
] as const;

/** Quoted for a shell: what stands in single quotes is only ended by one. */
function curl(path: string, body: object): string {
  const quoted = JSON.stringify(body).replaceAll("'", `'\\''`);
  return `curl -X POST "$CARILLON/${path}" -H "authorization: Bearer $TOKEN" -H "content-type: application/json" -d '${quoted}'`;
}

function Copies({ definition, world }: { definition: object; world: object }) {
  return (
    <section class="card" aria-labelledby="copies">
      <header>
        <h2 id="copies">Take it along</h2>
      </header>
      <div class="body">
        <Json id="as-json" name="The definition" value={definition} />
        <details class="more">
          <summary>This simulation as curl</summary>
          <div class="json">
            <button type="button" class="quiet small" data-copy="as-curl">
              Copy
            </button>
            <pre id="as-curl" tabindex={0} role="region" aria-label="The simulation as curl">
              {curl("v1/simulate", world)}
            </pre>
          </div>
        </details>
      </div>
    </section>
  );
}

// ── the form ─────────────────────────────────────────────────────────────────────────────────────

interface FormProps {
  fields: Fields;
  troubles: Troubles;
  viewer: Viewer;
}

function Form({ fields, troubles, viewer }: FormProps) {
  const { kind } = fields;
  const text = (
    name: FieldName,
    label: string,
    more: { hint?: string; placeholder?: string; list?: string } = {},
  ) => <Text name={name} label={label} value={fields[name]} trouble={troubles[name]} {...more} />;
  const only = (kinds: string, content: unknown) => (
    <div data-for={kinds} hidden={!kinds.split(" ").includes(kind)} class="fields">
      {content as never}
    </div>
  );
  return (
    <form id="draft" class="card draft" method="get" action="/playground" autocomplete="off">
      {viewer.link("/").includes("namespace=") && (
        <input type="hidden" name="namespace" value={viewer.namespace} />
      )}
      <fieldset>
        <legend>When</legend>
        <Choice name="kind" label="Trigger" value={kind} options={Object.entries(KINDS)} />
        {only(
          "cron",
          text("cron", "Cron expression", {
            hint: "minute hour day month weekday; a sixth field in front is seconds",
          }),
        )}
        {only("every", [
          text("every", "Every", { placeholder: "15m" }),
          text("anchor", "Counted from", { placeholder: "1970-01-01T00:00:00Z" }),
        ])}
        {only("after", text("after", "After the end of the last run", { placeholder: "1h" }))}
        {only("at", text("at", "At", { placeholder: "2026-12-24T18:00:00" }))}
        {only("in", text("in", "In", { placeholder: "10m" }))}
        {only(
          "trigger",
          <Area name="trigger" label="Trigger, as JSON" value={fields.trigger} trouble={troubles.trigger} />,
        )}
        {only("cron at", [
          text("timezone", "Time zone", { list: "zones", hint: "Several, with commas: their union" }),
          <datalist id="zones"></datalist>,
          <div class="pair">
            <Choice
              name="gap"
              label="Left out by the clock"
              value={fields.gap}
              trouble={troubles.gap}
              options={[
                ["", "auto"],
                ["skip", "skip it"],
                ["next", "next instant"],
                ["shift", "shift it"],
              ]}
            />
            <Choice
              name="fold"
              label="Shown twice"
              value={fields.fold}
              options={[
                ["", "auto"],
                ["first", "the first"],
                ["second", "the second"],
                ["both", "both"],
              ]}
            />
          </div>,
        ])}
        {only(
          "cron",
          <Choice
            name="monthDay"
            label="A day that a month lacks"
            value={fields.monthDay}
            options={[
              ["", "no slot (default)"],
              ["skip", "no slot, and meant so"],
              ["clamp", "its last day"],
            ]}
          />,
        )}
        <Area
          name="exclude"
          label="Leave out"
          value={fields.exclude}
          trouble={troubles.exclude}
          hint="One a line: a date, from..to, or a cron expression"
        />
        {text("begin", "Look from (a date)", { placeholder: "today" })}
      </fieldset>
      <fieldset>
        <legend>Policies</legend>
        <Choice
          name="overlap"
          label="When a run is still going"
          value={fields.overlap}
          trouble={troubles.overlap}
          options={[["", "skip (default)"], ...Object.entries(OVERLAP_WORDS)]}
        />
        <div class="pair">
          <Choice
            name="catchUp"
            label="Missed slots"
            value={fields.catchUp}
            options={[
              ["", `${DEFAULTS.CATCH_UP.policy} (default)`],
              ...CATCH_UP_POLICIES.map((one): [string, string] => [one, one]),
            ]}
          />
          {text("limit", "At most", { placeholder: String(DEFAULTS.CATCH_UP.limit) })}
          {text("grace", "Grace", { placeholder: "5m" })}
          {text("jitter", "Jitter", { placeholder: "none" })}
          {text("attempts", "Attempts", { placeholder: String(DEFAULTS.RETRY.maxAttempts) })}
        </div>
        <details class="more" open={fields.more !== ""}>
          <summary>More fields, as JSON</summary>
          <Area name="more" label="Merged into the definition" value={fields.more} trouble={troubles.more} />
        </details>
      </fieldset>
      <fieldset>
        <legend>What if</legend>
        <div class="pair">
          {text("span", "Over", { placeholder: "1d" })}
          {text("run", "A run takes", { placeholder: "5m" })}
          {text("failEvery", "Fail every", { placeholder: "none" })}
        </div>
        <Slider name="downFrom" label="The scheduler goes away at" value={fields.downFrom} />
        <Slider name="downFor" label="and stays away for" value={fields.downFor} />
      </fieldset>
      <noscript>
        <button>Show</button>
      </noscript>
    </form>
  );
}

interface InputProps {
  name: FieldName;
  label: string;
  value: string;
  trouble?: Pick<Refusal, "message" | "hint">;
  hint?: string;
  placeholder?: string;
  list?: string;
}

function Trouble({ name, trouble }: Pick<InputProps, "name" | "trouble">) {
  return (
    <p class="trouble" id={`${name}-trouble`} data-trouble={name} role="alert">
      {trouble && (
        <bdi>
          {trouble.message} {trouble.hint}
        </bdi>
      )}
    </p>
  );
}

function Text({ name, label, value, trouble, hint, placeholder, list }: InputProps) {
  return (
    <Field id={name} label={label} hint={hint}>
      <input
        id={name}
        name={name}
        value={value}
        placeholder={placeholder}
        list={list}
        spellcheck={false}
        aria-invalid={trouble ? "true" : undefined}
        aria-describedby={hint ? `${name}-hint ${name}-trouble` : `${name}-trouble`}
      />
      <Trouble name={name} trouble={trouble} />
    </Field>
  );
}

function Area({ name, label, value, trouble, hint }: InputProps) {
  return (
    <Field id={name} label={label} hint={hint}>
      <textarea
        id={name}
        name={name}
        spellcheck={false}
        aria-invalid={trouble ? "true" : undefined}
        aria-describedby={`${name}-trouble`}
      >
        {value}
      </textarea>
      <Trouble name={name} trouble={trouble} />
    </Field>
  );
}

function Choice({ name, label, value, trouble, options }: InputProps & { options: [string, string][] }) {
  return (
    <Field id={name} label={label}>
      <select id={name} name={name} aria-describedby={`${name}-trouble`}>
        {options.map(([key, words]) => (
          <option value={key} selected={key === value}>
            {words}
          </option>
        ))}
      </select>
      <Trouble name={name} trouble={trouble} />
    </Field>
  );
}

function Slider({ name, label, value }: InputProps) {
  return (
    <Field id={name} label={label}>
      <input id={name} name={name} type="range" min="0" max="100" step="0.5" value={value} />
    </Field>
  );
}

function Create({ queues, viewer }: { queues: string[]; viewer: Viewer }) {
  return (
    <dialog id="create" aria-labelledby="create-title" aria-describedby="create-says">
      <form method="dialog" data-create={viewer.link("/schedules/{name}")}>
        <h2 id="create-title">Create a schedule</h2>
        <p id="create-says">
          It begins at once, with the next slot that is due from now on. One that has this name already stays
          as it is.
        </p>
        <Field id="name" label="Name" hint="a-z, 0-9, dot, _ and -">
          <input
            id="name"
            name="name"
            required
            pattern="[a-z0-9][a-z0-9._\-]{0,127}"
            autocomplete="off"
            aria-describedby="name-hint"
          />
        </Field>
        <Field id="queue" label="Queue">
          <select id="queue" name="queue">
            {queues.map((queue) => (
              <option value={queue}>{queue}</option>
            ))}
          </select>
        </Field>
        <Field id="payload" label="Payload, as JSON" hint="Empty: none">
          <textarea id="payload" name="payload" spellcheck={false} aria-describedby="payload-hint" />
        </Field>
        <label class="check">
          <input type="checkbox" name="paused" />
          <span>Create it paused</span>
        </label>
        <p class="trouble" role="alert"></p>
        <div class="actions">
          <button type="button" class="quiet" data-close>
            Leave it
          </button>
          <button>Create</button>
        </div>
      </form>
    </dialog>
  );
}
