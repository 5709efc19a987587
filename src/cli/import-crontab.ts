import { stringify } from "yaml";
import { type Command, EXIT } from "./command.ts";
import { readText } from "./files.ts";
import { importTable, type LineReport } from "./crontab.ts";
import { type Cell, table } from "./table.ts";
import type { Colour } from "./terminal.ts";

const SYSTEM = /^\/etc\/(?:crontab$|cron\.d\/)/;
const COLOURS: Record<LineReport["verdict"], Colour> = {
  imported: "green",
  changed: "yellow",
  "left out": "dim",
  refused: "red",
};

export const importCrontab: Command = {
  name: "import-crontab",
  takes: "FILE",
  summary: "A crontab as a file for apply, and a report on every line of it",
  about:
    "The file goes to stdout, the report to stderr; - reads stdin (crontab -l | carillon import-crontab -).\n" +
    "The command becomes the payload of a message: a consumer of yours runs it. Exit code 1: a line was refused.",
  flags: {
    timezone: {
      value: "ZONE",
      about: "of the machine that the table is from; this one's, unless told otherwise",
    },
    queue: { value: "QUEUE", about: "the target; EXTERNAL, which workers poll, unless told otherwise" },
    "managed-by": { value: "NAME", about: "the manager that the file names; crontab, unless told otherwise" },
    system: { about: "each command has a user before it; for /etc/crontab and /etc/cron.d that is known" },
  },
  least: 1,
  most: 1,
  async run({ positionals, text, is, terminal }) {
    const [file = "-"] = positionals;
    const timezone = text("timezone") ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
    const { schedules, report } = importTable(await readText(file), {
      timezone,
      queue: text("queue") ?? "EXTERNAL",
      hasUsers: is("system") || SYSTEM.test(file),
    });
    const { note, paint, print } = terminal;
    if (text("timezone") === undefined)
      note(
        paint(
          "yellow",
          `The zone is this machine's: ${timezone}. Is it the table's? --timezone says another.`,
        ),
      );
    for (const line of table(
      report.flatMap((one) => rowsOf(file, one)),
      paint,
    ))
      note(line);
    note(`${schedules.length} schedules; ${countsOf(report)}.`);
    const out = { managedBy: text("managed-by") ?? "crontab", schedules };
    print(is("json") ? JSON.stringify(out, null, 2) : stringify(out, { lineWidth: 0 }).trimEnd());
    return report.some(({ verdict }) => verdict === "refused") ? EXIT.failed : EXIT.done;
  },
};

function rowsOf(file: string, { line, verdict, written, name, about }: LineReport): Cell[][] {
  const [first = "", ...others] = about;
  return [
    [
      `${file}:${line}`,
      { text: verdict, colour: COLOURS[verdict] },
      written,
      { text: name ?? "", colour: "bold" },
      first,
    ],
    ...others.map((more): Cell[] => ["", "", "", "", more]),
  ];
}

function countsOf(report: LineReport[]): string {
  const verdicts = Object.keys(COLOURS).map((verdict) => ({
    verdict,
    count: report.filter((one) => one.verdict === verdict).length,
  }));
  return verdicts
    .filter(({ count }) => count > 0)
    .map(({ verdict, count }) => `${count} ${count === 1 ? "line" : "lines"} ${verdict}`)
    .join(", ");
}
