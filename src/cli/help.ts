import { COMMON, type Command, type Flags } from "./command.ts";
import { table } from "./table.ts";
import type { Paint } from "./terminal.ts";

const CODES = [
  ["0", "done, or nothing to do"],
  ["1", "failed, refused, or in conflict"],
  ["2", "the command line was not understood"],
  ["3", "apply --plan: there is something to change"],
];

export function overview(commands: readonly Command[], paint: Paint): string[] {
  return [
    "carillon COMMAND … [--url URL] [--namespace NAME] [--json]",
    "",
    ...indented(
      table(
        commands.map(({ name, summary }) => [name, summary]),
        paint,
      ),
    ),
    "",
    "The scheduler's address and token come from CARILLON_URL and CARILLON_TOKEN.",
    "carillon COMMAND --help tells more of each.",
    "",
    "Exit codes:",
    ...indented(table(CODES, paint)),
  ];
}

export function helpOf({ name, takes, summary, about, flags }: Command, paint: Paint): string[] {
  return [
    `carillon ${name} ${takes}`,
    "",
    `${summary}.${about === undefined ? "" : `\n${about}`}`,
    ...(Object.keys(flags).length > 0 ? ["", ...flagLines(flags, paint)] : []),
    "",
    ...flagLines(COMMON, paint),
  ];
}

function flagLines(flags: Flags, paint: Paint): string[] {
  const rows = Object.entries(flags).map(([name, { value, about }]) => [
    `--${name}${value === undefined ? "" : ` ${value}`}`,
    about,
  ]);
  return indented(table(rows, paint));
}

function indented(lines: string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
