/** What decides whether a contribution counts. */
export interface Part {
  readonly site: string;
  readonly sequence: number;
  readonly mode: 'add' | 'replace';
  readonly late: number;
  /** Digest of its file; null once erased. */
  readonly digest: string | null;
}

/**
 * The parts that count: those held, in order of sequence by site, late ones on request, and of
 * each site none before its last `replace`. Sites in order of their names.
 */
export function countingParts<P extends Part>(
  parts: readonly P[],
  { includeLate }: { readonly includeLate: boolean },
): Map<string, P[]> {
  const held = parts
    .filter(({ digest, late }) => digest !== null && (late === 0 || includeLate))
    .sort((a, b) => byName(a.site, b.site) || a.sequence - b.sequence);
  const bySite = new Map<string, P[]>();
  for (const part of held) {
    const earlier = part.mode === 'replace' ? undefined : bySite.get(part.site);
    bySite.set(part.site, [...(earlier ?? []), part]);
  }
  return bySite;
}

/** Held parts that a `replace` stands in for: nothing will count them again. */
export function supersededParts<P extends Part>(parts: readonly P[]): P[] {
  const onTime = parts.filter(({ digest, late }) => digest !== null && late === 0);
  const counting = new Set([...countingParts(onTime, { includeLate: false }).values()].flat());
  return onTime.filter((part) => !counting.has(part));
}

/** Order of names by their UTF-16 code units, the same everywhere. */
export function byName(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
