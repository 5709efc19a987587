import type { Scope } from "../client/index.ts";
import { nearest } from "../core/spelling.ts";
import { type Command, EXIT, type Exit, type Invocation, UsageError } from "./command.ts";
import { type Cell, table } from "./table.ts";

const SCOPES: readonly Scope[] = ["read", "write", "trigger", "work", "admin"];
const ACTIONS: { [word: string]: (call: Invocation) => Promise<Exit> } = { list, create, revoke };
const SHOWN = 1_000;

export const tokens: Command = {
  name: "tokens",
  takes: "list | create NAME --scopes read,write | revoke ID",
  summary: "Who else may call",
  about: "The text of a new token goes to stdout, alone, and is never shown again.",
  flags: {
    scopes: { value: "LIST", about: SCOPES.join(", ") },
    namespaces: { value: "LIST", about: "default, unless told otherwise; * for all" },
    queues: { value: "LIST", about: "only to work on these, and to name them as targets" },
    schedules: { value: "LIST", about: "only to see these" },
    expires: { value: "INSTANT", about: "2027-11-30T00:00:00Z; never, unless told otherwise" },
  },
  least: 1,
  most: 2,
  run(call) {
    const [word = "", what] = call.positionals;
    const action = Object.hasOwn(ACTIONS, word) ? ACTIONS[word] : undefined;
    if (action && (word === "list") === (what === undefined)) return action(call);
    const meant = nearest(word, Object.keys(ACTIONS));
    throw new UsageError(
      action
        ? `carillon tokens ${word} ${word === "list" ? "takes nothing more" : "needs one thing more"}.`
        : `There is no carillon tokens ${word}.`,
      action || meant === null
        ? `Usage: carillon tokens ${tokens.takes}`
        : `Did you mean carillon tokens ${meant}?`,
    );
  },
};

async function list({ is, terminal, scheduler, signal }: Invocation): Promise<Exit> {
  const found = await scheduler().tokens.list({ signal }).take(SHOWN);
  if (is("json")) terminal.print(JSON.stringify(found, null, 2));
  else {
    const rows = found.map(({ id, name, scopes, namespaces, expiresAt, lastUsedAt }): Cell[] => [
      id,
      { text: name, colour: "bold" },
      scopes.join(","),
      namespaces.join(","),
      expiresAt ?? "never",
      lastUsedAt ?? "never",
    ]);
    for (const line of table(rows, terminal.paint, [
      "ID",
      "NAME",
      "SCOPES",
      "NAMESPACES",
      "EXPIRES",
      "LAST USED",
    ]))
      terminal.print(line);
  }
  return EXIT.done;
}

async function create({ positionals, text, is, terminal, scheduler, signal }: Invocation): Promise<Exit> {
  const scopes = words(text("scopes"));
  if (!scopes)
    throw new UsageError("A token needs scopes.", `--scopes read,write; there are ${SCOPES.join(", ")}.`);
  const made = await scheduler().tokens.create(
    {
      name: positionals[1]!,
      scopes: scopes as Scope[],
      namespaces: words(text("namespaces")) ?? ["default"],
      queues: words(text("queues")),
      schedules: words(text("schedules")),
      expiresAt: text("expires"),
    },
    { signal },
  );
  if (is("json")) terminal.print(JSON.stringify(made, null, 2));
  else {
    terminal.note(`${made.name} is token ${made.id}; its text is shown this once:`);
    terminal.print(made.token);
  }
  return EXIT.done;
}

async function revoke({ positionals, is, terminal, scheduler, signal }: Invocation): Promise<Exit> {
  const gone = await scheduler().tokens.revoke(positionals[1]!, { signal });
  terminal.print(is("json") ? JSON.stringify(gone, null, 2) : `${gone.id}  ${gone.name}  revoked`);
  return EXIT.done;
}

function words(text: string | undefined): string[] | undefined {
  return text
    ?.split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}
