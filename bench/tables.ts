/** What the bench prints: Markdown, to be pasted as it is. */

export type Cell = string | number | null;

export function table(headings: string[], rows: Cell[][]): void {
  const texts = [headings, ...rows.map((row) => row.map(show))];
  const widths = headings.map((_, i) => Math.max(3, ...texts.map((row) => (row[i] ?? "").length)));
  const line = (cells: string[]) =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join(" | ")} |`;
  const rule = widths.map((width, i) => (i === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  console.log([line(texts[0]!), line(rule), ...texts.slice(1).map(line)].join("\n"));
  console.log();
}

function show(cell: Cell): string {
  if (cell === null || Number.isNaN(cell)) return "–";
  if (typeof cell === "string") return cell;
  return Math.abs(cell) >= 100 || Number.isInteger(cell)
    ? Math.round(cell).toLocaleString("en-US")
    : cell.toFixed(Math.abs(cell) >= 10 ? 1 : 2);
}

/** The value that a share of all is at or below. */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export function median(values: number[]): number {
  const sorted = values.filter((value) => !Number.isNaN(value)).toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Field by field, over rounds. */
export function medians<T extends { [field: string]: number }>(rounds: T[]): T {
  const fields = Object.keys(rounds[0] ?? {});
  return Object.fromEntries(
    fields.map((field) => [field, median(rounds.map((round) => round[field]!))]),
  ) as T;
}
