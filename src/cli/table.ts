/** Aligned columns: as wide as what they hold, the last one open. */
import { type Colour, type Paint, plain } from "./terminal.ts";

export type Cell = string | { text: string; colour: Colour };

const GUTTER = "  ";

export function table(rows: Cell[][], paint: Paint, heads?: string[]): string[] {
  const all: Cell[][] = heads ? [heads.map((text): Cell => ({ text, colour: "dim" })), ...rows] : rows;
  const widths: number[] = [];
  for (const row of all) {
    for (const [column, cell] of row.slice(0, -1).entries())
      widths[column] = Math.max(widths[column] ?? 0, widthOf(textOf(cell)));
  }
  return all.map((row) => line(row, widths, paint));
}

function line(row: Cell[], widths: number[], paint: Paint): string {
  const cells = row.map((cell, column) => {
    const text = textOf(cell);
    const isLast = column === row.length - 1;
    const padding = isLast ? "" : " ".repeat((widths[column] ?? 0) - widthOf(text));
    return (typeof cell === "string" ? text : paint(cell.colour, text)) + padding;
  });
  return cells.join(GUTTER).trimEnd();
}

function textOf(cell: Cell): string {
  return plain(typeof cell === "string" ? cell : cell.text);
}

/** In characters as people count them; wide scripts are rare in names. */
function widthOf(text: string): number {
  return [...new Intl.Segmenter().segment(text)].length;
}
