import type { Ink } from '../text/text-table.ts';

/** A suspicious contribution, with the evidence; the contribution still counts. */
export interface SiteFlag {
  readonly site: string;
  /** The kind of suspicion. */
  readonly kind: string;
  readonly column?: string;
  /** One sentence with the numbers. */
  readonly evidence: string;
  /** What to ask the site. */
  readonly advice: string;
}

/** A flag of a kind that this version raises. */
export interface Flag extends SiteFlag {
  readonly kind: 'impossible' | 'rows' | 'scale' | 'location' | 'constant' | 'sign' | 'fit';
}

/** A flag: `reason` is one sentence with the numbers, `question` is what to ask the site. */
export function siteFlag(
  at: Pick<Flag, 'site' | 'kind' | 'column'>,
  reason: string,
  question: string,
): Flag {
  return { ...at, evidence: reason, advice: question };
}

/** Each flag: site, kind and evidence, then what to ask the site. */
export function flagsText(flags: readonly SiteFlag[], ink: Ink): string {
  return flags
    .map(
      ({ site, kind, evidence, advice: question }) =>
        `${ink.bold(site)} (${kind}): ${evidence}\n  ${ink.faint(question)}`,
    )
    .join('\n');
}
