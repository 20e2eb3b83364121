/** The candidates a misspelt name may have meant, nearest first, at most three. */
export function nearNames(name: string, candidates: Iterable<string>): string[] {
  const limit = Math.max(1, Math.floor(name.length / 3));
  return [...candidates]
    .map((candidate) => ({ candidate, distance: distance(fold(name), fold(candidate)) }))
    .filter((near) => near.distance <= limit)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map((near) => near.candidate);
}

/** Case and the marks between words are what people misremember most. */
function fold(name: string): string {
  return name.toLowerCase().replace(/[\s._-]/g, '');
}

/** Insertions, deletions and substitutions from a to b (Wagner & Fischer 1974). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
