/** What a command is, and how its arguments are read. */
import { parseArgs } from "node:util";
import type { Carillon } from "../client/index.ts";
import { nearest } from "../core/spelling.ts";
import type { Terminal } from "./terminal.ts";

/** What a script may go by. */
export const EXIT = { done: 0, failed: 1, usage: 2, planned: 3 } as const;
export type Exit = (typeof EXIT)[keyof typeof EXIT];

export interface Flag {
  /** What stands after it, as the help shows it; a flag without says yes. */
  value?: string;
  about: string;
}
export type Flags = { [name: string]: Flag };

export interface Invocation {
  positionals: string[];
  /** The text of a flag, if it was given. */
  text(flag: string): string | undefined;
  is(flag: string): boolean;
  terminal: Terminal;
  /** Opened by whoever needs it: some commands ask nobody. */
  scheduler(): Carillon;
  /** Ends when the user has had enough. */
  signal: AbortSignal;
  now: number;
}

export interface Command {
  name: string;
  /** Beside the name: `NAME [WHEN]`. */
  takes: string;
  summary: string;
  about?: string;
  flags: Flags;
  /** How many positionals. */
  least: number;
  most: number;
  run(call: Invocation): Promise<Exit>;
}

export const COMMON: Flags = {
  url: { value: "URL", about: "the scheduler's address; else CARILLON_URL" },
  token: { value: "TOKEN", about: "better in CARILLON_TOKEN, where no process list shows it" },
  namespace: { value: "NAME", about: "else CARILLON_NAMESPACE, else the token's own" },
  json: { about: "the answer as JSON, for programs" },
  help: { about: "what this command does" },
};

/** Told in one sentence, with exit code 2. */
export class UsageError extends Error {
  readonly hint: string | undefined;
  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

export interface Arguments {
  positionals: string[];
  values: { [flag: string]: string | boolean | undefined };
}

export function readArguments(command: Command, args: string[]): Arguments {
  const flags = { ...command.flags, ...COMMON };
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { value }]) => [name, { type: value ? "string" : "boolean" } as const]),
  );
  refuseUnknown(args, flags);
  try {
    const { positionals, values } = parseArgs({ args, options, allowPositionals: true, strict: true });
    if (values["help"] !== true) checkCount(command, positionals);
    return { positionals, values };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError((error as Error).message, `See carillon ${command.name} --help.`);
  }
}

function refuseUnknown(args: string[], flags: Flags): void {
  const { tokens } = parseArgs({ args, strict: false, tokens: true, allowPositionals: true });
  for (const token of tokens) {
    if (token.kind !== "option" || Object.hasOwn(flags, token.name)) continue;
    const meant = nearest(token.name, Object.keys(flags));
    const known = Object.keys(flags).map((name) => `--${name}`);
    throw new UsageError(
      `There is no flag ${token.rawName}.`,
      meant ? `Did you mean --${meant}?` : `There are ${known.join(", ")}.`,
    );
  }
}

function checkCount({ name, takes, least, most }: Command, { length }: string[]): void {
  if (length >= least && length <= most) return;
  throw new UsageError(
    length < least ? `carillon ${name} needs more than that.` : `carillon ${name} takes less than that.`,
    `Usage: carillon ${name} ${takes}`,
  );
}
