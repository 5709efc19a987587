/** Where a command speaks: answers to stdout, everything else to stderr. */

export interface Terminal {
  /** A line of the answer. */
  print(line: string): void;
  /** A line about it. */
  note(line: string): void;
  /** How far it is: one line that is written over on a terminal, further lines elsewhere. */
  progress(line: string): void;
  paint: Paint;
}

export type Colour = "red" | "green" | "yellow" | "bold" | "dim";
export type Paint = (colour: Colour, text: string) => string;

interface Stream {
  write(text: string): unknown;
  isTTY?: boolean;
}

const CODES: Record<Colour, [on: number, off: number]> = {
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  bold: [1, 22],
  dim: [2, 22],
};
const CLEAR_LINE = "\r\u001B[2K";

/** Colours only where both streams are a terminal, and https://no-color.org is not asked for. */
export function openTerminal(out: Stream, err: Stream, env: Record<string, string | undefined>): Terminal {
  const isColoured =
    out.isTTY === true && err.isTTY === true && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
  const isLive = err.isTTY === true && env["TERM"] !== "dumb";
  let isDrawn = false;
  const clear = () => {
    if (isDrawn) err.write(CLEAR_LINE);
    isDrawn = false;
  };
  return {
    print(line) {
      clear();
      out.write(`${line}\n`);
    },
    note(line) {
      clear();
      err.write(`${line}\n`);
    },
    progress(line) {
      err.write(isLive ? `${CLEAR_LINE}${line}` : `${line}\n`);
      isDrawn = isLive;
    },
    paint: isColoured ? painted : (_, text) => text,
  };
}

function painted(colour: Colour, text: string): string {
  const [on, off] = CODES[colour];
  return `\u001B[${on}m${text}\u001B[${off}m`;
}

/** What others wrote, on its way to a terminal: without what would move the cursor or change its colours. */
export function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is taken out
  return text.replace(/[\u0000-\u001F\u007F-\u009F]+/g, " ");
}
