/** `/schedules/{name}`: what it is, what it did, what it will do, and what can be done to it. */
import { Hono, type Context } from "hono";
import { compile } from "../core/trigger.ts";
import type { Deps } from "../http/context.ts";
import { explained } from "../http/explain.ts";
import { lately } from "../http/history.ts";
import { definitionOf, timeRule, upcoming } from "../http/preview.ts";
import { revisionsOf } from "../http/revisions.ts";
import type { HistoryItem } from "../ledger/row.ts";
import type { OccurrenceView, ScheduleView } from "../schedule/stub.ts";
import { Buttons, Dialogs } from "./commands.tsx";
import { Json, Warnings, Words } from "./definition.tsx";
import { AskWhy, Explanation } from "./explanation.tsx";
import { show, showPart } from "./page.tsx";
import { Heading, Live } from "./parts.tsx";
import { lastSlots, Measures, MeasuresTable, Past, Unwell } from "./past.tsx";
import { RevisionList } from "./revision-list.tsx";
import { Standing } from "./standing.tsx";
import { troubled } from "./trouble.tsx";
import { Upcoming } from "./upcoming.tsx";
import type { PageEnv, Viewer } from "./viewer.ts";

const HISTORY = 200;
const AHEAD = 8;
const REVISIONS = 5;

export function schedulePage(deps: Deps): Hono<PageEnv> {
  const app = new Hono<PageEnv>();

  app.get("/schedules/:name", async (c) => {
    const name = c.req.param("name");
    const { namespace, now, viewer } = c.var;
    const [read, stretch, { items: revisions }] = await Promise.all([
      deps.schedule(namespace, name).read(),
      lately(deps, { namespace, name }, now, HISTORY),
      revisionsOf(deps, namespace, name, { before: null, limit: REVISIONS + 1 }),
    ]);
    if (!read.ok) return troubled(c, read.error);
    const view = read.value;
    const items = lastSlots(stretch?.items.map(({ item }) => item) ?? []);
    const next = upcoming(view, { from: now, count: AHEAD, now });
    const passed = passedWhilePaused(view, now);
    const { description, tags, managedBy } = view.definition;
    return show(
      c,
      { title: name, section: "schedules", scripts: ["schedule.browser.js"] },
      <>
        <Heading title={<bdi>{name}</bdi>} lead={description ? <bdi>{description}</bdi> : null}>
          <Buttons view={view} viewer={viewer} passed={passed} />
        </Heading>
        <Tags tags={tags as string[]} managedBy={managedBy as string | null} viewer={viewer} />
        <Live id="now" from={viewer.link(`/schedules/${name}/now`)}>
          <Now view={view} items={items} passed={passed} viewer={viewer} />
        </Live>
        <section class="card" aria-labelledby="took">
          <header>
            <h2 id="took">How long the last runs took</h2>
            <p>Bars are runs, oldest to newest; the dashed line is the median</p>
          </header>
          <div class="body">
            <Measures items={items} />
            <Unwell items={items} viewer={viewer} />
            <MeasuresTable items={items} viewer={viewer} />
          </div>
        </section>
        <div class="grid">
          <div>
            <section class="card" aria-labelledby="words">
              <header>
                <h2 id="words">What it does</h2>
                <p>Revision {view.revision}</p>
              </header>
              <div class="body">
                {next.ok && <Words description={next.value.description} definition={definitionOf(view)} />}
                <Warnings warnings={view.warnings} />
                <details class="more">
                  <summary>The definition as JSON</summary>
                  <Json id="definition" name="The definition" value={view.definition} />
                </details>
              </div>
            </section>
            <AskWhy name={name} viewer={viewer} />
          </div>
          <section class="card" aria-labelledby="next">
            <header>
              <h2 id="next">What comes next</h2>
              {view.state === "paused" && <p>It is paused: these run only once it is resumed</p>}
            </header>
            {next.ok && next.value.slots.length > 0 ? (
              <Upcoming slots={next.value.slots} suppressed={next.value.suppressed} viewer={viewer} />
            ) : (
              <p class="body muted">No slot lies ahead.</p>
            )}
          </section>
        </div>
        <section class="card" aria-labelledby="revisions">
          <header>
            <h2 id="revisions">Who changed it</h2>
          </header>
          <div class="body">
            <RevisionList revisions={revisions} shown={REVISIONS} viewer={viewer} />
          </div>
        </section>
        <Dialogs view={view} viewer={viewer} passed={passed} />
      </>,
    );
  });

  app.get("/schedules/:name/now", async (c) => {
    const name = c.req.param("name");
    const { namespace, now, viewer } = c.var;
    const [read, stretch] = await Promise.all([
      deps.schedule(namespace, name).read(),
      lately(deps, { namespace, name }, now, HISTORY),
    ]);
    if (!read.ok) return troubled(c, read.error);
    const items = lastSlots(stretch?.items.map(({ item }) => item) ?? []);
    const passed = passedWhilePaused(read.value, now);
    return showPart(c, <Now view={read.value} items={items} passed={passed} viewer={viewer} />);
  });

  app.get("/schedules/:name/explain", (c) => explainAt(deps, c, c.req.param("name")));

  return app;
}

interface NowProps {
  view: ScheduleView;
  items: HistoryItem[];
  passed: { count: number; isCut: boolean };
  viewer: Viewer;
}

/** What changes while it is looked at. */
function Now({ view, items, passed, viewer }: NowProps) {
  const running = items.filter(
    (item): item is OccurrenceView =>
      item.kind !== "gap" && ["running", "retrying", "deferred"].includes(item.state),
  );
  return (
    <section class="card" aria-label="How it stands">
      <div class="body">
        <Standing view={view} running={running} passed={passed} viewer={viewer} />
        <Past items={items} viewer={viewer} name={view.name} />
      </div>
    </section>
  );
}

function Tags({ tags, managedBy, viewer }: { tags: string[]; managedBy: string | null; viewer: Viewer }) {
  if (tags.length === 0 && managedBy === null) return null;
  return (
    <p class="tags">
      {tags.map((tag) => (
        <a class="tag" href={viewer.link("/schedules", { tag })}>
          <bdi>{tag}</bdi>
        </a>
      ))}
      {managedBy && (
        <a class="tag" href={viewer.link("/schedules", { managedBy })}>
          managed by <bdi>{managedBy}</bdi>
        </a>
      )}
    </p>
  );
}

/** Of a pause nothing is on record until it ends: its slots are those after the cursor. */
function passedWhilePaused(view: ScheduleView, now: number): { count: number; isCut: boolean } {
  if (view.state !== "paused") return { count: 0, isCut: false };
  const compiled = compile(timeRule(view).rule);
  if (!compiled.ok) return { count: 0, isCut: false };
  const { count, through } = compiled.value.count(Date.parse(view.cursor), now);
  return { count, isCut: through < now };
}

async function explainAt(deps: Deps, c: Context<PageEnv>, name: string) {
  const { namespace, now, viewer } = c.var;
  const at = (c.req.query("at") ?? "").slice(0, 64);
  const told = at === "" ? null : await explained(deps, { namespace, name }, at, now);
  if (told?.ok === false && told.error.code === "not_found") return troubled(c, told.error);
  return show(
    c,
    { title: `Why? ${name}`, section: "schedules" },
    <>
      <Heading
        title="Why did it run, or not?"
        lead={
          <>
            <a href={viewer.link(`/schedules/${name}`)}>
              <bdi>{name}</bdi>
            </a>
            , at any instant of the past or the future
          </>
        }
      />
      <AskWhy name={name} viewer={viewer} at={at} refusal={told?.ok === false ? told.error : null} />
      {told?.ok && <Explanation told={told.value} name={name} viewer={viewer} />}
    </>,
  );
}
