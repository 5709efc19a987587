/** One call of the command line, without the process around it. */
import { Carillon, CarillonError, type Options } from "../client/index.ts";
import { nearest } from "../core/spelling.ts";
import { apply } from "./apply.ts";
import { type Arguments, type Command, EXIT, type Exit, readArguments, UsageError } from "./command.ts";
import { explain } from "./explain.ts";
import { tellError } from "./faults.ts";
import { helpOf, overview } from "./help.ts";
import { importCrontab } from "./import-crontab.ts";
import { list } from "./list.ts";
import { next } from "./next.ts";
import { show } from "./show.ts";
import { pause, resume, trigger } from "./steer.ts";
import { tail } from "./tail.ts";
import { openTerminal, type Terminal } from "./terminal.ts";
import { tokens } from "./tokens.ts";

const COMMANDS: readonly Command[] = [
  apply,
  list,
  show,
  next,
  explain,
  pause,
  resume,
  trigger,
  tail,
  importCrontab,
  tokens,
];

export interface Surroundings {
  env: Record<string, string | undefined>;
  out: { write(text: string): unknown; isTTY?: boolean };
  err: { write(text: string): unknown; isTTY?: boolean };
  signal: AbortSignal;
  now: number;
  version: string;
  fetch?: Options["fetch"];
}

export async function run(args: string[], around: Surroundings): Promise<Exit> {
  const terminal = openTerminal(around.out, around.err, around.env);
  try {
    return await dispatch(args, around, terminal);
  } catch (error) {
    if (error instanceof CarillonError) tellError(error, terminal);
    else if (error instanceof UsageError) {
      terminal.note(terminal.paint("red", error.message));
      if (error.hint !== undefined) terminal.note(`  ${error.hint}`);
      return EXIT.usage;
    } else if (around.signal.aborted) terminal.note("Interrupted.");
    else throw error;
    return EXIT.failed;
  }
}

async function dispatch([word, ...args]: string[], around: Surroundings, terminal: Terminal): Promise<Exit> {
  const { print, paint } = terminal;
  if (word === "--version") {
    print(around.version);
    return EXIT.done;
  }
  if (word === undefined || word === "--help" || word === "help") {
    const command = word === "help" && args[0] !== undefined ? find(args[0]) : null;
    for (const line of command ? helpOf(command, paint) : overview(COMMANDS, paint)) print(line);
    return word === undefined ? EXIT.usage : EXIT.done;
  }
  const command = find(word);
  const given = readArguments(command, args);
  if (given.values["help"] === true) {
    for (const line of helpOf(command, paint)) print(line);
    return EXIT.done;
  }
  return command.run(invocation(given, around, terminal));
}

function find(word: string): Command {
  const command = COMMANDS.find(({ name }) => name === word);
  if (command) return command;
  const names = COMMANDS.map(({ name }) => name);
  const meant = nearest(word, names);
  const isFlag = word.startsWith("-");
  throw new UsageError(
    isFlag ? "The command comes first, then its flags." : `There is no command ${word}.`,
    meant === null ? `There are ${names.join(", ")}.` : `Did you mean carillon ${meant}?`,
  );
}

function invocation({ positionals, values }: Arguments, around: Surroundings, terminal: Terminal) {
  const text = (flag: string) => (typeof values[flag] === "string" ? values[flag] : undefined);
  let opened: Carillon | null = null;
  return {
    positionals,
    text,
    is: (flag: string) => values[flag] === true,
    terminal,
    scheduler: () => (opened ??= open(text, around)),
    signal: around.signal,
    now: around.now,
  };
}

function open(text: (flag: string) => string | undefined, { env, fetch }: Surroundings): Carillon {
  const need = (flag: string, name: string, example: string) => {
    const value = text(flag) ?? env[name];
    if (value === undefined || value === "") throw new UsageError(`Set ${name}, or --${flag}.`, example);
    return value;
  };
  const url = need(
    "url",
    "CARILLON_URL",
    "It is the scheduler's address: https://carillon.example.workers.dev",
  );
  const token = need("token", "CARILLON_TOKEN", "It is a token of the scheduler, or its ADMIN_TOKEN.");
  const namespace = text("namespace") ?? (env["CARILLON_NAMESPACE"] || undefined);
  try {
    return new Carillon({ url, token, namespace, fetch });
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message);
    throw error;
  }
}
