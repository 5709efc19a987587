/** The little grammar that descriptions share. */

/** `a`, `a and b`, `a, b and c` */
export function join(parts: readonly string[], word: "and" | "or"): string {
  return parts.length < 2 ? (parts[0] ?? "") : `${parts.slice(0, -1).join(", ")} ${word} ${parts.at(-1)}`;
}

export function plural(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

/** Values in order, three and more in a row as a range: `1, 5 to 9 and 12`. */
export function ranges(
  values: readonly number[],
  label: (value: number) => string,
  word: "and" | "or",
): string {
  const parts: string[] = [];
  for (let i = 0; i < values.length;) {
    let end = i;
    while (values[end + 1] === values[end]! + 1) end++;
    if (end - i >= 2) parts.push(`${label(values[i]!)} to ${label(values[end]!)}`);
    else parts.push(...values.slice(i, end + 1).map(label));
    i = end + 1;
  }
  return join(parts, word);
}

/** `every 2nd`, `every 3rd` */
export function ordinal(value: number): string {
  const tens = value % 100;
  const suffix = tens > 10 && tens < 14 ? "th" : (["th", "st", "nd", "rd"][value % 10] ?? "th");
  return `${value}${suffix}`;
}
