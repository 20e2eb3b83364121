import { composed } from '../privacy/budget.ts';
import { mechanismOf } from '../privacy/mechanism.ts';
import { privateColumns } from '../privacy/private-layout.ts';
import type { Layout } from '../statistic/layout.ts';
import { type PrivacyTerms, type Study, studyDigest } from '../study/study.ts';

/** What a contribution to a private study costs its rows, and of which promise it is a part. */
export interface Charge {
  readonly mu: number;
  /** Digest of the study's first round: the rounds of one promise share it. */
  readonly promise: string;
  /** 0, or which refinement. */
  readonly round: number;
  /** Who publishes what is made of it: the key of a coordinator, or `file`. Two who do draw two noises. */
  readonly place: string;
  /** With central noise all contributions of a site to a study cost `mu` together, since the coordinator counts what it publishes; else each does. */
  readonly placement: NonNullable<PrivacyTerms['placement']>;
  readonly unit: PrivacyTerms['unit'];
  /** Contributions of the same rows that the promise has room for, where each costs. */
  readonly releases: number;
}

/** The charge of a contribution to a study; undefined where nothing is private about it. */
export function chargeOf(study: Study, layout: Layout, place: string): Charge | undefined {
  const { privacy } = study;
  if (!privacy) return undefined;
  const { placement = 'central', releases = 1, unit, refinement } = privacy;
  const { spent } = mechanismOf(privacy, privateColumns(layout));
  return {
    // What the coordinator has may be in every total it publishes.
    mu: placement === 'central' ? spent * Math.sqrt(releases) : spent,
    promise: promiseOf(study, privacy),
    round: refinement?.round ?? 0,
    place,
    placement,
    unit,
    releases,
  };
}

function promiseOf(study: Study, privacy: PrivacyTerms): string {
  const { refinement: _, ...first } = privacy;
  return studyDigest({ ...study, privacy: first });
}

/** A charge as it was written down, and for which study; the placement may not have been. */
export interface Charged extends Partial<Omit<Charge, 'mu'>> {
  readonly study: string;
  readonly site: string;
  readonly mu: number;
}

/** √Σμ² over charges of the same rows: central ones count once a study, site and place. */
export function spentOn(charges: readonly Charged[]): number {
  const central = new Map<string, number>();
  const each: number[] = [];
  for (const { study, site, place, mu, placement } of charges) {
    const key = JSON.stringify([study, site, place]);
    if (placement === 'central') central.set(key, Math.max(mu, central.get(key) ?? 0));
    else each.push(mu);
  }
  return composed([...central.values(), ...each]);
}
