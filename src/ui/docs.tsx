/** `/docs`: the OpenAPI document for people, with all codes, limits and scopes. Open to everybody, like the document. */
import { Hono } from "hono";
import { PROBLEMS, typeOf, type ProblemCode } from "../http/problem.ts";
import { REMEDIES } from "../http/remedies.ts";
import { SCOPES, type Scope } from "../ledger/tokens.ts";
import { assetUrl } from "./assets.ts";
import { limits } from "./limits.ts";
import { show } from "./page.tsx";
import { Heading } from "./parts.tsx";
import { readReference, type Call, type Field, type Group, type Reply } from "./reference.ts";
import type { PageEnv } from "./viewer.ts";

const SCOPE_WORDS: Record<Scope, string> = {
  read: "See schedules, occurrences, what was and what would be",
  write: "Create, change, pause, resume and remove schedules; cancel occurrences",
  trigger: "Run now, backfill, replay",
  work: "List work, and start and report the occurrences that its queues and schedules cover",
  admin: "Make and revoke tokens; sweep on demand",
};

export function docs(): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  app.get("/docs", async (c) => {
    const groups = readReference(await c.var.document());
    return show(c, { title: "API", scripts: ["docs.browser.js"] }, <Reference groups={groups} />);
  });
  return app;
}

function Reference({ groups }: { groups: Group[] }) {
  return (
    <div class="docs">
      <link rel="stylesheet" href={assetUrl("docs.css")} />
      <Heading
        title="API"
        lead={
          <>
            Made from <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1), which generators of clients
            read.
          </>
        }
      />
      <nav aria-label="On this page">
        <ul>
          {groups.map(({ name }) => (
            <li>
              <a href={`#${name}`}>{name}</a>
            </li>
          ))}
          <li>
            <a href="#problems">Problems</a>
          </li>
          <li>
            <a href="#limits">Limits</a>
          </li>
          <li>
            <a href="#scopes">Tokens and scopes</a>
          </li>
        </ul>
      </nav>
      <pre>
        {
          "export CARILLON=https://…   # where this page is\nexport TOKEN=…             # ADMIN_TOKEN, or one made with POST /v1/tokens"
        }
      </pre>
      <label for="docs-search">Search the calls</label>
      <input id="docs-search" class="docs-search" type="search" autocomplete="off" />
      {groups.map((group) => (
        <Calls group={group} />
      ))}
      <Problems />
      <Limits />
      <Scopes />
    </div>
  );
}

function Calls({ group: { name, description, calls } }: { group: Group }) {
  return (
    <section class="calls" id={name}>
      <h2>{name}</h2>
      <p class="lead">{description}</p>
      {calls.map((call) => (
        <OneCall call={call} />
      ))}
    </section>
  );
}

function OneCall({ call }: { call: Call }) {
  const { id, method, path, summary, description, parameters, body, replies, curl } = call;
  return (
    <details class="call" id={id} data-text={`${method} ${path} ${id} ${summary}`.toLowerCase()}>
      <summary>
        <span class="method">{method}</span>
        <span class="path">{path}</span>
        <span class="says">{summary}</span>
      </summary>
      {description.split("\n\n").map((paragraph) => (
        <p>
          <Words text={paragraph} />
        </p>
      ))}
      <p>
        <a href={`#${id}`}>Link to this call</a>
      </p>
      <pre>{curl}</pre>
      {parameters.length > 0 && <Fields title="Parameters" fields={parameters} />}
      {body && <Fields title="Body" fields={body.fields} />}
      <h3>Answers</h3>
      {replies.map((reply) => (
        <OneReply reply={reply} />
      ))}
    </details>
  );
}

function Fields({ title, fields }: { title: string; fields: (Field & { where?: string })[] }) {
  return (
    <>
      <h3>{title}</h3>
      <div class="scroll">
        <table>
          <tbody>
            {fields.map(({ name, where, type, required, words }) => (
              <tr>
                <th scope="row">
                  <code>{name}</code>
                  {where && <small> {where}</small>}
                  {required && <small> required</small>}
                </th>
                <td>
                  {type}
                  {words && <br />}
                  <Words text={words} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function OneReply({ reply: { status, description, headers, codes, example } }: { reply: Reply }) {
  return (
    <>
      <p>
        <b>{status}</b>{" "}
        {codes.length > 0
          ? codes.map((code, i) => (
              <>
                {i > 0 && ", "}
                <a href={`#problem-${code}`}>{code}</a>
              </>
            ))
          : description}
        {headers.length > 0 && <small> with {headers.join(", ")}</small>}
      </p>
      {example !== undefined && (
        <pre>{typeof example === "string" ? example : JSON.stringify(example, null, 2)}</pre>
      )}
    </>
  );
}

function Problems() {
  return (
    <section id="problems">
      <h2>Problems</h2>
      <p class="lead">
        Every refusal is an RFC 9457 document, <code>application/problem+json</code>: <code>type</code>,{" "}
        <code>title</code>, <code>status</code>, <code>detail</code>, the stable <code>code</code>, and where
        they help <code>pointer</code> or <code>parameter</code>, <code>hint</code>, <code>errors</code> and
        facts of its own.
      </p>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th>Code</th>
              <th>Status</th>
              <th>Means</th>
              <th>What to do</th>
            </tr>
          </thead>
          <tbody>
            {(Object.keys(PROBLEMS) as ProblemCode[]).map((code) => (
              <tr id={`problem-${code}`}>
                <th scope="row">
                  <a href={`#problem-${code}`}>{code}</a>
                  <br />
                  <small>{typeOf(code)}</small>
                </th>
                <td>{PROBLEMS[code].status}</td>
                <td>{PROBLEMS[code].title}</td>
                <td>
                  <Words text={REMEDIES[code]} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Limits() {
  return (
    <section id="limits">
      <h2>Limits</h2>
      <p class="lead">What goes beyond is refused, with the field that is to blame and the limit.</p>
      <div class="scroll">
        <table>
          <tbody>
            {limits.map(({ name, words, value }) => (
              <tr id={`limit-${name}`}>
                <th scope="row">
                  <Words text={words} />
                </th>
                <td>
                  {name.includes("_MIN") ? "at least " : "at most "}
                  {value}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Scopes() {
  return (
    <section id="scopes">
      <h2>Tokens and scopes</h2>
      <p class="lead">
        A token has scopes, namespaces, and where it is bound, queues and schedules; no scope implies another.
        What it may not see is not found. <code>ADMIN_TOKEN</code> has all of them.
      </p>
      <div class="scroll">
        <table>
          <tbody>
            {SCOPES.map((scope) => (
              <tr>
                <th scope="row">
                  <code>{scope}</code>
                </th>
                <td>{SCOPE_WORDS[scope]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** Text with its `code`. */
function Words({ text }: { text: string }) {
  return <>{text.split("`").map((part, i) => (i % 2 === 1 ? <code>{part}</code> : part))}</>;
}
