import type { DisclosureTerms, DisclosureThresholds } from '../study/study.ts';

/** The thresholds of an audit, and the name of their profile. */
export interface Standard {
  readonly profile: string;
  readonly thresholds: DisclosureThresholds;
}

/** Fewer rows than this are never released, whatever the thresholds say. */
export const FEWEST_ROWS = 3;

/** The cells of each profile: DataSHIELD's nfilter.tab, the 5 its documentation calls justifiable, a census bureau's 10. */
const cells = { datashield: 3, default: 5, agency: 10 } as const;

/**
 * The strictest of a study's and a site's own thresholds, one by one: a site can tighten a study's rules but never loosen
 * them. `none` only if nobody asks for rules.
 */
export function thresholdsOf(
  terms: DisclosureTerms | undefined,
  ...own: readonly (DisclosureTerms | undefined)[]
): Standard | 'none' {
  return own.reduce<Standard | 'none'>(
    (held, rules) => tightened(held, terms?.profile, rules),
    terms?.profile === 'none' ? 'none' : standardOf(terms ?? {}),
  );
}

/** A standard with a site's own rules; a site that names no profile means the study's. */
function tightened(
  held: Standard | 'none',
  profile: DisclosureTerms['profile'],
  own: DisclosureTerms | undefined,
): Standard | 'none' {
  if (own === undefined || own.profile === 'none') return held;
  const fallback = profile === 'none' ? 'default' : (profile ?? 'default');
  const tighter = standardOf({ profile: fallback, ...own });
  if (held === 'none') return tighter;
  const same = tighter.profile === held.profile;
  return {
    profile: same ? held.profile : `${held.profile}, tightened by ${tighter.profile}`,
    thresholds: stricter(held.thresholds, tighter.thresholds),
  };
}

/** The thresholds of a profile, with a study's own in place of some. */
export function standardOf({ profile = 'default', thresholds = {} }: DisclosureTerms): Standard {
  const cell = thresholds.cell ?? cells[profile === 'none' ? 'default' : profile];
  const lines: DisclosureThresholds = {
    rows: 2 * cell,
    columnShare: 0.33,
    freedom: 10,
    cell,
    dominance: [0.5, 0.67],
    influence: 0.5,
    noticeableLeverage: 0.2,
    oneLevel: 0.9,
    wholeRows: 30,
    difference: Math.max(cell, 10),
    epsilon: 10,
    ...thresholds,
  };
  const custom = Object.keys(thresholds).length > 0;
  return {
    profile: custom ? `${profile} with other thresholds` : profile,
    thresholds: { ...lines, rows: Math.max(FEWEST_ROWS, lines.rows) },
  };
}

/** Every threshold that a study changes against its profile: "cell 1 (default 5), laxer". */
export function weakerThan({ profile = 'default', thresholds = {} }: DisclosureTerms): string[] {
  if (profile === 'none') return [];
  const asked = standardOf({ profile, thresholds }).thresholds;
  const usual = standardOf({ profile }).thresholds;
  const both = stricter(asked, usual);
  const keys = Object.keys(usual) as (keyof DisclosureThresholds)[];
  return keys.flatMap((key) => {
    const [own, line] = [String(asked[key]), String(usual[key])];
    if (own === line) return [];
    const direction = own === String(both[key]) ? 'stricter' : 'laxer';
    return [`${key} ${own} (${profile} ${line}), ${direction}`];
  });
}

export function stricter(a: DisclosureThresholds, b: DisclosureThresholds): DisclosureThresholds {
  const { min, max } = Math;
  return {
    rows: max(a.rows, b.rows),
    columnShare: min(a.columnShare, b.columnShare),
    freedom: max(a.freedom, b.freedom),
    cell: max(a.cell, b.cell),
    dominance: [min(a.dominance[0], b.dominance[0]), min(a.dominance[1], b.dominance[1])],
    influence: min(a.influence, b.influence),
    noticeableLeverage: min(a.noticeableLeverage, b.noticeableLeverage),
    oneLevel: min(a.oneLevel, b.oneLevel),
    wholeRows: max(a.wholeRows, b.wholeRows),
    difference: max(a.difference, b.difference),
    epsilon: min(a.epsilon, b.epsilon),
  };
}
