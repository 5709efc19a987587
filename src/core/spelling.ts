/** The word that was probably meant. */

/** Two edits for a word of five letters and more, one for a shorter one; more would be guessing. */
function editsMax(word: string): number {
  return word.length < 5 ? 1 : 2;
}

export function nearest(word: string, candidates: readonly string[]): string | null {
  const lower = word.toLowerCase().slice(0, 64);
  let best: string | null = null;
  let edits = editsMax(word) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(lower, candidate.toLowerCase());
    if (distance < edits) [best, edits] = [candidate, distance];
  }
  return best;
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min(row[j - 1]! + 1, last[j]! + 1, last[j - 1]! + same);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) cost = Math.min(cost, beforeLast[j - 2]! + 1);
      row.push(cost);
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length]!;
}
