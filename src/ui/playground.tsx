/**
 * `/playground`: a trigger and policies, and what they would do. The form is the address, so what was tried can be
 * sent to somebody; the browser module asks for this very page again while one types, and puts its answer in place.
 */
import { Hono } from "hono";
import { formatInstant } from "../core/time.ts";
import type { Deps } from "../http/context.ts";
import { simulateBody } from "../http/past-requests.ts";
import { previewed } from "../http/preview.ts";
import type { Refusal } from "../http/problem.ts";
import { previewBody } from "../http/requests.ts";
import { simulateSaid } from "../http/simulations.ts";
import { allowedQueues } from "../http/targets.ts";
import { check } from "../http/validate.ts";
import { jsonText } from "./definition.tsx";
import { Field, Opener } from "./dialogs.tsx";
import { draftOf, fieldOf, readFields, SLOTS_MAX, worldOf, type FieldName, type Fields } from "./draft.ts";
import { show } from "./page.tsx";
import { Heading } from "./parts.tsx";
import { Copies, Rule, WhatIf } from "./playground-answer.tsx";
import { Form, type Troubles } from "./playground-form.tsx";
import type { PageEnv, Viewer } from "./viewer.ts";

const LOOK_MS = 62 * 86_400_000;

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
