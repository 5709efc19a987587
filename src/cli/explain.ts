import { formatInstant } from "../core/time.ts";
import { type Command, EXIT } from "./command.ts";
import type { Colour } from "./terminal.ts";

const COLOURS: { [verdict: string]: Colour } = {
  succeeded: "green",
  failed: "red",
  expired: "red",
  will_run: "green",
};

export const explain: Command = {
  name: "explain",
  takes: "NAME [TIME]",
  summary: "Why it ran, or did not, or will",
  about:
    "TIME is an instant, or a local time on the clock of the schedule's zone; now, unless told otherwise.",
  flags: {},
  least: 1,
  most: 2,
  async run({ positionals, is, terminal, scheduler, signal, now }) {
    const [name = "", time = formatInstant(now)] = positionals;
    const answer = await scheduler().schedules.explain(name, time, { signal });
    if (is("json")) {
      terminal.print(JSON.stringify(answer, null, 2));
      return EXIT.done;
    }
    const { at, verdict, sentences, nearest } = answer;
    terminal.print(`${at}  ${terminal.paint(COLOURS[verdict] ?? "yellow", verdict)}`);
    for (const sentence of sentences) terminal.print(`  ${sentence}`);
    terminal.print(
      terminal.paint("dim", `  before: ${nearest.previous ?? "none"}, after: ${nearest.next ?? "none"}`),
    );
    return EXIT.done;
  },
};
