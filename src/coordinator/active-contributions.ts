/** The facts that decide whether a contribution is active, that is, part of the total. */
export interface ActiveContribution {
  readonly site: string;
  readonly sequence: number;
  readonly mode: 'add' | 'replace';
  readonly late: number;
  /** Digest of the file; null once it is erased. */
  readonly digest: string | null;
}

/**
 * The active contributions of each site: not erased, not before the site's last `replace`, and late
 * ones only on request. Sites are in order of name, contributions in order of sequence.
 */
export function activeContributions<P extends ActiveContribution>(
  contributions: readonly P[],
  { includeLate }: { readonly includeLate: boolean },
): Map<string, P[]> {
  const stored = contributions
    .filter(({ digest, late }) => digest !== null && (late === 0 || includeLate))
    .sort((a, b) => byName(a.site, b.site) || a.sequence - b.sequence);
  const bySite = new Map<string, P[]>();
  for (const one of stored) {
    const earlier = one.mode === 'replace' ? undefined : bySite.get(one.site);
    bySite.set(one.site, [...(earlier ?? []), one]);
  }
  return bySite;
}

/** Stored contributions that a later `replace` has made inactive for good. */
export function replacedContributions<P extends ActiveContribution>(
  contributions: readonly P[],
): P[] {
  const onTime = contributions.filter(({ digest, late }) => digest !== null && late === 0);
  const active = new Set([...activeContributions(onTime, { includeLate: false }).values()].flat());
  return onTime.filter((one) => !active.has(one));
}

/** Orders names by UTF-16 code units: the same order on every machine. */
export function byName(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
