/** The candidates nearest to a misspelt name, nearest first, at most three. */
export function nearNames(name: string, candidates: Iterable<string>): string[] {
  const limit = Math.max(1, Math.floor(name.length / 3));
  return [...candidates]
    .map((candidate) => ({ candidate, distance: distance(fold(name), fold(candidate)) }))
    .filter((near) => near.distance <= limit)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map((near) => near.candidate);
}

/** Ignores case and separators, the most common mistakes. */
function fold(name: string): string {
  return name.toLowerCase().replace(/[\s._-]/g, '');
}

/** Insertions, deletions, substitutions and swaps of neighbours from a to b (Wagner & Fischer 1974; Damerau 1964). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  let before = row;
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = swapped ? before[j - 2]! + 1 : substitution;
      next.push(Math.min(substitution, swap, row[j]! + 1, next[j - 1]! + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length]!;
}
