/** What the playground asks: a trigger, its policies, and a downtime to try them on. */
import { DEFAULTS } from "../core/limits.ts";
import { CATCH_UP_POLICIES } from "../core/schedule.ts";
import type { Refusal } from "../http/problem.ts";
import { OVERLAP_WORDS } from "./commands.tsx";
import { Field } from "./dialogs.tsx";
import { KINDS, type FieldName, type Fields } from "./draft.ts";
import type { Viewer } from "./viewer.ts";

export type Troubles = Partial<Record<FieldName, Pick<Refusal, "message" | "hint">>>;

interface FormProps {
  fields: Fields;
  troubles: Troubles;
  viewer: Viewer;
}

export function Form({ fields, troubles, viewer }: FormProps) {
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
